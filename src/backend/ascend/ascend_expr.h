#pragma once

#include <string>

#include "backend/cfamily/device_expr.h"
#include "backend/cfamily/device_statements.h"
#include "types/memory_space.h"

namespace tl {

/// What stands before the type that a pointer to this memory is to: "__ubuf__ ".
const char* memory_qualifier(MemorySpace space);

/// Whose code it is: that of the core, or of threads on its vector engine.
enum class AscendScope : uint8_t { kCore, kThreads };

/// Expressions of Ascend C.
class AscendExpr : public DeviceExpr {
 public:
  AscendExpr(CNames& names, DType index_type, const Function& function, AscendScope scope);

  /// A pointer to elements of a type in a memory, without a name: "__ubuf__ float*".
  std::string pointer(DType element, MemorySpace space);
  /// A statement that ends the kernel where a condition does not hold.
  std::string assertion(const Assert& op);
  /// A printf of `who`, CORE or THREAD: a format, who prints, the rest of the format, and what it takes.
  std::string printed_line(std::string_view who, const std::string& head, const std::string& tail,
                           const std::string& values);
};

/// What printf of the machine takes.
inline constexpr PrintfFloats kAscendFloats{DType::f32(), "%f", "%f"};

/// The machine's own name of an element type, such as "half".
std::string_view machine_type(DType t);

}  // namespace tl
