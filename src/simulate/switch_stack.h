#pragma once

// The change from one stack to another, without the system calls of swapcontext where the processor is known.

#include <cstddef>

#if defined(__x86_64__) && defined(__ELF__)
#define TL_SWITCH_STACK 1
#else
#define TL_SWITCH_STACK 0
#include <ucontext.h>
#endif

namespace tl::simulate {

#if TL_SWITCH_STACK

/// Where code stands that does not run: its stack pointer, with its registers on its stack.
using StackPoint = void*;

#else

using StackPoint = ucontext_t;

#endif

/// Makes `point` the start of `enter(argument)` on a stack of its own; `enter` never returns.
void prepare_stack(StackPoint& point, std::byte* stack, size_t bytes, void (*enter)(void*), void* argument);
/// Keeps in `from` where the caller stands, and goes on at `to`.
void switch_stack(StackPoint& from, StackPoint& to);

}  // namespace tl::simulate
