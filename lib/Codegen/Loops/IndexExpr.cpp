#include "titan/Codegen/Loops/IndexExpr.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::titan;

namespace {
/// A sum of products of a number and an atom: a dimension, a quotient or a
/// remainder.
struct Sum {
  int64_t constant = 0;
  llvm::MapVector<AffineExpr, int64_t> terms;

  void add(AffineExpr atom, int64_t factor) {
    int64_t &own = terms[atom];
    own += factor;
    if (own == 0)
      terms.erase(atom);
  }
  void add(const Sum &other, int64_t factor) {
    constant += other.constant * factor;
    for (auto [atom, own] : other.terms)
      add(atom, own * factor);
  }
};

/// The least and the greatest value of an expression.
struct Range {
  int64_t low, high;
};

class Simplifier {
public:
  Simplifier(ArrayRef<int64_t> extents, MLIRContext *context)
      : extents(extents), context(context) {}

  Sum toSum(AffineExpr expr);
  AffineExpr toExpr(const Sum &sum);

private:
  Sum divide(const Sum &sum, int64_t by, bool wantsRemainder);
  Range getRange(const Sum &sum);
  Range getAtomRange(AffineExpr atom);
  bool recombineOnce(Sum &sum);

  ArrayRef<int64_t> extents;
  MLIRContext *context;
};
} // namespace

Range Simplifier::getAtomRange(AffineExpr atom) {
  if (auto dim = dyn_cast<AffineDimExpr>(atom))
    return {0, std::max<int64_t>(extents[dim.getPosition()] - 1, 0)};
  auto binary = cast<AffineBinaryOpExpr>(atom);
  int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (binary.getKind() == AffineExprKind::Mod)
    return {0, by - 1};
  Range inner = getRange(toSum(binary.getLHS()));
  return {llvm::divideFloorSigned(inner.low, by),
          llvm::divideFloorSigned(inner.high, by)};
}

Range Simplifier::getRange(const Sum &sum) {
  Range range{sum.constant, sum.constant};
  for (auto [atom, factor] : sum.terms) {
    Range own = getAtomRange(atom);
    range.low += factor * (factor > 0 ? own.low : own.high);
    range.high += factor * (factor > 0 ? own.high : own.low);
  }
  return range;
}

Sum Simplifier::divide(const Sum &sum, int64_t by, bool wantsRemainder) {
  Sum quotient, rest;
  quotient.constant = llvm::divideFloorSigned(sum.constant, by);
  rest.constant = sum.constant - quotient.constant * by;
  for (auto [atom, factor] : sum.terms) {
    if (factor % by == 0)
      quotient.add(atom, factor / by);
    else
      rest.add(atom, factor);
  }
  Range range = getRange(rest);
  bool restIsSmall = range.low >= 0 && range.high < by;
  if (wantsRemainder) {
    if (restIsSmall)
      return rest;
    Sum result;
    result.add(toExpr(rest) % by, 1);
    return result;
  }
  if (!restIsSmall)
    quotient.add(toExpr(rest).floorDiv(by), 1);
  return quotient;
}

// c * n * (x floordiv n) + c * (x mod n) is c * x.
bool Simplifier::recombineOnce(Sum &sum) {
  for (auto [atom, factor] : sum.terms) {
    auto remainder = dyn_cast<AffineBinaryOpExpr>(atom);
    if (!remainder || remainder.getKind() != AffineExprKind::Mod)
      continue;
    int64_t by = cast<AffineConstantExpr>(remainder.getRHS()).getValue();
    // The quotient may have been simplified on its own.
    Sum inner = toSum(remainder.getLHS());
    Sum quotient = divide(inner, by, /*wantsRemainder=*/false);
    if (quotient.terms.size() != 1 || quotient.constant != 0)
      continue;
    auto [divided, own] = quotient.terms.front();
    auto it = sum.terms.find(divided);
    if (it == sum.terms.end() || it->second != factor * by * own)
      continue;
    AffineExpr mod = atom;
    int64_t scale = factor;
    sum.terms.erase(divided);
    sum.terms.erase(mod);
    sum.add(inner, scale);
    return true;
  }
  return false;
}

Sum Simplifier::toSum(AffineExpr expr) {
  Sum sum;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    sum.constant = constant.getValue();
    return sum;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    sum.add(expr, 1);
    return sum;
  }
  Sum left = toSum(binary.getLHS());
  if (binary.getKind() == AffineExprKind::Add) {
    sum = std::move(left);
    sum.add(toSum(binary.getRHS()), 1);
  } else {
    int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    if (binary.getKind() == AffineExprKind::Mul)
      sum.add(left, by);
    else
      sum = divide(left, by, binary.getKind() == AffineExprKind::Mod);
  }
  while (recombineOnce(sum)) {
  }
  return sum;
}

AffineExpr Simplifier::toExpr(const Sum &sum) {
  AffineExpr expr = getAffineConstantExpr(0, context);
  for (auto [atom, factor] : sum.terms)
    expr = expr + atom * factor;
  return expr + sum.constant;
}

AffineExpr titan::simplifyIndex(AffineExpr expr, ArrayRef<int64_t> extents) {
  Simplifier simplifier(extents, expr.getContext());
  return simplifier.toExpr(simplifier.toSum(expr));
}

SmallVector<AffineExpr> titan::delinearize(AffineExpr linear,
                                           ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> place(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    int64_t size = std::max<int64_t>(shape[i], 1);
    place[i] = i == 0 ? linear : linear % size;
    linear = linear.floorDiv(size);
  }
  return place;
}

AffineExpr titan::linearize(ArrayRef<AffineExpr> place, ArrayRef<int64_t> shape,
                            MLIRContext *context) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    linear = linear + place[i] * stride;
    stride *= shape[i];
  }
  return linear;
}

// Whether \p expr is a multiple of \p width wherever dimension \p vectorDim is.
static bool isMultiple(AffineExpr expr, unsigned vectorDim, int64_t width) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() % width == 0;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == vectorDim;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return isMultiple(binary.getLHS(), vectorDim, width) &&
           isMultiple(binary.getRHS(), vectorDim, width);
  case AffineExprKind::Mul:
    return isMultiple(binary.getLHS(), vectorDim, width) ||
           isMultiple(binary.getRHS(), vectorDim, width);
  case AffineExprKind::Mod:
    return isMultiple(binary.getLHS(), vectorDim, width) &&
           isMultiple(binary.getRHS(), vectorDim, width);
  default:
    return false;
  }
}

std::optional<int64_t> titan::getLaneStep(AffineExpr expr, unsigned vectorDim,
                                          int64_t width) {
  if (!expr.isFunctionOfDim(vectorDim))
    return 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  std::optional<int64_t> left = getLaneStep(binary.getLHS(), vectorDim, width);
  if (!left)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> right =
        getLaneStep(binary.getRHS(), vectorDim, width);
    return right ? std::optional(*left + *right) : std::nullopt;
  }
  int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (binary.getKind() == AffineExprKind::Mul)
    return *left * by;
  if (*left != 1 || by % width != 0 ||
      !isMultiple(binary.getLHS(), vectorDim, width))
    return std::nullopt;
  return binary.getKind() == AffineExprKind::Mod ? 1 : 0;
}
