// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace sinter::simt {

/// Stacks for fibers, each with an unmapped page below it.
class FiberStacks {
 public:
  static constexpr size_t stack_bytes = size_t{128} << 10;

  FiberStacks() = default;
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;
  /// The lowest address of stack `index`.
  std::byte* stack(size_t index);

 private:
  struct Mapping {
    void* address;
    size_t bytes;
  };
  std::vector<Mapping> mappings_;
  std::vector<std::byte*> stacks_;
};

/// A function call that can be left in the middle and continued: threads of a block are made of these. One fiber, or
/// the scheduler that resumes them, runs at a time.
class Fiber {
 public:
  using Entry = void (*)(void* argument);

  /// Ready to begin entry(argument) on the stack. `entry` must not return: it leaves through suspend() for good.
  void prepare(std::byte* stack, Entry entry, void* argument);
  /// Runs the fiber until it suspends itself.
  void resume();
  /// Goes back to whoever resumed this fiber.
  void suspend();

 private:
  static void begin(Fiber* self);

  void* here_ = nullptr;     ///< stack pointer of the suspended fiber
  void* resumer_ = nullptr;  ///< stack pointer of the suspended resumer
  Entry entry_ = nullptr;
  void* argument_ = nullptr;
  [[maybe_unused]] std::byte* stack_ = nullptr;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] const void* resumer_stack_ = nullptr;
  [[maybe_unused]] size_t resumer_stack_bytes_ = 0;
};

}  // namespace sinter::simt
