// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/named_reductions.h"

#include <array>
#include <optional>
#include <sstream>
#include <stdexcept>
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

Dims numbers(const std::string& text) {
  std::istringstream words(text);
  Dims d;
  for (int64_t n = 0; words >> n;) d.push_back(n);
  return d;
}

Input parse_input(const std::string& text) {
  std::istringstream stream(text);
  std::array<std::string, 4> parts;
  for (std::string& part : parts)
    if (!std::getline(stream, part, '|')) throw std::invalid_argument("not dtype|shape|strides|range: " + text);
  const std::optional<DType> dtype = DType::parse(parts[0]);
  if (!dtype) throw std::invalid_argument("no dtype " + parts[0]);
  Input in{.dtype = *dtype, .shape = numbers(parts[1]), .strides = numbers(parts[2])};
  std::istringstream(parts[3]) >> in.low >> in.high;
  return in;
}

}  // namespace

std::function<Results(Arguments)> named_reduction(std::string_view name, int64_t dim) {
  for (const auto& [known, f] : reductions)
    if (known == name) return [f, dim](Arguments a) { return f(a, dim); };
  throw std::invalid_argument("no reduction " + std::string(name));
}

std::vector<Input> parse_inputs(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<Input> inputs;
  for (std::string one; std::getline(stream, one, ';');) inputs.push_back(parse_input(one));
  return inputs;
}

}  // namespace sinter::benchmarks
