// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "src/tensor/impl.h"

namespace sinter::capture {

class Function;

/// Who a frozen call is captured for, in the words of an error.
enum class FrozenUse : uint8_t { skip, save };

/// The handles of one capture of host code that will not run again: placeholders of the arguments meanwhile, and
/// afterwards whatever escaped from it, which nothing can compute any more.
///
/// What the host code learns from a handle is noted: it holds for other arguments only where that is the same. Owners
/// are reused but never freed (tensor::PendingOwner).
class CapturedHandles final : public tensor::PendingOwner {
 public:
  /// An idle one.
  static CapturedHandles& take();
  void begin(const Function& function, FrozenUse use, std::span<const Tensor* const> arguments);
  /// Every handle that is left is unusable from now on.
  void close() noexcept;

  Tensor placeholder(size_t argument);
  /// What the recorder uses in place of a placeholder: a handle of its own for each argument, even if they are equal.
  tensor::TensorImpl* stand_in(const tensor::TensorImpl& placeholder) const;
  /// The argument of a stand-in, or -1.
  int32_t argument_of(const tensor::TensorImpl* stand_in) const;
  /// The argument of a placeholder of this capture.
  static size_t placeholder_number(const tensor::TensorImpl& t) { return static_cast<size_t>(~t.slot); }

  /// Takes over a handle that nothing will compute. `origin`: "[mul] pre.cpp:18".
  void poison(tensor::TensorImpl* t, std::string origin) noexcept;
  /// Something that host code wants and frozen calls cannot give.
  [[noreturn]] void refuse(std::string_view why, const std::string& what, SourceLine line) const;

  /// A random draw from the generator with this state.
  void note_draw(const Tensor& state);
  bool is_generator(const tensor::TensorImpl* t) const;

  /// An extent that the host code read: of value `slot`, or of argument ~slot; dim -1 is all there is to know.
  struct Read {
    int32_t slot;
    int32_t dim;
    friend bool operator==(const Read&, const Read&) = default;
  };
  void note_read(int32_t slot, int32_t dim);
  const std::vector<Read>& reads() const { return reads_; }

  // PendingOwner
  bool on_any_thread() const noexcept override { return true; }
  DType dtype(const tensor::TensorImpl& t) override;
  Dims shape(const tensor::TensorImpl& t) override;
  Device device(const tensor::TensorImpl& t) override;
  int rank(const tensor::TensorImpl& t) override;
  int64_t extent(const tensor::TensorImpl& t, size_t dim) override;
  Dims strides(tensor::TensorImpl& t) override;
  void check_operand(const tensor::TensorImpl& t, std::string_view op, SourceLine line) override;
  void compute(tensor::TensorImpl& t, const char* why, SourceLine line) override;
  void compute_together(std::span<tensor::TensorImpl* const> tensors, const char* why, SourceLine line) override;
  bool forget(tensor::TensorImpl& t) noexcept override;

 private:
  const tensor::TensorImpl& argument(const tensor::TensorImpl& t, const char* why);
  [[noreturn]] void refuse_escaped(const tensor::TensorImpl& t, std::string_view why, SourceLine line) const;

  mutable std::mutex mutex_;  ///< of everything below: escaped handles may be touched on any thread
  bool open_ = false;
  std::string name_, context_;
  FrozenUse use_ = FrozenUse::skip;
  std::vector<Tensor> stand_ins_;
  std::vector<Read> reads_;
  std::vector<Tensor> generators_;                                          ///< states that were drawn from
  std::vector<std::pair<const tensor::TensorImpl*, std::string>> origins_;  ///< of handles that are alive
};

}  // namespace sinter::capture
