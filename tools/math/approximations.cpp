// SPDX-License-Identifier: Apache-2.0
//
// Measures the functions of Math::fast on a device against double precision, in the kernel that computes them:
//   bench_approximations <cpu|cuda> [stride] [function]
// f32 over every STRIDE-th of all 2^32 (1 unless given), all f16 and all bf16; pow and div over 2^28 / STRIDE pairs.
// Prints lines of accuracy.txt: the largest error of the rounded result, of its size (of logarithms, of at least 1), in
// steps of the dtype (2^-23, 2^-10, 2^-7). Results below the least normal number count as edges, with infinities and
// NaN: "wrong" is how many of these are not what they should be, or not 0 or near it.
#include <sinter/sinter.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tools/math/result_hash.h"

namespace {

using namespace sinter;  // NOLINT(google-build-using-namespace): nothing else is in this file
using math_tools::block_size;

struct Function {
  const char* name;
  Tensor (*of_one)(const Tensor& x);
  Tensor (*exact)(const Tensor& x);
  bool absolute = false;  ///< below 1
};

const Function functions[] = {
    {"exp", [](const Tensor& x) { return exp(x); }, [](const Tensor& x) { return exp(x); }},
    {"exp2", [](const Tensor& x) { return exp2(x); }, [](const Tensor& x) { return exp2(x); }},
    {"log", [](const Tensor& x) { return log(x); }, [](const Tensor& x) { return log(x); }, true},
    {"log2", [](const Tensor& x) { return log2(x); }, [](const Tensor& x) { return log2(x); }, true},
    {"log10", [](const Tensor& x) { return log10(x); }, [](const Tensor& x) { return log10(x); }, true},
    {"sigmoid", [](const Tensor& x) { return sigmoid(x); }, [](const Tensor& x) { return 1 / (1 + exp(-x)); }},
    {"silu", [](const Tensor& x) { return silu(x); }, [](const Tensor& x) { return x / (1 + exp(-x)); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }, [](const Tensor& x) { return tanh(x); }},
    {"gelu", [](const Tensor& x) { return gelu(x); },
     [](const Tensor& x) { return x * 0.5 * erfc(x * -0.70710678118654752440); }},
    {"rsqrt", [](const Tensor& x) { return rsqrt(x); }, [](const Tensor& x) { return 1 / sqrt(x); }},
    {"reciprocal", [](const Tensor& x) { return reciprocal(x); }, [](const Tensor& x) { return 1 / x; }},
};

Tensor values(const Tensor& bits, DType dtype) { return view(to(bits, dtype.bits() == 16 ? u16 : u32), dtype); }

double step_of(DType t) { return t == f32 ? 0x1p-23 : t == f16 ? 0x1p-10 : 0x1p-7; }
double least_of(DType t) { return t == f16 ? 0x1p-14 : 0x1p-125; }
double largest_of(DType t) { return t == f16 ? 65504 : std::numeric_limits<float>::max() * (1 - 1e-4); }

/// The largest error, where it is, and how many edges are wrong.
std::vector<Tensor> judged(const Tensor& result, const Tensor& exact, DType t, bool absolute) {
  const Tensor y = to(result, f64), size = abs(exact), error = abs(y - exact);
  const Tensor small = size < least_of(t);
  const Tensor ordinary = logical_and(size <= largest_of(t), absolute ? size >= 0 : size >= least_of(t));
  const Tensor relative = where(ordinary, error / (absolute ? clamp_min(size, 1) : size), 0.0);
  const Tensor lost = logical_and(small, logical_not(error <= least_of(t)));
  const Tensor finite = logical_and(isinf(exact), ne(y, exact));
  const Tensor wrong = logical_or(ne(isnan(y), isnan(exact)), logical_or(finite, absolute ? finite : lost));
  return {amax(relative), argmax(relative), sum(to(wrong, i64))};
}

struct Worst {
  double error = 0;
  int64_t at = 0, wrong = 0;

  void add(const std::vector<Tensor>& found, int64_t first) {
    const double e = item<double>(found[0]);
    if (e > error) {
      error = e;
      at = first + item<int64_t>(found[1]);
    }
    wrong += item<int64_t>(found[2]);
  }
};

Worst measure(const Function& f, DType t, int64_t stride, Device device) {
  const int64_t count = t == f32 ? (int64_t{1} << 32) / stride : 65536, block = std::min(block_size, count);
  auto judge = compile(
      [&](const Tensor& first) {
        const Tensor x = values((arange(block) + first) * stride, t);
        return judged(f.of_one(x), f.exact(to(x, f64)), t, f.absolute);
      },
      {.name = f.name, .math = Math::fast});
  Worst worst;
  for (int64_t first = 0; first < count; first += block)
    worst.add(judge(to(full({}, static_cast<double>(first), i64), device)), first);
  worst.at *= stride;
  return worst;
}

void run(const Function& f, DType t, int64_t stride, Device device, const char* where) {
  if (t != f32) stride = 1;
  const Worst w = measure(f, t, stride, device);
  std::printf("approx %s %s %s every %lld: %.4g at 0x%08llx, %lld wrong\n", where, f.name,
              std::string(t.name()).c_str(), static_cast<long long>(stride), w.error / step_of(t),
              static_cast<unsigned long long>(w.at), static_cast<long long>(w.wrong));
  std::fflush(stdout);
}

/// Of random pairs: exponents of x within +-`exponents`, y from `second`.
void run_pairs(const char* name, Tensor (*function)(const Tensor&, const Tensor&), int64_t exponents,
               Tensor (*second)(const Tensor& random), int64_t stride, Device device, const char* where) {
  const int64_t blocks = std::max<int64_t>(1, 16 / stride);
  auto judge = compile(
      [&](const Tensor& first) {
        const Tensor random = math_tools::mixed(arange(block_size) + first);
        const Tensor exponent = remainder(random >> 46, 2 * exponents) + (127 - exponents);
        const Tensor x = values((exponent << 23) | (random & 0x7fffff), f32), y = second(random);
        return judged(function(x, y), function(to(x, f64), to(y, f64)), f32, false);
      },
      {.name = name, .math = Math::fast});
  Worst w;
  for (int64_t i = 0; i < blocks; ++i)
    w.add(judge(to(full({}, static_cast<double>(i * block_size), i64), device)), i * block_size);
  std::printf("approx %s %s f32 pairs %lld: %.4g at %lld, %lld wrong\n", where, name,
              static_cast<long long>(blocks * block_size), w.error / step_of(f32), static_cast<long long>(w.at),
              static_cast<long long>(w.wrong));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const char* where = argc > 1 ? argv[1] : "";
  if (std::strcmp(where, "cpu") != 0 && std::strcmp(where, "cuda") != 0)
    return std::fprintf(stderr, "usage: bench_approximations <cpu|cuda> [stride] [function]\n"), 2;
  const Device device = std::strcmp(where, "cuda") == 0 ? Device::cuda(0) : Device::cpu();
  const int64_t stride = argc > 2 ? std::max(1ll, std::atoll(argv[2])) : 1;
  const std::string wanted = argc > 3 ? argv[3] : "all";
  for (const Function& f : functions)
    for (const DType t : {f32, f16, bf16})
      if (wanted == "all" || wanted == f.name) run(f, t, stride, device, where);
  const auto exponent = [](const Tensor& random) { return to(random >> 23 & 0x7fffff, f32) * 0x1p-20 - 4; };
  const auto divisor = [](const Tensor& random) {
    return values(((remainder(random >> 40 & 0xffff, 120) + 67) << 23) | (random >> 17 & 0x7fffff), f32);
  };
  if (wanted == "all" || wanted == "pow")
    run_pairs("pow", [](const Tensor& x, const Tensor& y) { return pow(x, y); }, 20, exponent, stride, device, where);
  if (wanted == "all" || wanted == "div")
    run_pairs("div", [](const Tensor& x, const Tensor& y) { return x / y; }, 60, divisor, stride, device, where);
}
