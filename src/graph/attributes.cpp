// SPDX-License-Identifier: Apache-2.0
#include "src/graph/attributes.h"

#include <fmt/format.h>
#include <sinter/error.h>

namespace sinter::graph {

scalar::Constant constant_of(const Number& n, DType compute) {
  return n.kind == Number::Kind::floating ? scalar::constant_of(compute, n.as_double())
                                          : scalar::constant_int(compute, n.bits);
}

void CallAttributes::too_many(std::string_view what) {
  throw UserError(fmt::format("an op call has too many {}; give long lists as a tensor", what));
}

CallAttributes CallAttributes::of(const Attributes& literal) {
  CallAttributes call;
  for (int64_t w : literal.words) call.word(w);
  for (const Scalar& s : literal.scalars) {
    if (s.is_extent) call.extent_mask_ |= 1u << call.n_values_;
    call.value(s.literal);
  }
  return call;
}

int64_t AttributeReader::word() {
  if (word_ == a_.words.size()) throw CompileError("internal: an op reads more attributes than it has");
  return a_.words[word_++];
}

const Scalar& AttributeReader::number() {
  if (scalar_ == a_.scalars.size()) throw CompileError("internal: an op reads more numbers than it has");
  return a_.scalars[scalar_++];
}

Dims AttributeReader::integers() {
  Dims d;
  const int64_t n = word();
  for (int64_t i = 0; i < n; ++i) d.push_back(word());
  return d;
}

DType AttributeReader::dtype() {
  const int64_t w = word();
  DType t;
  std::memcpy(static_cast<void*>(&t), &w, sizeof t);
  return t;
}

std::vector<Expr> AttributeReader::extents() {
  std::vector<Expr> e;
  const int64_t n = word();
  for (int64_t i = 0; i < n; ++i) e.push_back(extent());
  return e;
}

Attributes literal_attributes(const CallAttributes& call) {
  Attributes a;
  a.words.assign(call.words().begin(), call.words().end());
  for (size_t i = 0; i < call.values().size(); ++i) {
    Scalar s;
    s.literal = call.values()[i];
    s.is_extent = call.is_extent(i);
    if (s.is_extent) s.expr = Expr(s.literal.bits);
    a.scalars.push_back(s);
  }
  return a;
}

}  // namespace sinter::graph
