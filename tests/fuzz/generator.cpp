// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/generator.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <map>

#include "src/graph/text.h"
#include "src/ops/assign.h"
#include "src/ops/ops.h"
#include "tests/fuzz/draw.h"
#include "tests/fuzz/layouts.h"
#include "tests/fuzz/memory.h"
#include "tests/support/platform_functions.h"

namespace sinter::fuzz {
namespace {

using graph::Expr;
using graph::Graph;
using graph::OpClass;
using graph::OpDef;
using graph::Value;
using graph::ValueType;

constexpr int64_t max_elements = 70000, max_total = 200000;
constexpr size_t max_inputs = 8;

int64_t elements(const ValueType& type, std::span<const int64_t> symbols) { return shape_of(type, symbols).product(); }

class Generator {
 public:
  Generator(uint64_t seed, const GeneratorOptions& options) : choose_(seed), options_(options) {
    ops::register_all_ops();
    for (const OpDef* op : graph::all_ops()) {
      ops_[op->op_class].push_back(op);
      if (op->scatter != nullptr && !op->may_repeat) writable_views_.push_back(op);
    }
    c_.graph.name = fmt::format("fuzz_{}", seed);
    c_.data_seed = seed;
    if (choose_.one_in(8)) c_.misaligned = static_cast<int>(1 + choose_.pick(3));
    if (options.symbols) {
      promotes_ = choose_.one_in(3);
      symbolic_extents_ = choose_.one_in(5);
    }
    if (promotes_ || symbolic_extents_) c_.calls = {{}, {}};
  }

  Case run() {
    for (size_t wanted = 1 + choose_.pick(3); values_.size() < wanted;) add_input({draw_dtype(choose_), any_shape()});
    const auto most = static_cast<size_t>(options_.max_ops);
    const size_t ops = 1 + std::min(choose_.pick(most), choose_.pick(most));
    for (size_t i = 0; i < ops; ++i) add_op();
    choose_outputs();
    return std::move(c_);
  }

 private:
  // Values

  Graph& g() { return c_.graph; }
  const ValueType& type(Value v) { return g().type(v); }

  Expr new_symbol(int64_t first, int64_t second) {
    const int s = g().new_symbol();
    c_.calls[0].push_back(first);
    c_.calls[1].push_back(second);
    g().ranges.set_symbol(s, 2, int64_t{1} << 40);
    extent_symbols_.push_back(Expr::symbol(s));
    return extent_symbols_.back();
  }

  std::vector<Expr> any_shape() {
    std::vector<Expr> shape = draw_shape(choose_);
    if (!symbolic_extents_) return shape;
    for (Expr& e : shape) {
      if (!choose_.one_in(2)) continue;
      const bool old = extent_symbols_.size() >= 3 || (!extent_symbols_.empty() && choose_.one_in(2));
      e = old ? choose_.of(extent_symbols_) : new_symbol(choose_.of({2, 3, 7, 16, 17}), choose_.of({2, 5, 16, 33, 40}));
    }
    return shape;
  }

  std::optional<Value> add_input(const ValueType& type) {
    if (g().inputs().size() >= max_inputs) return std::nullopt;
    for (const auto& symbols : c_.calls)
      if (elements(type, symbols) > max_elements) return std::nullopt;
    const Value v = g().add_input(type, draw_layout(choose_, type));
    add_value(v);
    return v;
  }

  void add_value(Value v) {
    values_.push_back(v);
    used_.push_back(false);
  }

  /// Late ones, and those that nothing reads yet, more often, so that graphs get deep; tiny ones less often.
  Value any_value() {
    for (int attempt = 0; attempt < 4; ++attempt) {
      const size_t i = std::max(choose_.pick(values_.size()), choose_.pick(values_.size()));
      const bool tiny = elements(type(values_[i]), c_.calls[0]) < 5;
      if ((!used_[i] || choose_.one_in(3)) && (!tiny || choose_.one_in(5))) return values_[i];
    }
    return values_[choose_.pick(values_.size())];
  }

  // Ops

  const OpDef& any_op() {
    using enum OpClass;
    const OpClass classes[] = {pointwise, pointwise, pointwise, pointwise, pointwise, pointwise, view,    view,
                               view,      view,      reduction, reduction, indexed,   indexed,   indexed, scan};
    // What every program is full of, and where each rounding shows.
    constexpr std::string_view arithmetic[] = {"add", "sub", "mul", "div"};
    if (choose_.one_in(5)) return *graph::find_op(choose_.of(arithmetic));
    const OpClass chosen = choose_.one_in(30) ? creation : choose_.of(classes);
    return *choose_.of(ops_.at(chosen));
  }

  void add_op() {
    if (choose_.one_in(16) && add_padded_fold()) return;
    if (choose_.one_in(24) && add_other_address()) return;
    if (choose_.one_in(24) && add_shift()) return;
    if (choose_.one_in(options_.one_write_in) && add_write()) return;
    for (int attempt = 0; attempt < 60; ++attempt) {
      const OpDef& op = any_op();
      if (is_indexing(op)        ? add_indexing(op)
          : op.name == "one_hot" ? add_one_hot(op)
          : draws(op)            ? add_random(op)
          : takes_classes(op)    ? add_classes(op)
          : choose_.one_in(4)    ? add_sampled(op)
                                 : add_drawn(op))
        return;
    }
  }

  bool add_drawn(const OpDef& op) {
    const Value first = first_operand(op);
    graph::Attributes attributes = draw_attributes(choose_, op, type(first));
    const size_t numbers = number_arguments(op, attributes);
    const size_t most = op.max_operands < 0 ? 1 + choose_.pick(4) : static_cast<size_t>(op.max_operands);
    if (most < numbers || (op.max_operands > 0 && most == numbers)) return false;
    std::vector<Value> operands;
    for (size_t i = 0; i < most - numbers; ++i) operands.push_back(i == 0 ? first : partner(op, first));
    return try_add(op, std::move(operands), std::move(attributes));
  }

  Value first_operand(const OpDef& op) {
    for (int attempt = 0; op.name == "where" && attempt < 8; ++attempt)
      if (const Value v = any_value(); type(v).dtype.is_boolean()) return v;
    return choose_.one_in(4) ? choose_.of(g().inputs()) : any_value();  // layouts matter where inputs are read
  }

  static bool broadcasts(const ValueType& a, const ValueType& b) {
    for (size_t d = 1; d <= std::min(a.shape.size(), b.shape.size()); ++d) {
      const Expr x = a.shape[a.shape.size() - d], y = b.shape[b.shape.size() - d];
      if (!(x == y) && !x.is_constant(1) && !y.is_constant(1)) return false;
    }
    return true;
  }

  /// Another operand beside `first`: a value that fits if there is one, or an input of a shape that may.
  Value partner(const OpDef& op, Value first) {
    for (int attempt = 0; attempt < 4 && !choose_.one_in(3); ++attempt)
      if (const Value v = any_value(); !(v == first) && broadcasts(type(first), type(v))) return v;
    ValueType t = type(first);
    if (choose_.one_in(3)) t.dtype = draw_dtype(choose_);
    if (op.op_class == OpClass::pointwise) {
      if (!t.shape.empty() && choose_.one_in(3)) t.shape.erase(t.shape.begin());
      for (Expr& e : t.shape)
        if (choose_.one_in(4)) e = 1;
    } else if (op.name == "cat" && !t.shape.empty()) {
      t.shape[choose_.pick(t.shape.size())] = choose_.of({1, 2, 7, 17});
    }
    return add_input(t).value_or(any_value());
  }

  /// A call from the op's sampler, on values at hand or else on inputs of the sampled types.
  bool add_sampled(const OpDef& op) {
    auto sample = op.sample(static_cast<int>(choose_.pick(200)));
    if (!sample) sample = op.sample(static_cast<int>(choose_.pick(13)));
    if (!sample) return false;
    std::vector<Value> operands;
    for (size_t i = 0; i < sample->operands.size(); ++i) operands.push_back(any_value());
    if (try_add(op, operands, sample->attributes)) return true;
    if (g().inputs().size() + sample->operands.size() > max_inputs) return false;
    for (size_t i = 0; i < sample->operands.size(); ++i) {
      const auto input = add_input(sample->operands[i]);
      if (!input) return false;
      operands[i] = *input;
    }
    return try_add(op, operands, sample->attributes);
  }

  /// A fold over elements of which some are no elements of the input: their loads are masked.
  bool add_padded_fold() {
    const Value x = choose_.of(g().inputs());
    const OpDef &pad = *graph::find_op("pad"), &fold = *choose_.of(ops_.at(OpClass::reduction));
    if (!try_add(pad, {x}, draw_attributes(choose_, pad, type(x)))) return false;
    const Value padded = values_.back();
    return try_add(fold, {padded}, draw_attributes(choose_, fold, type(padded)));
  }

  /// A value that is dear enough to be stored, read where it is written and somewhere else.
  bool add_other_address() {
    const OpDef &dear = *graph::find_op(choose_.of({"tan", "erfc", "mish", "asinh"})), &flip = *graph::find_op("flip");
    const OpDef& both = *graph::find_op(choose_.of({"add", "sub", "mul"}));
    if (!try_add(dear, {any_value()}, {})) return false;
    const Value x = values_.back();
    if (!try_add(flip, {x}, draw_attributes(choose_, flip, type(x)))) return false;
    const auto tensors = graph::literal_attributes(graph::CallAttributes().flag(false).flag(false));
    return try_add(both, {x, values_.back()}, tensors);
  }

  /// Bits by a count about the width of some type.
  bool add_shift() {
    const OpDef& shift = *graph::find_op(choose_.of({"bitwise_left_shift", "bitwise_right_shift"}));
    const auto attributes = graph::literal_attributes(graph::CallAttributes().flag(false).flag(true).number(
        graph::Number::of(choose_.of({1, 7, 8, 15, 16, 31, 32, 33, 63, 64}))));
    const auto integer =
        graph::literal_attributes(graph::CallAttributes().dtype(choose_.of({i8, u8, i16, i32, u32, i64})));
    return try_add(*graph::find_op("to"), {any_value()}, integer) && try_add(shift, {values_.back()}, attributes);
  }

  static bool is_indexing(const OpDef& op) {
    return op.name == "gather" || op.name == "take_along_dim" || op.name == "index_select";
  }

  /// Indices are data made valid: clamped into the extent.
  bool add_indexing(const OpDef& op) {
    const Value x = any_value();
    const auto rank = static_cast<size_t>(type(x).rank());
    if (rank == 0) return false;
    const size_t dim = choose_.pick(rank);
    int64_t bound = max_elements;
    for (const auto& symbols : c_.calls) bound = std::min(bound, value_of(type(x).shape[dim], symbols));
    if (bound == 0) return false;
    Value index = any_value();
    if (choose_.one_in(2)) {
      ValueType t{choose_.of({i32, i64, u8}), {Expr(choose_.of({0, 1, 5, 16, 17, 100}))}};
      if (op.name != "index_select") {
        t.shape.assign(type(x).shape.begin(), type(x).shape.end());
        t.shape[dim] = choose_.of({1, 3, 7, 17});
      }
      index = add_input(t).value_or(index);
    }
    if (!add_inside(index, choose_.of({i32, i64}), bound)) return false;
    return try_add(op, {x, values_.back()},
                   graph::literal_attributes(graph::CallAttributes().integer(static_cast<int64_t>(dim))));
  }

  bool add_one_hot(const OpDef& op) {
    const int64_t classes = choose_.of({1, 3, 7, 17});
    if (!add_inside(any_value(), i64, classes)) return false;
    return try_add(op, {values_.back()}, graph::literal_attributes(graph::CallAttributes().extent(classes)));
  }

  static bool draws(const OpDef& op) { return !op.params.empty() && op.params[0].name == "draw"; }

  /// A sampled call on a value at hand and a generator's state.
  bool add_random(const OpDef& op) {
    const auto sample = op.sample(static_cast<int>(choose_.pick(20)));
    if (!sample) return false;
    std::vector<Value> operands;
    if (sample->operands.size() > 1) operands.push_back(any_value());
    const auto state = add_input({u64, {2}});
    if (!state) return false;
    operands.push_back(*state);
    return try_add(op, operands, sample->attributes);
  }

  static bool takes_classes(const OpDef& op) {
    return op.name == "embedding" || op.name == "nll_loss" || op.name == "cross_entropy" ||
           op.name.starts_with("scatter") || op.name.starts_with("index_");
  }

  /// A sampled call on inputs, whose indices are made valid: smaller than every extent of the first operand.
  bool add_classes(const OpDef& op) {
    const auto sample = op.sample(static_cast<int>(choose_.pick(13)));
    if (!sample || g().inputs().size() + sample->operands.size() > max_inputs) return false;
    int64_t bound = max_elements;
    for (Expr e : sample->operands[0].shape) bound = std::min(bound, *e.constant());
    std::vector<Value> operands;
    for (const ValueType& t : sample->operands) {
      const auto input = add_input(t);
      if (!input) return false;
      operands.push_back(*input);
      if (!t.dtype.is_integer() || operands.size() == 1) continue;
      if (bound == 0 || !add_inside(*input, t.dtype, bound)) return false;
      operands.back() = values_.back();
    }
    return try_add(op, operands, sample->attributes, false);
  }

  // In-place ops

  /// A statement like `x[..., 1:3].transpose() = y`, as it is recorded: the new contents of an input.
  bool add_write() {
    const size_t input = choose_.pick(g().inputs().size());
    for (const auto& symbols : c_.calls)
      if (!is_distinct(type(g().inputs()[input]), g().input_layout(input), symbols)) return false;
    contents_.resize(std::max(contents_.size(), input + 1));
    std::vector<Value> viewed{contents_[input].value_or(g().inputs()[input])};
    std::vector<graph::NodeId> views;
    for (size_t wanted = choose_.pick(3); views.size() < wanted;) {
      const OpDef& op = *choose_.of(writable_views_);
      if (!try_add(op, {viewed.back()}, draw_attributes(choose_, op, type(viewed.back())), false)) break;
      viewed.push_back(values_.back());
      views.push_back(values_.back().node);
    }
    if (!add_assign(viewed.back())) return false;
    for (size_t i = views.size(); i-- > 0;) {
      const graph::Node& view = g().node(views[i]);
      if (!try_add(*view.op->scatter, {viewed[i], values_.back()}, graph::Attributes(view.attributes), false))
        return false;
    }
    contents_[input] = values_.back();
    return true;
  }

  /// A number, or a value that is broadcast.
  bool add_assign(Value to) {
    const OpDef& assign = *graph::find_op("assign");
    const auto fits = [&](Value v) {
      return type(v).rank() <= type(to).rank() && broadcasts(type(v), type(to)) && !(v == to);
    };
    const auto tensor =
        graph::literal_attributes(graph::CallAttributes().flag(false).enumeration(ops::AssignMode::copy));
    for (int attempt = 0; attempt < 6 && !choose_.one_in(6); ++attempt)
      if (const Value v = any_value(); fits(v) && try_add(assign, {to, v}, tensor)) return true;
    return try_add(assign, {to},
                   graph::literal_attributes(graph::CallAttributes()
                                                 .flag(true)
                                                 .number(graph::Number::of(choose_.of({0, 1, 3})))
                                                 .enumeration(ops::AssignMode::copy)));
  }

  void write_contents() {
    for (size_t i = 0; i < contents_.size(); ++i)
      if (contents_[i]) g().add_write({*contents_[i], static_cast<int>(i), choose_.one_in(5)});
  }

  /// Values as integers in [0, bound).
  bool add_inside(Value data, DType dtype, int64_t bound) {
    const auto integer = graph::literal_attributes(graph::CallAttributes().dtype(dtype));
    if (!try_add(*graph::find_op("to"), {data}, integer)) return false;
    const auto inside = graph::literal_attributes(graph::CallAttributes()
                                                      .flag(false)
                                                      .flag(true)
                                                      .number(graph::Number::of(0))
                                                      .flag(true)
                                                      .number(graph::Number::of(bound - 1)));
    return try_add(*graph::find_op("clamp"), {values_.back()}, inside, false);
  }

  // Trying

  /// Some numbers become symbols, with another value in the second call.
  void promote(Case& trial, graph::Attributes& attributes) {
    for (graph::Scalar& s : attributes.scalars) {
      if (s.is_extent || !choose_.one_in(2)) continue;
      s.symbol = trial.graph.new_symbol();
      trial.calls[0].push_back(s.literal.bits);
      graph::Number second = s.literal;
      if (s.literal.kind == graph::Number::Kind::floating) second = graph::Number::of(s.literal.as_double() * 3 + 0.25);
      if (s.literal.kind == graph::Number::Kind::integer) second = graph::Number::of(s.literal.bits * 2 + 1);
      trial.calls[1].push_back(second.bits);
    }
  }

  bool try_add(const OpDef& op, std::vector<Value> operands, graph::Attributes attributes, bool may_promote = true) {
    Case trial = c_;
    if (promotes_ && may_promote) promote(trial, attributes);
    graph::NodeId id = -1;
    try {
      id = trial.graph.add(op, operands, std::move(attributes));
    } catch (const UserError&) {
      return false;
    }
    if (!is_legal(trial, id)) return false;
    c_ = std::move(trial);
    for (Value v : operands) used_[static_cast<size_t>(std::ranges::find(values_, v) - values_.begin())] = true;
    for (size_t i = 0; i < g().node(id).results.size(); ++i) add_value({id, static_cast<int32_t>(i)});
    return true;
  }

  bool is_legal(const Case& trial, graph::NodeId id) {
    const graph::Node& node = trial.graph.node(id);
    if (!options_.platform_functions && node.results[0].dtype == f64 && test::calls_platform(*node.op)) return false;
    int64_t total = total_;
    for (const auto& symbols : trial.calls) {
      for (const auto& [a, b] : trial.graph.assumptions())
        if (value_of(a, symbols) != value_of(b, symbols)) return false;
      for (const ValueType& t : node.results) {
        const Dims shape = shape_of(t, symbols);
        if (std::ranges::any_of(shape, [](int64_t n) { return n < 0; }) || shape.product() > max_elements) return false;
        total += shape.product();
      }
    }
    if (total > max_total) return false;
    total_ = total;
    return true;
  }

  void choose_outputs() {
    write_contents();
    for (size_t i = 0; i < values_.size(); ++i) {
      const bool is_input = g().node(values_[i].node).op == nullptr;
      const bool wanted = is_input ? choose_.one_in(20) : !used_[i] || choose_.one_in(8);
      if (wanted && may_leave(g(), values_[i])) g().add_output(values_[i]);
    }
    if (g().outputs().empty() && g().writes().empty()) g().add_output(values_.back());
    if (choose_.one_in(20) && !g().outputs().empty()) g().add_output(g().outputs().front());
  }

  Chooser choose_;
  GeneratorOptions options_;
  Case c_;
  std::map<OpClass, std::vector<const OpDef*>> ops_;
  std::vector<Value> values_;
  std::vector<bool> used_;
  std::vector<const OpDef*> writable_views_;
  std::vector<std::optional<Value>> contents_;  ///< of inputs that were written, by input
  std::vector<Expr> extent_symbols_;
  bool promotes_ = false, symbolic_extents_ = false;
  int64_t total_ = 0;
};

}  // namespace

Case generate(uint64_t seed, const GeneratorOptions& options) { return Generator(seed, options).run(); }

}  // namespace sinter::fuzz
