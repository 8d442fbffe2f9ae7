// The bulk copy engine (TMA): tiles of tensors and plain ranges, to and from
// shared memory. Loads land when every thread waits, or at random moments;
// stores read shared memory when they are waited for.
#include "Mbarrier.h"
#include "Op.h"
#include "Swizzle.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::StringRef;

/// A tile's place in a tensor.
struct Tile {
  TensorMap map;
  int32_t origin[5] = {0, 0, 0, 0, 0};
  uint64_t shared = 0;

  uint64_t getBytes() const {
    uint64_t bytes = map.elementBytes;
    for (unsigned d = 0; d < map.rank; ++d)
      bytes *= map.box[d];
    return bytes;
  }

  /// Calls `function(shared offset, global address or 0, bytes)` for each
  /// 16-byte piece of the tile's rows; an address of 0 is outside of the
  /// tensor. A piece on the edge is split by elements.
  template <typename Function>
  void forEachPiece(Function function) const {
    uint64_t rows = 1;
    for (unsigned d = 1; d < map.rank; ++d)
      rows *= map.box[d];
    uint64_t rowBytes = uint64_t(map.box[0]) * map.elementBytes;
    auto base = reinterpret_cast<uint64_t>(map.base);
    for (uint64_t row = 0; row < rows; ++row) {
      uint64_t rest = row, address = base;
      bool inside = true;
      for (unsigned d = 1; d < map.rank; ++d) {
        int64_t at = int64_t(origin[d]) + int64_t(rest % map.box[d]);
        rest /= map.box[d];
        inside &= at >= 0 && at < int64_t(map.size[d]);
        address += uint64_t(at) * map.stride[d - 1];
      }
      constexpr uint64_t kPiece = 16;
      for (uint64_t byte = 0; byte < rowBytes; byte += kPiece) {
        uint64_t offset = row * rowBytes + byte;
        int64_t first = origin[0] + int64_t(byte / map.elementBytes);
        auto count = int64_t(kPiece / map.elementBytes);
        bool whole = inside && first >= 0 && first + count <= map.size[0];
        if (whole || !inside) {
          function(offset,
                   whole ? address + uint64_t(first) * map.elementBytes : 0,
                   kPiece);
          continue;
        }
        for (int64_t e = 0; e < count; ++e) {
          bool in = first + e >= 0 && first + e < map.size[0];
          function(offset + uint64_t(e) * map.elementBytes,
                   in ? address + uint64_t(first + e) * map.elementBytes : 0,
                   uint64_t(map.elementBytes));
        }
      }
    }
  }

  /// Where the byte at an offset of the tile lies in shared memory.
  uint64_t place(uint64_t offset) const {
    return swizzle(shared + offset, map.swizzle);
  }
};

static void require(Thread &thread, bool holds, const llvm::Twine &message) {
  if (!holds)
    thread.fail(Fault::BadDescriptor, message);
}

/// Reads the tensor map and checks what the hardware asks of it.
static void readTile(Thread &thread, Slot map, Slot *origin, unsigned rank,
                     Slot shared, Tile &tile) {
  checkAccess(thread, map, sizeof(TensorMap), 64, kReads);
  std::memcpy(&tile.map, reinterpret_cast<const void *>(map),
              sizeof(TensorMap));
  const TensorMap &m = tile.map;
  require(thread, m.magic == TensorMap::kMagic,
          "the tensor map of a bulk copy is none");
  require(thread, m.rank == rank,
          "a tensor map of rank " + llvm::Twine(m.rank) +
              " for a copy of rank " + llvm::Twine(rank));
  uint64_t rowBytes = uint64_t(m.box[0]) * m.elementBytes;
  require(thread, rowBytes % 16 == 0,
          "a box whose rows are " + llvm::Twine(rowBytes) +
              " bytes; expected a multiple of 16");
  require(thread, !m.swizzle || rowBytes <= m.swizzle,
          "a box whose rows of " + llvm::Twine(rowBytes) +
              " bytes are longer than the swizzle's " + llvm::Twine(m.swizzle));
  require(thread, reinterpret_cast<uint64_t>(m.base) % 16 == 0,
          "a tensor that is not at a multiple of 16 bytes");
  for (unsigned d = 0; d < rank; ++d) {
    require(thread, m.box[d] >= 1 && m.box[d] <= 256,
            "a box of " + llvm::Twine(m.box[d]) +
                " elements along a dimension");
    require(thread, d == 0 || m.stride[d - 1] % 16 == 0,
            "a tensor stride of " + llvm::Twine(d ? m.stride[d - 1] : 0) +
                " bytes; expected a multiple of 16");
    tile.origin[d] = int32_t(uint32_t(origin[d]));
  }
  tile.shared = shared;
  if (shared % 128)
    thread.fail(Fault::Misaligned, "a bulk tensor copy at a shared address "
                                   "that is no multiple of 128");
  if (!thread.block->shared.contains(shared))
    thread.fail(Fault::SharedOutOfBounds,
                "a bulk tensor copy outside of shared memory");
}

/// Begins a copy into shared memory that ends at an mbarrier.
static void beginLoad(Thread &thread, uint64_t shared, uint64_t bytes,
                      uint64_t mbarrier, std::function<void()> copyBytes) {
  Block &block = *thread.block;
  getMbarrier(thread, mbarrier);
  checkAccess(thread, shared, uint32_t(bytes), 16, kWrites | kAsync);
  block.shared.setPending(shared, uint32_t(bytes), true);
  auto clocks = std::make_shared<std::vector<uint32_t>>();
  thread.release(*clocks);
  auto copy = std::make_shared<BulkCopy>();
  copy->land = [&block, shared, bytes, mbarrier, clocks,
                copyBytes = std::move(copyBytes)] {
    copyBytes();
    block.shared.setPending(shared, uint32_t(bytes), false);
    completeTransaction(block, mbarrier, bytes, *clocks);
  };
  block.bulkCopies.push_back(std::move(copy));
}

/// destination, [mbarrier,] map, coordinates[, mbarrier].
static void runTensorLoad(Thread &thread, const Op &op, Slot *in, Slot *) {
  auto rank = unsigned(op.parameter[0]);
  bool ptx = op.parameter[1];
  Slot map = in[ptx ? 1 : 2], *origin = in + (ptx ? 2 : 3);
  Slot mbarrier = ptx ? in[2 + rank] : in[1];
  if (op.parameter[2] && (in[5 + rank] & 1))
    thread.fail(Fault::Unsupported, "a multicast to a cluster");
  Tile tile;
  readTile(thread, map, origin, rank, in[0], tile);
  tile.forEachPiece([&](uint64_t, uint64_t address, uint64_t bytes) {
    if (address)
      checkAccess(thread, address, uint32_t(bytes), 1, kReads);
  });
  beginLoad(thread, in[0], tile.getBytes(), mbarrier, [tile] {
    tile.forEachPiece([&](uint64_t offset, uint64_t address, uint64_t bytes) {
      auto *to = reinterpret_cast<void *>(tile.place(offset));
      if (address)
        std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
      else
        std::memset(to, 0, bytes);
    });
  });
}

static void checkRange(Thread &thread, Slot shared, Slot global, Slot bytes) {
  if (bytes % 16 || shared % 16 || global % 16)
    thread.fail(Fault::Misaligned, "a bulk copy whose addresses or size are "
                                   "no multiples of 16");
  if (!thread.block->shared.contains(shared))
    thread.fail(Fault::SharedOutOfBounds, "a bulk copy outside of shared "
                                          "memory");
}

/// A plain range: destination, mbarrier, source, bytes; PTX has the mbarrier
/// last.
static void runLoad(Thread &thread, const Op &op, Slot *in, Slot *) {
  bool ptx = op.parameter[1];
  Slot source = in[ptx ? 1 : 2], bytes = uint32_t(in[ptx ? 2 : 3]);
  checkRange(thread, in[0], source, bytes);
  checkAccess(thread, source, uint32_t(bytes), 16, kReads);
  beginLoad(thread, in[0], bytes, in[ptx ? 3 : 1], [to = in[0], source, bytes] {
    std::memcpy(reinterpret_cast<void *>(to),
                reinterpret_cast<const void *>(source), bytes);
  });
}

/// Begins a copy out of shared memory, part of the thread's open group.
static void beginStore(Thread &thread, uint64_t shared, uint64_t bytes,
                       std::function<void()> copyBytes) {
  Block &block = *thread.block;
  checkAccess(thread, shared, uint32_t(bytes), 16, kReads | kAsync);
  block.shared.setBeingRead(shared, uint32_t(bytes), true);
  auto copy = std::make_shared<BulkCopy>();
  copy->land = [&block, &thread, shared, bytes,
                copyBytes = std::move(copyBytes)] {
    copyBytes();
    block.shared.setBeingRead(shared, uint32_t(bytes), false);
    block.shared.recordReads(shared, uint32_t(bytes), thread.index,
                             thread.clock);
  };
  thread.openStores.push_back(copy);
  if (block.context->options.schedule == Schedule::Random)
    block.bulkCopies.push_back(std::move(copy));
}

/// source, map, coordinates; PTX has the source last.
static void runTensorStore(Thread &thread, const Op &op, Slot *in, Slot *) {
  auto rank = unsigned(op.parameter[0]);
  bool ptx = op.parameter[1];
  Slot map = in[ptx ? 0 : 1], *origin = in + (ptx ? 1 : 2);
  Slot shared = ptx ? in[1 + rank] : in[0];
  Tile tile;
  readTile(thread, map, origin, rank, shared, tile);
  tile.forEachPiece([&](uint64_t, uint64_t address, uint64_t bytes) {
    if (address)
      checkAccess(thread, address, uint32_t(bytes), 1, kWrites);
  });
  beginStore(thread, shared, tile.getBytes(), [tile] {
    tile.forEachPiece([&](uint64_t offset, uint64_t address, uint64_t bytes) {
      if (address)
        std::memcpy(reinterpret_cast<void *>(address),
                    reinterpret_cast<const void *>(tile.place(offset)), bytes);
    });
  });
}

/// destination, source, bytes.
static void runStore(Thread &thread, const Op &, Slot *in, Slot *) {
  Slot bytes = uint32_t(in[2]);
  checkRange(thread, in[1], in[0], bytes);
  checkAccess(thread, in[0], uint32_t(bytes), 16, kWrites);
  beginStore(thread, in[1], bytes, [to = in[0], from = in[1], bytes] {
    std::memcpy(reinterpret_cast<void *>(to),
                reinterpret_cast<const void *>(from), bytes);
  });
}

static void runCommit(Thread &thread, const Op &, Slot *, Slot *) {
  thread.storeGroups.push_back(std::move(thread.openStores));
  thread.openStores.clear();
}

static void runWait(Thread &thread, const Op &, Slot *in, Slot *) {
  while (thread.storeGroups.size() > in[0]) {
    for (auto &copy : thread.storeGroups.front())
      if (!copy->landed) {
        copy->landed = true;
        copy->land();
      }
    thread.storeGroups.erase(thread.storeGroups.begin());
  }
}

bool mlir::titan::emulator::decodeBulkCopy(StringRef name, Form form, Op &op) {
  bool ptx = form == Form::Ptx;
  op.parameter[1] = ptx;
  if (!name.consume_front("cp.async.bulk."))
    return false;
  if (name == "commit.group" || name == "commit_group") {
    op.run = runCommit;
    return true;
  }
  if (name.starts_with("wait.group") || name.starts_with("wait_group")) {
    op.run = runWait;
    return true;
  }
  if (name.starts_with("prefetch.")) {
    op.run = [](Thread &, const Op &, Slot *, Slot *) {};
    return true;
  }
  if (name.contains("im2col") || name.contains("multicast") ||
      name.contains("gather4") || name.contains("scatter4") ||
      name.contains("reduce") || name.contains("bytemask") ||
      name.contains("shared.cta.to.cluster"))
    return false;
  if (!name.consume_front("tensor.")) {
    if (name.starts_with("global.to.shared") ||
        name.starts_with("shared::cluster.global.mbarrier") ||
        name.starts_with("shared::cta.global.mbarrier"))
      op.run = runLoad;
    else if (name.starts_with("shared.cta.to.global") ||
             name.starts_with("global.shared::cta"))
      op.run = runStore;
    return op.run != nullptr;
  }
  size_t digit = name.find_if([](char c) { return llvm::isDigit(c); });
  while (digit != StringRef::npos && name.substr(digit + 1, 1) != "d")
    digit = name.find_if([](char c) { return llvm::isDigit(c); }, digit + 1);
  if (digit == StringRef::npos)
    return false;
  op.parameter[0] = name[digit] - '0';
  if (ptx) {
    StringRef rest = name.drop_front(digit + 3);
    op.run = rest.starts_with("global.shared") ? runTensorStore : runTensorLoad;
    return true;
  }
  // The CTA form has no multicast mask, and so no flag of it.
  op.parameter[2] = name.starts_with("g2s.tile");
  if (name.starts_with("g2s."))
    op.run = runTensorLoad;
  else if (name.starts_with("s2g."))
    op.run = runTensorStore;
  return op.run != nullptr;
}
