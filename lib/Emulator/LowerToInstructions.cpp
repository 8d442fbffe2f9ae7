// Device arithmetic that LLVM's own instructions say as well. Approximations
// (`ex2.approx`) become the exactly computed function, rounded once; `.ftz`
// forms flush denormal operands and results to zero.
#include "ModuleCode.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace mlir::titan::emulator;
using namespace llvm;

namespace {

/// What a name of an arithmetic intrinsic says.
struct Arithmetic {
  StringRef operation;
  bool flush = false, saturate = false, relu = false, nan = false;
};

} // namespace

/// Replaces denormals of single precision by zeros of their sign.
static Value *flush(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  if (!type->getScalarType()->isFloatTy())
    return value;
  Value *magnitude = builder.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *denormal =
      builder.CreateFCmpOLT(magnitude, ConstantFP::get(type, 0x1p-126));
  Value *zero = builder.CreateBinaryIntrinsic(
      Intrinsic::copysign, ConstantFP::get(type, 0.0), value);
  return builder.CreateSelect(denormal, zero, value);
}

/// Takes modifiers off a dotted name. False if one is left that means more.
static bool split(StringRef name, Arithmetic &arithmetic) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  arithmetic.operation = parts.front();
  for (StringRef part : drop_begin(parts)) {
    if (part == "ftz")
      arithmetic.flush = true;
    else if (part == "sat")
      arithmetic.saturate = true;
    else if (part == "relu")
      arithmetic.relu = true;
    else if (part == "nan")
      arithmetic.nan = true;
    else if (part != "approx" && part != "rn" && part != "full" &&
             part != "f" && part != "d" && part != "f32" && part != "f64" &&
             part != "f16" && part != "bf16" && part != "f16x2" &&
             part != "bf16x2")
      return false;
  }
  return true;
}

/// Minimum and maximum as the device has them: a NaN loses against a number,
/// unless the name says otherwise, and -0 is less than +0.
static Value *extremum(IRBuilder<> &builder, bool maximum, bool nan, Value *a,
                       Value *b) {
  Intrinsic::ID id = maximum ? Intrinsic::maximum : Intrinsic::minimum;
  if (!nan)
    id = maximum ? Intrinsic::maximumnum : Intrinsic::minimumnum;
  return builder.CreateBinaryIntrinsic(id, a, b);
}

static Value *compute(IRBuilder<> &builder, const Arithmetic &arithmetic,
                      ArrayRef<Value *> in) {
  StringRef name = arithmetic.operation;
  Type *type = in[0]->getType();
  auto unary = [&](Intrinsic::ID id) {
    return builder.CreateUnaryIntrinsic(id, in[0]);
  };
  if (name == "fma")
    return builder.CreateIntrinsic(Intrinsic::fma, type, in);
  if (name == "add" && in.size() == 2)
    return builder.CreateFAdd(in[0], in[1]);
  if (name == "sub" && in.size() == 2)
    return builder.CreateFSub(in[0], in[1]);
  if (name == "mul" && in.size() == 2)
    return builder.CreateFMul(in[0], in[1]);
  if (name == "div")
    return builder.CreateFDiv(in[0], in[1]);
  if (name == "fmin" || name == "fmax")
    return extremum(builder, name == "fmax", arithmetic.nan, in[0], in[1]);
  if (name == "ex2")
    return unary(Intrinsic::exp2);
  if (name == "lg2")
    return unary(Intrinsic::log2);
  if (name == "sin")
    return unary(Intrinsic::sin);
  if (name == "cos")
    return unary(Intrinsic::cos);
  if (name == "tanh")
    return unary(Intrinsic::tanh);
  if (name == "sqrt")
    return unary(Intrinsic::sqrt);
  if (name == "fabs")
    return unary(Intrinsic::fabs);
  if (name == "floor")
    return unary(Intrinsic::floor);
  if (name == "ceil")
    return unary(Intrinsic::ceil);
  if (name == "trunc")
    return unary(Intrinsic::trunc);
  if (name == "round")
    return unary(Intrinsic::roundeven);
  if (name == "neg")
    return builder.CreateFNeg(in[0]);
  if (name == "rcp")
    return builder.CreateFDiv(ConstantFP::get(type, 1.0), in[0]);
  if (name == "saturate")
    return in[0];
  if (name == "rsqrt") {
    // Once rounded: the root and the quotient are computed wider.
    Type *wide = builder.getDoubleTy();
    Value *x = builder.CreateFPExt(in[0], wide);
    Value *root = builder.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
    return builder.CreateFPTrunc(
        builder.CreateFDiv(ConstantFP::get(wide, 1.0), root), type);
  }
  return nullptr;
}

/// Integer intrinsics and conversions between float and integer.
static Value *computeInteger(IRBuilder<> &builder, StringRef name,
                             CallInst &call) {
  Type *type = call.getType();
  Value *a = call.arg_size() ? call.getArgOperand(0) : nullptr;
  Value *b = call.arg_size() > 1 ? call.getArgOperand(1) : nullptr;
  auto highProduct = [&](bool isSigned) {
    unsigned bits = type->getIntegerBitWidth();
    Type *wide = builder.getIntNTy(2 * bits);
    auto extend = [&](Value *v) {
      return isSigned ? builder.CreateSExt(v, wide)
                      : builder.CreateZExt(v, wide);
    };
    return builder.CreateTrunc(
        builder.CreateLShr(builder.CreateMul(extend(a), extend(b)), bits),
        type);
  };
  if (name == "mulhi.i" || name == "mulhi.ll" || name == "mulhi.s")
    return highProduct(true);
  if (name == "mulhi.ui" || name == "mulhi.ull" || name == "mulhi.us")
    return highProduct(false);
  if (name == "bitcast.f2i" || name == "bitcast.i2f" ||
      name == "bitcast.d2ll" || name == "bitcast.ll2d")
    return builder.CreateBitCast(a, type);
  if (name == "lohi.i2d") {
    Value *low = builder.CreateZExt(a, builder.getInt64Ty());
    Value *high = builder.CreateZExt(b, builder.getInt64Ty());
    return builder.CreateBitCast(
        builder.CreateOr(low, builder.CreateShl(high, 32)), type);
  }
  if (name == "d2i.lo" || name == "d2i.hi") {
    Value *bits = builder.CreateBitCast(a, builder.getInt64Ty());
    if (name == "d2i.hi")
      bits = builder.CreateLShr(bits, 32);
    return builder.CreateTrunc(bits, type);
  }
  // f2i.rz, i2f.rn and their relatives: from, to, rounding.
  auto [conversion, rounding] = name.split('.');
  auto [from, to] = conversion.split('2');
  bool flushes = rounding.consume_back(".ftz");
  bool fromFloat = from == "f" || from == "d", toFloat = to == "f" || to == "d";
  bool fromUnsigned = from.starts_with("u"), toUnsigned = to.starts_with("u");
  if (to.empty() || rounding.size() != 2)
    return nullptr;
  if (fromFloat && toFloat && from == "d" && rounding == "rn")
    return builder.CreateFPTrunc(a, type);
  if (fromFloat && type->isIntegerTy() && a->getType()->isFloatingPointTy()) {
    Value *value = flushes ? flush(builder, a) : a;
    Intrinsic::ID id = rounding == "rn"   ? Intrinsic::roundeven
                       : rounding == "rm" ? Intrinsic::floor
                       : rounding == "rp" ? Intrinsic::ceil
                                          : Intrinsic::trunc;
    value = builder.CreateUnaryIntrinsic(id, value);
    return builder.CreateIntrinsic(toUnsigned ? Intrinsic::fptoui_sat
                                              : Intrinsic::fptosi_sat,
                                   {type, a->getType()}, {value});
  }
  if (toFloat && a->getType()->isIntegerTy() && rounding == "rn" &&
      type->isFloatingPointTy())
    return fromUnsigned ? builder.CreateUIToFP(a, type)
                        : builder.CreateSIToFP(a, type);
  return nullptr;
}

bool mlir::titan::emulator::lowerToInstructions(Instruction &instruction) {
  auto &call = cast<CallInst>(instruction);
  StringRef name = call.getCalledFunction()->getName();
  name.consume_front("llvm.nvvm.");
  IRBuilder<> builder(&call);
  Value *result = computeInteger(builder, name, call);
  Arithmetic arithmetic;
  if (!result && call.arg_size() &&
      call.getArgOperand(0)->getType()->isFPOrFPVectorTy() &&
      call.getType() == call.getArgOperand(0)->getType() &&
      split(name, arithmetic)) {
    SmallVector<Value *> in(call.args());
    if (arithmetic.flush)
      for (Value *&value : in)
        value = flush(builder, value);
    Type *type = call.getType();
    result = compute(builder, arithmetic, in);
    if (result && (arithmetic.saturate || arithmetic.operation == "saturate"))
      result = builder.CreateBinaryIntrinsic(
          Intrinsic::minimumnum,
          builder.CreateBinaryIntrinsic(Intrinsic::maximumnum, result,
                                        ConstantFP::get(type, 0.0)),
          ConstantFP::get(type, 1.0));
    if (result && arithmetic.relu)
      result = builder.CreateBinaryIntrinsic(Intrinsic::maximum, result,
                                             ConstantFP::get(type, 0.0));
    if (result && arithmetic.flush)
      result = flush(builder, result);
  }
  if (!result)
    return false;
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
  return true;
}
