// A parser and an interpreter for the inline PTX that NVVM's lowering writes:
// statements with guards, labels, branches, register declarations, `setp`,
// `mov`, and whatever operations the machine knows.
#include "InlinePtx.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cctype>

using namespace mlir::titan::emulator;
using llvm::StringRef;
using Instruction = PtxProgram::Instruction;

namespace {

class Parser {
public:
  Parser(StringRef text, unsigned numOperands,
         std::vector<std::unique_ptr<Op>> &operations)
      : rest(text), operations(operations),
        program(std::make_unique<PtxProgram>()) {
    program->numOperands = program->numRegisters = numOperands;
  }

  llvm::Expected<std::unique_ptr<PtxProgram>> run() {
    while (skipSpace(), !rest.empty()) {
      if (llvm::Error error = parseStatement())
        return error;
    }
    for (auto &[at, label] : branches) {
      auto target = labels.find(label);
      if (target == labels.end())
        return fail("branch to the unknown label '" + label + "'");
      program->instructions[at].target = target->second;
    }
    return std::move(program);
  }

private:
  static llvm::Error fail(const llvm::Twine &message) {
    return llvm::createStringError(message);
  }
  void skipSpace() {
    rest = rest.ltrim();
    while (rest.consume_front("//"))
      rest = rest.drop_until([](char c) { return c == '\n'; }).ltrim();
  }
  bool consume(char c) {
    skipSpace();
    return rest.consume_front(StringRef(&c, 1));
  }
  StringRef word() {
    skipSpace();
    StringRef w = rest.take_while([](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
             c == '.' || c == ':' || c == '%' || c == '$';
    });
    // A label's colon stands alone; an address space's (`shared::cta`) doubles.
    if (w.ends_with(":"))
      w = w.drop_back();
    rest = rest.drop_front(w.size());
    return w;
  }

  llvm::Error parseStatement() {
    if (consume('{') || consume('}') || consume(';'))
      return llvm::Error::success();
    Instruction instruction{};
    if (consume('@')) {
      instruction.guardInverted = consume('!');
      auto guard = lookUp(word());
      if (!guard || guard->isConstant)
        return fail("a guard that is no register");
      instruction.guard = int32_t(guard->number);
    }
    StringRef mnemonic = word();
    if (mnemonic.empty())
      return fail("expected a PTX instruction at '" + rest.take_front(20) +
                  "'");
    if (consume(':')) {
      labels[mnemonic] = uint32_t(program->instructions.size());
      return llvm::Error::success();
    }
    if (mnemonic == ".reg")
      return parseDeclaration();
    std::vector<PtxProgram::Operand> operands;
    std::vector<bool> sinks;
    if (mnemonic == "bra" || mnemonic == "bra.uni") {
      instruction.kind = Instruction::Kind::Branch;
      branches.emplace_back(program->instructions.size(), word().str());
    } else {
      skipSpace();
      bool beginsWithPair = rest.starts_with("{");
      if (llvm::Error error = parseOperands(operands, sinks))
        return error;
      // 64 bits and their halves.
      if (mnemonic == "mov.b64" && operands.size() == 3)
        mnemonic = beginsWithPair ? "mov.b64.split" : "mov.b64.join";
      if (llvm::Error error =
              finish(instruction, mnemonic, std::move(operands), sinks))
        return error;
    }
    consume(';');
    program->instructions.push_back(std::move(instruction));
    return llvm::Error::success();
  }

  llvm::Error parseDeclaration() {
    word(); // The type: every register is a slot.
    do {
      StringRef name = word();
      if (name.empty())
        return fail("expected a register's name after '.reg'");
      registers[name] = program->numRegisters++;
    } while (consume(','));
    consume(';');
    return llvm::Error::success();
  }

  std::optional<PtxProgram::Operand> lookUp(StringRef name) {
    PtxProgram::Operand operand;
    if (name.consume_front("$")) {
      if (name.getAsInteger(10, operand.number) ||
          operand.number >= program->numOperands)
        return std::nullopt;
      return operand;
    }
    auto it = registers.find(name);
    if (it == registers.end())
      return std::nullopt;
    operand.number = it->second;
    return operand;
  }

  std::optional<Slot> parseConstant(StringRef text) {
    bool negative = text.consume_front("-");
    if (text.size() == 10 && text.consume_front("0f")) {
      Slot bits;
      return text.getAsInteger(16, bits) ? std::nullopt : std::optional(bits);
    }
    Slot value;
    if (text.consume_back("U"), text.getAsInteger(0, value))
      return std::nullopt;
    return negative ? Slot(-int64_t(value)) : value;
  }

  /// Flattens addresses, lists and pairs into one row of operands.
  llvm::Error parseOperands(std::vector<PtxProgram::Operand> &operands,
                            std::vector<bool> &sinks) {
    while (skipSpace(), !rest.empty() && rest.front() != ';') {
      char c = rest.front();
      if (StringRef(",{}[]|").contains(c)) {
        rest = rest.drop_front();
        continue;
      }
      if (c == '+') {
        rest = rest.drop_front();
        auto offset = parseConstant(word());
        if (!offset || *offset != 0)
          return fail("an address with an offset, which is not emulated");
        continue;
      }
      if (c == '!')
        return fail("an inverted operand, which is not emulated");
      bool negative = consume('-');
      std::string text = ((negative ? "-" : "") + word()).str();
      if (text.empty())
        return fail("expected an operand at '" + rest.take_front(20) + "'");
      sinks.push_back(text == "_");
      if (text == "_") {
        operands.emplace_back();
        continue;
      }
      if (auto operand = lookUp(text)) {
        operands.push_back(*operand);
        continue;
      }
      auto constant = parseConstant(text);
      if (!constant)
        return fail("the operand '" + text + "', which is no register");
      PtxProgram::Operand operand;
      operand.isConstant = true;
      operand.constant = *constant;
      operands.push_back(operand);
    }
    return llvm::Error::success();
  }

  /// Fills in what the mnemonic means.
  llvm::Error finish(Instruction &instruction, StringRef mnemonic,
                     std::vector<PtxProgram::Operand> operands,
                     const std::vector<bool> &sinks) {
    unsigned numResults = 1;
    if (mnemonic.starts_with("mov.") && operands.size() == 2) {
      instruction.kind = Instruction::Kind::Move;
    } else if (mnemonic.starts_with("setp.")) {
      instruction.kind = Instruction::Kind::SetPredicate;
      instruction.comparison =
          llvm::StringSwitch<int64_t>(mnemonic.drop_front(5).split('.').first)
              .Case("eq", 0)
              .Case("ne", 1)
              .Case("lt", 2)
              .Case("le", 3)
              .Case("gt", 4)
              .Case("ge", 5)
              .Default(-1);
      char kind = mnemonic.rsplit('.').second.front();
      if (instruction.comparison < 0 || kind == 'f')
        return fail("'" + mnemonic + "'");
      if (kind == 's')
        instruction.comparison |= 8;
    } else {
      instruction.kind = Instruction::Kind::Operation;
      auto op = std::make_unique<Op>();
      op->name = mnemonic.str();
      op->numOperands = unsigned(operands.size());
      if (!decodeOperation(mnemonic, Form::Ptx, *op))
        return fail("'" + mnemonic + "'");
      numResults = op->numResults;
      instruction.op = op.get();
      operations.push_back(std::move(op));
    }
    if (operands.size() < numResults)
      return fail("'" + mnemonic + "' with too few operands");
    for (unsigned i = 0; i < operands.size(); ++i)
      if (i >= numResults)
        instruction.inputs.push_back(operands[i]);
      else
        instruction.outputs.push_back(sinks[i] ? -1
                                               : int32_t(operands[i].number));
    // An operation reads what its operands are before it: a wgmma its
    // accumulators.
    if (instruction.op && instruction.op->parameter[7] == kReadsResults)
      instruction.inputs.insert(instruction.inputs.begin(), operands.begin(),
                                operands.begin() + numResults);
    return llvm::Error::success();
  }

  StringRef rest;
  std::vector<std::unique_ptr<Op>> &operations;
  std::unique_ptr<PtxProgram> program;
  llvm::StringMap<uint32_t> labels, registers;
  std::vector<std::pair<size_t, std::string>> branches;
};

} // namespace

llvm::Expected<std::unique_ptr<PtxProgram>>
mlir::titan::emulator::parsePtx(StringRef text, unsigned numOperands,
                                std::vector<std::unique_ptr<Op>> &operations) {
  return Parser(text, numOperands, operations).run();
}

static bool compare(int64_t comparison, Slot a, Slot b) {
  bool less = comparison & 8 ? int32_t(a) < int32_t(b) : a < b;
  switch (comparison & 7) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return less;
  case 3:
    return less || a == b;
  case 4:
    return !less && a != b;
  default:
    return !less;
  }
}

void mlir::titan::emulator::runPtx(Thread &thread, const PtxProgram &program,
                                   Slot *operands) {
  // A fiber may be abandoned in the middle of an operation, so that nothing
  // here may own memory; 300 registers hold the largest wgmma.
  constexpr unsigned kMaximum = 320;
  Slot registers[kMaximum], in[kMaximum], out[kMaximum];
  std::copy_n(operands, program.numOperands, registers);
  for (size_t at = 0; at < program.instructions.size();) {
    const Instruction &instruction = program.instructions[at++];
    if (instruction.guard >= 0 &&
        bool(registers[instruction.guard] & 1) == instruction.guardInverted)
      continue;
    if (instruction.kind == Instruction::Kind::Branch) {
      at = instruction.target;
      continue;
    }
    for (size_t i = 0; i < instruction.inputs.size(); ++i) {
      const PtxProgram::Operand &operand = instruction.inputs[i];
      in[i] = operand.isConstant ? operand.constant : registers[operand.number];
    }
    // Optional trailing operands that are absent read as zero.
    in[instruction.inputs.size()] = 0;
    switch (instruction.kind) {
    case Instruction::Kind::Operation:
      instruction.op->run(thread, *instruction.op, in, out);
      break;
    case Instruction::Kind::Move:
      out[0] = in[0];
      break;
    default:
      out[0] = compare(instruction.comparison, in[0], in[1]);
    }
    for (size_t i = 0; i < instruction.outputs.size(); ++i)
      if (instruction.outputs[i] >= 0)
        registers[instruction.outputs[i]] = out[i];
  }
  std::copy_n(registers, program.numOperands, operands);
}
