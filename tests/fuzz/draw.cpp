// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/draw.h"

#include <algorithm>

namespace sinter::fuzz {
namespace {

using graph::Expr;
using graph::Number;
using graph::ParamKind;

/// Words and scalars in schema order.
class Writer {
 public:
  Writer(Chooser& choose, const graph::OpDef& op, const graph::ValueType& x) : choose_(choose), op_(op), x_(x) {}

  graph::Attributes run() {
    if (op_.name == "reshape") {
      reshape();
    } else if (op_.name == "expand") {
      expand();
    } else {
      for (const graph::Param& p : op_.params) param(p);
    }
    return std::move(out_);
  }

 private:
  void word(int64_t v) { out_.words.push_back(v); }
  void number(Number n) { out_.scalars.push_back({n, -1, {}, false}); }
  void extent(Expr e) { out_.scalars.push_back({Number::of(e.constant().value_or(0)), -1, e, true}); }
  void extents(const std::vector<Expr>& list) {
    word(static_cast<int64_t>(list.size()));
    for (Expr e : list) extent(e);
  }

  /// Its form follows from the exponent; numbers as exponents come from the op's sampler.
  bool is_power() const { return op_.name == "pow"; }

  int64_t any_dim(int more = 0) {
    const int64_t rank = std::max(x_.rank() + more, 1);
    return choose_.between(-rank, rank - 1);
  }

  Number any_number() {
    switch (choose_.pick(8)) {
      case 0:
        return Number::of(choose_.one_in(2));
      case 1:
      case 2:
      case 3:
        return Number::of(choose_.between(x_.dtype.is_integer() && !x_.dtype.is_signed() ? 0 : -3, 9));
      default:
        return Number::of(choose_.of({0.1, 0.5, 1.0, 1.7, 2.5, 255.0, -0.3, -1.0, -2.25, 0.0, 1e-5, 3.0}));
    }
  }

  void param(const graph::Param& p) {
    switch (p.kind) {
      case ParamKind::flag:
        return word(static_cast<int64_t>(choose_.pick(2)));
      case ParamKind::integer:
        return word(p.name == "step" ? choose_.between(1, 3) : any_dim(op_.name == "unsqueeze" || op_.name == "stack"));
      case ParamKind::integers:
        return dims();
      case ParamKind::dtype:
        return word(graph::word_of(draw_dtype(choose_)));
      case ParamKind::enumeration:
        return word(is_power() ? 0 : static_cast<int64_t>(choose_.pick(p.names.size())));
      case ParamKind::device:
        return word(graph::word_of(Device::cpu()));
      case ParamKind::number:
        return number(any_number());
      case ParamKind::optional_number: {
        const bool present = choose_.one_in(2) && !(is_power() && p.name == "rhs");
        word(present);
        if (present) number(any_number());
        return;
      }
      case ParamKind::extent:
        return extent(p.name == "length" || p.name == "extent" ? choose_.between(0, 40) : choose_.between(-4, 12));
      case ParamKind::extents:
        return p.name == "pads"      ? pads()
               : p.name == "shifts"  ? small_extents(std::max<size_t>(listed_, 1), -3)
               : p.name == "repeats" ? small_extents(static_cast<size_t>(x_.rank()) + choose_.pick(2), 0)
                                     : extents(draw_shape(choose_));
    }
  }

  void small_extents(size_t count, int64_t least) {
    std::vector<Expr> list;
    while (list.size() < count) list.push_back(choose_.between(least, 4));
    extents(list);
  }

  void dims() {
    std::vector<int64_t> all, chosen;
    for (int d = 0; d < x_.rank(); ++d) all.push_back(d);
    choose_.shuffle(all);
    for (int64_t d : all)
      if (op_.name == "permute" || choose_.one_in(2)) chosen.push_back(choose_.one_in(4) ? d - x_.rank() : d);
    if (op_.name == "squeeze") std::erase_if(chosen, [&](int64_t) { return choose_.one_in(2); });
    listed_ = chosen.size();
    word(static_cast<int64_t>(chosen.size()));
    for (int64_t d : chosen) word(d);
  }

  void pads() {
    std::vector<Expr> list;
    for (size_t d = choose_.pick(static_cast<size_t>(x_.rank()) + 1); d > 0; --d)
      for (int side = 0; side < 2; ++side) list.push_back(choose_.of({0, 0, 1, 1, 2, 3, 5, -1}));
    extents(list);
  }

  void expand() {
    std::vector<int64_t> keep;
    std::vector<Expr> given;
    const auto add = [&](std::optional<Expr> e) {
      keep.push_back(!e);
      if (e) given.push_back(*e);
    };
    for (size_t more = x_.rank() < 4 ? choose_.pick(3) : 0; more > 0; --more) add(choose_.between(1, 5));
    for (Expr e : x_.shape)
      if (e.is_constant(1))
        add(choose_.of({2, 3, 7, 16, 17, 1}));
      else
        add(choose_.one_in(2) ? std::optional(e) : std::nullopt);
    word(static_cast<int64_t>(keep.size()));
    for (int64_t k : keep) word(k);
    extents(given);
  }

  void merge(std::vector<Expr>& shape) {
    if (shape.size() < 2) return;
    const size_t at = choose_.pick(shape.size() - 1);
    shape[at] = shape[at] * shape[at + 1];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }

  void split(std::vector<Expr>& shape) {
    if (shape.empty() || shape.size() > 4) return;
    const size_t at = choose_.pick(shape.size());
    const int64_t n = shape[at].constant().value_or(1);
    for (const int64_t f : {2, 3, 5, 7, 11})
      if (n > f && n % f == 0 && choose_.one_in(2)) {
        shape[at] = n / f;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), f);
        return;
      }
  }

  void reshape() {
    std::vector<Expr> shape = x_.shape;
    if (choose_.one_in(3)) choose_.shuffle(shape);
    if (choose_.one_in(6)) shape = {product(shape)};
    for (size_t steps = 1 + choose_.pick(3); steps > 0; --steps) choose_.one_in(2) ? merge(shape) : split(shape);
    if (choose_.one_in(4))
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(choose_.pick(shape.size() + 1)), Expr(1));
    int64_t inferred = -1;
    if (!shape.empty() && choose_.one_in(2)) {
      inferred = static_cast<int64_t>(choose_.pick(shape.size()));
      shape.erase(shape.begin() + inferred);
    }
    word(inferred);
    extents(shape);
  }

  Chooser& choose_;
  const graph::OpDef& op_;
  const graph::ValueType& x_;
  size_t listed_ = 0;  ///< dims drawn last
  graph::Attributes out_;
};

}  // namespace

DType draw_dtype(Chooser& choose) {
  return choose.one_in(3) ? choose.of(all_dtypes) : choose.of({f32, f32, f16, f16, bf16, bf16, i32, u8, i8});
}

std::vector<Expr> draw_shape(Chooser& choose) {
  // Folds of several chunks, and those that are split among programs.
  const std::vector<Expr> longer[] = {{65537}, {3, 20001}, {20001, 3}, {2050, 17}, {7, 4100}, {5000}, {2, 3000, 2}};
  if (choose.one_in(40)) return choose.of(longer);
  std::vector<Expr> shape;
  const size_t rank = choose.of({0, 1, 1, 2, 2, 2, 3, 3, 4});
  int64_t left = choose.one_in(8) ? 8000 : 2500;
  for (size_t d = 0; d < rank; ++d) {
    int64_t n = choose.of({1, 2, 3, 5, 7, 7, 16, 17, 17, 33, 100, 1000, 1025});
    if (n > left) n = choose.of({1, 2, 3});
    if (choose.one_in(40)) n = 0;
    left /= std::max<int64_t>(n, 1);
    shape.push_back(n);
  }
  choose.shuffle(shape);
  return shape;
}

graph::Attributes draw_attributes(Chooser& choose, const graph::OpDef& op, const graph::ValueType& x) {
  return Writer(choose, op, x).run();
}

size_t number_arguments(const graph::OpDef& op, const graph::Attributes& attributes) {
  // Optional numbers come first: each is one word.
  size_t numbers = 0;
  for (size_t i = 0; i < op.params.size() && op.params[i].kind == ParamKind::optional_number; ++i)
    numbers += attributes.words[i] != 0 ? 1 : 0;
  return numbers;
}

}  // namespace sinter::fuzz
