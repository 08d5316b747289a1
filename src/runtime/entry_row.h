#pragma once

// Tables of the functions that are looked up in a library at run time.

namespace tl {

struct EntryRow {
  const char* symbol;
  /// Where its address goes.
  void** entry;
};

/// Of a pointer to a function, the member of a struct of them.
template <class F>
void** entry(F*& function) {
  return reinterpret_cast<void**>(&function);
}

}  // namespace tl
