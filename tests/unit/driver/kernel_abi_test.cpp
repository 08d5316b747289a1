// The kernel ABI is declared twice: by the runtime, and in the prelude of generated programs. Here they are held
// together.
#include "runtime/kernel_abi.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace prelude {
#include "backend/host/prelude/context.h"
}

namespace tl {
namespace {

TEST(KernelAbi, IsTheSameInPreludeAndRuntime) {
  static_assert(sizeof(tl_host_value) == sizeof(prelude::tl_host_value));
  static_assert(offsetof(tl_host_value, bits) == offsetof(prelude::tl_host_value, bits));
  static_assert(offsetof(tl_host_value, kind) == offsetof(prelude::tl_host_value, kind));
  static_assert(sizeof(tl_host_place) == sizeof(prelude::tl_host_place));
  static_assert(offsetof(tl_host_place, block) == offsetof(prelude::tl_host_place, block));
  static_assert(offsetof(tl_host_place, thread) == offsetof(prelude::tl_host_place, thread));
  static_assert(sizeof(tl_host_context) == sizeof(prelude::tl_host_context));
  static_assert(offsetof(tl_host_context, user) == offsetof(prelude::tl_host_context, user));
  static_assert(offsetof(tl_host_context, fail) == offsetof(prelude::tl_host_context, fail));
  static_assert(offsetof(tl_host_context, print) == offsetof(prelude::tl_host_context, print));

  // The kinds of values mean the same to both.
  EXPECT_EQ(prelude::tlp::signed_value(-1).kind, 0);
  EXPECT_EQ(prelude::tlp::unsigned_value(1).kind, 1);
  EXPECT_EQ(prelude::tlp::float_value(1).kind, 2);
  EXPECT_EQ(prelude::tlp::bool_value(true).kind, 3);
}

}  // namespace
}  // namespace tl
