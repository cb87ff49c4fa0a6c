// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/device/backend.h"
#include "src/capture/entries.h"

namespace sinter::capture {

/// How to compute, later, handles of a region that ended without storing them: the region's inputs, its key and where
/// it ended.
///
/// Any thread may use the handles; a lock makes one of them compute. Recipes live within one call of a function: what
/// is alive at its end is computed there. They are never freed but reused, since another thread may still hold the
/// address it found in a handle a moment ago: whoever comes finds that the handle no longer belongs to the recipe.
class Recipe final : public tensor::PendingOwner, public tensor::LateReader {
 public:
  /// Takes the inputs and keeps `handles`, which belonged to the calling recorder. If an input may be written to by the
  /// host from now on, they are computed at once.
  void keep(const RegionCall& region, const Entry& entry, std::vector<Tensor>& inputs,
            std::span<tensor::TensorImpl* const> handles);
  /// compute_together() for all that are alive.
  void compute_all(const char* why, SourceLine line);
  /// Nothing runs; handles that are alive become unusable.
  void abandon() noexcept;
  /// No handle needs the recipe any more.
  bool finished() const { return !open_.load(std::memory_order_acquire); }

  // PendingOwner
  bool on_any_thread() const noexcept override { return true; }
  DType dtype(const tensor::TensorImpl& t) override;
  Dims shape(const tensor::TensorImpl& t) override;
  Device device(const tensor::TensorImpl& t) override;
  void compute(tensor::TensorImpl& t, const char* why, SourceLine line) override;
  /// In one run. From the next call on the break stores these values.
  void compute_together(std::span<tensor::TensorImpl* const> handles, const char* why, SourceLine line) override;
  bool forget(tensor::TensorImpl& t) noexcept override;

  // LateReader
  void settle() noexcept override;

 private:
  bool owns(const tensor::TensorImpl& t) const { return t.pending.load(std::memory_order_relaxed) == this; }
  const graph::ValueType& type_of(const tensor::TensorImpl& t) const;
  void compute_locked(std::span<tensor::TensorImpl* const> handles, const char* why, SourceLine line);
  void run(OutputSet& set, const char* why, SourceLine line);
  void run_early(std::span<tensor::TensorImpl* const> handles);
  /// Comes last: a closed recipe's function may be destroyed, and another break may reuse the recipe once the lock is
  /// free.
  void close() noexcept;

  std::mutex mutex_;  ///< of everything below
  std::atomic<bool> open_{false};
  Function* function_ = nullptr;
  const TraceNode* last_ = nullptr;
  RegionEnd* end_ = nullptr;
  const Entry* entry_ = nullptr;  ///< whose guards the key met: it knows the types
  Device device_;
  device::StreamHandle stream_ = nullptr;  ///< that was current at the break
  std::vector<Tensor> inputs_;
  std::vector<int64_t> key_;
  std::vector<tensor::TensorImpl*> handles_;                                        ///< alive and not computed
  std::vector<std::pair<const tensor::TensorImpl*, std::exception_ptr>> failures_;  ///< of settle(), by handle
};

/// The recipes of one recorder's call.
class Recipes {
 public:
  bool empty() const { return used_.empty(); }
  Recipe& take();
  /// Computes what is alive and forgets all. What cannot be computed becomes unusable; the first error is thrown.
  void finish(const char* why, SourceLine line);

 private:
  void collect_finished();
  std::vector<Recipe*> used_, idle_;
  size_t collect_at_ = 8;
};

}  // namespace sinter::capture
