#pragma once

// Expressions in the form in which they run: each node computes its value for all active lanes at once.

#include <memory>
#include <vector>

#include "ir/intrinsics.h"
#include "simulate/machine.h"
#include "simulate/value.h"

namespace tl::simulate {

class Node {
 public:
  /// A node that varies has one value a lane, `width` in all; else one for all lanes, and it is computed once.
  Node(DType dtype, bool varies, int width)
      : dtype_(dtype), varies_(varies), out_(varies ? static_cast<size_t>(width) : 1) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;

  DType dtype() const { return dtype_; }
  bool varies() const { return varies_; }
  /// The values for `lanes`, of which at least one is active; valid until the node's next evaluation.
  virtual Values eval(Machine& m, const LaneSet& lanes) = 0;
  /// The one value of a node that does not vary.
  Raw scalar(Machine& m, const LaneSet& lanes) { return eval(m, lanes)[0]; }

 protected:
  Values result() const { return {out_.data(), varies_ ? 1 : 0}; }
  Span span(const LaneSet& lanes) const { return varies_ ? Span{lanes.begin(), lanes.end()} : Span{0, 1}; }
  /// Calls `f` for the active lanes, or for lane 0 where the value is the same for all.
  template <class F>
  void each(const LaneSet& lanes, F&& f) const {
    varies_ ? lanes.each(f) : f(0);
  }

  DType dtype_;
  bool varies_;
  std::vector<Raw> out_;
};
using NodePtr = std::unique_ptr<Node>;
using NodeList = std::vector<NodePtr>;

/// The storage of a variable.
struct VarSlot {
  bool varies = false;
  std::vector<Raw> values;
};

NodePtr make_const_node(Scalar value);
NodePtr make_var_node(DType dtype, const VarSlot* slot);
NodePtr make_unary_node(UnaryOp op, NodePtr a, int width);
/// `site` is where a division by zero is reported. `&&` and `||` look at the right side only where the left one does
/// not decide, so that a condition guards what stands behind it.
NodePtr make_binary_node(BinaryOp op, NodePtr a, NodePtr b, int width, uint32_t site);
NodePtr make_select_node(NodePtr condition, NodePtr a, NodePtr b, int width);
NodePtr make_cast_node(DType to, NodePtr a, int width);
NodePtr make_bitcast_node(DType to, NodePtr a, int width);
NodePtr make_math_node(MathFn fn, DType dtype, NodeList args, int width);
NodePtr make_load_node(BufferSlot* buffer, NodeList indices, int width, uint32_t site);

/// One element of a buffer, named by indices, at one place of the program.
class ElementRef {
 public:
  ElementRef(BufferSlot* buffer, NodeList indices, int width, uint32_t site, bool writes);

  BufferSlot& buffer() const { return *buffer_; }
  uint32_t site() const { return site_; }
  /// Lanes name elements of their own.
  bool per_lane() const { return per_lane_; }
  /// Evaluates the indices and reports those out of range; then `at` gives the element of a lane, -1 out of range.
  void locate(Machine& m, const LaneSet& lanes);
  int64_t at(int lane) const { return elements_[per_lane_ ? static_cast<size_t>(lane) : 0]; }

 private:
  void report(Machine& m, int lane);

  BufferSlot* buffer_;
  NodeList indices_;
  std::vector<Values> index_values_;
  std::vector<int64_t> elements_;
  uint32_t site_;
  bool writes_, per_lane_;
};

/// Checks and records one access of the element in the copy of `lane`, by `stamp`.
void note_read(Machine& m, BufferSlot& buffer, int64_t element, int lane, Stamp stamp);
/// `defined` false: the written value is itself one that nothing has written.
void note_write(Machine& m, BufferSlot& buffer, int64_t element, int lane, Stamp stamp, bool defined = true);

}  // namespace tl::simulate
