#pragma once

// What crosses the ABI: thin objects that hold the C++ values. Only files of this folder see the ABI's headers.

#include <tvm/ffi/tvm_ffi.h>

#include <memory>
#include <vector>

#include "ir/build/builder.h"

namespace tl::binding {

namespace ffi = tvm::ffi;

struct ExprObject : ffi::Object {
  explicit ExprObject(Expr e) : value(std::move(e)) {}
  Expr value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tl.Expr", ExprObject, ffi::Object);
};

struct BufferObject : ffi::Object {
  explicit BufferObject(Buffer b) : value(std::move(b)) {}
  Buffer value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tl.Buffer", BufferObject, ffi::Object);
};

struct RegionObject : ffi::Object {
  explicit RegionObject(Region r) : value(std::move(r)) {}
  Region value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tl.Region", RegionObject, ffi::Object);
};

struct FunctionObject : ffi::Object {
  explicit FunctionObject(std::shared_ptr<const Function> f) : value(std::move(f)) {}
  std::shared_ptr<const Function> value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tl.Function", FunctionObject, ffi::Object);
};

struct BuilderObject : ffi::Object {
  explicit BuilderObject(std::string name) : value(std::move(name)) {}
  Builder value;
  /// Positions by their ids.
  std::vector<Loc> locs;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tl.Builder", BuilderObject, ffi::Object);
};

/// A reference that is never null.
template <class Object>
class Handle : public ffi::ObjectRef {
 public:
  template <class Value>
    requires(!std::is_base_of_v<ffi::ObjectRef, std::remove_cvref_t<Value>> &&
             !std::is_same_v<std::remove_cvref_t<Value>, ffi::ObjectPtr<Object>>)
  explicit Handle(Value&& value) : ffi::ObjectRef(ffi::make_object<Object>(std::forward<Value>(value))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Handle, ffi::ObjectRef, Object);
};

using ExprHandle = Handle<ExprObject>;
using BufferHandle = Handle<BufferObject>;
using RegionHandle = Handle<RegionObject>;
using FunctionHandle = Handle<FunctionObject>;
using BuilderHandle = Handle<BuilderObject>;

}  // namespace tl::binding
