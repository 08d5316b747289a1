#pragma once

#include <string>

#include "backend/ascend/ascend_expr.h"
#include "backend/cfamily/device_statements.h"

namespace tl {

/// Writes a function of threads, which a core starts on its vector engine.
class RegionStatements : public DeviceStatements {
 public:
  RegionStatements(AscendExpr& exprs, const LineTable& lines)
      : DeviceStatements(exprs, lines, kAscendFloats), ascend_(exprs) {}

  /// The function `name` of a launch, whose parameters are `args`. Behind them stands the scratch of its threads, where
  /// they use any.
  std::string function(const Launch& launch, const std::string& name, const std::vector<Param>& args);

 private:
  void statement(const Op& op) override;
  std::string pointer_to(DType element, MemorySpace space) const override { return ascend_.pointer(element, space); }
  void pragmas(const For& op) override;
  using DeviceStatements::op;
  void op(const Alloc& op);
  void op(const Assert& op) { line(ascend_.assertion(op)); }
  void print_line(const std::string& head, const std::string& tail, const std::string& values) override {
    line(ascend_.printed_line("THREAD", head, tail, values));
  }
  void op(const Barrier& op);
  void op(const ThreadReduce& op);
  /// Everything else is lowered before emission, or not for this machine.
  template <class T>
  void op(const T& op) {
    throw CompileError(Diagnostic{Severity::kError,
                                  90,
                                  "`" + std::string(T::kName) + "` is not available in T.SimtVF on Ascend yet",
                                  op.loc,
                                  {},
                                  {}});
  }
  void name_threads(const Launch& launch);
  std::string address(const Region& region);

  AscendExpr& ascend_;
  std::string scratch_;
  int64_t threads_ = 1;
  std::string thread_ = "0";
};

/// Whether threads of the launch use memory of their own on the core.
bool uses_scratch(const Launch& launch);

}  // namespace tl
