#pragma once

#include <string>
#include <utility>

#include "backend/cfamily/c_expr.h"
#include "ir/line_table.h"
#include "ir/ops.h"

namespace tl {

/// Writes the statements that every C-like target spells in the same way.
class CStatements {
 public:
  CStatements(CExpr& exprs, const LineTable& lines) : exprs_(exprs), lines_(lines) {}
  virtual ~CStatements() = default;

 protected:
  // What differs between targets.
  /// Writes one op of a block.
  virtual void statement(const Op& op) = 0;
  /// What stands before the `for` of a loop.
  virtual void pragmas(const For&) {}

  void block(const Block& ops);
  void op(const Bind& op);
  void op(const Store& op);
  void op(const View& op);
  void op(const Evaluate& op);
  void op(const If& op);
  void op(const While& op);
  void op(const Break& op);
  void op(const Continue& op);
  void op(const For& op);
  void op(const Assume&) {}

  void scalar(const Alloc& op);
  void array(const Alloc& op);
  /// The counting loop over given bounds.
  void loop(const For& op, const std::string& begin, const std::string& end);
  /// Whether the target's pointers to the memory of `buffer` are to const.
  virtual bool read_only(const BufferNode&) const { return false; }

  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  /// Ends one branch and starts another.
  void turn(const std::string& text);
  /// Marks the user's line when it is another than the last one.
  void mark(const Loc& loc);
  /// `text` itself, or a new constant that holds it when evaluating it twice could give two values.
  std::string steady(const Expr& e, const std::string& wanted);
  std::string take_text() { return std::move(out_); }

  /// A pointer to elements of a type in a memory, without a name.
  virtual std::string pointer_to(DType element, MemorySpace) const { return exprs_.type(element) + "*"; }
  /// The type of a parameter's elements. A type that there is not is an error at the parameter.
  std::string element_type(const BufferNode& parameter);

  CExpr& exprs_;

 private:
  const LineTable& lines_;
  std::string out_;
  int depth_ = 0;
  int marked_ = -1;
};

/// Elements of a buffer on the chip. Throws CompileError TL074 where its shape is known only at run time.
int64_t static_element_count(const BufferNode& buffer);

}  // namespace tl
