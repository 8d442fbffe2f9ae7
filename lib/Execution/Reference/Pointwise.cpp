// Functions of two or three operands, element by element, with broadcasting
// and PyTorch's promotion of types.
#include "Pointwise.h"

#include <cmath>

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Functions that C has not, or has otherwise
//===----------------------------------------------------------------------===//

// Python's division: the quotient rounded down is built on fmod, so that it and
// the remainder agree. A divisor of zero is the caller's to refuse.
static double divideFloor(double a, double b) {
  if (b == 0)
    return a / b;
  double modulus = std::fmod(a, b);
  double quotient = (a - modulus) / b;
  if (modulus != 0 && (b < 0) != (modulus < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(0.0, a / b);
  double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

static int64_t divideFloor(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static double remainderOf(double a, double b) {
  double modulus = std::fmod(a, b);
  return modulus != 0 && (b < 0) != (modulus < 0) ? modulus + b : modulus;
}

static int64_t remainderOf(int64_t a, int64_t b) {
  int64_t modulus = a % b;
  return modulus != 0 && (b < 0) != (modulus < 0) ? modulus + b : modulus;
}

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
}

static int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = base;
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return static_cast<int64_t>(result);
}

static double power(double base, double exponent) {
  // Kernels take the root for one half, also of minus infinity.
  if (exponent == 0.5)
    return std::sqrt(base);
  if (exponent == -0.5)
    return 1 / std::sqrt(base);
  return std::pow(base, exponent);
}

static double logAddExp(double a, double b) {
  if (std::isinf(a) && a == b)
    return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

static int64_t shiftLeft(int64_t a, int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<int64_t>(uint64_t(a) << b);
}
static int64_t shiftRight(int64_t a, int64_t b) {
  return a >> (b < 0 || b > 63 ? 63 : b);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

// Computed in the type of the result. A null entry is a kind of numbers that
// the op does not know.
struct Arithmetic {
  StringLiteral name;
  double (*ofFloats)(double, double);
  int64_t (*ofIntegers)(int64_t, int64_t);
  Complex (*ofComplex)(Complex, Complex) = nullptr;
  bool divides = false;
};

// Computed in the common type of the operands; the result is bool.
struct Comparison {
  StringLiteral name;
  bool (*ofFloats)(double, double);
  bool (*ofIntegers)(int64_t, int64_t);
};

} // namespace

static constexpr Arithmetic kArithmetic[] = {
    {"aten.atan2", [](double a, double b) { return std::atan2(a, b); },
     nullptr},
    {"aten.copysign", [](double a, double b) { return std::copysign(a, b); },
     nullptr},
    {"aten.div", [](double a, double b) { return a / b; }, nullptr,
     [](Complex a, Complex b) { return a / b; }},
    {"prims.div", [](double a, double b) { return a / b; }, nullptr,
     [](Complex a, Complex b) { return a / b; }},
    {"aten.true_divide", [](double a, double b) { return a / b; }, nullptr,
     [](Complex a, Complex b) { return a / b; }},
    {"aten.floor_divide", divideFloor, divideFloor, nullptr, true},
    {"aten.fmax", [](double a, double b) { return std::fmax(a, b); },
     [](int64_t a, int64_t b) { return std::max(a, b); }},
    {"aten.fmin", [](double a, double b) { return std::fmin(a, b); },
     [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"aten.fmod", [](double a, double b) { return std::fmod(a, b); },
     [](int64_t a, int64_t b) { return a % b; }, nullptr, true},
    {"aten.heaviside",
     [](double a, double b) {
       return a == 0 ? b : std::isnan(a) ? a : double(a > 0);
     },
     [](int64_t a, int64_t b) { return a == 0 ? b : int64_t(a > 0); }},
    {"aten.hypot", [](double a, double b) { return std::hypot(a, b); },
     nullptr},
    {"aten.logaddexp", logAddExp, nullptr},
    {"aten.maximum", maximum,
     [](int64_t a, int64_t b) { return std::max(a, b); }},
    {"aten.minimum", minimum,
     [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"aten.mul", [](double a, double b) { return a * b; },
     [](int64_t a, int64_t b) {
       return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
     },
     [](Complex a, Complex b) { return a * b; }},
    {"aten.remainder", remainderOf, remainderOf, nullptr, true},
    {"aten.bitwise_and", nullptr, [](int64_t a, int64_t b) { return a & b; }},
    {"aten.bitwise_or", nullptr, [](int64_t a, int64_t b) { return a | b; }},
    {"aten.bitwise_xor", nullptr, [](int64_t a, int64_t b) { return a ^ b; }},
    {"aten.__and__", nullptr, [](int64_t a, int64_t b) { return a & b; }},
    {"aten.__or__", nullptr, [](int64_t a, int64_t b) { return a | b; }},
    {"aten.__xor__", nullptr, [](int64_t a, int64_t b) { return a ^ b; }},
    {"aten.__lshift__", nullptr, shiftLeft},
    {"aten.__rshift__", nullptr, shiftRight},
    {"aten.bitwise_left_shift", nullptr, shiftLeft},
    {"aten.bitwise_right_shift", nullptr, shiftRight},
    {"aten.xlogy",
     [](double a, double b) {
       return std::isnan(b) ? b : a == 0 ? 0 : a * std::log(b);
     },
     nullptr},
    {"aten._prelu_kernel", [](double x, double w) { return x > 0 ? x : w * x; },
     nullptr},
};

static constexpr Comparison kComparisons[] = {
    {"aten.eq", [](double a, double b) { return a == b; },
     [](int64_t a, int64_t b) { return a == b; }},
    {"aten.ne", [](double a, double b) { return a != b; },
     [](int64_t a, int64_t b) { return a != b; }},
    {"aten.lt", [](double a, double b) { return a < b; },
     [](int64_t a, int64_t b) { return a < b; }},
    {"aten.le", [](double a, double b) { return a <= b; },
     [](int64_t a, int64_t b) { return a <= b; }},
    {"aten.gt", [](double a, double b) { return a > b; },
     [](int64_t a, int64_t b) { return a > b; }},
    {"aten.ge", [](double a, double b) { return a >= b; },
     [](int64_t a, int64_t b) { return a >= b; }},
    {"aten.logical_and", [](double a, double b) { return a != 0 && b != 0; },
     [](int64_t a, int64_t b) { return a != 0 && b != 0; }},
    {"aten.logical_or", [](double a, double b) { return a != 0 || b != 0; },
     [](int64_t a, int64_t b) { return a != 0 || b != 0; }},
    {"aten.logical_xor",
     [](double a, double b) { return (a != 0) != (b != 0); },
     [](int64_t a, int64_t b) { return (a != 0) != (b != 0); }},
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult computeArithmetic(Call &call, const Arithmetic &entry) {
  StringRef names[2] = {"self", "other"};
  for (StringRef special : {"weight", "values"})
    if (call.has(special))
      names[1] = special;
  DType dtype = call.resultType();
  if (isComplex(dtype) && entry.ofComplex)
    return mapElements<Complex>(call, names, dtype, entry.ofComplex);
  if (isFloat(dtype) && entry.ofFloats)
    return mapElements<double>(call, names, dtype, entry.ofFloats);
  if (!isInteger(dtype) || !entry.ofIntegers)
    return call.fail("not defined for numbers of type " + getName(dtype));
  if (entry.divides &&
      llvm::is_contained(call.tensor(names[1]).getValues<int64_t>(), 0))
    return call.fail("integer division by zero");
  return mapElements<int64_t>(call, names, dtype, entry.ofIntegers);
}

static LogicalResult computeComparison(Call &call, const Comparison &entry) {
  StringRef names[2] = {"self", "other"};
  DType dtype = call.commonType(names);
  // The type is exact here: a literal is rounded to it before it is compared.
  if (isFloat(dtype)) {
    auto rounded = [&](double value) { return roundTo(dtype, value); };
    return mapElements<double>(call, names, dtype, [&](double a, double b) {
      return entry.ofFloats(rounded(a), rounded(b));
    });
  }
  if (isInteger(dtype))
    return mapElements<int64_t>(call, names, dtype, entry.ofIntegers);
  if (entry.name == "aten.eq" || entry.name == "aten.ne") {
    bool wantsEqual = entry.name == "aten.eq";
    return mapElements<Complex>(call, names, dtype, [=](Complex a, Complex b) {
      return (a == b) == wantsEqual;
    });
  }
  return call.fail("not defined for complex numbers");
}

// a + alpha * b, rounded once: in f32 this is the fused form that kernels use.
template <typename T>
static LogicalResult addScaled(Call &call, StringRef first, StringRef second,
                               T alpha) {
  StringRef names[2] = {first, second};
  return mapElements<T>(call, names, call.resultType(), [=](T a, T b) {
    if constexpr (std::is_same_v<T, double>)
      return alpha == 1 ? a + b : std::fma(alpha, b, a);
    else
      return a + alpha * b;
  });
}

static LogicalResult computeSum(Call &call, bool isReversed, double sign) {
  StringRef first = isReversed ? "other" : "self";
  StringRef second = isReversed ? "self" : "other";
  return dispatch(call.resultType(), [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, int64_t>)
      return addScaled<T>(call, first, second,
                          call.integer("alpha", 1) * int64_t(sign));
    else
      return addScaled<T>(call, first, second,
                          T(call.scalar("alpha", 1) * sign));
  });
}

static LogicalResult computeDivide(Call &call) {
  StringRef names[2] = {"self", "other"};
  StringRef mode = call.text("rounding_mode");
  DType dtype = call.resultType();
  if (isComplex(dtype))
    return mapElements<Complex>(call, names, dtype,
                                [](Complex a, Complex b) { return a / b; });
  if (isFloat(dtype) && mode == "floor")
    return mapElements<double>(call, names, dtype, [](double a, double b) {
      return divideFloor(a, b);
    });
  if (isFloat(dtype)) {
    // The quotient is rounded to the type before it is cut.
    DType rounding = getComputeType(dtype);
    return mapElements<double>(call, names, dtype, [&](double a, double b) {
      return mode == "trunc" ? std::trunc(roundTo(rounding, a / b)) : a / b;
    });
  }
  if (llvm::is_contained(call.tensor("other").getValues<int64_t>(), 0))
    return call.fail("integer division by zero");
  return mapElements<int64_t>(call, names, dtype, [&](int64_t a, int64_t b) {
    return mode == "floor" ? divideFloor(a, b) : a / b;
  });
}

static LogicalResult computePower(Call &call) {
  StringRef names[2] = {"self", "exponent"};
  return dispatch(call.resultType(), [&]<typename T>(T) {
    return mapElements<T>(call, names, call.resultType(), [](T a, T b) -> T {
      if constexpr (std::is_same_v<T, Complex>)
        return std::pow(a, b);
      else
        return power(a, b);
    });
  });
}

// self + value * (tensor1 op tensor2), fused in f32.
static LogicalResult computeAddProduct(Call &call, bool divides) {
  static constexpr StringRef kNames[] = {"self", "tensor1", "tensor2"};
  DType dtype = call.resultType();
  if (isInteger(dtype)) {
    int64_t value = call.integer("value", 1);
    return mapElements<int64_t>(
        call, kNames, dtype, [=](int64_t a, int64_t b, int64_t c) {
          return a + value * (divides ? b / std::max<int64_t>(c, 1) : b * c);
        });
  }
  double value = call.scalar("value", 1);
  return mapElements<double>(
      call, kNames, dtype, [=](double a, double b, double c) {
        return divides ? a + value * b / c : std::fma(value * b, c, a);
      });
}

static LogicalResult computeLerp(Call &call) {
  static constexpr StringRef kNames[] = {"self", "end", "weight"};
  return mapElements<double>(
      call, kNames, call.resultType(), [](double a, double b, double w) {
        return std::abs(w) < 0.5 ? a + w * (b - a) : b - (b - a) * (1 - w);
      });
}

static LogicalResult computeFma(Call &call) {
  static constexpr StringRef kNames[] = {"a", "b", "c"};
  // Not fused, as on PyTorch's CPU.
  return mapElements<double>(
      call, kNames, call.resultType(), [&](double a, double b, double c) {
        return roundTo(getComputeType(call.resultType()), a * b) + c;
      });
}

static LogicalResult computeWhere(Call &call) {
  DType dtype = call.resultType();
  Tensor condition = call.tensor("condition");
  // Elements are chosen, so literals round to the type itself.
  std::vector<Tensor> operands = {condition, call.tensor("self").to(dtype),
                                  call.tensor("other").to(dtype)};
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  std::vector<int64_t> choose =
      condition.to(DType::Bool).expand(*shape).getValues<int64_t>();
  std::vector<char> yes = operands[1].expand(*shape).getBytes();
  std::vector<char> no = operands[2].expand(*shape).getBytes();
  size_t size = getByteSize(dtype);
  for (size_t i = 0; i < choose.size(); ++i)
    if (choose[i])
      std::copy_n(yes.begin() + i * size, size, no.begin() + i * size);
  Tensor result(dtype, *shape);
  result.setBytes(no);
  return call.set(0, result);
}

static LogicalResult computeMaskedFill(Call &call) {
  DType dtype = call.resultType();
  std::vector<Tensor> operands = {call.tensor("self"), call.tensor("mask")};
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  return dispatch(dtype, [&]<typename T>(T) {
    auto values = operands[0].to(dtype).expand(*shape).getValues<T>();
    auto mask = operands[1].expand(*shape).getValues<int64_t>();
    T fill = call.tensor("value").to(dtype).getItem<T>();
    for (size_t i = 0; i < values.size(); ++i)
      if (mask[i])
        values[i] = fill;
    return call.set(0, *shape, values);
  });
}

// min and max may each be absent; where they cross, the upper one counts.
static LogicalResult computeClamp(Call &call) {
  DType dtype = call.resultType();
  StringRef low = "min", high = "max";
  std::vector<Tensor> operands = {call.tensor("self")};
  for (StringRef name : {low, high})
    if (call.has(name))
      operands.push_back(call.tensor(name));
  FailureOr<Shape> shape = call.broadcast(operands);
  if (failed(shape))
    return failure();
  return dispatchReal(call, dtype, [&]<typename T>(T) {
    auto values = operands[0].to(dtype).expand(*shape).getValues<T>();
    auto limit = [&](StringRef name, auto choose) {
      if (!call.has(name))
        return;
      auto limits =
          call.tensor(name).to(dtype).expand(*shape).template getValues<T>();
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i] == values[i])
          values[i] = choose(values[i], limits[i]);
    };
    limit(low, [](T a, T b) { return b != b || a < b ? b : a; });
    limit(high, [](T a, T b) { return b != b || a > b ? b : a; });
    return call.set(0, *shape, values);
  });
}

static LogicalResult computeNanToNum(Call &call) {
  DType dtype = call.resultType();
  if (isInteger(dtype))
    return call.set(0, call.tensor("self").clone());
  double largest = dtype == DType::F64    ? 1.7976931348623157e308
                   : dtype == DType::F16  ? 65504
                   : dtype == DType::BF16 ? 3.3895313892515355e38
                                          : 3.4028234663852886e38;
  double nan = call.number("nan", 0), posinf = call.number("posinf", largest),
         neginf = call.number("neginf", -largest);
  static constexpr StringRef kNames[] = {"self"};
  return mapElements<double>(call, kNames, dtype, [=](double x) {
    if (std::isnan(x))
      return nan;
    return std::isinf(x) ? (x > 0 ? posinf : neginf) : x;
  });
}

// Two real tensors as the parts, or as radius and angle.
static LogicalResult computeComplexFrom(Call &call, StringRef first,
                                        StringRef second, bool isPolar) {
  std::vector<Tensor> parts = {call.tensor(first), call.tensor(second)};
  FailureOr<Shape> shape = call.broadcast(parts);
  if (failed(shape))
    return failure();
  std::vector<double> a = parts[0].expand(*shape).getValues<double>();
  std::vector<double> b = parts[1].expand(*shape).getValues<double>();
  std::vector<Complex> result(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    result[i] = isPolar ? Complex(a[i] * std::cos(b[i]), a[i] * std::sin(b[i]))
                        : Complex(a[i], b[i]);
  return call.set(0, *shape, result);
}

static LogicalResult computeEqual(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("other");
  bool isEqual = a.getShape() == b.getShape() &&
                 a.getValues<Complex>() == b.getValues<Complex>();
  return call.set(0, RuntimeValue(isEqual));
}

void titan::addPointwiseKernels(KernelTable &table) {
  for (const Arithmetic &entry : kArithmetic)
    table.add(entry.name,
              [&entry](Call &call) { return computeArithmetic(call, entry); });
  for (const Comparison &entry : kComparisons)
    table.add(entry.name,
              [&entry](Call &call) { return computeComparison(call, entry); });
  table.add("aten.add", [](Call &call) { return computeSum(call, false, 1); });
  table.add("aten.sub", [](Call &call) { return computeSum(call, false, -1); });
  table.add("aten.rsub", [](Call &call) { return computeSum(call, true, -1); });
  table.add({"aten.div.Tensor_mode", "aten.div.Scalar_mode"}, computeDivide);
  table.add("aten.pow", computePower);
  table.add("aten.addcmul",
            [](Call &call) { return computeAddProduct(call, false); });
  table.add("aten.addcdiv",
            [](Call &call) { return computeAddProduct(call, true); });
  table.add("aten.lerp", computeLerp);
  table.add("prims.fma", computeFma);
  table.add("aten.where", computeWhere);
  table.add("aten.masked_fill", computeMaskedFill);
  table.add({"aten.clamp", "aten.clamp_min", "aten.clamp_max"}, computeClamp);
  table.add("aten.nan_to_num", computeNanToNum);
  table.add("aten.complex", [](Call &call) {
    return computeComplexFrom(call, "real", "imag", false);
  });
  table.add("aten.polar", [](Call &call) {
    return computeComplexFrom(call, "abs", "angle", true);
  });
  table.add("aten.equal", computeEqual);
}
