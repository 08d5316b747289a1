#pragma once

#include <string>
#include <vector>

#include "backend/cfamily/c_statements.h"
#include "backend/cfamily/emitted_source.h"
#include "backend/host/host_expr.h"

namespace tl {

/// Writes the body of one kernel.
class HostStatements : public CStatements {
 public:
  HostStatements(HostExpr& exprs, const LineTable& lines, std::vector<EmittedMessage>& messages)
      : CStatements(exprs, lines), messages_(messages) {}

  /// The kernel function of `launch`.
  std::string kernel(const Launch& launch, const EmittedKernel& kernel);

 private:
  void statement(const Op& op) override;
  void pragmas(const For& op) override;
  using CStatements::op;
  void op(const Alloc& op);
  void op(const Assert& op);
  void op(const Print& op);
  void op(const For& op);
  /// The form of a row-writing loop that bypasses the caches, and the start of the other one's branch.
  void stream(const For& op, const std::string& end, int64_t from_bytes);
  void op(const Gemm& op);
  void op(const Reduce& op);
  /// Everything else is lowered before emission.
  template <class T>
  void op(const T&) {
    internal_error(__FILE__, __LINE__, "kind", "the host emitter has no form for " + std::string(T::kName));
  }

  void arguments(const EmittedKernel& kernel);
  void coordinates(const Launch& launch);
  std::string address(const Region& region);
  std::string printed(const Expr& e);
  std::string place();
  int message(bool is_print, std::string text, std::vector<std::string> labels, Loc loc);

  std::vector<EmittedMessage>& messages_;
  int64_t stack_bytes_ = 0;
  bool streams_ = false;
  const Launch* launch_ = nullptr;
};

}  // namespace tl
