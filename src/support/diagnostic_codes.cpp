#include <algorithm>

#include "support/diagnostic.h"

namespace tl {
namespace {

using enum ErrorClass;

/// Stable numbers: a code is never reused. Ranges: 1 to 29 language rules, 30s gemm, 40s copies, 50s fills and
/// reductions, 60s loops and control flow, 70s launches and allocation, 80s types and arithmetic, 90s lowering,
/// 100s calls and compilation, 120s findings of the checker.
const std::vector<DiagnosticCode> kCodes = {
    {1, kType, "parameter without annotation"},
    {2, kRuntime, "name used outside its defining region"},
    {3, kType, "not a condition"},
    {4, kRuntime, "loop never ends"},
    {5, kNotImplemented, "statement has no meaning in a kernel"},
    {6, kValue, "value rebound inside symbolic control flow"},
    {7, kRuntime, "value cannot be returned"},
    {8, kValue, "macro argument cannot be a reference"},
    {9, kType, "value has no meaning in a kernel"},
    {10, kName, "unknown name"},
    {11, kRuntime, "buffer updated as a whole"},
    {12, kRuntime, "macro call in an expression that may be skipped"},
    {13, kValue, "wrong number of values to unpack"},
    {14, kValue, "compile-time constant without a value"},
    {15, kRuntime, "compile-time constant not used"},
    {16, kType, "tensor argument without declaration"},
    {17, kRuntime, "kernel without a launch"},
    {18, kAssertion, "empty message"},
    {19, kValue, "options exclude each other"},
    {20, kIndex, "wrong number of indices"},
    {21, kIndex, "index out of range"},
    {22, kType, "index is not an integer"},
    {23, kRuntime, "slice with a step"},
    {24, kType, "value cannot be stored"},
    {25, kValue, "wrong shape or strides"},
    {26, kAssertion, "view of another size"},
    {27, kValue, "negative extent"},
    {28, kValue, "conversion outside of a vector region"},
    {30, kAssertion, "gemm operand of unusable rank"},
    {31, kAssertion, "gemm extents differ"},
    {32, kValue, "gemm operands of unusable type"},
    {33, kValue, "gemm operand in an unusable memory"},
    {34, kValue, "result overlaps an operand"},
    {35, kValue, "product that the cube unit does not have"},
    {40, kValue, "copy between unequal shapes"},
    {41, kAssertion, "extents of a copy cannot be deduced"},
    {42, kValue, "not a buffer, region or element"},
    {43, kValue, "copy source larger than its destination"},
    {44, kKey, "unknown copy option"},
    {45, kValue, "copy option that does not apply"},
    {46, kValue, "no data path between two memories"},
    {50, kValue, "reduction output of the wrong shape"},
    {51, kValue, "reduction in an unusable memory"},
    {52, kValue, "unknown reduction"},
    {53, kValue, "dimension out of range"},
    {54, kValue, "region exceeds its buffer"},
    {60, kValue, "nested parallel loops are not adjacent"},
    {61, kValue, "pipelined loop inside a parallel loop"},
    {62, kValue, "tile operation inside a parallel loop"},
    {63, kValue, "fragment indexed by a loop of run-time extent"},
    {64, kValue, "thread-local buffer indexed by a parallel loop"},
    {65, kValue, "loop step is zero"},
    {66, kType, "loop extent is not an integer"},
    {67, kValue, "break or continue without a loop it may leave"},
    {68, kIndex, "parallel loop without extents"},
    {69, kType, "number of stages is not a constant"},
    {70, kValue, "launch with unusable threads"},
    {71, kValue, "launch with unusable grid"},
    {72, kRuntime, "nested launch"},
    {73, kRuntime, "statement needs a launch"},
    {74, kValue, "unusable allocation"},
    {75, kValue, "unknown rasterisation order"},
    {76, kValue, "barrier that not all threads reach"},
    {77, kValue, "pipeline annotation of another length than the loop body"},
    {78, kValue, "collective operation that differs between threads"},
    {79, kValue, "statement in the wrong part of a core's program"},
    {80, kType, "operands of unusable types"},
    {81, kValue, "constant out of range"},
    {82, kRuntime, "integer division with /"},
    {83, kValue, "unknown dtype"},
    {84, kType, "wrong number of arguments of an operation"},
    {85, kValue, "symbolic value where a constant is needed"},
    {86, kType, "not a dtype"},
    {87, kValue, "store may lose precision"},
    {88, kValue, "option without effect"},
    {89, kAttribute, "unknown attribute"},
    {90, kRuntime, "operation not available on this target"},
    {91, kRuntime, "resources of the target exceeded"},
    {92, kRuntime, "source compiler failed"},
    {93, kRuntime, "no CUDA driver or device"},
    {94, kRuntime, "CUDA driver call failed"},
    {100, kValue, "wrong number of arguments"},
    {101, kRuntime, "argument of the wrong kind"},
    {102, kRuntime, "argument of the wrong rank"},
    {103, kRuntime, "argument of the wrong dtype"},
    {104, kRuntime, "argument of the wrong shape"},
    {105, kRuntime, "argument with unusable strides"},
    {106, kRuntime, "argument on the wrong device"},
    {107, kRuntime, "argument without data"},
    {108, kValue, "output index out of range"},
    {109, kAssertion, "unknown target"},
    {110, kRuntime, "assertion of the kernel failed"},
    {111, kValue, "text IR cannot be read"},
    {120, kRuntime, "access out of bounds"},
    {121, kRuntime, "read of an uninitialised element"},
    {122, kRuntime, "parallel iterations conflict"},
    {123, kRuntime, "threads race"},
    {124, kRuntime, "division by zero"},
    {125, kRuntime, "engines of a core race"},
    {126, kRuntime, "flag or mutex misused"},
    {127, kRuntime, "kernel waits for ever"},
    {128, kRuntime, "instruction with unusable arguments"},
};

}  // namespace

const std::vector<DiagnosticCode>& all_diagnostic_codes() { return kCodes; }

const DiagnosticCode& diagnostic_code(int number) {
  const auto row =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const DiagnosticCode& c) { return c.number == number; });
  TL_CHECK(row != kCodes.end(), "unknown diagnostic code " + std::to_string(number));
  return *row;
}

}  // namespace tl
