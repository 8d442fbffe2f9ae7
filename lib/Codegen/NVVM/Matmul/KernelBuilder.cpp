// Index arithmetic and accesses in LLVM dialect.
#include "KernelBuilder.h"

using namespace mlir;
using namespace mlir::titan;

Value KernelBuilder::constant(int64_t value) {
  return LLVM::ConstantOp::create(builder, location, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

Value KernelBuilder::add(Value left, Value right) {
  return LLVM::AddOp::create(builder, location, left, right);
}

Value KernelBuilder::mul(Value left, Value right) {
  return LLVM::MulOp::create(builder, location, left, right);
}

Value KernelBuilder::div(Value left, int64_t right) {
  return LLVM::UDivOp::create(builder, location, left, constant(right));
}

Value KernelBuilder::rem(Value left, int64_t right) {
  return LLVM::URemOp::create(builder, location, left, constant(right));
}

Value KernelBuilder::bitXor(Value left, Value right) {
  return LLVM::XOrOp::create(builder, location, left, right);
}

Value KernelBuilder::less(Value left, int64_t right) {
  return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::ult, left,
                              constant(right));
}

Value KernelBuilder::both(Value left, Value right) {
  return LLVM::AndOp::create(builder, location, left, right);
}

Value KernelBuilder::select(Value condition, Value yes, Value no) {
  return LLVM::SelectOp::create(builder, location, condition, yes, no);
}

Value KernelBuilder::address(Value base, Type type, Value index) {
  Value wide =
      LLVM::ZExtOp::create(builder, location, builder.getI64Type(), index);
  return LLVM::GEPOp::create(builder, location, base.getType(), type, base,
                             ArrayRef<LLVM::GEPArg>{wide});
}

Value KernelBuilder::load(Value base, Type type, Value index) {
  return LLVM::LoadOp::create(builder, location, type,
                              address(base, type, index));
}

void KernelBuilder::store(Value value, Value base, Type type, Value index) {
  LLVM::StoreOp::create(builder, location, value, address(base, type, index));
}

Value KernelBuilder::widen(Value value) {
  if (value.getType().isF32())
    return value;
  return LLVM::FPExtOp::create(builder, location, builder.getF32Type(), value);
}

Value KernelBuilder::narrow(Value value, Type type) {
  if (type.isF32())
    return value;
  return LLVM::FPTruncOp::create(builder, location, type, value);
}
