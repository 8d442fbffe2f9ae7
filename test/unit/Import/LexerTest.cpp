#include "titan/Import/Lexer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using mlir::titan::FxLexer;
using mlir::titan::FxToken;
using Kind = FxToken::Kind;

static std::vector<std::string> lex(llvm::StringRef text) {
  FxLexer lexer(text);
  std::vector<std::string> tokens;
  for (FxToken token = lexer.next(); !token.is(Kind::End); token = lexer.next())
    tokens.push_back(token.text.str());
  return tokens;
}

TEST_CASE("a dotted name is one token", "[import]") {
  CHECK(lex("torch.ops.aten.mm.default(a_1, b)") ==
        std::vector<std::string>{"torch.ops.aten.mm.default", "(", "a_1", ",",
                                 "b", ")"});
}

TEST_CASE("numbers keep their text", "[import]") {
  CHECK(lex("1 -2 3.5 1e-05 1. 2j") ==
        std::vector<std::string>{"1", "-", "2", "3.5", "1e-05", "1.", "2j"});
  FxLexer lexer("3 3.0 3e2");
  CHECK(lexer.next().is(Kind::Integer));
  CHECK(lexer.next().is(Kind::Float));
  CHECK(lexer.next().is(Kind::Float));
}

TEST_CASE("a string ends at its own quote", "[import]") {
  FxLexer lexer(R"('a"b\'c' "d")");
  CHECK(lexer.next().text == R"(a"b\'c)");
  CHECK(lexer.next().text == "d");
  CHECK(FxLexer("'open\n'").next().is(Kind::Invalid));
}

TEST_CASE("lines end outside of brackets only", "[import]") {
  FxLexer lexer("a(\n b)\nc");
  CHECK(lexer.next().text == "a");
  CHECK(lexer.next().is("("));
  CHECK(lexer.next().text == "b");
  CHECK(lexer.next().is(")"));
  CHECK(lexer.next().is(Kind::Newline));
  FxToken last = lexer.next();
  CHECK(last.text == "c");
  CHECK(lexer.getColumn(last) == 0);
}

TEST_CASE("a comment is a token of its own, and kept inside of brackets",
          "[import]") {
  FxLexer outside("# File: a.py \nx");
  CHECK(outside.next().text == " File: a.py");
  FxLexer inside("[x,  # PlainAOTOutput(idx=0)\n y]");
  inside.next();
  inside.next();
  CHECK(inside.next().is(","));
  CHECK(inside.takeSkippedComment() == "");
  CHECK(inside.next().text == "y");
  CHECK(inside.takeSkippedComment() == "PlainAOTOutput(idx=0)");
  CHECK(inside.takeSkippedComment() == "");
}

TEST_CASE("an annotation without quotes ends before what follows it",
          "[import]") {
  FxLexer assigned("x: f32[2, 4] = y");
  assigned.next();
  assigned.next();
  CHECK(assigned.takeAnnotation() == "f32[2, 4]");
  CHECK(assigned.next().is("="));
  FxLexer argument("x: Sym(max(a, b)), y");
  argument.next();
  argument.next();
  CHECK(argument.takeAnnotation() == "Sym(max(a, b))");
  CHECK(argument.next().is(","));
}

TEST_CASE("any bytes come to an end", "[import]") {
  for (llvm::StringRef text : {"\\", "$", "\x80\xff", "'", "((((", "))))", ""})
    CHECK(lex(text).size() <= text.size());
}
