// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/cache_key.h"

#include <fmt/format.h>

#include "src/compiler/build_identity.h"
#include "src/compiler/library_choice.h"

namespace sinter::compiler {
namespace {

#ifdef SINTER_LLVM_EMITTER
constexpr const char* emitter = SINTER_LLVM_EMITTER;  ///< of the object that is opened only to generate code
#else
constexpr const char* emitter = "none";
#endif

}  // namespace

std::vector<KeyField> key_fields(const graph::Graph& graph, const Options& options, const device::Properties& device) {
  return {{"build", build_identity()},
          {"device", graph.device.text()},
          {"emitter", graph.device.is_cpu() ? emitter : "in this build"},
          {"architecture", device.architecture},
          {"shared memory", fmt::to_string(device.shared_bytes_per_block)},
          {"vector bits", fmt::to_string(device.vector_bits)},
          {"processors", fmt::to_string(device.multiprocessors)},
          {"backend", options.backend},
          {"fusion", fmt::to_string(static_cast<int>(options.fusion))},
          {"rounding", fmt::to_string(static_cast<int>(options.rounding))},
          {"math", fmt::to_string(static_cast<int>(options.math))},
          {"aligned", options.aligned ? "1" : "0"},
          {"libraries", options.libraries ? library_identity(graph) : "not used"},
          {"folds", fmt::to_string(static_cast<int>(options.folds))},
          {"name", graph.name},
          {"graph", graph::print(graph)}};
}

std::string key_text(const std::vector<KeyField>& fields) {
  std::string text;
  for (const KeyField& f : fields) text += fmt::format("{} {}: {}\n", f.name, f.value.size(), f.value);
  return text;
}

}  // namespace sinter::compiler
