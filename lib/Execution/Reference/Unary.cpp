// Functions of one operand, element by element: one line an op.
#include "Pointwise.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Functions that C has not
//===----------------------------------------------------------------------===//

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double relu(double x) { return x < 0 ? 0 : x; }
static double clampTo(double x, double low, double high) {
  return std::isnan(x) ? x : std::min(std::max(x, low), high);
}
static double sign(double x) { return (x > 0) - (x < 0); }
static double logNormalCdf(double x) {
  constexpr double kHalfRoot = std::numbers::sqrt2 / 2;
  // erfc keeps the digits of the far tail down to about -37.
  return x < -1 ? std::log(std::erfc(-x * kHalfRoot) / 2)
                : std::log1p(-std::erfc(x * kHalfRoot) / 2);
}

// The inverse of erf: a rational start (Giles, "Approximating the erfinv
// function", 2010), then two steps of Newton's method.
static double inverseErf(double y) {
  if (!(std::abs(y) < 1))
    return std::abs(y) == 1 ? std::copysign(HUGE_VAL, y) : std::nan("");
  double w = -std::log((1 - y) * (1 + y)), x;
  if (w < 5) {
    constexpr double kCentral[] = {
        2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
        -4.39150654e-06, 0.00021858087,  -0.00125372503,
        -0.00417768164,  0.246640727,    1.50140941};
    x = 0;
    for (double coefficient : kCentral)
      x = x * (w - 2.5) + coefficient;
  } else {
    constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
    x = 0;
    for (double coefficient : kTail)
      x = x * (std::sqrt(w) - 3) + coefficient;
  }
  x *= y;
  for (int step = 0; step < 2; ++step) {
    // The tail is compared through erfc, where erf has lost its digits.
    double error = std::abs(y) < 0.5
                       ? std::erf(x) - y
                       : std::copysign(1.0, y) *
                             ((1 - std::abs(y)) - std::erfc(std::abs(x)));
    x -= error * std::sqrt(std::numbers::pi) / 2 * std::exp(x * x);
  }
  return x;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

// Computed in f64, whatever number comes in.
struct FloatFunction {
  StringLiteral name;
  double (*function)(double);
};

// The kind of number stays what it is.
struct NumberFunction {
  StringLiteral name;
  double (*ofFloat)(double);
  int64_t (*ofInteger)(int64_t);
};

struct Predicate {
  StringLiteral name;
  bool (*ofFloat)(double);
  bool (*ofInteger)(int64_t);
};

struct ComplexFunction {
  StringLiteral name;
  Complex (*function)(Complex);
};

} // namespace

static constexpr FloatFunction kFloatFunctions[] = {
    {"aten.acos", [](double x) { return std::acos(x); }},
    {"aten.acosh", [](double x) { return std::acosh(x); }},
    {"aten.asin", [](double x) { return std::asin(x); }},
    {"aten.asinh", [](double x) { return std::asinh(x); }},
    {"aten.atan", [](double x) { return std::atan(x); }},
    {"aten.atanh", [](double x) { return std::atanh(x); }},
    {"aten.cos", [](double x) { return std::cos(x); }},
    {"aten.cosh", [](double x) { return std::cosh(x); }},
    {"aten.deg2rad", [](double x) { return x * (std::numbers::pi / 180); }},
    {"aten.rad2deg", [](double x) { return x * (180 / std::numbers::pi); }},
    {"aten.erf", [](double x) { return std::erf(x); }},
    {"aten.erfc", [](double x) { return std::erfc(x); }},
    {"aten.erfinv", inverseErf},
    {"aten.exp", [](double x) { return std::exp(x); }},
    {"aten.exp2", [](double x) { return std::exp2(x); }},
    {"aten.expm1", [](double x) { return std::expm1(x); }},
    {"aten.hardsigmoid", [](double x) { return clampTo(x + 3, 0, 6) / 6; }},
    {"aten.hardswish", [](double x) { return x * clampTo(x + 3, 0, 6) / 6; }},
    {"aten.lgamma", [](double x) { return std::lgamma(x); }},
    {"aten.log", [](double x) { return std::log(x); }},
    {"aten.log10", [](double x) { return std::log10(x); }},
    {"aten.log1p", [](double x) { return std::log1p(x); }},
    {"aten.log2", [](double x) { return std::log2(x); }},
    {"aten.log_sigmoid",
     [](double x) {
       return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x)));
     }},
    {"aten.mish",
     [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {"aten.reciprocal", [](double x) { return 1 / x; }},
    {"aten.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"aten.selu",
     [](double x) {
       constexpr double kScale = 1.0507009873554804934193349852946;
       constexpr double kAlpha = 1.6732632423543772848170429916717;
       return kScale * (x > 0 ? x : kAlpha * std::expm1(x));
     }},
    {"aten.sigmoid", sigmoid},
    {"aten.silu", [](double x) { return x / (1 + std::exp(-x)); }},
    {"aten.sin", [](double x) { return std::sin(x); }},
    {"aten.sinh", [](double x) { return std::sinh(x); }},
    {"aten.special_log_ndtr", logNormalCdf},
    {"aten.sqrt", [](double x) { return std::sqrt(x); }},
    {"aten.tan", [](double x) { return std::tan(x); }},
    {"aten.tanh", [](double x) { return std::tanh(x); }},
};

static constexpr NumberFunction kNumberFunctions[] = {
    {"aten.abs", [](double x) { return std::abs(x); },
     [](int64_t x) { return x < 0 ? -x : x; }},
    {"aten.ceil", [](double x) { return std::ceil(x); },
     [](int64_t x) { return x; }},
    {"aten.floor", [](double x) { return std::floor(x); },
     [](int64_t x) { return x; }},
    {"aten.frac", [](double x) { return x - std::trunc(x); },
     [](int64_t) { return int64_t(0); }},
    {"aten.neg", [](double x) { return -x; }, [](int64_t x) { return -x; }},
    {"aten.positive", [](double x) { return x; }, [](int64_t x) { return x; }},
    {"aten.relu", relu, [](int64_t x) { return std::max<int64_t>(x, 0); }},
    {"aten.relu6", [](double x) { return clampTo(x, 0, 6); },
     [](int64_t x) { return std::clamp<int64_t>(x, 0, 6); }},
    {"aten.round", [](double x) { return std::nearbyint(x); },
     [](int64_t x) { return x; }},
    {"aten.sgn", sign, [](int64_t x) { return int64_t((x > 0) - (x < 0)); }},
    {"aten.sign", sign, [](int64_t x) { return int64_t((x > 0) - (x < 0)); }},
    {"aten.square", [](double x) { return x * x; },
     [](int64_t x) { return x * x; }},
    {"aten.trunc", [](double x) { return std::trunc(x); },
     [](int64_t x) { return x; }},
};

static constexpr Predicate kPredicates[] = {
    {"aten.isfinite", [](double x) { return std::isfinite(x); },
     [](int64_t) { return true; }},
    {"aten.isinf", [](double x) { return std::isinf(x); },
     [](int64_t) { return false; }},
    {"aten.isnan", [](double x) { return std::isnan(x); },
     [](int64_t) { return false; }},
    {"aten.logical_not", [](double x) { return x == 0; },
     [](int64_t x) { return x == 0; }},
    {"aten.signbit", [](double x) { return std::signbit(x); },
     [](int64_t x) { return x < 0; }},
};

static constexpr ComplexFunction kComplexFunctions[] = {
    {"aten._conj", [](Complex x) { return std::conj(x); }},
    {"aten.conj_physical", [](Complex x) { return std::conj(x); }},
    {"aten.cos", [](Complex x) { return std::cos(x); }},
    {"aten.exp", [](Complex x) { return std::exp(x); }},
    {"aten.log", [](Complex x) { return std::log(x); }},
    {"aten.neg", [](Complex x) { return -x; }},
    {"aten.reciprocal", [](Complex x) { return 1.0 / x; }},
    {"aten.sgn",
     [](Complex x) { return x == 0.0 ? Complex(0) : x / std::abs(x); }},
    {"aten.sin", [](Complex x) { return std::sin(x); }},
    {"aten.sqrt", [](Complex x) { return std::sqrt(x); }},
    {"aten.square", [](Complex x) { return x * x; }},
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static constexpr StringRef kSelf[] = {"self"};

static const ComplexFunction *findComplex(StringRef name) {
  StringRef packet = name;
  for (const ComplexFunction &entry : kComplexFunctions)
    if (packet == entry.name)
      return &entry;
  return nullptr;
}

// |x|, the argument and the parts of complex numbers are real.
static LogicalResult computeComplex(Call &call, StringRef name) {
  if (name == "aten.abs")
    return mapElements<Complex>(call, kSelf, DType::C128,
                                [](Complex x) { return std::abs(x); });
  if (const ComplexFunction *entry = findComplex(name))
    return mapElements<Complex>(call, kSelf, DType::C128, entry->function);
  return call.fail("not defined for complex numbers");
}

static bool isComplexCall(Call &call) {
  return isComplex(call.tensor("self").getDType());
}

static LogicalResult computeBitwiseNot(Call &call) {
  DType dtype = call.resultType();
  return mapElements<int64_t>(call, kSelf, dtype, [=](int64_t x) {
    return dtype == DType::Bool ? int64_t(x == 0) : ~x;
  });
}

static LogicalResult computeRoundDecimals(Call &call) {
  double scale = std::pow(10.0, static_cast<double>(call.integer("decimals")));
  return mapElements<double>(call, kSelf, DType::F64, [=](double x) {
    return std::nearbyint(x * scale) / scale;
  });
}

static LogicalResult computeAngle(Call &call) {
  if (isComplexCall(call))
    return mapElements<Complex>(call, kSelf, DType::C128,
                                [](Complex x) { return std::arg(x); });
  return mapElements<double>(call, kSelf, DType::F64, [](double x) {
    return std::isnan(x) ? x : x < 0 ? std::numbers::pi : 0.0;
  });
}

static LogicalResult computeImaginaryPart(Call &call) {
  return mapElements<Complex>(call, kSelf, DType::C128,
                              [](Complex x) { return x.imag(); });
}

// A number that is converted to the type of its result, or a copy of it.
static LogicalResult computeIdentity(Call &call) {
  for (StringRef name : {"self", "a", "tensor"})
    if (call.has(name))
      return call.set(0, call.tensor(name).to(call.resultType()).clone());
  return call.fail("expected an operand");
}

void titan::addUnaryKernels(KernelTable &table) {
  for (const FloatFunction &entry : kFloatFunctions)
    table.add(entry.name, [entry](Call &call) {
      if (isComplexCall(call))
        return computeComplex(call, entry.name);
      return mapElements<double>(call, kSelf, DType::F64, entry.function);
    });
  for (const NumberFunction &entry : kNumberFunctions)
    table.add(entry.name, [entry](Call &call) {
      DType dtype = call.tensor("self").getDType();
      if (isComplex(dtype))
        return computeComplex(call, entry.name);
      if (isFloat(dtype))
        return mapElements<double>(call, kSelf, dtype, entry.ofFloat);
      return mapElements<int64_t>(call, kSelf, dtype, entry.ofInteger);
    });
  for (const Predicate &entry : kPredicates)
    table.add(entry.name, [entry](Call &call) {
      DType dtype = call.tensor("self").getDType();
      if (isFloat(dtype))
        return mapElements<double>(call, kSelf, dtype, entry.ofFloat);
      if (isInteger(dtype))
        return mapElements<int64_t>(call, kSelf, dtype, entry.ofInteger);
      return call.fail("not defined for complex numbers");
    });
  for (StringRef name : {"aten._conj", "aten.conj_physical"})
    table.add(name, [name](Call &call) {
      return isComplexCall(call) ? computeComplex(call, name)
                                 : computeIdentity(call);
    });
  table.add({"aten._to_copy", "aten.clone", "aten.lift_fresh_copy", "aten.to",
             "aten.type_as", "prims.convert_element_type", "prims.device_put",
             "aten.contiguous"},
            computeIdentity);
  table.add("aten.angle", computeAngle);
  table.add("aten.bitwise_not", computeBitwiseNot);
  table.add("aten.round.decimals", computeRoundDecimals);
  table.add("aten.imag", computeImaginaryPart);
}
