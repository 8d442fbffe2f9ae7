// Memory of the tensors of a running program: counted, limited, used again.
#ifndef TITAN_EXECUTION_ARENA_H
#define TITAN_EXECUTION_ARENA_H

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mlir::titan {

/// Hands out blocks of 64-byte aligned memory and takes them back into a cache
/// by size. One thread at a time may use it.
///
/// Two numbers are counted. *Values* are the storages of a program's SSA
/// values, each once, as `computePeakMemory` counts them; *blocks* are all that
/// is handed out, a kernel's own scratch tensors included.
///
/// A block beyond the limit is handed out all the same, since no kernel can go
/// on without it: whoever runs ops asks for room before each of them.
class Arena {
public:
  static constexpr int64_t kAlignment = 64;

  /// \p limit is in bytes of blocks.
  explicit Arena(std::optional<int64_t> limit = std::nullopt) : limit(limit) {}
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// \p bytes of memory with any content; release takes the same number.
  char *allocate(int64_t bytes);
  void release(char *block, int64_t bytes);

  void addValue(int64_t bytes);
  void removeValue(int64_t bytes) { valueBytes -= bytes; }

  int64_t getValueBytes() const { return valueBytes; }
  int64_t getPeakValueBytes() const { return peakValueBytes; }
  int64_t getBlockBytes() const { return blockBytes; }
  int64_t getPeakBlockBytes() const { return peakBlockBytes; }
  /// Bytes of released blocks that wait to be used again.
  int64_t getCachedBytes() const { return cachedBytes; }
  std::optional<int64_t> getLimit() const { return limit; }
  /// Whether \p bytes more would stay within the limit.
  bool hasRoomFor(int64_t bytes) const {
    return !limit || bytes <= *limit - blockBytes;
  }

private:
  void giveBack(int64_t bytes);

  std::optional<int64_t> limit;
  int64_t valueBytes = 0, peakValueBytes = 0;
  int64_t blockBytes = 0, peakBlockBytes = 0;
  /// Bytes of the blocks that wait to be used again; these in the order in
  /// which they came, and where they stand in it, by size.
  int64_t cachedBytes = 0;
  using Waiting = std::list<std::pair<int64_t, char *>>;
  Waiting waiting;
  std::map<int64_t, std::vector<Waiting::iterator>> cache;
};

/// Makes \p arena the one that new tensors of this thread take memory from, for
/// as long as the scope lasts; without one, they take it from the system. A
/// tensor keeps the arena of its storage alive.
class ArenaScope {
public:
  explicit ArenaScope(std::shared_ptr<Arena> arena);
  ~ArenaScope();
  ArenaScope(const ArenaScope &) = delete;
  ArenaScope &operator=(const ArenaScope &) = delete;

  /// The arena of the innermost scope, null outside of every one.
  static const std::shared_ptr<Arena> &getCurrent();

private:
  std::shared_ptr<Arena> previous;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_ARENA_H
