// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/named_reductions.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sinter::benchmarks {
namespace {

using Reduction = Results (*)(Arguments, int64_t dim);

Results mean_var(Arguments a, int64_t dim) {
  const auto [var, mean] = var_mean(a[0], {.dims = {dim}});
  return {mean, var};
}

constexpr std::pair<std::string_view, Reduction> reductions[] = {
    {"sum", [](Arguments a, int64_t dim) -> Results { return {sum(a[0], {.dims = {dim}})}; }},
    {"amax", [](Arguments a, int64_t dim) -> Results { return {amax(a[0], {.dims = {dim}})}; }},
    {"mean_var", mean_var},
    {"argmax", [](Arguments a, int64_t dim) -> Results { return {argmax(a[0], {.dim = dim})}; }},
    {"softmax", [](Arguments a, int64_t dim) -> Results { return {softmax(a[0], dim)}; }},
    {"log_softmax", [](Arguments a, int64_t dim) -> Results { return {log_softmax(a[0], dim)}; }},
    {"cumsum", [](Arguments a, int64_t dim) -> Results { return {cumsum(a[0], dim)}; }},
    {"layer_norm",
     [](Arguments a, int64_t) -> Results { return {layer_norm(a[0], a[1].shape(), {.weight = a[1], .bias = a[2]})}; }},
    {"rms_norm",
     [](Arguments a, int64_t) -> Results { return {rms_norm(a[0], a[1].shape(), {.weight = a[1], .eps = 1e-6})}; }},
    {"cross_entropy", [](Arguments a, int64_t) -> Results { return {cross_entropy(a[0], a[1])}; }},
};

/// Pieces between separators. No streams here: the library is opened by a process that may have another libstdc++.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(text.size(), end + 1))) {
    end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return pieces;
}

/// Numbers between spaces.
template <class T>
std::vector<T> numbers(std::string_view text) {
  std::vector<T> list;
  for (const std::string_view word : split(text, ' ')) {
    T n{};
    if (word.empty()) continue;
    if (std::from_chars(word.data(), word.data() + word.size(), n).ec != std::errc())
      throw std::invalid_argument("no number: " + std::string(word));
    list.push_back(n);
  }
  return list;
}

Dims dims(std::string_view text) {
  Dims d;
  for (int64_t n : numbers<int64_t>(text)) d.push_back(n);
  return d;
}

Input parse_input(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '|');
  const std::vector<double> range = parts.size() == 4 ? numbers<double>(parts[3]) : std::vector<double>();
  if (range.size() != 2) throw std::invalid_argument("not dtype|shape|strides|range: " + std::string(text));
  const std::optional<DType> dtype = DType::parse(parts[0]);
  if (!dtype) throw std::invalid_argument("no dtype " + std::string(parts[0]));
  return {.dtype = *dtype, .shape = dims(parts[1]), .strides = dims(parts[2]), .low = range[0], .high = range[1]};
}

}  // namespace

std::function<Results(Arguments)> named_reduction(std::string_view name, int64_t dim) {
  for (const auto& [known, f] : reductions)
    if (known == name) return [f, dim](Arguments a) { return f(a, dim); };
  throw std::invalid_argument("no reduction " + std::string(name));
}

std::vector<Input> parse_inputs(std::string_view text) {
  std::vector<Input> inputs;
  for (const std::string_view one : split(text, ';')) inputs.push_back(parse_input(one));
  return inputs;
}

}  // namespace sinter::benchmarks
