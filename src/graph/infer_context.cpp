// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "src/graph/registry.h"

namespace sinter::graph {
namespace {

std::string shape_text(const ValueType& t) {
  std::string s = std::string(t.dtype.name()) + " [";
  for (size_t d = 0; d < t.shape.size(); ++d) s += (d ? "," : "") + t.shape[d].text();
  return s + "]";
}

}  // namespace

void InferContext::fail(std::string what, std::string fix) const {
  throw UserError({std::string(op_.name), std::move(what), line_, {}, std::move(fix)});
}

void InferContext::fail_without(size_t operand) const {
  fail(fmt::format("operand {} is missing: there are {}", operand, operands_.size()));
}

bool InferContext::same_extent(Expr a, Expr b) {
  if (a == b) return true;
  if (a.constant() && b.constant()) return false;
  assumptions_.emplace_back(a, b);
  return true;
}

std::vector<Expr> InferContext::broadcast_operands() {
  size_t rank = 0;
  for (const ValueType& t : operands_) rank = std::max(rank, t.shape.size());
  std::vector<Expr> shape(rank, Expr(int64_t{1}));
  for (const ValueType& t : operands_)
    for (size_t i = 0; i < t.shape.size(); ++i) {
      Expr& have = shape[rank - 1 - i];
      const Expr got = t.shape[t.shape.size() - 1 - i];
      if (got.is_constant(1) || got == have) continue;
      if (have.is_constant(1)) {
        have = got;
        continue;
      }
      if (!same_extent(have, got)) {
        std::string all;
        for (const ValueType& o : operands_) all += (all.empty() ? "" : " with ") + shape_text(o);
        fail(fmt::format("cannot broadcast {}: dim -{} is {} against {}", all, i + 1, have.text(), got.text()),
             fmt::format("give both sides {} elements there, or one of them 1", have.text()));
      }
      if (got.constant()) have = got;
    }
  return shape;
}

int InferContext::dim(int64_t d, int rank) const {
  const int n = std::max(rank, 1);
  if (d < -n || d >= n)
    fail(fmt::format("dim {} of a tensor of rank {}", d, rank), fmt::format("give a dim in [{}, {})", -n, n));
  return static_cast<int>(d < 0 ? d + n : d);
}

std::vector<int> InferContext::dims(const Dims& d, int rank) const {
  std::vector<int> out;
  if (d.empty())
    for (int i = 0; i < rank; ++i) out.push_back(i);
  for (int64_t v : d) out.push_back(dim(v, rank));
  std::ranges::sort(out);
  if (std::ranges::adjacent_find(out) != out.end()) fail(fmt::format("dims {} name a dim twice", d.text()));
  if (rank == 0) out.clear();
  return out;
}

}  // namespace sinter::graph
