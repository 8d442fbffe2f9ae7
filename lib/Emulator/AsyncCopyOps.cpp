// cp.async: copies of a thread's own that land when it waits for them, as late
// as they may, so that whoever does not wait reads what was there before.
#include "Op.h"
#include <algorithm>
#include <cstring>

using namespace mlir::titan::emulator;
using llvm::StringRef;

/// destination, source[, bytes to read]: the rest of the copy is zeros.
static void runCopy(Thread &thread, const Op &op, Slot *in, Slot *) {
  PendingCopy copy;
  bool ptx = op.parameter[1];
  copy.destination = in[0];
  copy.source = in[1];
  copy.bytes = uint32_t(ptx ? in[2] : op.parameter[0]);
  copy.sourceBytes = copy.bytes;
  if (op.parameter[2])
    copy.sourceBytes = uint32_t(in[2]);
  if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16)
    thread.fail(Fault::BadDescriptor, "cp.async of " + llvm::Twine(copy.bytes) +
                                          " bytes; expected 4, 8 or 16");
  if (copy.sourceBytes > copy.bytes)
    thread.fail(Fault::BadDescriptor,
                "cp.async that reads " + llvm::Twine(copy.sourceBytes) +
                    " bytes to write " + llvm::Twine(copy.bytes));
  Block &block = *thread.block;
  if (!block.shared.contains(copy.destination))
    thread.fail(Fault::SharedOutOfBounds,
                "cp.async to an address outside of shared memory");
  checkAccess(thread, copy.destination, copy.bytes, copy.bytes, kWrites);
  if (copy.sourceBytes)
    checkAccess(thread, copy.source, copy.sourceBytes, 1, kReads);
  if (copy.source % copy.bytes)
    thread.fail(Fault::Misaligned, "cp.async from an address that is no "
                                   "multiple of " +
                                       llvm::Twine(copy.bytes));
  block.shared.setPending(copy.destination, copy.bytes, true);
  thread.copies.push_back(copy);
  ++thread.openCopies;
}

static void landOldest(Thread &thread) {
  PendingCopy copy = thread.copies.front();
  thread.copies.erase(thread.copies.begin());
  auto *to = reinterpret_cast<char *>(copy.destination);
  std::memcpy(to, reinterpret_cast<const void *>(copy.source),
              copy.sourceBytes);
  std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  SharedMemory &shared = thread.block->shared;
  shared.setPending(copy.destination, copy.bytes, false);
  // The thread that waits is the one whom others learn of the data from.
  if (thread.block->context->checkAccesses)
    shared.access(thread, copy.destination, copy.bytes, kWrites);
}

static void runCommit(Thread &thread, const Op &, Slot *, Slot *) {
  thread.copyGroups.push_back(thread.openCopies);
  thread.openCopies = 0;
}

static void landGroups(Thread &thread, size_t remaining) {
  while (thread.copyGroups.size() > remaining) {
    for (uint32_t i = 0; i < thread.copyGroups.front(); ++i)
      landOldest(thread);
    thread.copyGroups.erase(thread.copyGroups.begin());
  }
}

static void runWaitGroup(Thread &thread, const Op &, Slot *in, Slot *) {
  landGroups(thread, size_t(in[0]));
}

static void runWaitAll(Thread &thread, const Op &, Slot *, Slot *) {
  runCommit(thread, Op(), nullptr, nullptr);
  landGroups(thread, 0);
}

void mlir::titan::emulator::finishThread(Thread &thread) {
  if (!thread.copies.empty())
    thread.fail(Fault::UnwaitedCopy,
                "exits with " + llvm::Twine(thread.copies.size()) +
                    " cp.async copies that it never waited for");
  if (!thread.openStores.empty() || !thread.storeGroups.empty())
    thread.fail(Fault::UnwaitedCopy,
                "exits with bulk stores whose shared memory it never waited "
                "for; use 'cp.async.bulk.wait_group'");
}

bool mlir::titan::emulator::decodeAsyncCopy(StringRef name, Form form, Op &op) {
  if (!name.consume_front("cp.async."))
    return false;
  if (name == "commit.group" || name == "commit_group") {
    op.run = runCommit;
    return true;
  }
  if (name == "wait.group" || name == "wait_group") {
    op.run = runWaitGroup;
    return true;
  }
  if (name == "wait.all" || name == "wait_all") {
    op.run = runWaitAll;
    return true;
  }
  if (!name.starts_with("ca.shared") && !name.starts_with("cg.shared"))
    return false;
  op.run = runCopy;
  if (form == Form::Ptx) {
    op.parameter[1] = 1;
    return true;
  }
  StringRef bytes = name.drop_front(StringRef("ca.shared.global.").size());
  op.parameter[2] = bytes.consume_back(".s");
  return !bytes.getAsInteger(10, op.parameter[0]);
}
