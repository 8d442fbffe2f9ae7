// Loops over lanes that the compiler turns into vectors of whatever width the
// CPU has: how a row is divided into lanes, and so every sum's order, is the
// same with each of them.
#include "Softmax.h"

#include <bit>
#include <cmath>

// A copy of a function for each width, chosen when the program starts.
#if defined(__x86_64__) && defined(__linux__)
#define TITAN_EACH_WIDTH                                                       \
  __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define TITAN_EACH_WIDTH
#endif

static constexpr int64_t kLanes = 16;

// e^x for x of zero or less, to about one unit in the last place: 2^n times a
// polynomial of what is left, after Cephes. Adding 1.5 * 2^23 rounds to an
// integer and leaves it in the low bits.
static inline float takeExponential(float x) {
  constexpr float kShift = 12582912.0f;
  float shifted = x * 1.44269504088896341f + kShift;
  float n = shifted - kShift;
  float rest = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * rest + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  float value = p * (rest * rest) + rest + 1.0f;
  auto power = (std::bit_cast<uint32_t>(shifted) << 23) + (127U << 23);
  value *= std::bit_cast<float>(power);
  // What would be less than the least normal number.
  return x < -87.0f ? 0.0f : value;
}

TITAN_EACH_WIDTH
static float findLargest(const float *row, int64_t count) {
  float tops[kLanes];
  for (float &top : tops)
    top = -HUGE_VALF;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      tops[lane] = tops[lane] < row[i + lane] ? row[i + lane] : tops[lane];
  for (; i < count; ++i)
    tops[0] = tops[0] < row[i] ? row[i] : tops[0];
  float largest = tops[0];
  for (float top : tops)
    largest = largest < top ? top : largest;
  return largest;
}

TITAN_EACH_WIDTH
static double takeExponentials(float *row, int64_t count, float top) {
  double totals[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      row[i + lane] = takeExponential(row[i + lane] - top);
      totals[lane] += static_cast<double>(row[i + lane]);
    }
  for (; i < count; ++i) {
    row[i] = takeExponential(row[i] - top);
    totals[0] += static_cast<double>(row[i]);
  }
  double total = 0;
  for (double part : totals)
    total += part;
  return total;
}

TITAN_EACH_WIDTH
static void scale(float *row, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i)
    row[i] *= factor;
}

double mlir::titan::applySoftmax(float *row, int64_t count) {
  float top = findLargest(row, count);
  if (top == -HUGE_VALF) {
    // Minus infinity becomes zero, NaN remains.
    for (int64_t i = 0; i < count; ++i)
      row[i] = std::isnan(row[i]) ? row[i] : 0.0f;
    return -HUGE_VAL;
  }
  double total = takeExponentials(row, count, top);
  scale(row, count, static_cast<float>(1 / total));
  return std::log(total) + static_cast<double>(top);
}

TITAN_EACH_WIDTH
static double sumProducts(const float *a, const float *b, int64_t count) {
  double totals[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      totals[lane] +=
          static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  for (; i < count; ++i)
    totals[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  double total = 0;
  for (double part : totals)
    total += part;
  return total;
}

TITAN_EACH_WIDTH
static void centre(const float *weights, float *grad, int64_t count,
                   double shared) {
  for (int64_t i = 0; i < count; ++i)
    grad[i] = static_cast<float>(static_cast<double>(weights[i]) *
                                 (static_cast<double>(grad[i]) - shared));
}

void mlir::titan::applySoftmaxBackward(const float *weights, float *grad,
                                       int64_t count) {
  centre(weights, grad, count, sumProducts(weights, grad, count));
}
