#pragma once

#include <string>
#include <vector>

#include "backend/host/host_emitter.h"
#include "backend/host/host_expr.h"
#include "ir/ops.h"

namespace tl {

/// Writes the body of one kernel.
class HostStatements {
 public:
  HostStatements(HostExpr& exprs, const LineTable& lines, std::vector<EmittedMessage>& messages)
      : exprs_(exprs), lines_(lines), messages_(messages) {}

  /// The kernel function of `launch`.
  std::string kernel(const Launch& launch, const EmittedKernel& kernel);

 private:
  void block(const Block& block);
  void op(const Bind& op);
  void op(const Alloc& op);
  void op(const View& op);
  void op(const Store& op);
  void op(const Evaluate& op);
  void op(const Assert& op);
  void op(const Print& op);
  void op(const For& op);
  /// The form of a row-writing loop that bypasses the caches, and the start of the other one's branch.
  void stream(const For& op, const std::string& end, int64_t from_bytes);
  void op(const If& op);
  void op(const While& op);
  void op(const Break& op);
  void op(const Continue& op);
  void op(const Gemm& op);
  void op(const Reduce& op);
  void op(const Assume& op);
  /// Everything else is lowered before emission.
  template <class T>
  void op(const T&) {
    internal_error(__FILE__, __LINE__, "kind", "the host emitter has no form for " + std::string(T::kName));
  }

  void arguments(const EmittedKernel& kernel);
  void coordinates(const Launch& launch);
  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  /// Marks the user's line when it is another than the last one.
  void mark(const Loc& loc);
  /// `text` itself, or a new constant that holds it when evaluating it twice could give two values.
  std::string steady(const Expr& e, const std::string& wanted);
  std::string address(const Region& region);
  std::string printed(const Expr& e);
  std::string place();
  int message(bool is_print, std::string text, std::vector<std::string> labels, Loc loc);

  HostExpr& exprs_;
  const LineTable& lines_;
  std::vector<EmittedMessage>& messages_;
  std::string out_;
  int depth_ = 0;
  int marked_ = -1;
  int64_t stack_bytes_ = 0;
  bool streams_ = false;
  const Launch* launch_ = nullptr;
};

}  // namespace tl
