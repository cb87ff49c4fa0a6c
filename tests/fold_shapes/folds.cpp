// SPDX-License-Identifier: Apache-2.0
#include "tests/fold_shapes/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace sinter::test {
namespace {

std::string replaced(std::string text, std::string_view key, const std::string& value) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + value.size()))
    text.replace(at, key.size(), value);
  return text;
}

/// Of row r, which repeats; not a number of the shape's, so that rows and columns hold the same.
float element(std::mt19937& random, int64_t row) {
  std::normal_distribution<float> normal;
  const float v = std::ldexp(normal(random), static_cast<int>(random() % 9) - 4);
  return row % 2 == 0 ? v : std::nearbyint(v);  // ties
}

void add_special(std::vector<float>& row, int64_t r) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  if (row.empty()) return;
  const size_t at = row.size() * 2 / 3;
  if (r % 32 == 7) row[at] = std::numeric_limits<float>::quiet_NaN();
  if (r % 32 == 12) row[at] = inf;
  if (r % 32 == 17) row[at] = -inf;
  if (r % 32 == 22) row.assign(row.size(), -inf);
  if (r % 32 == 27) row.assign(row.size(), -0.0f);
}

bool same(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool same_element(const reference::Array& a, int64_t i, const reference::Array& b, int64_t j) {
  const std::byte *p = a.data.data() + a.byte(i), *q = b.data.data() + b.byte(j);
  if (a.dtype != f32) return std::memcmp(p, q, static_cast<size_t>(a.dtype.bytes())) == 0;
  float x = 0, y = 0;
  std::memcpy(&x, p, sizeof x);
  std::memcpy(&y, q, sizeof y);
  return same(x, y);
}

}  // namespace

std::span<const Fold> folds() {
  static const std::vector<Fold> all = {
      {.name = "sum", .body = "%1 f32 {y} = sum(%0) dims=[{d}], keepdim=false\n return %1"},
      {.name = "amax", .body = "%1 f32 {y} = amax(%0) dims=[{d}], keepdim=false\n return %1", .of_nothing = false},
      {.name = "mean_var",
       .body = "%1 f32 {y} = mean(%0) dims=[{d}], keepdim=false\n"
               "%2 f32 {y} = var(%0) dims=[{d}], keepdim=false, correction=1.0\n return %1, %2"},
      {.name = "argmax", .body = "%1 i64 {y} = argmax(%0) dims=[{d}], keepdim=false\n return %1", .of_nothing = false},
      {.name = "softmax", .body = "%1 f32 {x} = softmax(%0) dim={d}\n return %1", .approximate = true},
      {.name = "softmax_written_out",
       .body = "%1 f32 {k} = amax(%0) dims=[{d}], keepdim=true\n %2 f32 {x} = sub(%0, %1) lhs=none, rhs=none\n"
               "%3 f32 {x} = exp(%2)\n %4 f32 {k} = sum(%3) dims=[{d}], keepdim=true\n"
               "%5 f32 {x} = div(%3, %4) lhs=none, rhs=none\n return %5",
       .of_nothing = false,
       .only_approximations_differ = true},
      {.name = "layer_norm",
       .body = "%1 f32 {r} = {rows}\n %2 f32 {r} = layer_norm(%1) weight=false, bias=false, normalized_shape=[{n}], "
               "eps=1e-05\n"
               "return %2"},
      {.name = "cross_entropy",
       .body = "%1 i64 [{m}] = input\n %2 f32 {r} = {rows}\n %3 f32 [{m}] = cross_entropy(%2, %1) reduction=none, "
               "weight=false, "
               "ignore_index=-100, smoothing=false, kept=1.0, spread=0.0\n return %3",
       .of_nothing = false,
       .takes_target = true,
       .approximate = true},
  };
  return all;
}

graph::Graph graph_of(const Fold& fold, bool columns, const FoldExtents& e) {
  const bool symbolic = e.others == "s0" || e.length == "s1";
  std::string text = "graph \"" + fold.name + "\" on cpu {\n";
  if (symbolic) text += " symbols 2, s0 in [0,4294967296], s1 in [1,4294967296]\n";
  text += " %0 f32 {x} = input\n " + fold.body + "\n}";
  text = replaced(text, "{rows}", columns ? "permute(%0) dims=[1,0]" : "neg(%0)");
  text = replaced(text, "{x}", columns ? "[{n},{m}]" : "[{m},{n}]");
  text = replaced(text, "{k}", columns ? "[1,{m}]" : "[{m},1]");
  text = replaced(text, "{y}", "[{m}]");
  text = replaced(text, "{r}", "[{m},{n}]");
  text = replaced(text, "{d}", columns ? "0" : "1");
  text = replaced(replaced(text, "{n}", e.length), "{m}", e.others);
  return graph::parse(text);
}

reference::Array fold_data(int64_t others, int64_t length, bool columns) {
  std::mt19937 random(static_cast<unsigned>(length));
  std::vector<std::vector<float>> rows;
  for (int64_t r = 0; r < fold_rows; ++r) {
    std::vector<float>& row = rows.emplace_back(static_cast<size_t>(length));
    for (float& v : row) v = element(random, r);
    add_special(row, r);
  }
  reference::Array a = reference::Array::zeros(f32, columns ? Dims{length, others} : Dims{others, length});
  const auto put = [&](int64_t at, float v) { std::memcpy(a.data.data() + static_cast<size_t>(at) * 4, &v, 4); };
  for (int64_t r = 0; r < others; ++r)
    for (int64_t i = 0; i < length; ++i)
      put(columns ? i * others + r : r * length + i, rows[static_cast<size_t>(r % fold_rows)][static_cast<size_t>(i)]);
  return a;
}

reference::Array fold_targets(int64_t others, int64_t length) {
  reference::Array a = reference::Array::zeros(i64, {others});
  for (int64_t r = 0; r < others; ++r)
    a.set(r, scalar::constant_int(i64, (r % fold_rows) * 7 % std::max<int64_t>(length, 1)));
  return a;
}

std::string row_difference(const reference::Array& expected, const reference::Array& got, int row_dim) {
  const bool flat = expected.shape.size() == 1;
  const int64_t others = got.shape[static_cast<size_t>(row_dim)];
  const int64_t length = flat ? 1 : expected.shape[static_cast<size_t>(1 - row_dim)];
  if (got.dtype != expected.dtype || (!flat && got.shape[static_cast<size_t>(1 - row_dim)] != length))
    return fmt::format("is {} {}", got.dtype.name(), got.shape.text());
  const auto at = [&](int64_t row, int64_t i, int64_t rows) {
    return row_dim == 0 ? row * length + i : i * rows + row;
  };
  for (int64_t r = 0; r < others; ++r)
    for (int64_t i = 0; i < length; ++i)
      if (!same_element(expected, at(r % fold_rows, i, fold_rows), got, at(r, i, others)))
        return fmt::format("row {} differs at {}", r, i);
  return "";
}

}  // namespace sinter::test
