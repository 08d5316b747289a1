// What a kernel may ask of the runtime (the runtime declares the same interface in its own words).
//
// | name              | meaning                                                                            |
// |-------------------|------------------------------------------------------------------------------------|
// | tl_host_context   | fail(user, message, place), print(user, message, place, count, values)              |
// | signed_value(x) unsigned_value(x) float_value(x) bool_value(x) | one printed value                     |
#pragma once
#include "base.h"

extern "C" {
struct tl_host_value {
  tlp::u64 bits;
  tlp::i32 kind;
  tlp::i32 reserved;
};
struct tl_host_place {
  tlp::i32 block[3];
  tlp::i32 thread[3];
};
struct tl_host_context {
  void* user;
  void (*fail)(void* user, tlp::i32 message, const tl_host_place* place);
  void (*print)(void* user, tlp::i32 message, const tl_host_place* place, tlp::i32 count, const tl_host_value* values);
};
}

namespace tlp {

TLP_INLINE tl_host_value signed_value(i64 x) { return {u64(x), 0, 0}; }
TLP_INLINE tl_host_value unsigned_value(u64 x) { return {x, 1, 0}; }
TLP_INLINE tl_host_value float_value(double x) { return {bits_of(x), 2, 0}; }
TLP_INLINE tl_host_value bool_value(bool x) { return {u64(x), 3, 0}; }

}  // namespace tlp
