// The interface of a compiled host kernel. backend/host's prelude declares the same in its own words, because a
// generated program includes nothing of the compiler; a test of the driver holds the two together.
//
//   extern "C" void <symbol>(const uint64_t* args, const int64_t* grid, int64_t first, int64_t last,
//                            const tl_host_context* context);
//
// runs tile programs first .. last-1 of the grid, counted with x fastest. args[i] is an address or a scalar's bits:
// integers sign- or zero-extended by their type, floats as their own pattern in the low bits. Called from several
// threads at once.
#pragma once

#include <cstdint>

extern "C" {

/// One printed value. `kind` says how to read `bits`: 0 a signed integer, 1 an unsigned one, 2 a float64's pattern, 3 a
/// bool.
struct tl_host_value {
  uint64_t bits;
  int32_t kind;
  int32_t reserved;
};

/// Who executes: the tile program's and the thread's indices in x, y and z.
struct tl_host_place {
  int32_t block[3];
  int32_t thread[3];
};

/// What a kernel may ask of the runtime. Both functions may be called from any thread and return to the kernel; after
/// `fail` it goes on (without meaning), or returns at once.
struct tl_host_context {
  void* user;
  /// Assertion `message` does not hold.
  void (*fail)(void* user, int32_t message, const tl_host_place* place);
  /// Prints `count` values with the labels of `message`.
  void (*print)(void* user, int32_t message, const tl_host_place* place, int32_t count, const tl_host_value* values);
};

typedef void (*tl_host_kernel)(const uint64_t* args, const int64_t* grid, int64_t first, int64_t last,
                               const tl_host_context* context);

}  // extern "C"
