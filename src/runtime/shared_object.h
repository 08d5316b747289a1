// Shared objects loaded from memory.
#pragma once

#include <string>
#include <string_view>

namespace tl {

/// A shared object that was loaded from its bytes and is unloaded with this value. No file of the cache stays mapped:
/// one that is damaged or removed later cannot touch a running process.
class SharedObject {
 public:
  /// `name` shows in debuggers. Throws InternalError with the loader's words when the bytes cannot be loaded.
  SharedObject(std::string_view name, std::string_view bytes);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  /// The address of a symbol, null when there is none.
  void* find(const std::string& symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace tl
