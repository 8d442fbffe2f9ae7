// The manifest: what someone who launches the kernels has to know.
#include "titan/Codegen/NVVM/DeviceProgram.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::titan;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string toText(Location loc) {
  std::string text;
  loc->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      text = (file.getFilename().strref() + ":" + Twine(file.getLine())).str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return text;
}

static std::string getName(Value value) {
  if (StringRef name = getSourceName(value); !name.empty())
    return name.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.printAsOperand(stream, OpPrintingFlags());
  return text;
}

// What buffer number \p index of the group of \p function is.
static llvm::json::Object describeBuffer(func::FuncOp function,
                                         const DeviceGroup &group,
                                         unsigned index) {
  llvm::json::Object entry{{"buffer", index}};
  unsigned numArguments = function.getNumArguments();
  unsigned numResults = function.getNumResults();
  if (index < numArguments + numResults) {
    bool isArgument = index < numArguments;
    Type type = isArgument ? function.getArgument(index).getType()
                           : function.getResultTypes()[index - numArguments];
    entry["kind"] = isArgument ? "argument" : "result";
    entry["type"] = toText(type);
    return entry;
  }
  if (index == numArguments + numResults + group.scratchBytes.size()) {
    entry["kind"] = "failure";
    entry["type"] = "tensor<i64>";
    return entry;
  }
  entry["kind"] = "scratch";
  entry["bytes"] = group.scratchBytes[index - numArguments - numResults];
  return entry;
}

static llvm::json::Object describeGroup(func::FuncOp function,
                                        const DeviceGroup &group) {
  llvm::json::Array ops, launches;
  for (Operation &op : function.front().without_terminator()) {
    llvm::json::Object entry{{"op", op.getName().getStringRef()}};
    if (op.getNumResults() != 0)
      if (StringRef name = getSourceName(op.getResult(0)); !name.empty())
        entry["value"] = name;
    if (std::string place = toText(op.getLoc()); !place.empty())
      entry["location"] = place;
    ops.push_back(std::move(entry));
  }
  for (const DeviceLaunch &launch : group.launches) {
    llvm::json::Array parameters;
    for (unsigned index : launch.parameters)
      parameters.push_back(describeBuffer(function, group, index));
    launches.push_back(
        llvm::json::Object{{"kernel", launch.kernel},
                           {"grid", llvm::json::Array{launch.grid, 1, 1}},
                           {"block", llvm::json::Array{launch.block, 1, 1}},
                           {"parameters", std::move(parameters)}});
  }
  return llvm::json::Object{{"name", function.getSymName()},
                            {"ops", std::move(ops)},
                            {"scratch_bytes", group.scratchBytes},
                            {"launches", std::move(launches)}};
}

llvm::json::Object titan::describeDeviceFunction(DeviceProgram &program,
                                                 StringRef name,
                                                 StringRef file) {
  llvm::json::Array groups, calls;
  llvm::StringSet<> seen;
  auto visit = [&](auto &self, func::FuncOp function) -> void {
    for (auto call : function.front().getOps<func::CallOp>()) {
      auto callee = program.getFunction(call.getCallee());
      auto group = program.groups.find(call.getCallee());
      if (group == program.groups.end()) {
        self(self, callee);
        continue;
      }
      if (seen.insert(call.getCallee()).second)
        groups.push_back(describeGroup(callee, group->second));
      llvm::json::Array operands, results;
      for (Value operand : call.getOperands())
        operands.push_back(getName(operand));
      for (Value result : call.getResults())
        results.push_back(getName(result));
      calls.push_back(llvm::json::Object{{"group", call.getCallee()},
                                         {"operands", std::move(operands)},
                                         {"results", std::move(results)}});
    }
  };
  visit(visit, program.getFunction(name));
  return llvm::json::Object{{"name", name.str()},
                            {"file", file.str()},
                            {"groups", std::move(groups)},
                            {"calls", std::move(calls)}};
}
