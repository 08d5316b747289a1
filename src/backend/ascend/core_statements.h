#pragma once

#include <string>

#include "backend/ascend/ascend_expr.h"
#include "backend/cfamily/device_statements.h"
#include "backend/cfamily/emitted_source.h"

namespace tl {

/// Writes the program of a core, and the functions of threads that it starts.
class CoreStatements : public DeviceStatements {
 public:
  CoreStatements(AscendExpr& exprs, const LineTable& lines, const Function& function)
      : DeviceStatements(exprs, lines, kAscendFloats), ascend_(exprs), lines_(lines), function_(function) {}

  /// The kernel function, behind those of threads. Adds to `headers` what those need of the prelude.
  std::string kernel(const CoreLaunch& core, const EmittedKernel& kernel, std::set<std::string>& headers);

 private:
  void statement(const Op& op) override;
  std::string pointer_to(DType element, MemorySpace space) const override { return ascend_.pointer(element, space); }
  using DeviceStatements::op;
  void op(const Alloc& op);
  void op(const Assert& op) { line(ascend_.assertion(op)); }
  void print_line(const std::string& head, const std::string& tail, const std::string& values) override {
    line(ascend_.printed_line("CORE", head, tail, values));
  }
  void op(const Print& op);
  void op(const Copy& op);
  void op(const Fill& op);
  void op(const Gemm& op);
  void op(const Launch& op);
  void op(const CoreSet& op);
  void op(const CoreWait& op);
  void op(const CoreBarrier& op);
  /// Everything else is lowered before emission, or not for this machine.
  template <class T>
  void op(const T& op) {
    throw CompileError(Diagnostic{Severity::kError,
                                  90,
                                  "`" + std::string(T::kName) + "` is not available in programs of cores on Ascend yet",
                                  op.loc,
                                  {},
                                  {}});
  }

  // Copies by engines: core_copies.cpp
  /// A copy between a tensor and the unified buffer, in parts where one call cannot take all rows.
  void copy_rows(const Copy& op, std::string_view call);
  void load_unified(const Copy& op);
  void store_unified(const Copy& op);
  void load_l1(const Copy& op);
  void load_l0(const Copy& op);
  void store_accumulator(const Copy& op);
  /// The address of a region's first element.
  std::string address(const Region& region, std::string_view element = {});
  /// Of a tile of fractals: elements between the start of its memory and the region's first row and column.
  std::string fractal_address(const Region& region);
  std::string bytes(const Expr& elements, DType t);
  /// A number as a member of a struct of the calls.
  std::string field(const Expr& e);
  /// A parameter of the kernel, as it is declared.
  std::string parameter(const Param& p);
  /// A buffer as an argument of a function of threads.
  std::string argument(const BufferNode& b);

  AscendExpr& ascend_;
  const LineTable& lines_;
  const Function& function_;
  std::string name_, regions_;
  std::set<std::string>* headers_ = nullptr;
  int region_count_ = 0;
};

}  // namespace tl
