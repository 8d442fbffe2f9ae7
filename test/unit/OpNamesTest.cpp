#include "titan/Interfaces/OpNames.h"

#include <catch2/catch.hpp>

using mlir::titan::normalizeOpName;

TEST_CASE("every spelling of an op becomes the IR's", "[names]") {
  CHECK(normalizeOpName("aten.mm") == "aten.mm");
  CHECK(normalizeOpName("aten.mm.default") == "aten.mm");
  CHECK(normalizeOpName("torch.ops.aten.mm.default") == "aten.mm");
  CHECK(normalizeOpName("aten::mm") == "aten.mm");
  CHECK(normalizeOpName(" aten::mm ") == "aten.mm");
}

TEST_CASE("an overload that is not the default keeps its name", "[names]") {
  CHECK(normalizeOpName("torch.ops.aten.add.Tensor") == "aten.add.Tensor");
  CHECK(normalizeOpName("aten::sum.dim_IntList") == "aten.sum.dim_IntList");
}

TEST_CASE("functional collectives are the c10d dialect's", "[names]") {
  CHECK(normalizeOpName("torch.ops._c10d_functional.wait_tensor.default") ==
        "c10d.wait_tensor");
  CHECK(normalizeOpName("c10d.wait_tensor") == "c10d.wait_tensor");
}

TEST_CASE("other namespaces stay as they are", "[names]") {
  CHECK(normalizeOpName("torch.ops.lab.fused_norm.default") ==
        "lab.fused_norm");
  CHECK(normalizeOpName("higher_order.flex_attention") ==
        "higher_order.flex_attention");
}
