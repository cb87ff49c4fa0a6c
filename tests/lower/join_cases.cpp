// SPDX-License-Identifier: Apache-2.0
#include "tests/lower/join_cases.h"

#include <fmt/format.h>

#include <map>

namespace sinter::test {

using graph::CallAttributes;
using graph::Expr;
using graph::Value;
using Values = std::vector<Value>;

Value cat(GraphBuilder& b, Values operands, int64_t dim) {
  return b.op("cat", std::move(operands), CallAttributes().integer(dim));
}
Value pad(GraphBuilder& b, Value x, const Dims& pads, double value) {
  return b.op("pad", {x}, CallAttributes().extents(pads).number(graph::Number::of(value)));
}
Value slice(GraphBuilder& b, Value x, int64_t dim, int64_t begin, int64_t end) {
  return b.op("slice", {x}, CallAttributes().integer(dim).integer(1).flag(true).extent(begin).extent(end));
}

graph::Graph JoinCase::literal() const {
  GraphBuilder b;
  Values in;
  for (size_t i = 0; i < shapes.size(); ++i) in.push_back(b.input(dtypes[i], {shapes[i].begin(), shapes[i].end()}));
  for (Value v : make(b, in)) b.g.add_output(v);
  return b.g;
}

graph::Graph JoinCase::symbolic(std::vector<int64_t>& symbols) const {
  std::map<int64_t, Expr> of_value;
  symbols.clear();
  const auto is_literal = [](const Dims& shape, int64_t n) { return n == 1 || shape == Dims{0}; };
  for (const Dims& shape : shapes)
    for (int64_t n : shape)
      if (!is_literal(shape, n) && of_value.try_emplace(n, Expr::symbol(static_cast<int>(symbols.size()))).second)
        symbols.push_back(n);
  GraphBuilder b;
  b.g.set_symbol_count(static_cast<int>(symbols.size()));
  for (size_t s = 0; s < symbols.size(); ++s) b.g.ranges.set_symbol(static_cast<int>(s), 0, graph::max_extent);
  Values in;
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::vector<Expr> shape;
    for (int64_t n : shapes[i]) shape.push_back(is_literal(shapes[i], n) ? Expr(n) : of_value.at(n));
    in.push_back(b.input(dtypes[i], shape));
  }
  for (Value v : make(b, in)) b.g.add_output(v);
  return b.g;
}

std::vector<reference::Array> JoinCase::inputs() const {
  std::vector<reference::Array> arrays;
  for (size_t i = 0; i < shapes.size(); ++i) {
    arrays.push_back(random_values(dtypes[i], shapes[i], 100 + i));
    if (dtypes[i] != i64) continue;
    for (int64_t k = 0; k < arrays.back().size(); ++k)
      arrays.back().set(k, scalar::constant_int(i64, (7 * k + 3) % index_bound));
  }
  return arrays;
}

namespace {

using Make = std::function<Values(GraphBuilder&, const Values&)>;

Value permute(GraphBuilder& b, Value x, const Dims& order) { return b.permute(x, order); }

void add_plain(std::vector<JoinCase>& list) {
  for (const int64_t dim : {0, 1, 2}) {
    std::vector<Dims> shapes(3, Dims{4, 6, 33});
    shapes[0][static_cast<size_t>(dim)] = 7;
    shapes[2][static_cast<size_t>(dim)] = 40;
    const auto join = [dim](GraphBuilder& b, const Values& x) { return Values{cat(b, x, dim)}; };
    list.push_back({fmt::format("cat along {}", dim), {f32, f32, f32}, shapes, join});
    list.push_back({fmt::format("cat of dtypes along {}", dim), {i8, f16, u8}, shapes, join});
    list.push_back(
        {fmt::format("stack along {}", dim),
         {f32, f32, f32},
         std::vector<Dims>(3, Dims{5, 33}),
         [dim](GraphBuilder& b, const Values& x) { return Values{b.op("stack", x, CallAttributes().integer(dim))}; }});
  }
  for (const Dims& pads :
       {Dims{20, 31}, Dims{0, 0, 2, 3}, Dims{17, 0, 0, 1, 2, 2}, Dims{-2, 30, -1, 4}, Dims{1, 2, 3, 4}})
    for (const DType t : {f32, u8})
      list.push_back({fmt::format("pad {} {}", pads.text(), t.name()),
                      {t},
                      {{4, 6, 33}},
                      [pads](GraphBuilder& b, const Values& x) { return Values{pad(b, x[0], pads, 3)}; }});
  list.push_back({"cat with empty operands",
                  {f32, f32, f32, f32},
                  {{0}, {3, 40}, {0, 40}, {5, 40}},
                  [](GraphBuilder& b, const Values& x) { return Values{cat(b, x, 0)}; }});
  list.push_back(
      {"cat of nothing but empty ones", {f32, f32}, {{0, 40}, {0, 40}}, [](GraphBuilder& b, const Values& x) {
         return Values{cat(b, x, 0)};
       }});
  list.push_back({"pad of an empty tensor", {f32}, {{0, 40}}, [](GraphBuilder& b, const Values& x) {
                    return Values{pad(b, x[0], {0, 0, 2, 2}, 5)};
                  }});
}

void add_fused(std::vector<JoinCase>& list) {
  const std::vector<Dims> rows = {{3, 50}, {5, 50}};
  const auto add = [&](std::string name, std::vector<Dims> shapes, const Make& make) {
    list.push_back({std::move(name), std::vector<DType>(shapes.size(), f32), std::move(shapes), make});
  };
  add("relu(cat(a * 2, b))", rows, [](GraphBuilder& b, const Values& x) {
    return Values{b.unary("relu", cat(b, {b.with_number("mul", x[0], 2), x[1]}, 0))};
  });
  add("permute(exp(cat))", rows,
      [](GraphBuilder& b, const Values& x) { return Values{permute(b, b.unary("exp", cat(b, x, 0)), {1, 0})}; });
  add("flip(cat)", rows, [](GraphBuilder& b, const Values& x) {
    return Values{b.op("flip", {cat(b, x, 0)}, CallAttributes().integers({0, 1}))};
  });
  add("cat of cats", {{3, 50}, {5, 50}, {8, 40}, {8, 60}}, [](GraphBuilder& b, const Values& x) {
    return Values{cat(b, {cat(b, {x[0], x[1]}, 0), cat(b, {x[2], x[3]}, 1)}, 1)};
  });
  add("pad of cat", rows,
      [](GraphBuilder& b, const Values& x) { return Values{pad(b, cat(b, x, 0), {20, 16, 1, 2}, -0.0)}; });
  add("cat of pads", rows, [](GraphBuilder& b, const Values& x) {
    return Values{cat(b, {pad(b, x[0], {1, 0, 2, 0}, 1), pad(b, b.unary("neg", x[1]), {0, 1, 0, 1}, 2)}, 0)};
  });
  add("cat of views", {{50, 3}, {9, 50}}, [](GraphBuilder& b, const Values& x) {
    return Values{cat(
        b, {permute(b, x[0], {1, 0}), slice(b, x[1], 0, 2, 7), b.op("flip", {x[1]}, CallAttributes().integers({1}))},
        0)};
  });
  add("cat with a broadcast operand", {{3, 50}, {1, 50}}, [](GraphBuilder& b, const Values& x) {
    const Value row = b.binary("add", x[0], x[1]);
    return Values{cat(b, {x[0], row, b.binary("mul", row, x[1])}, 1)};
  });
  add("sum of cats cut at other places", {{3, 50}, {5, 50}, {6, 50}, {2, 50}}, [](GraphBuilder& b, const Values& x) {
    return Values{b.binary("add", cat(b, {x[0], x[1]}, 0), cat(b, {x[2], x[3]}, 0))};
  });
  add("several outputs", rows, [](GraphBuilder& b, const Values& x) {
    const Value y = cat(b, x, 0), z = b.unary("erf", y);
    return Values{y, z, b.binary("mul", z, y)};
  });
  add("row sums and pads", rows, [](GraphBuilder& b, const Values& x) {
    const Value y = cat(b, x, 0);
    return Values{b.reduce("sum", y, {1}), b.softmax(y), pad(b, b.reduce("sum", y, {1}), {1, 0}, 7)};
  });
}

void add_indexed(std::vector<JoinCase>& list) {
  list.push_back({"cat of an indexed operand",
                  {f32, f32, i64},
                  {{3, 50}, {6, 50}, {4}},
                  [](GraphBuilder& b, const Values& x) {
                    return Values{cat(b, {x[0], b.op("index_select", {x[1], x[2]}, CallAttributes().integer(0))}, 0)};
                  },
                  6});
  list.push_back({"an indexed cat",
                  {f32, f32, i64},
                  {{3, 50}, {6, 50}, {4}},
                  [](GraphBuilder& b, const Values& x) {
                    return Values{b.op("index_select", {cat(b, {x[0], x[1]}, 0), x[2]}, CallAttributes().integer(0))};
                  },
                  9});
  list.push_back({"pad of a row sum of a mask", {boolean}, {{9, 40}}, [](GraphBuilder& b, const Values& x) {
                    return Values{pad(b, b.reduce("sum", x[0], {1}), {1, 0}, 0)};
                  }});
}

}  // namespace

std::vector<JoinCase> join_cases() {
  std::vector<JoinCase> list;
  add_plain(list);
  add_fused(list);
  add_indexed(list);
  return list;
}

}  // namespace sinter::test
