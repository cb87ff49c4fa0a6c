// SPDX-License-Identifier: Apache-2.0
#include "tests/linalg/product_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace sinter::test {
namespace {

constexpr DType dtypes[] = {f32, f16, bf16};
constexpr int64_t extents[] = {0, 1, 3, 16, 33};

using Values = std::function<double(int64_t i)>;

/// -4 .. 4; sums of 33 products are exact in f32.
Values whole(int64_t seed) {
  return [seed](int64_t i) { return static_cast<double>((i * 7 + seed * 5) % 9 - 4); };
}

template <class T>
Tensor dense_of(const Dims& shape, Device device, const Values& value) {
  std::vector<T> v;
  for (int64_t i = 0; i < shape.product(); ++i) v.push_back(T(static_cast<float>(value(i))));
  return to(from<T>(v, shape), device);
}

Tensor dense(const Dims& shape, DType dtype, Device device, const Values& value) {
  if (dtype == f16) return dense_of<Half>(shape, device, value);
  return dtype == bf16 ? dense_of<BFloat16>(shape, device, value) : dense_of<float>(shape, device, value);
}

enum class Layout : uint8_t { row_major, transposed, part, misaligned, broadcast };
constexpr size_t layout_count = 5;

/// A matrix of whole numbers that lies in memory in a certain way.
Tensor matrix(int64_t rows, int64_t columns, Layout layout, DType dtype, Device device, int64_t seed) {
  const Values v = whole(seed);
  switch (layout) {
    case Layout::row_major:
      return dense({rows, columns}, dtype, device, v);
    case Layout::transposed:
      return transpose(dense({columns, rows}, dtype, device, v), 0, 1);
    case Layout::part:
      return slice(slice(dense({rows + 2, columns + 3}, dtype, device, v), 0, 1, rows + 1), 1, 2, columns + 2);
    case Layout::misaligned:
      return reshape(slice(dense({rows * columns + 1}, dtype, device, v), 0, 1, rows * columns + 1), {rows, columns});
    case Layout::broadcast:
      return expand(dense({1, columns}, dtype, device, v), {rows, columns});
  }
  return {};
}

template <class T>
std::vector<double> doubles_of(const Tensor& t) {
  std::vector<double> v;
  for (const T& e : to_vector<T>(t)) v.push_back(static_cast<float>(e));
  return v;
}

std::vector<double> doubles(const Tensor& t) {
  if (t.dtype() == f16) return doubles_of<Half>(t);
  return t.dtype() == bf16 ? doubles_of<BFloat16>(t) : doubles_of<float>(t);
}

double rounded(double v, DType dtype) {
  const auto f = static_cast<float>(v);
  return dtype == f16 ? static_cast<float>(Half(f)) : dtype == bf16 ? static_cast<float>(BFloat16(f)) : f;
}

/// a [.., m, k] @ b [.., k, n] in double; batches of equal shape.
std::vector<double> products(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = doubles(a), y = doubles(b);
  const Dims left = a.shape(), right = b.shape();
  const int64_t m = left[left.size() - 2], k = left.back(), n = right.back();
  int64_t batches = 1;
  for (size_t d = 0; d + 2 < left.size(); ++d) batches *= left[d];
  std::vector<double> z(static_cast<size_t>(batches * m * n));
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double& sum = z[static_cast<size_t>((batch * m + i) * n + j)];
        for (int64_t l = 0; l < k; ++l)
          sum += x[static_cast<size_t>((batch * m + i) * k + l)] * y[static_cast<size_t>((batch * k + l) * n + j)];
      }
  return z;
}

double gelu_by_tanh(double v) { return 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))); }

/// Collects differences; at most a few in words.
class Failures {
 public:
  void expect(const std::string& what, const std::vector<double>& expected, const Tensor& got,
              const std::function<double(size_t)>& allowed = {}) {
    const std::vector<double> values = doubles(got);
    if (values.size() != expected.size()) return add(fmt::format("{}: shape {}", what, got.shape().text()));
    for (size_t i = 0; i < values.size(); ++i) {
      const double e = rounded(expected[i], got.dtype()), error = allowed ? allowed(i) : 0;
      if (std::isnan(e) ? std::isnan(values[i]) : values[i] == e || std::fabs(values[i] - expected[i]) <= error)
        continue;
      return add(fmt::format("{}: element {} is {}, expected {} within {}", what, i, values[i], e, error));
    }
  }
  void add(std::string text) {
    if (list_.size() < 12) list_.push_back(std::move(text));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

std::string name(DType t, int64_t m, int64_t k, int64_t n) {
  return fmt::format("{} [{},{}] @ [{},{}]", t.name(), m, k, k, n);
}

}  // namespace

std::vector<std::string> exact_matrices(Device device) {
  Failures failures;
  for (const DType t : dtypes)
    for (const int64_t m : extents)
      for (const int64_t k : extents)
        for (const int64_t n : extents) {
          // Every layout beside one of the others, all pairs over the extents. Where a kernel is compiled (copies of
          // broadcast rows, empty sums, f16 on most CPUs) one dtype, or one layout, does for all.
          const bool generated = m * k * n == 0 || (t == f16 && device.is_cpu());
          const size_t last = generated ? 1 : t == f32 ? layout_count : layout_count - 1;
          const auto shift = static_cast<size_t>(m + 2 * k + 3 * n);
          for (size_t left = 0; left < last; ++left) {
            const size_t right = (left + shift) % last;
            const Tensor a = matrix(m, k, static_cast<Layout>(left), t, device, 1),
                         b = matrix(k, n, static_cast<Layout>(right), t, device, 2);
            failures.expect(fmt::format("{}, layouts {} {}", name(t, m, k, n), left, right), products(a, b),
                            matmul(a, b));
          }
        }
  return failures.take();
}

std::vector<std::string> exact_batches(Device device) {
  Failures failures;
  const auto check = [&](const std::string& what, const Tensor& a, const Tensor& b, const Dims& batch) {
    const auto whole_batch = [&](const Tensor& x) {
      Dims shape = batch;
      shape.push_back(x.shape()[x.shape().size() - 2]);
      shape.push_back(x.shape().back());
      return expand(x, shape);
    };
    failures.expect(what, products(whole_batch(a), whole_batch(b)), matmul(a, b));
  };
  for (const DType t : dtypes) {
    const auto make = [&](const Dims& shape, int64_t seed) { return dense(shape, t, device, whole(seed)); };
    const Tensor x = make({4, 3, 16}, 1), y = make({4, 16, 5}, 2), one = make({16, 5}, 3);
    check("batches", x, y, {4});
    check("one right matrix", x, one, {4});
    check("one left matrix", make({3, 16}, 1), y, {4});
    check("a batch of 1 on the left", make({1, 3, 16}, 1), y, {4});
    check("two dims of batches", make({2, 1, 3, 16}, 1), make({3, 16, 5}, 2), {2, 3});
    check("batches that cross", make({2, 1, 3, 4}, 1), make({1, 5, 4, 3}, 2), {2, 5});
    check("gaps", slice(make({8, 3, 16}, 1), 0, 0, 8, 2), y, {4});
    check("batch inside", permute(make({3, 4, 16}, 1), {1, 0, 2}), y, {4});
    check("transposed batches", x, transpose(make({4, 5, 16}, 2), 1, 2), {4});
    check("single rows", make({4, 1, 16}, 1), one, {4});
    check("three dims", make({2, 2, 2, 3, 4}, 1), make({2, 1, 2, 4, 3}, 2), {2, 2, 2});
    failures.expect("bmm", products(x, y), bmm(x, y));
    const Tensor row = make({16}, 4), column = make({16}, 5);
    failures.expect("dot", products(reshape(row, {1, 16}), reshape(column, {16, 1})), matmul(row, column));
    failures.expect("row by matrix", products(reshape(row, {1, 16}), one), matmul(row, one));
    failures.expect("matrices by column", products(reshape(x, {12, 16}), reshape(column, {16, 1})), matmul(x, column));
  }
  return failures.take();
}

std::vector<std::string> exact_epilogues(Device device) {
  Failures failures;
  const auto apply = [](std::vector<double> v, const std::function<double(double, size_t)>& f) {
    for (size_t i = 0; i < v.size(); ++i) v[i] = f(v[i], i);
    return v;
  };
  for (const DType t : dtypes)
    for (const int64_t n : {1, 3, 16, 33}) {
      const auto columns = static_cast<size_t>(n);
      const Tensor x = dense({2, 3, 16}, t, device, whole(1)), w = dense({n, 16}, t, device, whole(2));
      const Tensor rows = reshape(x, {6, 16});
      const Tensor b = slice(dense({n + 1}, t, device, whole(3)), 0, 1, n + 1);  // not aligned
      const Tensor c = dense({6, n}, t, device, whole(4));
      const std::vector<double> bias = doubles(b), term = doubles(c), plain = products(rows, transpose(w, 0, 1));
      const auto biased = apply(plain, [&](double v, size_t i) { return v + bias[i % columns]; });
      const std::string what = fmt::format("{} n = {}", t.name(), n);
      auto affine = compile([](Tensor l, Tensor r, Tensor s) { return linear(l, r, s); }, {.name = "affine"});
      failures.expect(what + " linear", biased, affine(x, w, b));
      failures.expect(what + " linear of a vector", {biased.begin(), biased.begin() + n},
                      linear(select(rows, 0, 0), w, b));
      auto rectified =
          compile([](Tensor l, Tensor r, Tensor s) { return relu(linear(l, r, s)); }, {.name = "rectified"});
      failures.expect(what + " relu(linear)", apply(biased, [](double v, size_t) { return std::max(v, 0.0); }),
                      rectified(x, w, b));
      auto added = compile([](Tensor l, Tensor r, Tensor s) { return relu(matmul(l, transpose(r, 0, 1)) + s); },
                           {.name = "added"});
      failures.expect(what + " relu(matmul + row)", apply(biased, [](double v, size_t) { return std::max(v, 0.0); }),
                      added(x, w, b));
      auto both = compile(
          [](Tensor l, Tensor r, Tensor s) {
            Tensor y = linear(l, r, s);
            return y + relu(y);
          },
          {.name = "both"});
      failures.expect(what + " read twice",
                      apply(biased, [&](double v, size_t) { return rounded(v, t) + std::max(rounded(v, t), 0.0); }),
                      both(x, w, b));
      auto gelu_of = compile(
          [](Tensor l, Tensor r, Tensor s) { return gelu(linear(l, r, s), {.approximate = Approximate::tanh}); },
          {.name = "gelu_of"});
      const auto gelu_tanh = [](double v, size_t) { return gelu_by_tanh(v); };
      const double unit = t == f32 ? 0x1p-21 : t == f16 ? 0x1p-9 : 0x1p-6;
      failures.expect(what + " gelu(linear)", apply(biased, gelu_tanh), gelu_of(x, w, b),
                      [&](size_t i) { return unit * (1 + std::fabs(biased[i])); });
      failures.expect(what + " addmm", apply(plain, [&](double v, size_t i) { return v + term[i]; }),
                      addmm(c, rows, transpose(w, 0, 1)));
      failures.expect(what + " addmm scaled", apply(plain, [&](double v, size_t i) { return 0.5 * v - 2 * term[i]; }),
                      addmm(c, rows, transpose(w, 0, 1), {.beta = -2, .alpha = 0.5}));
    }
  return failures.take();
}

std::vector<std::string> random_products(Device device) {
  Failures failures;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto draw = [&](int64_t) { return normal(random); };
  for (const DType t : dtypes)
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{64, 1000, 48}, {1, 4096, 1}, {129, 77, 255}}) {
      const Tensor a = dense({m, k}, t, device, draw), b = dense({k, n}, t, device, draw);
      const std::vector<double> exact = products(a, b), sizes = products(sinter::abs(a), sinter::abs(b));
      const double rounding = t == f32 ? 0x1p-24 : t == f16 ? 0x1p-11 : 0x1p-8;
      const auto depth = static_cast<double>(k);
      failures.expect(name(t, m, k, n), exact, matmul(a, b),
                      [&](size_t i) { return depth * 0x1p-24 * sizes[i] + 1.01 * rounding * std::fabs(exact[i]); });
    }
  return failures.take();
}

std::vector<std::string> special_values(Device device) {
  Failures failures;
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double specials[] = {nan, inf, -inf, -1, 2, 0, nan, 3};
  auto rectified = compile([](Tensor l, Tensor r, Tensor s) { return relu(linear(l, r, s)); }, {.name = "rectified"});
  auto smoothed =
      compile([](Tensor l, Tensor r, Tensor s) { return gelu(linear(l, r, s), {.approximate = Approximate::tanh}); },
              {.name = "smoothed"});
  for (const DType t : dtypes) {
    const Tensor x = dense({16, 8}, t, device, [](int64_t i) { return i % 9 == 0 ? 1.0 : 0.0; });
    const Tensor w = dense({8, 8}, t, device, [](int64_t) { return 0.0; });
    const Tensor b = dense({8}, t, device, [&](int64_t i) { return specials[i]; });
    std::vector<double> expected, smooth;
    for (size_t i = 0; i < 128; ++i) {
      const double v = specials[i % 8];
      expected.push_back(std::isnan(v) ? v : std::max(v, 0.0));
      const double w = v == -inf ? -3 : v;  // gelu's formula at -inf is -inf * 0, which libraries may call 0
      smooth.push_back(std::isfinite(w) ? gelu_by_tanh(w) : w);
    }
    failures.expect(fmt::format("{} relu", t.name()), expected, rectified(x, w, b));
    failures.expect(fmt::format("{} gelu", t.name()), smooth, smoothed(x, w, clamp_min(b, -3)),
                    [](size_t) { return 0x1p-6; });
  }
  return failures.take();
}

}  // namespace sinter::test
