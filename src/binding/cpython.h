#pragma once

// The interpreter, found in the process: this library is linked against no Python and serves every version. Only
// functions of the stable ABI are used, by their declarations there.

#include <cstdint>

namespace tl::binding {

/// Any object; its layout is the interpreter's own.
struct PythonObject;

/// PyMethodDef
struct PythonFunctionInfo {
  const char* name;
  PythonObject* (*call)(PythonObject* self, PythonObject* args, PythonObject* keywords);
  int flags;
  const char* documentation;
};

/// METH_VARARGS | METH_KEYWORDS
inline constexpr int kArgumentsAndKeywords = 1 | 2;

/// Entry points by their C interface. Those that give an object own it for the caller, but for tuple_item.
struct Python {
  void (*increment)(PythonObject* object);
  void (*decrement)(PythonObject* object);
  PythonObject* (*type)(PythonObject* object);
  PythonObject* (*attribute)(PythonObject* object, const char* name);
  /// `keywords` may be null.
  PythonObject* (*call)(PythonObject* callable, PythonObject* args, PythonObject* keywords);
  /// With a null tuple, without arguments.
  PythonObject* (*call_with)(PythonObject* callable, PythonObject* args);
  intptr_t (*tuple_size)(PythonObject* tuple);
  /// Borrowed.
  PythonObject* (*tuple_item)(PythonObject* tuple, intptr_t at);
  intptr_t (*dict_size)(PythonObject* dict);
  PythonObject* (*new_list)(intptr_t size);
  int (*append)(PythonObject* list, PythonObject* item);
  PythonObject* (*new_function)(PythonFunctionInfo* info, PythonObject* self, PythonObject* module);
  PythonObject* (*new_capsule)(void* pointer, const char* name, void (*destructor)(PythonObject* capsule));
  void* (*capsule_pointer)(PythonObject* capsule, const char* name);
  /// Borrowed; null where no error is set.
  PythonObject* (*error)();
  void (*clear_error)();
  /// Gives the interpreter's lock to other threads until the state is restored.
  void* (*save_thread)();
  void (*restore_thread)(void* state);
  int (*ensure_lock)();
  void (*release_lock)(int state);
};

/// Throws InternalError in a process without Python.
const Python& python();

/// Holds the interpreter's lock, whether this thread had it before or not.
class PythonLock {
 public:
  PythonLock() : state_(python().ensure_lock()) {}
  ~PythonLock() { python().release_lock(state_); }
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  int state_;
};

}  // namespace tl::binding
