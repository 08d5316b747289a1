#include "binding/cpython.h"

#include <dlfcn.h>

#include <array>
#include <string>

#include "runtime/entry_row.h"
#include "support/diagnostic.h"

namespace tl::binding {
namespace {

auto entry_rows(Python& p) {
  return std::array{
      EntryRow{"Py_IncRef", entry(p.increment)},
      EntryRow{"Py_DecRef", entry(p.decrement)},
      EntryRow{"PyObject_Type", entry(p.type)},
      EntryRow{"PyObject_GetAttrString", entry(p.attribute)},
      EntryRow{"PyObject_Call", entry(p.call)},
      EntryRow{"PyObject_CallObject", entry(p.call_with)},
      EntryRow{"PyTuple_Size", entry(p.tuple_size)},
      EntryRow{"PyTuple_GetItem", entry(p.tuple_item)},
      EntryRow{"PyDict_Size", entry(p.dict_size)},
      EntryRow{"PyList_New", entry(p.new_list)},
      EntryRow{"PyList_Append", entry(p.append)},
      EntryRow{"PyCFunction_NewEx", entry(p.new_function)},
      EntryRow{"PyCapsule_New", entry(p.new_capsule)},
      EntryRow{"PyCapsule_GetPointer", entry(p.capsule_pointer)},
      EntryRow{"PyErr_Occurred", entry(p.error)},
      EntryRow{"PyErr_Clear", entry(p.clear_error)},
      EntryRow{"PyEval_SaveThread", entry(p.save_thread)},
      EntryRow{"PyEval_RestoreThread", entry(p.restore_thread)},
      EntryRow{"PyGILState_Ensure", entry(p.ensure_lock)},
      EntryRow{"PyGILState_Release", entry(p.release_lock)},
  };
}

Python find_python() {
  Python found{};
  for (const EntryRow& row : entry_rows(found)) {
    *row.entry = dlsym(RTLD_DEFAULT, row.symbol);
    TL_CHECK(*row.entry != nullptr, std::string("this process has no Python: it lacks ") + row.symbol);
  }
  return found;
}

}  // namespace

const Python& python() {
  static const Python found = find_python();
  return found;
}

}  // namespace tl::binding
