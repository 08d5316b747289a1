#include "simulate/switch_stack.h"

#include <cstdint>

#include "support/diagnostic.h"

namespace tl::simulate {

#if TL_SWITCH_STACK

// What the calling convention of System V lets a function expect unchanged is put on the stack that is left, and taken
// from the one that is entered: six registers and the two words that control floating point. A new stack is made to
// look as if it had been left in front of tl_start_stack.
asm(R"(
  .text
  .globl tl_swap_stack
  .hidden tl_swap_stack
  .type tl_swap_stack, @function
tl_swap_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size tl_swap_stack, .-tl_swap_stack

  .globl tl_start_stack
  .hidden tl_start_stack
  .type tl_start_stack, @function
tl_start_stack:
  movq %r12, %rdi
  call *%r13
  ud2
  .size tl_start_stack, .-tl_start_stack
)");

extern "C" {
void tl_swap_stack(void** save, void* load);
void tl_start_stack();
}

void prepare_stack(StackPoint& point, std::byte* stack, size_t bytes, void (*enter)(void*), void* argument) {
  const uintptr_t end = (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t{15};
  auto* top = reinterpret_cast<uint64_t*>(end) - 8;
  asm volatile("stmxcsr (%0)\n\tfnstcw 4(%0)" : : "r"(top) : "memory");
  top[1] = top[2] = top[5] = top[6] = 0;          // r15 r14 rbx rbp
  top[3] = reinterpret_cast<uint64_t>(enter);     // r13
  top[4] = reinterpret_cast<uint64_t>(argument);  // r12
  top[7] = reinterpret_cast<uint64_t>(&tl_start_stack);
  point = top;
}

void switch_stack(StackPoint& from, StackPoint& to) { tl_swap_stack(&from, to); }

#else

namespace {

/// makecontext passes ints.
void enter_with(unsigned f_high, unsigned f_low, unsigned a_high, unsigned a_low) {
  const auto pointer = [](unsigned high, unsigned low) { return static_cast<uintptr_t>(high) << 32 | low; };
  reinterpret_cast<void (*)(void*)>(pointer(f_high, f_low))(reinterpret_cast<void*>(pointer(a_high, a_low)));
}

}  // namespace

void prepare_stack(StackPoint& point, std::byte* stack, size_t bytes, void (*enter)(void*), void* argument) {
  TL_CHECK(getcontext(&point) == 0, "no context for a stack");
  point.uc_stack.ss_sp = stack;
  point.uc_stack.ss_size = bytes;
  point.uc_link = nullptr;
  const auto f = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(enter));
  const auto a = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(argument));
  makecontext(&point, reinterpret_cast<void (*)()>(&enter_with), 4, static_cast<unsigned>(f >> 32),
              static_cast<unsigned>(f), static_cast<unsigned>(a >> 32), static_cast<unsigned>(a));
}

void switch_stack(StackPoint& from, StackPoint& to) { swapcontext(&from, &to); }

#endif

}  // namespace tl::simulate
