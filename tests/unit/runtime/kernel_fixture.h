// Artifacts made by hand, with kernels compiled from C++ text that follows the kernel ABI.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/arguments.h"
#include "runtime/executor.h"
#include "runtime/host_toolchain.h"

namespace tl::testing {

/// The declarations of the kernel ABI, as a generated program has them.
inline const std::string kAbi = R"(
typedef long long i64; typedef unsigned long long u64; typedef int i32;
struct Value { u64 bits; i32 kind, reserved; };
struct Place { i32 block[3], thread[3]; };
struct Context { void* user; void (*fail)(void*, i32, const Place*);
                 void (*print)(void*, i32, const Place*, i32, const Value*); };
#define KERNEL(name) extern "C" __attribute__((visibility("default"))) \
  void name(const u64* args, const i64* grid, i64 first, i64 last, const Context* ctx)
)";

inline std::string compile(const std::string& source) {
  return compile_shared_object(find_host_toolchain({}), {"k", kAbi + source, {"-O1", "-std=c++20"}, 60, false});
}

inline IntProgram slot(int i) { return IntProgram::slot(i); }
inline IntProgram number(int64_t value) { return IntProgram::constant(value); }
inline IntProgram binary(IntOp op, const IntProgram& x, const IntProgram& y) {
  IntProgram out = x;
  return out.push_all(y).push(op);
}

inline Dim dim(int64_t value) { return {number(value), ""}; }
inline Dim dim(IntProgram program, std::string text) { return {std::move(program), std::move(text)}; }

inline ParamSpec tensor(std::string name, DType dtype, std::vector<Dim> shape, bool output = false) {
  ParamSpec param;
  param.name = std::move(name);
  param.dtype = dtype;
  param.shape = std::move(shape);
  param.output = output;
  return param;
}

inline ParamSpec scalar(std::string name, DType dtype) {
  ParamSpec param;
  param.name = std::move(name);
  param.kind = ParamKind::kScalar;
  param.dtype = dtype;
  return param;
}

inline SlotBinding bind_extent(int slot, int param, int axis) {
  SlotBinding binding;
  binding.slot = slot;
  binding.sources.push_back({{ArgumentField::Kind::kExtent, param, axis}, number(1), number(0)});
  return binding;
}

/// An artifact "k" with one variant that does nothing.
inline Artifact empty_artifact() {
  Artifact artifact;
  artifact.name = "k";
  artifact.target = "host";
  artifact.variants.emplace_back().name = "general";
  return artifact;
}

/// An array of the test with its own shape and strides; a view of it is an argument.
template <class T>
struct Array {
  std::vector<T> data;
  std::vector<int64_t> shape, strides;
  DType dtype;

  Array(DType type, std::vector<int64_t> extents, T value = T()) : shape(std::move(extents)), dtype(type) {
    int64_t size = 1;
    for (const int64_t extent : shape) size *= extent;
    data.assign(static_cast<size_t>(size), value);
  }
  Argument argument() {
    Argument a;
    a.kind = Argument::Kind::kTensor;
    a.tensor.data = data.data();
    a.tensor.dtype = dtype;
    a.tensor.rank = static_cast<int32_t>(shape.size());
    a.tensor.shape = shape.data();
    a.tensor.strides = strides.empty() ? nullptr : strides.data();
    return a;
  }
};

inline Argument integer(int64_t value) {
  Argument a;
  a.kind = Argument::Kind::kInt;
  a.integer = value;
  return a;
}
inline Argument real(double value) {
  Argument a;
  a.kind = Argument::Kind::kFloat;
  a.real = value;
  return a;
}
inline Argument boolean(bool value) {
  Argument a;
  a.kind = Argument::Kind::kBool;
  a.integer = value;
  return a;
}

}  // namespace tl::testing
