// SPDX-License-Identifier: Apache-2.0
#include "tests/lower/random_graph.h"

#include <algorithm>

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Value;

class Generator {
 public:
  Generator(uint64_t seed, int max_nodes) : random_(seed), nodes_(3 + pick(static_cast<size_t>(max_nodes) - 2)) {}

  RandomGraph run() {
    const size_t inputs = 1 + pick(3);
    for (size_t i = 0; i < inputs; ++i) add_input();
    for (size_t i = 0; i < nodes_; ++i) add_node();
    for (size_t i = 0; i < values_.size(); ++i) {
      const bool is_input = i < inputs;
      if ((!used_[i] && !is_input) || (!is_input && pick(8) == 0)) g().add_output(values_[i]);
    }
    if (g().outputs().empty()) g().add_output(values_.back());
    return std::move(result_);
  }

 private:
  graph::Graph& g() { return result_.builder.g; }
  GraphBuilder& b() { return result_.builder; }
  size_t pick(size_t n) { return random_() % n; }

  void add_input() {
    const DType dtypes[] = {f32, f32, f16, bf16, u8, i32};
    const Dims shapes[] = {{6, 10}, {6, 10}, {10}, {6, 1}, {2, 3, 10}, {6, 300}, {1100}};
    const DType t = dtypes[pick(std::size(dtypes))];
    const Dims shape = shapes[pick(std::size(shapes))];
    std::vector<graph::Expr> extents(shape.begin(), shape.end());
    values_.push_back(b().input(t, extents));
    used_.push_back(false);
    result_.inputs.push_back(random_values(t, shape, random_()));
  }

  size_t choose() {
    // Late values more often, so that graphs get deep.
    const size_t n = values_.size();
    return std::max(pick(n), pick(n));
  }

  Dims shape(Value v) {
    Dims s;
    for (graph::Expr e : g().type(v).shape) s.push_back(*e.constant());
    return s;
  }

  void add_node() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const size_t a = choose(), c = choose();
      try {
        const Value v = op(values_[a], values_[c]);
        if (shape(v).product() > 20000) continue;
        values_.push_back(v);
        used_.push_back(false);
        used_[a] = true;
        used_[c] = used_[c] || second_used_;
        return;
      } catch (const UserError&) {  // shapes or dtypes that do not fit: another try
      }
    }
  }

  Value op(Value x, Value y) {
    second_used_ = false;
    const DType t = g().type(x).dtype;
    const auto rank = static_cast<size_t>(g().type(x).rank());
    switch (pick(12)) {
      case 0:
      case 1:
      case 2: {
        const char* names[] = {"add", "mul", "sub", "maximum", "minimum", "div"};
        second_used_ = true;
        return b().binary(names[pick(std::size(names))], x, y);
      }
      case 3: {
        const char* names[] = {"add", "mul", "div", "sub"};
        return b().with_number(names[pick(std::size(names))], x, 0.75 + static_cast<double>(pick(5)));
      }
      case 4:
      case 5: {
        const char* names[] = {"neg", "abs", "relu", "exp", "tanh", "sigmoid", "sqrt", "floor"};
        return b().unary(names[pick(std::size(names))], x);
      }
      case 6:
        return b().to(x, (const DType[]){f32, f16, bf16, i32}[pick(4)]);
      case 7:
        return view(x, rank);
      case 8: {
        const auto pad = [&] { return static_cast<int64_t>(pick(4)); };
        return b().op("pad", {x}, CallAttributes().extents({pad(), pad()}).number(graph::Number::of(1.5)));
      }
      case 9:
        second_used_ = true;
        return b().op("cat", {x, y}, CallAttributes().integer(-1));
      default:
        break;
    }
    const char* names[] = {"sum", "amax", "amin", "mean", "prod"};
    Dims dims;
    for (size_t d = 0; d < rank; ++d)
      if (pick(2) == 0) dims.push_back(static_cast<int64_t>(d));
    if (dims.empty() && rank > 0) dims.push_back(-1);
    const char* name = names[pick(std::size(names))];
    return b().reduce(t.is_boolean() ? "sum" : name, x, dims, pick(2) == 0);
  }

  Value view(Value x, size_t rank) {
    const Dims s = shape(x);
    switch (pick(4)) {
      case 0: {
        Dims dims;
        for (size_t d = rank; d-- > 0;) dims.push_back(static_cast<int64_t>(d));
        return b().permute(x, dims);
      }
      case 1:
        return b().op("flip", {x}, CallAttributes().integers({-1}));
      case 2:
        return b().reshape(x, {s.product()});
      default:
        return b().op("slice", {x},
                      CallAttributes().integer(-1).integer(1).flag(true).extent(1).extent(s.size() ? s.back() : 1));
    }
  }

  std::mt19937_64 random_;
  size_t nodes_;
  RandomGraph result_;
  std::vector<Value> values_;
  std::vector<bool> used_;
  bool second_used_ = false;
};

}  // namespace

RandomGraph random_graph(uint64_t seed, int max_nodes) { return Generator(seed, max_nodes).run(); }

}  // namespace sinter::test
