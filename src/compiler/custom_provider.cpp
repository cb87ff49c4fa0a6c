// SPDX-License-Identifier: Apache-2.0
// Users' ops as a provider of calls, and the calls themselves.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "runtime/device/user_ops.h"
#include "src/compiler/codegen.h"
#include "src/compiler/custom_kernel.h"
#include "src/compiler/custom_op.h"
#include "src/compiler/recorded_graph.h"
#include "src/graph/user_code.h"

namespace sinter::compiler {
namespace {

struct Table {
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<const RegisteredOp>, std::less<>> ops;
};

Table& table() {
  static auto* t = new Table;
  return *t;
}

class Users final : public exec::Provider {
 public:
  std::string_view name() const override { return "custom"; }
  bool serves(std::string_view op, Device) const override { return find_custom_op(op) != nullptr; }
  /// Which operands a plan copies first is all that a plan holds of an op.
  std::string identity(Device) const override {
    const std::shared_lock lock(table().mutex);
    std::string text;
    for (const auto& [name, op] : table().ops) text += name + (op->definition.any_strides ? " strided," : " dense,");
    return text;
  }
  std::string why_not(const exec::CallDescription& call, Device device) const override {
    return why_not_on(find_custom_op(call.op)->definition, device);
  }
  std::shared_ptr<const exec::PreparedCall> prepare(const exec::CallDescription& call, Device device) const override {
    return prepare_custom_call(find_custom_op(call.op), call, device);
  }
};

/// Runs a function of the user's on the tensors of a call.
class FunctionCall final : public exec::PreparedCall {
 public:
  FunctionCall(std::shared_ptr<const RegisteredOp> op, const std::function<void(const CustomCall&)>& run,
               CustomCall call)
      : op_(std::move(op)), run_(run), call_(std::move(call)) {}

  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle stream) const override {
    CustomCall call = call_;
    for (size_t i = 0; i < operands.size(); ++i) call.operands[i].data = operands[i];
    call.result.data = results[0];
    call.stream = stream;
    if (call.device.is_cuda()) device::note_user_op(op_->definition.name);
    const graph::UserCode user_code(op_.get(), op_->definition.name);
    run_(call);
  }

 private:
  std::shared_ptr<const RegisteredOp> op_;
  const std::function<void(const CustomCall&)>& run_;  ///< of op_
  CustomCall call_;
};

CustomTensor custom_tensor(const exec::CallTensor& t) { return {nullptr, t.dtype, t.shape, t.strides}; }

bool is_gpu(Device device) {
  return device.is_cuda() && device::backend(device).properties().architecture.starts_with("sm_");
}
bool tiles_run_on(Device device) { return has_code_generator(device, device::backend(device).properties()); }

}  // namespace

std::shared_ptr<const RegisteredOp> find_custom_op(std::string_view name) {
  const std::shared_lock lock(table().mutex);
  const auto it = table().ops.find(name);
  return it == table().ops.end() ? nullptr : it->second;
}

void add_custom_op(std::shared_ptr<const RegisteredOp> op) {
  static std::once_flag once;
  std::call_once(once, [] { exec::register_provider(std::make_unique<Users>()); });
  const std::unique_lock lock(table().mutex);
  table().ops.emplace(op->definition.name, std::move(op));
}

CustomCall custom_call(const RegisteredOp& op, const exec::CallDescription& call, Device device) {
  graph::Attributes attributes;
  attributes.words = call.words;
  for (const exec::CallNumber& n : call.numbers) {
    graph::Scalar s;
    s.literal = {n.floating ? graph::Number::Kind::floating : graph::Number::Kind::integer, n.bits};
    attributes.scalars.push_back(s);
  }
  CustomCall c;
  for (const exec::CallTensor& t : call.operands) c.operands.push_back(custom_tensor(t));
  c.result = custom_tensor(call.results[0]);
  c.attributes = recorded_attributes(*op.op, attributes);
  c.device = device;
  return c;
}

std::string why_not_on(const OpDefinition& d, Device device) {
  if (device.is_cpu() || d.launch_cuda || d.tile) return {};
  if (!d.cuda) return "it has neither CUDA text, a tile program nor a launch function for CUDA";
  return is_gpu(device) ? "" : "its CUDA text needs a GPU";
}

std::shared_ptr<const exec::PreparedCall> prepare_custom_call(const std::shared_ptr<const RegisteredOp>& op,
                                                              const exec::CallDescription& description, Device device) {
  const OpDefinition& d = op->definition;
  CustomCall call = custom_call(*op, description, device);
  const auto function = [&](const auto& f) { return std::make_shared<FunctionCall>(op, f, std::move(call)); };
  if (device.is_cuda() && d.launch_cuda) return function(d.launch_cuda);
  if (device.is_cpu() && d.launch_cpu) return function(d.launch_cpu);
  if (d.cuda && is_gpu(device)) return cuda_call(op, call);
  if (d.tile && tiles_run_on(device)) return tile_call(op, call);
  if (device.is_cpu()) return function(d.reference);
  throw CompileError({d.name, fmt::format("has no implementation for {}", device.text()), {}, {}, {}});
}

}  // namespace sinter::compiler

namespace sinter {

const AttributeValue& CustomCall::attribute(std::string_view name) const {
  return compiler::attribute_named(name, attributes, "custom op", {});
}

double CustomCall::number(std::string_view name) const {
  const AttributeValue& v = attribute(name);
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
  throw UserError(fmt::format("attribute {} is no number", name));
}

}  // namespace sinter
