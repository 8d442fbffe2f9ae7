// The table of tiles and which of them a product gets. A small tile keeps more
// multiprocessors busy, a large one reads its operands less often.
#include "titan/Codegen/NVVM/Matmul.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr MatmulTile kTiles[] = {
    {128, 128, 3}, {128, 64, 3}, {64, 64, 3}};

ArrayRef<MatmulTile> mlir::titan::getMatmulTiles() { return kTiles; }

MatmulTile mlir::titan::chooseMatmulTile(const MatmulProblem &problem) {
  for (const MatmulTile &tile : kTiles)
    if (problem.m >= tile.rows && problem.n >= tile.columns)
      return tile;
  return kTiles[std::size(kTiles) - 1];
}

int64_t mlir::titan::getMatmulSharedBytes(const MatmulTile &tile) {
  constexpr int64_t elementBytes = 2;
  return tile.stages * (tile.rows + tile.columns) * kMatmulSlice * elementBytes;
}
