// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/cuda/emitter.h"

namespace sinter::cuda {

/// Prints the steps of a scan of registers in place.
///
/// Step k of the canonical order: each element with bit k set takes in the last one of the aligned run of 2^k elements
/// before its own. That one stands in the register, lane and warp that have ones for the bits below k and 0 for bit k.
/// Registers come from this thread or, by a shuffle, from another lane. Bits of warps come last: what each warp's run
/// ends with meets in shared memory, and a thread folds what its elements take in.
class ScanText {
 public:
  using Line = std::function<void(const std::string&)>;

  /// `arrays` of registers of `types` under one layout; `combine` is the C function of the region.
  ScanText(std::vector<std::string> arrays, std::vector<DType> types, const LinearLayout& layout, int dim,
           std::string combine, Line line);

  bool has_warps() const { return !warp_bits_.empty(); }
  /// Registers that hold what runs end with, after the steps within a warp.
  std::vector<int> last_registers() const;
  /// Bytes of shared memory for one of these.
  int shared_bytes() const;

  void steps_in_warps();
  /// `slot` is a number below those that share the memory.
  void store_last(int last, int slot);
  void steps_over_warps(int last, int slot);
  /// The end of the dim whose last register this is; `targets` has a C lvalue for each value, or "".
  void end(int last, int slot, const std::vector<std::string>& targets);
  /// Copies what layouts hold twice.
  void copy_free_registers();

 private:
  using Runs = std::map<int, std::vector<int>>;
  Runs runs(uint32_t lower) const;
  void step(const Holder& h);
  void step_in_thread(uint32_t bit);
  void step_over_lanes(int source, const std::vector<int>& changing, const std::string& lane, uint32_t only);
  void load_and_fold(int slot, const std::vector<uint32_t>& bits, uint32_t cleared);
  std::string at(int r) const { return at(arrays_, r); }
  static std::string at(const std::vector<std::string>& arrays, int r);

  std::vector<std::string> arrays_, folds_;
  std::vector<DType> types_;
  const LinearLayout& layout_;
  std::string combine_;
  Line line_;
  std::vector<Holder> holders_;  ///< of the dim's bits below those of warps
  std::vector<uint32_t> warp_bits_;
  std::vector<int> live_;
  uint32_t lower_registers_ = 0, lower_lanes_ = 0;  ///< bits of the dim that are done
};

}  // namespace sinter::cuda
