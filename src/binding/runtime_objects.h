#pragma once

// Compiled things that cross the ABI: artifacts, and kernels loaded from them.

#include <forward_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binding/objects.h"
#include "runtime/artifact.h"
#include "runtime/executor.h"

namespace tl::binding {

struct ArtifactObject : ffi::Object {
  explicit ArtifactObject(Artifact a) : value(std::make_shared<Artifact>(std::move(a))) {}
  std::shared_ptr<const Artifact> value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tl.Artifact", ArtifactObject, ffi::Object);
};

using ArtifactHandle = Handle<ArtifactObject>;

struct LoadedKernel {
  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<Executor> executor;

  /// Executor::run, with prints and interrupts that reach Python.
  void run(const BoundCall& call) const;
};

/// The arguments of a call as they come over the ABI, turned into views. Lives as long as the call: the views borrow
/// from it.
class CallArguments {
 public:
  /// `packed` begins with the layout, an int whose bit i says that argument i is a pair (see runtime_arguments.cpp),
  /// or, for more than 62 arguments, a string of '0' and '1'. `memory` is used for the views, and may have been used
  /// before.
  CallArguments(ffi::PackedArgs packed, std::vector<Argument>& memory);
  /// None yet.
  explicit CallArguments(std::vector<Argument>& memory) : memory_(memory) {}
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;

  void add(const DLTensor& array);
  std::span<const Argument> arguments() const { return {memory_.data(), count_}; }

 private:
  /// The memory of one more argument, with what an earlier call has left in it: clearing it would take as long as
  /// filling it.
  Argument& next() {
    if (count_ == memory_.size()) memory_.emplace_back();
    return memory_[count_++];
  }
  void add_value(const ffi::AnyView& value);
  void add_pair(const ffi::AnyView& address, const ffi::AnyView& dtype);
  std::string_view keep(std::string text);

  std::vector<Argument>& memory_;
  size_t count_ = 0;
  /// Strides in elements of arrays that give them in bytes. Lists: they cost nothing while they are empty.
  std::forward_list<std::vector<int64_t>> strides_;
  std::forward_list<std::string> texts_;
};

/// Memory of calls on this thread, used again by later ones: a call of a kernel allocates nothing. A call made inside
/// of another (a print's function may run kernels) has its own.
class CallMemory {
 public:
  CallMemory();
  ~CallMemory();
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  std::vector<Argument>& arguments() { return parts_->arguments; }
  BoundCall& call() { return parts_->call; }

 private:
  struct Parts {
    std::vector<Argument> arguments;
    BoundCall call;
  };
  static std::vector<std::unique_ptr<Parts>>& spare();
  std::unique_ptr<Parts> parts_;
};

/// Compiles a text of `artifact` (KernelInfo::code) for its CUDA target. `flags` are the user's.
void build_cuda(Artifact& artifact, int code, const std::vector<std::string>& flags, double timeout, bool keep_files);

}  // namespace tl::binding
