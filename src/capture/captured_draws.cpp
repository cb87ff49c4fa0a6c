// SPDX-License-Identifier: Apache-2.0
#include "src/capture/captured_draws.h"

#include <map>
#include <mutex>

#include "runtime/device/backend.h"
#include "src/compiler/compile.h"
#include "src/graph/registry.h"
#include "src/tensor/impl.h"
#include "src/tensor/random_state.h"

namespace sinter::capture {
namespace {

/// state + [0, symbol 0]
graph::Graph advance_graph(Device device) {
  graph::Graph g;
  g.name = "advance_random_state";
  g.device = device;
  const int count = g.new_symbol();
  const graph::Value state = g.add_input({u64, {2}});
  graph::Attributes steps;
  steps.words = {graph::word_of(u64), graph::word_of(device)};
  steps.scalars = {{graph::Number::of(0), -1, {}, false},
                   {graph::Number::of(0), count, {}, false},
                   {graph::Number::of(2), -1, 2, true}};
  const graph::NodeId step = g.add(*graph::find_op("arange"), {}, std::move(steps));
  graph::Attributes tensors;
  tensors.words = {0, 0};
  g.add_output({g.add(*graph::find_op("add"), {state, {step, 0}}, std::move(tensors)), 0});
  return g;
}

std::shared_ptr<const exec::Executable> advance_on(Device device) {
  static std::mutex mutex;
  static std::map<std::pair<DeviceKind, int>, std::shared_ptr<const exec::Executable>> known;
  const std::scoped_lock lock(mutex);
  auto& executable = known[{device.kind, device.index}];
  if (!executable) executable = compiler::compile(advance_graph(device), {}).executable;
  return executable;
}

}  // namespace

void advance_captured_draws() {
  for (const tensor::CapturedDraws& draws : tensor::take_captured_draws()) {
    tensor::TensorImpl& state = *draws.state.impl();
    const Tensor advanced = Tensor::adopt(tensor::new_impl());
    tensor::TensorImpl* const inputs[] = {&state};
    tensor::TensorImpl* const outputs[] = {advanced.impl()};
    const int64_t symbols[] = {draws.count};
    advance_on(state.device)->run({inputs, symbols}, outputs);
    device::backend(state.device)
        .copy(state.data(), advanced.impl()->data(), 2 * sizeof(uint64_t), device::current_stream(state.device));
  }
}

}  // namespace sinter::capture
