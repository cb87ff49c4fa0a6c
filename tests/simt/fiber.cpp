// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define SINTER_FIBER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINTER_FIBER_SANITIZER 1
#endif
#endif
#ifdef SINTER_FIBER_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Saves what a call must preserve, changes stacks, restores. The first entry of a new stack is a frame with the same
// layout whose return address is sinter_simt_begin, which finds the fiber in a preserved register.
extern "C" void sinter_simt_switch(void** save, void* load);
extern "C" void sinter_simt_begin();

#if defined(__x86_64__)
asm(R"(
.text
.globl sinter_simt_switch
.type sinter_simt_switch, @function
sinter_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size sinter_simt_switch, .-sinter_simt_switch
.globl sinter_simt_begin
.type sinter_simt_begin, @function
sinter_simt_begin:
  movq %r12, %rdi
  xorl %ebp, %ebp
  call *%r13
  ud2
.size sinter_simt_begin, .-sinter_simt_begin
.section .note.GNU-stack,"",@progbits
.text
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl sinter_simt_switch
.type sinter_simt_switch, %function
sinter_simt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size sinter_simt_switch, .-sinter_simt_switch
.globl sinter_simt_begin
.type sinter_simt_begin, %function
sinter_simt_begin:
  mov x0, x19
  mov x29, xzr
  blr x20
  brk #1
.size sinter_simt_begin, .-sinter_simt_begin
.section .note.GNU-stack,"",%progbits
.text
)");
#else
#error "no switch of stacks for this processor"
#endif

namespace sinter::simt {

FiberStacks::~FiberStacks() {
  for (const Mapping& m : mappings_) munmap(m.address, m.bytes);
}

std::byte* FiberStacks::stack(size_t index) {
  constexpr size_t batch = 64;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  while (stacks_.size() <= index) {
    const size_t bytes = batch * (stack_bytes + page);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mappings_.push_back({memory, bytes});
    for (size_t i = 0; i < batch; ++i) {
      std::byte* guard = static_cast<std::byte*>(memory) + i * (stack_bytes + page);
      mprotect(guard, page, PROT_NONE);
      stacks_.push_back(guard + page);
    }
  }
  return stacks_[index];
}

void Fiber::prepare(std::byte* stack, Entry entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
  stack_ = stack;
  fake_stack_ = nullptr;
#ifdef SINTER_FIBER_SANITIZER
  __asan_unpoison_memory_region(stack, FiberStacks::stack_bytes);  // a fiber may have been left in the middle
#endif
  auto* top = reinterpret_cast<uint64_t*>(stack + FiberStacks::stack_bytes);
  const auto body = reinterpret_cast<uint64_t>(&Fiber::begin), self = reinterpret_cast<uint64_t>(this);
#if defined(__x86_64__)
  // r15 r14 r13 r12 rbx rbp, return address; after the return the stack pointer is a multiple of 16.
  uint64_t* frame = top - 9;
  std::memset(frame, 0, 8 * sizeof(uint64_t));
  frame[2] = body;
  frame[3] = self;
  frame[6] = reinterpret_cast<uint64_t>(&sinter_simt_begin);
  here_ = frame;
#else
  uint64_t* frame = top - 20;
  std::memset(frame, 0, 20 * sizeof(uint64_t));
  frame[0] = self;
  frame[1] = body;
  frame[11] = reinterpret_cast<uint64_t>(&sinter_simt_begin);
  here_ = frame;
#endif
}

void Fiber::begin(Fiber* self) {
#ifdef SINTER_FIBER_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &self->resumer_stack_, &self->resumer_stack_bytes_);
#endif
  self->entry_(self->argument_);
  __builtin_trap();
}

void Fiber::resume() {
#ifdef SINTER_FIBER_SANITIZER
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack_, FiberStacks::stack_bytes);
#endif
  sinter_simt_switch(&resumer_, here_);
#ifdef SINTER_FIBER_SANITIZER
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
#ifdef SINTER_FIBER_SANITIZER
  __sanitizer_start_switch_fiber(&fake_stack_, resumer_stack_, resumer_stack_bytes_);
#endif
  sinter_simt_switch(&here_, resumer_);
#ifdef SINTER_FIBER_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack_, &resumer_stack_, &resumer_stack_bytes_);
#endif
}

}  // namespace sinter::simt
