// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/custom_op.h>

#include <memory>
#include <string_view>

#include "runtime/exec/library/call.h"
#include "runtime/exec/library/provider.h"
#include "src/graph/registry.h"

namespace sinter {

/// What a CustomOp refers to; lives for ever.
struct CustomOp::Registered {
  OpDefinition definition;
  const graph::OpDef* op = nullptr;
};

}  // namespace sinter

namespace sinter::compiler {

using RegisteredOp = CustomOp::Registered;

/// The user's op of that name, or nullptr.
std::shared_ptr<const RegisteredOp> find_custom_op(std::string_view name);
/// Adds it to what find_custom_op() and the provider know.
void add_custom_op(std::shared_ptr<const RegisteredOp> op);

/// The graph's definition of an op: type rule, reference and call rule around the user's functions.
graph::OpDef graph_definition(const std::shared_ptr<RegisteredOp>& op);

/// How the user's functions see a call; addresses come when it runs.
CustomCall custom_call(const RegisteredOp& op, const exec::CallDescription& call, Device device);

/// A call by the implementation for its device.
std::shared_ptr<const exec::PreparedCall> prepare_custom_call(const std::shared_ptr<const RegisteredOp>& op,
                                                              const exec::CallDescription& call, Device device);
/// Why an op cannot run on a device; empty if it can.
std::string why_not_on(const OpDefinition& definition, Device device);

}  // namespace sinter::compiler
