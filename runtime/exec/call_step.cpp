// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/call_step.h"

#include <sinter/error.h>

#include <algorithm>
#include <mutex>

namespace sinter::exec {
namespace {

constexpr uint64_t most_alignment = 16;

const Provider& provider_of(const Plan& plan, const CallRef& call) {
  const Provider* p = find_provider(call.provider, call.op, plan.device);
  if (p == nullptr)
    throw CompileError("[" + call.op + "] needs the provider " + call.provider + ", which is not there");
  return *p;
}

int alignment_of(uint64_t address) {
  const uint64_t bits = address | most_alignment;
  return static_cast<int>(bits & (~bits + 1));
}

}  // namespace

CallStep::CallStep(const Plan& plan, const CallRef& call)
    : plan_(plan), call_(call), provider_(provider_of(plan, call)) {}

void CallStep::fill(CallTensor& tensor, const CallTensorSource& source, std::span<const int64_t> symbols,
                    uint64_t address) const {
  tensor.dtype = source.dtype;
  tensor.alignment = alignment_of(address);
  for (const HostExpr& e : source.shape) tensor.shape.push_back(evaluate(plan_, e, symbols));
  for (const HostExpr& e : source.strides) tensor.strides.push_back(evaluate(plan_, e, symbols));
}

CallDescription CallStep::describe(std::span<const int64_t> symbols, std::span<const uint64_t> addresses) const {
  CallDescription d;
  d.op = call_.op;
  d.words = call_.words;
  for (const CallNumberSource& n : call_.numbers)
    d.numbers.push_back(
        {n.floating, true, n.symbol >= 0 ? symbols[static_cast<size_t>(n.symbol)] : evaluate(plan_, n.value, symbols)});
  d.operands.resize(call_.operands.size());
  d.results.resize(call_.results.size());
  size_t next = 0;
  for (size_t i = 0; i < d.operands.size(); ++i) fill(d.operands[i], call_.operands[i], symbols, addresses[next++]);
  for (size_t i = 0; i < d.results.size(); ++i) fill(d.results[i], call_.results[i], symbols, addresses[next++]);
  return d;
}

std::shared_ptr<const PreparedCall> CallStep::find(const CallDescription& description) const {
  for (const auto& [known, prepared] : known_)
    if (prepared && known == description) return prepared;
  return nullptr;
}

std::shared_ptr<const PreparedCall> CallStep::prepare(std::span<const int64_t> symbols,
                                                      std::span<const uint64_t> addresses) const {
  CallDescription description = describe(symbols, addresses);
  if (std::ranges::all_of(description.results, [](const CallTensor& t) { return t.shape.product() == 0; }))
    return nullptr;
  {
    const std::shared_lock lock(mutex_);
    if (auto prepared = find(description)) return prepared;
  }
  const std::unique_lock lock(mutex_);
  if (auto prepared = find(description)) return prepared;
  auto prepared = provider_.prepare(description, plan_.device);
  known_[next_] = {std::move(description), prepared};
  next_ = (next_ + 1) % kept;
  return prepared;
}

}  // namespace sinter::exec
