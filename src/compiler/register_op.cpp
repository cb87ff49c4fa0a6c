// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "codegen/tile/ir.h"
#include "src/compiler/custom_op.h"
#include "src/compiler/recorded_graph.h"
#include "src/graph/user_code.h"
#include "src/ops/dispatch.h"
#include "src/ops/ops.h"

namespace sinter {
namespace {

/// Refuses definitions that could never be called, or not with one meaning.
class DefinitionCheck {
 public:
  DefinitionCheck(const OpDefinition& d, SourceLine line) : d_(d), line_(line) {}

  void run() const {
    if (d_.name.empty()) refuse("the name is empty", "give the op a name");
    if (graph::find_op(d_.name) != nullptr) refuse("there is an op of that name already", "choose another name");
    if (d_.min_operands < 1 || (d_.max_operands >= 0 && d_.max_operands < d_.min_operands))
      refuse(fmt::format("takes from {} to {} operands", d_.min_operands, d_.max_operands), "take at least one");
    if (!d_.type) refuse("has no type rule", "give one; same_as_operand() is often it");
    if (!d_.reference) refuse("has no reference", "give one: it is what the other implementations are compared with");
    if (d_.cuda && (!d_.cuda->launch || d_.cuda->entry.empty()))
      refuse("its CUDA text lacks a launch or an entry", "give both");
    if (d_.tile) check_tile();
    if (d_.any_strides && !d_.launch_cpu)
      refuse("takes any strides, but its reference, which the CPU uses, takes dense operands", "give it a launch_cpu");
    check_attributes();
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& fix) const {
    throw UserError({"register_op", fmt::format("\"{}\": {}", d_.name, what), line_, {}, fix});
  }

  void check_tile() const {
    if (!d_.tile->launch) refuse("its tile program lacks a launch", "give one");
    try {
      const tile_ir::Kernel kernel = tile_ir::parse(d_.tile->text);
      tile_ir::verify(kernel);
    } catch (const CompileError& e) {
      throw CompileError({"register_op", fmt::format("\"{}\": its tile program: {}", d_.name, e.parts().what), line_,
                          e.parts().context, "correct the text"});
    }
  }

  void check_attributes() const {
    std::set<std::string> names;
    for (const AttributeSchema& a : d_.attributes)
      if (a.name.empty() || !names.insert(a.name).second)
        refuse(fmt::format("attribute \"{}\" is nameless or there twice", a.name), "give every attribute a name");
  }

  const OpDefinition& d_;
  SourceLine line_;
};

/// The attributes of a call in the order of the schema, with what it leaves out.
std::vector<Attribute> completed(const OpDefinition& d, std::vector<Attribute> given, SourceLine line) {
  for (const AttributeSchema& a : d.attributes) {
    if (std::ranges::find(given, a.name, &Attribute::name) != given.end()) continue;
    if (std::holds_alternative<std::monostate>(a.value))
      throw UserError({d.name, fmt::format("attribute {} is missing", a.name), line, {}, "give it a value"});
    given.push_back({a.name, a.value});
  }
  return given;
}

void check_operands(const OpDefinition& d, const std::vector<Tensor>& operands, SourceLine line) {
  const auto n = static_cast<int>(operands.size());
  if (n < d.min_operands || (d.max_operands >= 0 && n > d.max_operands))
    throw UserError({d.name, fmt::format("cannot take {} operands", n), line, {}, {}});
  for (const Tensor& t : operands)
    if (!t.defined()) throw UserError({d.name, "an operand is an undefined tensor", line, {}, "give it a value first"});
}

/// Is the op written in terms of others on the operands' device?
bool is_inlined(const OpDefinition& d, const std::vector<Tensor>& operands) {
  if (!d.composite) return false;
  const auto on_cuda = std::ranges::find_if(operands, [](const Tensor& t) { return t.device().is_cuda(); });
  if (on_cuda != operands.end()) return !compiler::why_not_on(d, on_cuda->device()).empty();
  return !d.launch_cpu && !d.tile;
}

/// A composite is recorded where it is called; one that calls itself would never end.
class Inlining {
 public:
  Inlining(const OpDefinition& d, SourceLine line) : definition_(&d), outer_(innermost) {
    for (const Inlining* i = outer_; i != nullptr; i = i->outer_)
      if (i->definition_ == &d)
        throw UserError({d.name, "its composite calls it again", line, {}, "use other ops there"});
    innermost = this;
  }
  ~Inlining() { innermost = outer_; }
  Inlining(const Inlining&) = delete;
  Inlining& operator=(const Inlining&) = delete;

 private:
  static constinit thread_local const Inlining* innermost;
  const OpDefinition* definition_;
  const Inlining* outer_;
};

constinit thread_local const Inlining* Inlining::innermost = nullptr;

}  // namespace

const std::string& CustomOp::name() const { return op_->definition.name; }

Tensor CustomOp::operator()(std::vector<Tensor> operands, std::vector<Attribute> attributes, SourceLine line) const {
  const OpDefinition& d = op_->definition;
  check_operands(d, operands, line);
  attributes = completed(d, std::move(attributes), line);
  const auto call = graph::CallAttributes::of(compiler::attributes_of(*op_->op, attributes, line));
  if (is_inlined(d, operands)) {
    const Inlining inlining(d, line);
    Tensor result = d.composite(operands, attributes);
    if (!result.defined()) throw UserError({d.name, "its composite gave an undefined tensor", line, {}, {}});
    return result;
  }
  return ops::dispatch_list(*op_->op, std::move(operands), call, line);
}

CustomOp register_op(OpDefinition definition, SourceLine line) {
  ops::register_all_ops();
  DefinitionCheck(definition, line).run();
  auto registered = std::make_shared<CustomOp::Registered>();
  registered->definition = std::move(definition);
  const std::string& name = registered->definition.name;
  try {
    registered->op = &graph::register_op(compiler::graph_definition(registered));
  } catch (const CompileError&) {  // another thread was faster
    throw UserError({"register_op", fmt::format("\"{}\": there is an op of that name already", name), line, {}, {}});
  }
  compiler::add_custom_op(registered);
  return CustomOp(registered);
}

}  // namespace sinter
