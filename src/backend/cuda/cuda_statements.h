#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "backend/cfamily/device_statements.h"
#include "backend/cfamily/emitted_source.h"
#include "backend/cuda/cuda_expr.h"

namespace tl {

/// Shared memory that a kernel has without asking for it at its launch.
inline constexpr int64_t kStaticSharedBytes = 48 * 1024;

/// Writes one kernel.
class CudaStatements : public DeviceStatements {
 public:
  CudaStatements(CudaExpr& exprs, const LineTable& lines)
      : DeviceStatements(exprs, lines, {DType::f64(), "%.9g", "%.17g"}), cuda_(exprs) {}

  /// The kernel function of `launch`; says in `kernel` what its launch asks for.
  std::string kernel(const Launch& launch, EmittedKernel& kernel);

 private:
  void statement(const Op& op) override;
  void pragmas(const For& op) override;
  bool read_only(const BufferNode& buffer) const override;
  using DeviceStatements::op;
  void op(const Alloc& op);
  void op(const For& op);
  void op(const Barrier& op);
  void op(const ThreadReduce& op);
  void op(const ThreadCommit& op);
  void op(const ThreadWait& op);
  void op(const Assert& op);
  /// Everything else is lowered before emission.
  template <class T>
  void op(const T&) {
    internal_error(__FILE__, __LINE__, "kind", "the CUDA emitter has no form for " + std::string(T::kName));
  }

  void find_stores(const Block& body);
  std::string parameter(const Param& p);
  void shared_area(int64_t bytes, EmittedKernel& kernel);
  void coordinates(const Launch& launch);
  /// Whether the loop is one vector access on each side, which this then writes.
  bool vector_move(const For& op);
  /// Whether the loop is quotients by one divisor, which this then writes.
  bool common_divisor(const For& op);
  /// The address of an element; an array's name where that says it.
  std::string address(const BufferNode& buffer, const std::vector<Expr>& indices);
  void print_line(const std::string& head, const std::string& tail, const std::string& values) override;

  CudaExpr& cuda_;
  std::string shared_area_;
  /// The parameter with the word that barriers of the grid count in; empty without any.
  std::string grid_state_;
  int64_t threads_ = 1;
  /// The thread's linear index in its block.
  std::string thread_ = "0";
  /// Where the memory of a view comes from, and what is written.
  std::unordered_map<const BufferNode*, const BufferNode*> sources_;
  std::unordered_set<const BufferNode*> written_;
};

}  // namespace tl
