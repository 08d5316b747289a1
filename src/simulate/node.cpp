#include "simulate/node.h"

namespace tl::simulate {
namespace {

class Const final : public Node {
 public:
  explicit Const(Scalar value) : Node(value.dtype(), false, 1) { out_[0] = raw_of(value); }
  Values eval(Machine&, const LaneSet&) override { return result(); }
};

class VarRead final : public Node {
 public:
  VarRead(DType dtype, const VarSlot* slot) : Node(dtype, slot->varies, 1), slot_(slot) {}
  Values eval(Machine&, const LaneSet&) override { return {slot_->values.data(), slot_->varies ? 1 : 0}; }

 private:
  const VarSlot* slot_;
};

class Unary final : public Node {
 public:
  Unary(UnaryOp op, NodePtr a, int width)
      : Node(result_dtype(op, a->dtype()), a->varies(), width),
        kernel_(unary_kernel(op, a->dtype())),
        a_(std::move(a)) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    kernel_(a_->dtype(), a_->eval(m, lanes), out_.data(), span(lanes));
    return result();
  }

 private:
  UnaryKernel kernel_;
  NodePtr a_;
};

class Binary : public Node {
 public:
  Binary(BinaryOp op, NodePtr a, NodePtr b, int width)
      : Node(result_dtype(op, a->dtype()), a->varies() || b->varies(), width),
        kernel_(binary_kernel(op, a->dtype())),
        a_(std::move(a)),
        b_(std::move(b)) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    const Values a = a_->eval(m, lanes), b = b_->eval(m, lanes);
    kernel_(a_->dtype(), a, b, out_.data(), span(lanes));
    return result();
  }

 protected:
  BinaryKernel kernel_;
  NodePtr a_, b_;
};

class IntegerDivision final : public Binary {
 public:
  IntegerDivision(BinaryOp op, NodePtr a, NodePtr b, int width, uint32_t site)
      : Binary(op, std::move(a), std::move(b), width),
        site_(site),
        remainder_(op == BinaryOp::kFloorMod || op == BinaryOp::kTruncMod) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    const Values a = a_->eval(m, lanes), b = b_->eval(m, lanes);
    if (m.check) {
      each(lanes, [&](int lane) {
        if (b[lane] == 0) m.report_zero_division(site_, remainder_);
      });
    }
    kernel_(a_->dtype(), a, b, out_.data(), span(lanes));
    return result();
  }

 private:
  uint32_t site_;
  bool remainder_;
};

/// `&&` and `||`: the right side runs only for the lanes that the left side leaves open.
class Logic final : public Node {
 public:
  Logic(BinaryOp op, NodePtr a, NodePtr b, int width)
      : Node(DType::boolean(), a->varies() || b->varies(), width),
        open_(op == BinaryOp::kAnd ? 1 : 0),
        a_(std::move(a)),
        b_(std::move(b)),
        rest_(width) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    const Values a = a_->eval(m, lanes);
    each(lanes, [&](int lane) { out_[static_cast<size_t>(lane)] = a[lane]; });
    rest_ = lanes;
    rest_.retain([&](int lane) { return a[lane] == open_; });
    if (!rest_.any()) return result();
    const Values b = b_->eval(m, rest_);
    each(rest_, [&](int lane) { out_[static_cast<size_t>(lane)] = b[lane]; });
    return result();
  }

 private:
  Raw open_;
  NodePtr a_, b_;
  LaneSet rest_;
};

class Select final : public Node {
 public:
  Select(NodePtr condition, NodePtr a, NodePtr b, int width)
      : Node(a->dtype(), condition->varies() || a->varies() || b->varies(), width),
        condition_(std::move(condition)),
        a_(std::move(a)),
        b_(std::move(b)),
        side_(width) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    const Values condition = condition_->eval(m, lanes);
    if (!condition_->varies()) {
      Node& chosen = condition[0] != 0 ? *a_ : *b_;
      const Values v = chosen.eval(m, lanes);
      return chosen.varies() == varies_ ? v : (take(v, lanes), result());
    }
    for (const bool want : {true, false}) {
      side_ = lanes;
      side_.retain([&](int lane) { return (condition[lane] != 0) == want; });
      if (side_.any()) take((want ? *a_ : *b_).eval(m, side_), side_);
    }
    return result();
  }

 private:
  void take(Values v, const LaneSet& lanes) {
    each(lanes, [&](int lane) { out_[static_cast<size_t>(lane)] = v[lane]; });
  }
  NodePtr condition_, a_, b_;
  LaneSet side_;
};

class Cast final : public Node {
 public:
  Cast(DType to, NodePtr a, int width)
      : Node(to, a->varies(), width), kernel_(cast_kernel(a->dtype(), to)), a_(std::move(a)) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    kernel_(a_->dtype(), dtype_, a_->eval(m, lanes), out_.data(), span(lanes));
    return result();
  }

 private:
  CastKernel kernel_;
  NodePtr a_;
};

class Bitcast final : public Node {
 public:
  Bitcast(DType to, NodePtr a, int width) : Node(to, a->varies(), width), a_(std::move(a)) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    const Values a = a_->eval(m, lanes);
    each(lanes, [&](int lane) {
      out_[static_cast<size_t>(lane)] = raw_of(Scalar::of_bits(dtype_, scalar_of(a_->dtype(), a[lane]).to_bits()));
    });
    return result();
  }

 private:
  NodePtr a_;
};

class Math final : public Node {
 public:
  Math(MathFn fn, DType dtype, NodeList args, bool varies, int width)
      : Node(dtype, varies, width), fn_(fn), args_(std::move(args)) {}
  Values eval(Machine& m, const LaneSet& lanes) override {
    Values values[3];
    for (size_t i = 0; i < args_.size(); ++i) values[i] = args_[i]->eval(m, lanes);
    each(lanes, [&](int lane) {
      Scalar scalars[3];
      for (size_t i = 0; i < args_.size(); ++i) scalars[i] = scalar_of(args_[i]->dtype(), values[i][lane]);
      out_[static_cast<size_t>(lane)] = raw_of(apply_math(fn_, std::span(scalars, args_.size())));
    });
    return result();
  }

 private:
  MathFn fn_;
  NodeList args_;
};

}  // namespace

NodePtr make_const_node(Scalar value) { return std::make_unique<Const>(value); }

NodePtr make_var_node(DType dtype, const VarSlot* slot) { return std::make_unique<VarRead>(dtype, slot); }

NodePtr make_unary_node(UnaryOp op, NodePtr a, int width) { return std::make_unique<Unary>(op, std::move(a), width); }

NodePtr make_binary_node(BinaryOp op, NodePtr a, NodePtr b, int width, uint32_t site) {
  const bool divides = op >= BinaryOp::kFloorDiv && op <= BinaryOp::kTruncMod;
  if (divides && a->dtype().is_integral()) {
    return std::make_unique<IntegerDivision>(op, std::move(a), std::move(b), width, site);
  }
  if (op == BinaryOp::kAnd || op == BinaryOp::kOr)
    return std::make_unique<Logic>(op, std::move(a), std::move(b), width);
  return std::make_unique<Binary>(op, std::move(a), std::move(b), width);
}

NodePtr make_select_node(NodePtr condition, NodePtr a, NodePtr b, int width) {
  return std::make_unique<Select>(std::move(condition), std::move(a), std::move(b), width);
}

NodePtr make_cast_node(DType to, NodePtr a, int width) { return std::make_unique<Cast>(to, std::move(a), width); }

NodePtr make_bitcast_node(DType to, NodePtr a, int width) { return std::make_unique<Bitcast>(to, std::move(a), width); }

NodePtr make_math_node(MathFn fn, DType dtype, NodeList args, int width) {
  bool varies = false;
  for (const NodePtr& arg : args) varies |= arg->varies();
  return std::make_unique<Math>(fn, dtype, std::move(args), varies, width);
}

}  // namespace tl::simulate
