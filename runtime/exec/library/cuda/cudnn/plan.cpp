// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cudnn/plan.h"

#include <algorithm>
#include <array>

namespace sinter::exec::cudnn {
namespace {

constexpr int64_t most_workspace = int64_t{1} << 30;

/// The engine configurations that a heuristic proposes, best first.
std::vector<Descriptor> proposals(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .enumerator(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode)
      .finalize();
  int64_t count = 0;
  check(library().BackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                      &count, nullptr),
        "cudnnBackendGetAttribute");
  std::vector<Descriptor> list;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (int64_t i = 0; i < count; ++i) {
    list.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    raw.push_back(list.back().get());
  }
  if (count > 0)
    check(library().BackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                        count, &count, static_cast<void*>(raw.data())),
          "cudnnBackendGetAttribute");
  list.erase(list.begin() + std::min<std::ptrdiff_t>(count, std::ssize(list)), list.end());
  return list;
}

bool is_transform(cudnnBackendNumericalNote_t note) {
  return note == CUDNN_NUMERICAL_NOTE_FFT || note == CUDNN_NUMERICAL_NOTE_WINOGRAD ||
         note == CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4 || note == CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6 ||
         note == CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13;
}

bool is_precise(const Descriptor& configuration, const Precision& precision) {
  Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t raw = engine.get();
  int64_t count = 0;
  check(library().BackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                      1, &count, static_cast<void*>(&raw)),
        "cudnnBackendGetAttribute");
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
  check(library().BackendGetAttribute(engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                      std::ssize(notes), &count, notes.data()),
        "cudnnBackendGetAttribute");
  return std::none_of(notes.begin(), notes.begin() + std::min<std::ptrdiff_t>(count, std::ssize(notes)),
                      [&](cudnnBackendNumericalNote_t note) {
                        return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
                               note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ||
                               note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS || is_transform(note) ||
                               (precision.is_f32 && note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
                      });
}

}  // namespace

Plan::Plan(cudnnHandle_t handle, std::span<const Descriptor> operations, const Precision& precision)
    : configuration_(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR), plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.handle(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
      .descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations)
      .finalize();
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
    if (try_mode(handle, graph, mode, precision)) return;
  throw Refusal("cuDNN has no engine for it");
}

bool Plan::try_mode(cudnnHandle_t handle, const Descriptor& graph, cudnnBackendHeurMode_t mode,
                    const Precision& precision) {
  try {
    for (Descriptor& configuration : proposals(graph, mode)) {
      if (!is_precise(configuration, precision)) continue;
      try {
        Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        plan.handle(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
            .descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
            .finalize();
        int64_t count = 0, bytes = 0;
        check(library().BackendGetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                            &count, &bytes),
              "cudnnBackendGetAttribute");
        if (bytes > most_workspace) continue;
        plan_ = std::move(plan);
        configuration_ = std::move(configuration);
        workspace_bytes_ = bytes;
        return true;
      } catch (const Refusal&) {  // NOLINT(bugprone-empty-catch): the next one
      }
    }
  } catch (const Refusal&) {  // NOLINT(bugprone-empty-catch): a mode that knows nothing says so this way
  }
  return false;
}

void Plan::run(cudnnHandle_t handle, std::span<const int64_t> ids, std::span<void* const> data, void* workspace) const {
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.pointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, data)
      .integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids)
      .pointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {&workspace, 1})
      .finalize();
  check(library().BackendExecute(handle, plan_.get(), pack.get()), "cudnnBackendExecute");
}

}  // namespace sinter::exec::cudnn
