#pragma once

#include "ir/op.h"

namespace tl {

/// Gives `value`, evaluated here and now, a name for the rest of the block.
struct Bind : OpOf<OpKind::kBind> {
  static constexpr std::string_view kName = "bind";
  Var var;
  Expr value;
  static constexpr auto fields() { return std::tuple{defines("var", &Bind::var), operand("value", &Bind::value)}; }
};

/// Brings `buffer` into being for the rest of the block; its elements are undefined, or `init` where given. With `at`
/// it is a global buffer in memory of the caller that begins at this address.
struct Alloc : OpOf<OpKind::kAlloc> {
  static constexpr std::string_view kName = "alloc";
  Buffer buffer;
  Expr init;
  Expr at;
  Attrs hints;
  static constexpr auto fields() {
    return std::tuple{defines("buffer", &Alloc::buffer), operand("init", &Alloc::init, FieldStyle::kKeyword),
                      operand("at", &Alloc::at, FieldStyle::kKeyword), attr("hints", &Alloc::hints)};
  }
};

/// Names the memory of `source` a second time, with another shape, strides or dtype of the same total size in bits.
struct View : OpOf<OpKind::kView> {
  static constexpr std::string_view kName = "view";
  Buffer buffer;
  Buffer source;
  static constexpr auto fields() {
    return std::tuple{defines("buffer", &View::buffer), refers("source", &View::source)};
  }
};

/// Writes one element. Out of range it writes nothing where the buffer is global (see docs/text-ir.md).
struct Store : OpOf<OpKind::kStore> {
  static constexpr std::string_view kName = "store";
  Buffer buffer;
  std::vector<Expr> indices;
  Expr value;
  static constexpr auto fields() {
    return std::tuple{refers("buffer", &Store::buffer), index_operand("indices", &Store::indices),
                      operand("value", &Store::value)};
  }
};

/// Evaluates a call for its effect.
struct Evaluate : OpOf<OpKind::kEvaluate> {
  static constexpr std::string_view kName = "evaluate";
  Expr value;
  static constexpr auto fields() { return std::tuple{operand("value", &Evaluate::value)}; }
};

/// Stops the program with `message` when `condition` is false.
struct Assert : OpOf<OpKind::kAssert> {
  static constexpr std::string_view kName = "assert";
  Expr condition;
  std::string message;
  static constexpr auto fields() {
    return std::tuple{operand("condition", &Assert::condition), attr("message", &Assert::message)};
  }
};

/// Promises that `condition` holds from here on; the compiler may rely on it and the checker tests it.
struct Assume : OpOf<OpKind::kAssume> {
  static constexpr std::string_view kName = "assume";
  Expr condition;
  static constexpr auto fields() { return std::tuple{operand("condition", &Assume::condition)}; }
};

/// Prints `message`, then the values, then the elements of `region` where given.
struct Print : OpOf<OpKind::kPrint> {
  static constexpr std::string_view kName = "print";
  std::string message;
  std::vector<Expr> values;
  Region region;
  static constexpr auto fields() {
    return std::tuple{attr("message", &Print::message), operand("values", &Print::values, FieldStyle::kKeyword),
                      reads("region", &Print::region)};
  }
};

}  // namespace tl
