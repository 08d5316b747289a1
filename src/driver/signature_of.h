#pragma once

#include <unordered_map>

#include "driver/int_program_of.h"
#include "ir/function.h"
#include "runtime/signature.h"

namespace tl {

/// The calling interface of a function, with the slots that its symbols and integer scalars have.
struct FunctionSignature {
  Signature signature;
  std::unordered_map<const ExprNode*, int> slots;

  int slot_of(const Var& v) const;
  /// A new slot for a variable of the host program.
  int add_slot(const Var& v);
  /// The slot with the address of a parameter that is a tensor or a pointer, made by the first call: what a variant's
  /// predicate reads to see alignment.
  int address_slot(int param);
};

/// Symbols are bound from the first extent, stride or scalar in which they stand alone, or else from one that is linear
/// in them with everything else known. Error: TL104 for a symbol that no argument determines.
FunctionSignature signature_of(const Function& function);

}  // namespace tl
