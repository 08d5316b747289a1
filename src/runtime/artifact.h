// What compilation gives, the cache stores, the runtime loads and a user exports.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/host_program.h"
#include "runtime/int_program.h"
#include "runtime/signature.h"
#include "support/diagnostic.h"

namespace tl {

/// A function of the binary that a launch calls.
struct KernelInfo {
  /// Name in the binary: `<function>_kernel`, with a number when there are several.
  std::string symbol;
  /// Threads of a block in x, y and z.
  std::array<int64_t, 3> threads = {1, 1, 1};
  /// Bytes of dynamic shared memory of a launch (devices only).
  int64_t shared_bytes = 0;
  /// What the source compiler reports (devices only): registers of a thread, bytes that a thread keeps in memory for
  /// want of registers, bytes of static shared memory. 0 where it says nothing.
  int64_t registers = 0, spill_bytes = 0, static_shared_bytes = 0;
  /// Its tile programs wait for each other, so that all of them run at once (devices only).
  bool programs_meet = false;
  /// It waits for memory whatever becomes of its code, so that a quick compilation does (devices only).
  bool light = false;
  /// The text that it stands in: 0 is Artifact::source, i > 0 is Artifact::later[i - 1].
  int code = 0;
  /// Where the user launches it; null where it is not known.
  Loc loc = {};
};

/// Kernels of variants that most processes never need: a text of their own, which is compiled when a call first takes
/// such a variant.
struct LaterCode {
  std::string source;
  /// Empty until then.
  std::string binary;
};

/// One way to run the artifact. The first whose predicate holds (is not 0) for the arguments is taken; the last one's
/// is the constant 1. Predicates read the slots that the signature binds: addresses, extents, strides, scalars.
struct Variant {
  /// What it rests on, for people: "tensors aligned to 16 bytes, n % 4 == 0", "general".
  std::string name;
  IntProgram predicate = IntProgram::constant(1);
  HostProgram program;
};

/// A text that a running kernel refers to by its index in Artifact::messages.
struct Message {
  enum class Kind : uint8_t { kAssert, kPrint };
  Kind kind = Kind::kAssert;
  /// An assertion's message or a print's prefix; may be empty.
  std::string text;
  /// kPrint: what each printed value is called ("A[0]"), one per value; kAssert: the condition's text, if any.
  std::vector<std::string> labels;
  /// The user's line; an empty file where it is not known.
  std::string file;
  int line = 0;
  int column = 0;
  int end_column = 0;
};

struct Artifact {
  /// The user's function.
  std::string name;
  /// "host", "interpret", "sm_90a", ...: the machine that it was compiled for, by its name in the target table.
  std::string target;
  /// Text that was given to the target's compiler.
  std::string source;
  /// Text of the host side as a person reads it (argument binding, launches); may be empty.
  std::string host_source;
  /// Shared object or device binary of `source`; empty until a toolchain has run, and for "interpret".
  std::string binary;
  /// One a variant after the first; empty on the host, whose variants share one text.
  std::vector<LaterCode> later;
  /// The compiled function in text IR: what "interpret" runs and reproducers show.
  std::string program;

  Signature signature;
  std::vector<KernelInfo> kernels;
  std::vector<Variant> variants;
  std::vector<Message> messages;

  /// Throws InternalError when parts do not fit together: indices, incomplete programs, no last variant that is always
  /// true.
  void verify() const;

  const std::string& source_of(int code) const { return code == 0 ? source : later[code - 1].source; }
  const std::string& binary_of(int code) const { return code == 0 ? binary : later[code - 1].binary; }
};

}  // namespace tl
