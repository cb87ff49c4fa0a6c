// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/compiler/recorded_graph.h"
#include "src/graph/registry.h"

namespace sinter::compiler {
namespace {

using graph::Number;
using graph::Param;
using graph::ParamKind;

AttributeValue value_of(const Number& n) {
  switch (n.kind) {
    case Number::Kind::boolean:
      return n.bits != 0;
    case Number::Kind::integer:
      return n.bits;
    case Number::Kind::floating:
      return n.as_double();
  }
  return {};
}

Dims literals(const std::vector<graph::Expr>& extents) {
  Dims d;
  for (graph::Expr e : extents) d.push_back(*e.constant());
  return d;
}

}  // namespace

AttributeValue read_attribute(graph::AttributeReader& reader, const Param& p) {
  switch (p.kind) {
    case ParamKind::flag:
      return reader.flag();
    case ParamKind::integer:
      return reader.integer();
    case ParamKind::integers:
      return reader.integers();
    case ParamKind::dtype:
      return reader.dtype();
    case ParamKind::enumeration:
      return std::string(p.names.at(static_cast<size_t>(reader.integer())));
    case ParamKind::device:
      return reader.device();
    case ParamKind::number:
      return value_of(reader.number().literal);
    case ParamKind::optional_number:
      return reader.flag() ? value_of(reader.number().literal) : AttributeValue();
    case ParamKind::extent:
      return *reader.extent().constant();
    case ParamKind::extents:
      return literals(reader.extents());
  }
  throw CompileError("internal: an attribute of no kind");
}

namespace {

constexpr std::array<std::string_view, 8> value_names = {
    "absent", "a flag", "an integer", "a floating number", "a list of integers", "a dtype", "a device", "a name"};

/// Writes one value as the parameter takes it.
class Writer {
 public:
  Writer(const graph::OpDef& op, const Param& p, const AttributeValue& v, SourceLine line)
      : op_(op), param_(p), value_(v), line_(line) {}

  void write(graph::CallAttributes& to) const {
    switch (param_.kind) {
      case ParamKind::flag:
        to.flag(get<bool>("a flag"));
        return;
      case ParamKind::integer:
        to.integer(get<int64_t>("an integer"));
        return;
      case ParamKind::integers:
        to.integers(get<Dims>("a list of integers"));
        return;
      case ParamKind::dtype:
        to.dtype(get<DType>("a dtype"));
        return;
      case ParamKind::enumeration:
        to.integer(position(get<std::string>("a name")));
        return;
      case ParamKind::device:
        to.device(get<Device>("a device"));
        return;
      case ParamKind::number:
        to.number(number());
        return;
      case ParamKind::optional_number: {
        const bool present = !std::holds_alternative<std::monostate>(value_);
        to.flag(present);
        if (present) to.number(number());
        return;
      }
      case ParamKind::extent:
        to.extent(get<int64_t>("an integer"));
        return;
      case ParamKind::extents:
        to.extents(get<Dims>("a list of integers"));
        return;
    }
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    throw UserError({std::string(op_.name),
                     fmt::format("attribute {} is {}; expected {}", param_.name, value_names[value_.index()], expected),
                     line_,
                     {},
                     {}});
  }
  template <class T>
  const T& get(std::string_view expected) const {
    const T* v = std::get_if<T>(&value_);
    if (v == nullptr) refuse(expected);
    return *v;
  }
  Number number() const {
    if (const auto* b = std::get_if<bool>(&value_)) return Number::of(*b);
    if (const auto* i = std::get_if<int64_t>(&value_)) return Number::of(*i);
    return Number::of(get<double>("a number"));
  }
  int64_t position(const std::string& name) const {
    const auto at = std::ranges::find(param_.names, name);
    if (at != param_.names.end()) return at - param_.names.begin();
    std::string names;
    for (std::string_view n : param_.names) names += fmt::format("{}{}", names.empty() ? "" : ", ", n);
    throw UserError({std::string(op_.name),
                     fmt::format("attribute {} is \"{}\"; expected one of {}", param_.name, name, names),
                     line_,
                     {},
                     {}});
  }

  const graph::OpDef& op_;
  const Param& param_;
  const AttributeValue& value_;
  SourceLine line_;
};

}  // namespace

std::vector<Attribute> recorded_attributes(const graph::OpDef& op, const graph::Attributes& attributes) {
  std::vector<Attribute> all;
  graph::AttributeReader reader(attributes);
  for (const Param& p : op.params) all.push_back({std::string(p.name), read_attribute(reader, p)});
  return all;
}

const AttributeValue& attribute_named(std::string_view name, std::span<const Attribute> attributes,
                                      const std::string& op, SourceLine line) {
  const auto at = std::ranges::find(attributes, name, &Attribute::name);
  if (at == attributes.end()) throw UserError({op, fmt::format("has no attribute {}", name), line, {}, {}});
  return at->value;
}

graph::Attributes attributes_of(const graph::OpDef& op, std::span<const Attribute> attributes, SourceLine line) {
  const std::string name(op.name);
  for (const Attribute& a : attributes)
    if (std::ranges::find(op.params, a.name, &Param::name) == op.params.end())
      throw UserError({name, fmt::format("has no attribute {}", a.name), line, {}, {}});
  graph::CallAttributes call;
  for (const Param& p : op.params) Writer(op, p, attribute_named(p.name, attributes, name, line), line).write(call);
  return graph::literal_attributes(call);
}

}  // namespace sinter::compiler
