// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/save.h>

#include <optional>
#include <span>
#include <vector>

#include "src/capture/captured_handles.h"
#include "src/capture/freeze_call.h"
#include "src/capture/region_recorder.h"
#include "src/tensor/random_state.h"

namespace sinter::capture {

/// What Capture holds while the host code runs.
struct CaptureState {
  CaptureState(Function& f, const ArgumentLeaves& a, Capture::Purpose p);

  Function& function;
  const ArgumentLeaves& arguments;
  Capture::Purpose purpose;
  CapturedHandles& handles;
  RegionRecorder& recorder;
  std::optional<tensor::DrawsApart> apart;  ///< if the call is only recorded
  size_t next_argument = 0;
  bool ended = false;

  /// The results as the host code left them, and the slots among them, ascending.
  std::vector<CapturedResult> results;
  std::vector<int32_t> wanted;
  std::vector<CapturedHandles::Read> reads;  ///< after end()
  void read_results(std::span<Tensor* const> tensors);
  /// Ends the recording; afterwards handles that escaped are unusable.
  FrozenRegion end(bool compiles, bool runs);
};

/// Constants that nobody else can change: memory of the user, or that the user was given the address of, is copied.
void own_constants(std::vector<Tensor>& constants);

}  // namespace sinter::capture
