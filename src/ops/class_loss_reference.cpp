// SPDX-License-Identifier: Apache-2.0
// Losses of classes, row by row on plain numbers.
#include <cmath>
#include <optional>

#include "src/ops/class_loss.h"
#include "src/ops/row_reference.h"
#include "src/ops/transcendental.h"

namespace sinter::ops {
namespace {

using graph::Node;
using reference::Array;

/// What a call says, in numbers of type T.
template <class T>
struct Call {
  std::vector<T> weight;  ///< of each class; empty: 1
  int64_t ignored;
  bool smooth;
  T kept = 1, spread = 0;

  T weighted(T v, size_t klass) const { return weight.empty() ? v : v * weight[klass]; }
};

template <class T>
Call<T> call_of(const ClassAttributes& a, std::span<const Array> operands) {
  Call<T> call{{}, a.ignored.literal.as_int(), a.smooth};
  if (a.smooth) {
    call.kept = static_cast<T>(a.kept->literal.as_double());
    call.spread = static_cast<T>(a.spread->literal.as_double());
  }
  if (a.weighted)
    for (int64_t i = 0; i < operands[2].size(); ++i) call.weight.push_back(number_from<T>(operands[2].at(i)));
  return call;
}

template <class T>
std::vector<T> log_softmax_of(std::span<const T> row) {
  const T largest = max_row<T>(row);
  std::vector<T> result, e;
  for (T v : row) {
    result.push_back(v - largest);
    e.push_back(apply(exp_approx_value, v - largest));
  }
  const T log_sum = apply(log_value, sum_row<T>(e));
  for (T& v : result) v -= log_sum;
  return result;
}

/// The loss of a row of logarithms, nothing if it is ignored.
template <class T>
std::optional<T> class_loss(std::span<const T> logs, int64_t target, const Call<T>& call) {
  if (target == call.ignored) return std::nullopt;
  if (target < 0 || target >= static_cast<int64_t>(logs.size())) throw UserError("a class out of range");
  const auto klass = static_cast<size_t>(target);
  const T loss = -call.weighted(logs[klass], klass);
  if (!call.smooth) return loss;
  std::vector<T> all;
  for (size_t i = 0; i < logs.size(); ++i) all.push_back(call.weighted(logs[i], i));
  return loss * call.kept + -sum_row<T>(all) * (call.spread / static_cast<T>(logs.size()));
}

template <class T>
T probability_loss(std::span<const T> logs, std::span<const T> target, const Call<T>& call) {
  std::vector<T> shares;
  for (size_t i = 0; i < logs.size(); ++i) {
    const T share = call.smooth ? target[i] * call.kept + call.spread / static_cast<T>(logs.size()) : target[i];
    shares.push_back(call.weighted(logs[i] * share, i));
  }
  return -sum_row<T>(shares);
}

template <class T>
Array reference_losses(const Node& node, std::span<const Array> operands, const ClassAttributes& a, bool entropy) {
  const Array &x = operands[0], &target = operands[1];
  const Call<T> call = call_of<T>(a, operands);
  const auto dim = class_dim(x.shape.size());
  Dims shape;
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (d != dim) shape.push_back(x.shape[d]);
  Array losses = Array::zeros(row_type<T>, shape), weights = losses;
  int64_t next = 0;
  for (const std::vector<int64_t>& positions : rows_along(x.shape, {static_cast<int64_t>(dim)})) {
    std::vector<T> row, share;
    for (int64_t i : positions) row.push_back(number_from<T>(x.at(i)));
    if (entropy) row = log_softmax_of<T>(row);
    const int64_t at = next++;
    if (target.dtype.is_floating()) {
      for (int64_t i : positions) share.push_back(number_from<T>(target.at(i)));
      losses.set(at, constant_from(probability_loss<T>(row, share, call)));
      continue;
    }
    const int64_t klass = scalar::as_int(target.at(at));
    const std::optional<T> loss = class_loss<T>(row, klass, call);
    losses.set(at, constant_from(loss.value_or(0)));
    if (loss) weights.set(at, constant_from(call.weighted(1, static_cast<size_t>(klass))));
  }
  if (a.reduction != Reduction::mean || target.dtype.is_floating())
    return converted(reduced_loss(losses, a.reduction), node.results[0].dtype);
  const T mean = number_from<T>(sum_of(losses).at(0)) / number_from<T>(sum_of(weights).at(0));
  Array result = Array::zeros(row_type<T>, {});
  result.set(0, constant_from(mean));
  return converted(result, node.results[0].dtype);
}

std::vector<Array> in_compute_type(const Node& node, std::span<const Array> operands, bool entropy) {
  const ClassAttributes a = read_class_attributes(graph::AttributeReader(node.attributes), entropy);
  const bool is_double = operands[0].dtype == f64;
  return {is_double ? reference_losses<double>(node, operands, a, entropy)
                    : reference_losses<float>(node, operands, a, entropy)};
}

}  // namespace

std::vector<Array> reference_nll(const Node& node, std::span<const Array> operands) {
  return in_compute_type(node, operands, false);
}
std::vector<Array> reference_cross_entropy(const Node& node, std::span<const Array> operands) {
  return in_compute_type(node, operands, true);
}

}  // namespace sinter::ops
