#pragma once

#include "ir/op.h"

namespace tl {

/// All threads of the enclosing group meet here; what they wrote to shared and global memory before is seen after. With
/// `id` and `count` only `count` threads meet, on hardware barrier `id`. With `grid` all threads of all tile programs
/// of the launch meet, so that these run at once.
struct Barrier : OpOf<OpKind::kBarrier> {
  static constexpr std::string_view kName = "barrier";
  int64_t id = -1;
  int64_t count = 0;
  bool grid = false;
  static constexpr auto fields() {
    return std::tuple{attr("id", &Barrier::id), attr("count", &Barrier::count), attr("grid", &Barrier::grid)};
  }
};

/// Whether tile programs wait for each other here.
inline bool is_grid_barrier(const Op& op) {
  const auto* barrier = op.as<Barrier>();
  return barrier != nullptr && barrier->grid;
}

/// Starts a copy and yields a token at once. `dst` may not be touched, nor `src` written, until a `wait` on the token.
struct AsyncCopy : OpOf<OpKind::kAsyncCopy> {
  static constexpr std::string_view kName = "async.copy";
  Var token;
  Region src, dst;
  Expr pad;
  Attrs hints;
  static constexpr auto fields() {
    return std::tuple{defines("token", &AsyncCopy::token), reads("src", &AsyncCopy::src),
                      writes("dst", &AsyncCopy::dst), operand("pad", &AsyncCopy::pad, FieldStyle::kKeyword),
                      attr("hints", &AsyncCopy::hints)};
  }
};

/// Blocks the enclosing group until the work behind every token is done and visible to it.
struct Wait : OpOf<OpKind::kWait> {
  static constexpr std::string_view kName = "wait";
  std::vector<Expr> tokens;
  static constexpr auto fields() { return std::tuple{operand("tokens", &Wait::tokens)}; }
};

}  // namespace tl
