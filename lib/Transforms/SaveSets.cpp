// torchtitan's save sets. They are names, not facts: which product of matrices
// is on the list is that project's choice.
#include "SaveSets.h"

#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Interfaces/OpNames.h"

using namespace mlir;
using namespace mlir::titan;

void OpNameSet::insert(StringRef name) {
  names.insert(normalizeOpName(name));
  known.clear();
}

bool OpNameSet::contains(Operation *op) {
  const void *kind = op->getName().getAsOpaquePointer();
  if (auto torchOp = dyn_cast<TorchOp>(op))
    kind = torchOp.getNameAttr().getAsOpaquePointer();
  auto [entry, isNew] = known.try_emplace(kind, false);
  if (isNew)
    entry->second = names.contains(getOpName(op));
  return entry->second;
}

// torchtitan, experiments/compiler_toolkit, the default of apply_sac. Its
// `torch_attn._varlen_attn` is left out: it names no overload and so is equal
// to no op of a graph.
static constexpr llvm::StringLiteral kSeed[] = {
    "aten.mm",
    "aten._scaled_dot_product_efficient_attention",
    "aten._scaled_dot_product_flash_attention",
    "aten._scaled_dot_product_cudnn_attention",
    "aten._scaled_dot_product_attention_math",
    "aten._scaled_dot_product_fused_attention_overrideable",
    "c10d.reduce_scatter_tensor",
    "aten.max",
    "higher_order.flex_attention",
    "higher_order.inductor_compiled_code",
};

// torchtitan, distributed/activation_checkpoint.py, the default save ops: the
// compute-intensive ops of torch/_functorch/partitioners.py and a few more.
static constexpr llvm::StringLiteral kHead[] = {
    "aten.mm",
    "aten.bmm",
    "aten.addmm",
    "aten.convolution",
    "aten.convolution_backward",
    "aten._scaled_dot_product_flash_attention",
    "aten._scaled_dot_product_efficient_attention",
    "aten._flash_attention_forward",
    "aten._efficient_attention_forward",
    "aten.upsample_bilinear2d",
    "aten._scaled_mm",
    "aten._scaled_dot_product_cudnn_attention",
    "aten._scaled_dot_product_attention_math",
    "aten._scaled_dot_product_fused_attention_overrideable",
    "aten.max",
    "aten.linear",
    "aten.topk",
    "higher_order.flex_attention",
    "higher_order.inductor_compiled_code",
    "torch_attn._varlen_attn",
    "c10d.reduce_scatter_tensor",
    "c10d.all_to_all_single",
    "deepep.dispatch",
    "deepep.combine",
    "hybridep.dispatch",
    "hybridep.combine",
};

ArrayRef<llvm::StringLiteral> titan::getSaveSetNames(SaveSet set) {
  switch (set) {
  case SaveSet::Seed:
    return kSeed;
  case SaveSet::Head:
    return kHead;
  case SaveSet::None:
    return {};
  }
  llvm_unreachable("not a save set");
}

bool titan::isMatrixProduct(Operation *op) {
  return op->getName().getStringRef() == "aten.mm";
}

OpNameSet titan::getCountedProducts(bool withLinear) {
  OpNameSet products;
  products.insert("aten.mm");
  if (withLinear)
    products.insert("aten.linear");
  return products;
}
