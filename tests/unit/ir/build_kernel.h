#pragma once

// A kernel under construction, and what came of it: the text of the function, or the text of the mistakes.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "ir/build/builder.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace tl::testing {

inline Loc line(int number) { return make_loc("k.py", number, 5, 20); }

/// Runs `body` on a builder; its function must be sound and read back as it was written.
inline std::string built(const std::function<void(Builder&)>& body) {
  Builder b("f");
  b.at(line(1));
  try {
    body(b);
    const auto function = b.finish();
    check_sound(*function, Stage::kTile, "building");
    const std::string text = print(*function);
    EXPECT_EQ(print(*parse_function(text)), text);
    return text;
  } catch (const CompileError& e) {
    return e.what();
  }
}

/// A launch of 4 blocks of 128 threads around `body`, which starts on line 10; only the lines inside the launch.
inline std::string kernel(const std::function<void(Builder&)>& body) {
  std::string text = built([&](Builder& b) {
    b.launch({4}, {128});
    b.at(line(10));
    body(b);
    b.end();
  });
  const std::string head = "func @f params [] {\n  launch [%bx: int32], [4], threads=[128] {\n", tail = "  }\n}\n";
  if (text == "func @f params [] {\n  launch [%bx: int32], [4], threads=[128] {}\n}\n") return "";
  if (text.rfind(head, 0) != 0) return text;
  text = text.substr(head.size(), text.size() - head.size() - tail.size());
  std::string out;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    out += text.substr(at + 4, end - at - 3);
  }
  return out;
}

/// The class and the text of the CompileError that `body` throws.
inline std::pair<std::string, std::string> thrown(const std::function<void()>& body) {
  try {
    body();
  } catch (const CompileError& e) {
    return {std::string(error_class_name(e.error_class())), e.what()};
  }
  return {"", "nothing was thrown"};
}

inline Buffer shared(Builder& b, const std::string& name, std::vector<Operand> shape, DType dtype = DType::f16()) {
  return b.alloc(name, dtype, std::move(shape), MemorySpace::kShared);
}
inline Buffer fragment(Builder& b, const std::string& name, std::vector<Operand> shape, DType dtype = DType::f32()) {
  return b.alloc(name, dtype, std::move(shape), MemorySpace::kFragment);
}
inline Buffer local(Builder& b, const std::string& name, std::vector<Operand> shape, DType dtype = DType::f32()) {
  return b.alloc(name, dtype, std::move(shape), MemorySpace::kLocal);
}

}  // namespace tl::testing
