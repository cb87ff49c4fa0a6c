// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace sinter::tensor {

/// Which random numbers a call gets: those of the offset in `state` and `after` more.
///
/// The offset of a device's sequence is the sum of a word in its memory and of a count on the host. A call takes the
/// next value of the count when it is made, in the order of the program, whatever becomes of the call: it is a number
/// of the recorded op, so a value computed late or twice is the same value. Kernels queued on a stream under capture
/// run again with each replay, so they leave the count alone and advance the word (CapturedDraws).
struct Draw {
  Tensor state;  ///< u64 [2] on the device: seed, offset
  int64_t after = 0;
};

/// The next place, or the first of `count` places that follow each other.
Draw next_draw(Device device, std::string_view op, SourceLine line, int64_t count = 1);

/// While one lives, draws of this thread leave the sequences where they are, and their places mean nothing: for host
/// code that is recorded and not called.
class DrawsApart {
 public:
  DrawsApart();
  ~DrawsApart();
  DrawsApart(const DrawsApart&) = delete;
  DrawsApart& operator=(const DrawsApart&) = delete;
  int64_t take() { return taken_++; }

 private:
  int64_t taken_ = 0;
  DrawsApart* const before_;
};

/// Calls of this thread on a stream under capture whose kernels are queued now: `count` must be added to the offset in
/// `state`, on that stream.
struct CapturedDraws {
  Tensor state;
  int64_t count = 0;
};
/// Hands over all since the last call; nearly always none.
std::vector<CapturedDraws> take_captured_draws();

}  // namespace sinter::tensor
