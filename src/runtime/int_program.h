// Small integer programs: what the runtime evaluates on the host in place of the IR it does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// One instruction of a stack machine over int64 values. Binary operators pop y, then x, and push x op y. None can
/// trap: arithmetic wraps at 64 bits, a division or remainder by zero gives 0, a shift by 64 or more (or by a negative
/// count) shifts everything out. Comparisons and logic push 0 or 1 and take any value that is not 0 as true.
enum class IntOp : uint8_t {
  kConstant,  // pushes the immediate
  kSlot,      // pushes slots[immediate]
  kWrapInt,   // wraps to a signed integer of `immediate` bits
  kWrapUInt,  // wraps to an unsigned integer of `immediate` bits
  kNeg,
  kAbs,
  kBitNot,
  kNot,
  kAdd,
  kSub,
  kMul,
  kFloorDiv,
  kFloorMod,
  kTruncDiv,
  kTruncMod,
  kMin,
  kMax,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,  // arithmetic
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kUDiv,  // these six take both operands as uint64
  kUMod,
  kUMin,
  kUMax,
  kULt,
  kULe,
  kUShr,
  kSelect,  // pops z, y, c and pushes c != 0 ? y : z
};

/// A program in postfix order that leaves one value. Built by pushing instructions in the order of evaluation:
/// (m + 127) // 128 is push_slot(m), push_constant(127), push(kAdd), push_constant(128), push(kFloorDiv).
/// An empty program is not valid; every other function but the pushes requires a complete one.
class IntProgram {
 public:
  IntProgram() = default;
  static IntProgram constant(int64_t value);
  static IntProgram slot(int index);

  IntProgram& push_constant(int64_t value);
  IntProgram& push_slot(int index);
  /// Any operator without an immediate.
  IntProgram& push(IntOp op);
  /// kWrapInt or kWrapUInt of 1 to 64 bits.
  IntProgram& push_wrap(IntOp op, int bits);
  /// All instructions of another program, as one operand.
  IntProgram& push_all(const IntProgram& other);

  /// Precondition: complete(), and every slot index is below slots.size().
  int64_t evaluate(std::span<const int64_t> slots) const {
    if (code_.size() != 1) return evaluate_all(slots);
    return code_[0].op == IntOp::kSlot ? slots[code_[0].immediate] : code_[0].immediate;
  }

  /// Whether the program leaves exactly one value and never pops an empty stack.
  bool complete() const { return valid_ && depth_ == 1; }
  bool empty() const { return code_.empty(); }
  /// The value of a program that reads no slot.
  std::optional<int64_t> as_constant() const;
  /// The slot of a program that is nothing but one slot.
  std::optional<int> as_slot() const;
  /// One more than the largest slot index read; 0 without any.
  int slot_count() const { return slot_count_; }
  /// Every slot index read, in order of reading, with repetitions.
  std::vector<int> slots_read() const;

  /// Postfix text: "$0 127 + 128 //". parse() is its inverse and gives nullopt for anything else.
  std::string text() const;
  static std::optional<IntProgram> parse(std::string_view text);

  bool operator==(const IntProgram& other) const { return code_ == other.code_; }

 private:
  struct Instruction {
    IntOp op;
    int64_t immediate = 0;
    bool operator==(const Instruction&) const = default;
  };
  void append(Instruction instruction, int pops);
  int64_t evaluate_all(std::span<const int64_t> slots) const;

  std::vector<Instruction> code_;
  int depth_ = 0;
  int max_depth_ = 0;
  int slot_count_ = 0;
  bool valid_ = true;
};

}  // namespace tl
