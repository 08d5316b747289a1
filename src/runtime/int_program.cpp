#include "runtime/int_program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "support/diagnostic.h"

namespace tl {
namespace {

struct OpRow {
  IntOp op;
  std::string_view text;
  int pops;
};

/// The spelling of every operator, in the order of IntOp; the first four are written with their immediate.
constexpr OpRow kOps[] = {
    {IntOp::kConstant, "", 0},  {IntOp::kSlot, "$", 0},        {IntOp::kWrapInt, "i", 1},
    {IntOp::kWrapUInt, "u", 1}, {IntOp::kNeg, "neg", 1},       {IntOp::kAbs, "abs", 1},
    {IntOp::kBitNot, "~", 1},   {IntOp::kNot, "not", 1},       {IntOp::kAdd, "+", 2},
    {IntOp::kSub, "-", 2},      {IntOp::kMul, "*", 2},         {IntOp::kFloorDiv, "//", 2},
    {IntOp::kFloorMod, "%", 2}, {IntOp::kTruncDiv, "/", 2},    {IntOp::kTruncMod, "rem", 2},
    {IntOp::kMin, "min", 2},    {IntOp::kMax, "max", 2},       {IntOp::kBitAnd, "&", 2},
    {IntOp::kBitOr, "|", 2},    {IntOp::kBitXor, "^", 2},      {IntOp::kShl, "<<", 2},
    {IntOp::kShr, ">>", 2},     {IntOp::kEq, "==", 2},         {IntOp::kNe, "!=", 2},
    {IntOp::kLt, "<", 2},       {IntOp::kLe, "<=", 2},         {IntOp::kGt, ">", 2},
    {IntOp::kGe, ">=", 2},      {IntOp::kAnd, "and", 2},       {IntOp::kOr, "or", 2},
    {IntOp::kUDiv, "udiv", 2},  {IntOp::kUMod, "umod", 2},     {IntOp::kUMin, "umin", 2},
    {IntOp::kUMax, "umax", 2},  {IntOp::kULt, "ult", 2},       {IntOp::kULe, "ule", 2},
    {IntOp::kUShr, "ushr", 2},  {IntOp::kSelect, "select", 3},
};

constexpr bool in_order() {
  for (size_t i = 0; i < std::size(kOps); ++i) {
    if (kOps[i].op != static_cast<IntOp>(i)) return false;
  }
  return std::size(kOps) == static_cast<size_t>(IntOp::kSelect) + 1;
}
static_assert(in_order(), "kOps has a row for every IntOp, in its order");

const OpRow& row(IntOp op) { return kOps[static_cast<size_t>(op)]; }
bool has_immediate(IntOp op) { return op <= IntOp::kWrapUInt; }

uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }
int64_t s(uint64_t x) { return static_cast<int64_t>(x); }

/// The one quotient that does not fit, INT64_MIN / -1, wraps.
int64_t trunc_div(int64_t x, int64_t y) { return y == 0 ? 0 : y == -1 ? s(0 - u(x)) : x / y; }
int64_t trunc_mod(int64_t x, int64_t y) { return y == 0 || y == -1 ? 0 : x % y; }
int64_t floor_div(int64_t x, int64_t y) {
  const int64_t r = trunc_mod(x, y);
  return trunc_div(x, y) - (r != 0 && (r < 0) != (y < 0) ? 1 : 0);
}
int64_t floor_mod(int64_t x, int64_t y) {
  const int64_t r = trunc_mod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

bool shifts_out(int64_t count) { return count < 0 || count > 63; }

int64_t unary(IntOp op, int64_t x) {
  switch (op) {
    case IntOp::kNeg:
      return s(0 - u(x));
    case IntOp::kAbs:
      return x < 0 ? s(0 - u(x)) : x;
    case IntOp::kBitNot:
      return ~x;
    default:
      return x == 0;
  }
}

int64_t wrap(IntOp op, int64_t x, int64_t bits) {
  const int shift = 64 - static_cast<int>(bits);
  return op == IntOp::kWrapInt ? s(u(x) << shift) >> shift : s((u(x) << shift) >> shift);
}

int64_t binary(IntOp op, int64_t x, int64_t y) {
  switch (op) {
    case IntOp::kAdd:
      return s(u(x) + u(y));
    case IntOp::kSub:
      return s(u(x) - u(y));
    case IntOp::kMul:
      return s(u(x) * u(y));
    case IntOp::kFloorDiv:
      return floor_div(x, y);
    case IntOp::kFloorMod:
      return floor_mod(x, y);
    case IntOp::kTruncDiv:
      return trunc_div(x, y);
    case IntOp::kTruncMod:
      return trunc_mod(x, y);
    case IntOp::kMin:
      return std::min(x, y);
    case IntOp::kMax:
      return std::max(x, y);
    case IntOp::kBitAnd:
      return x & y;
    case IntOp::kBitOr:
      return x | y;
    case IntOp::kBitXor:
      return x ^ y;
    case IntOp::kShl:
      return shifts_out(y) ? 0 : s(u(x) << y);
    case IntOp::kShr:
      return shifts_out(y) ? (x < 0 ? -1 : 0) : x >> y;
    case IntOp::kEq:
      return x == y;
    case IntOp::kNe:
      return x != y;
    case IntOp::kLt:
      return x < y;
    case IntOp::kLe:
      return x <= y;
    case IntOp::kGt:
      return x > y;
    case IntOp::kGe:
      return x >= y;
    case IntOp::kAnd:
      return x != 0 && y != 0;
    case IntOp::kOr:
      return x != 0 || y != 0;
    case IntOp::kUDiv:
      return y == 0 ? 0 : s(u(x) / u(y));
    case IntOp::kUMod:
      return y == 0 ? 0 : s(u(x) % u(y));
    case IntOp::kUMin:
      return s(std::min(u(x), u(y)));
    case IntOp::kUMax:
      return s(std::max(u(x), u(y)));
    case IntOp::kULt:
      return u(x) < u(y);
    case IntOp::kULe:
      return u(x) <= u(y);
    case IntOp::kUShr:
      return shifts_out(y) ? 0 : s(u(x) >> y);
    default:
      internal_error(__FILE__, __LINE__, "binary", "not a binary operator of an IntProgram");
  }
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

IntProgram IntProgram::constant(int64_t value) { return IntProgram().push_constant(value); }
IntProgram IntProgram::slot(int index) { return IntProgram().push_slot(index); }

void IntProgram::append(Instruction instruction, int pops) {
  valid_ = valid_ && depth_ >= pops;
  depth_ += 1 - pops;
  max_depth_ = std::max(max_depth_, depth_);
  code_.push_back(instruction);
}

IntProgram& IntProgram::push_constant(int64_t value) {
  append({IntOp::kConstant, value}, 0);
  return *this;
}

IntProgram& IntProgram::push_slot(int index) {
  TL_CHECK(index >= 0, "a slot index is not negative");
  slot_count_ = std::max(slot_count_, index + 1);
  append({IntOp::kSlot, index}, 0);
  return *this;
}

IntProgram& IntProgram::push(IntOp op) {
  TL_CHECK(!has_immediate(op), "this operator takes an immediate");
  append({op, 0}, row(op).pops);
  return *this;
}

IntProgram& IntProgram::push_wrap(IntOp op, int bits) {
  TL_CHECK((op == IntOp::kWrapInt || op == IntOp::kWrapUInt) && bits >= 1 && bits <= 64, "wraps to 1 to 64 bits");
  append({op, bits}, 1);
  return *this;
}

IntProgram& IntProgram::push_all(const IntProgram& other) {
  TL_CHECK(other.complete(), "an operand leaves one value");
  max_depth_ = std::max(max_depth_, depth_ + other.max_depth_);
  slot_count_ = std::max(slot_count_, other.slot_count_);
  depth_ += 1;
  code_.insert(code_.end(), other.code_.begin(), other.code_.end());
  return *this;
}

int64_t IntProgram::evaluate_all(std::span<const int64_t> slots) const {
  constexpr int kUsualDepth = 16;
  std::array<int64_t, kUsualDepth> usual;
  std::vector<int64_t> deep(max_depth_ > kUsualDepth ? max_depth_ : 0);
  int64_t* top = (deep.empty() ? usual.data() : deep.data()) - 1;
  for (const Instruction& at : code_) {
    if (at.op == IntOp::kConstant) {
      *++top = at.immediate;
    } else if (at.op == IntOp::kSlot) {
      *++top = slots[at.immediate];
    } else if (at.op <= IntOp::kWrapUInt) {
      *top = wrap(at.op, *top, at.immediate);
    } else if (at.op <= IntOp::kNot) {
      *top = unary(at.op, *top);
    } else if (at.op == IntOp::kSelect) {
      top -= 2;
      *top = *top != 0 ? top[1] : top[2];
    } else {
      --top;
      *top = binary(at.op, top[0], top[1]);
    }
  }
  return *top;
}

std::optional<int64_t> IntProgram::as_constant() const {
  if (!complete() || slot_count_ != 0) return std::nullopt;
  return evaluate({});
}

std::optional<int> IntProgram::as_slot() const {
  if (code_.size() != 1 || code_[0].op != IntOp::kSlot) return std::nullopt;
  return static_cast<int>(code_[0].immediate);
}

std::vector<int> IntProgram::slots_read() const {
  std::vector<int> found;
  for (const Instruction& at : code_) {
    if (at.op == IntOp::kSlot) found.push_back(static_cast<int>(at.immediate));
  }
  return found;
}

std::string IntProgram::text() const {
  std::string out;
  for (const Instruction& at : code_) {
    if (!out.empty()) out += ' ';
    out += row(at.op).text;
    if (has_immediate(at.op)) out += std::to_string(at.immediate);
  }
  return out;
}

std::optional<IntProgram> IntProgram::parse(std::string_view text) {
  IntProgram program;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (const auto value = number<int64_t>(word)) {
      program.push_constant(*value);
      continue;
    }
    const auto found = std::find_if(std::begin(kOps), std::end(kOps),
                                    [&](const OpRow& r) { return !has_immediate(r.op) && r.text == word; });
    if (found != std::end(kOps)) {
      program.push(found->op);
      continue;
    }
    const auto operand = word.empty() ? std::nullopt : number<int>(word.substr(1));
    if (!operand) return std::nullopt;
    const bool width = *operand >= 1 && *operand <= 64;
    if (word[0] == '$' && *operand >= 0 && *operand < std::numeric_limits<int>::max()) {
      program.push_slot(*operand);
    } else if ((word[0] == 'i' || word[0] == 'u') && width) {
      program.push_wrap(word[0] == 'i' ? IntOp::kWrapInt : IntOp::kWrapUInt, *operand);
    } else {
      return std::nullopt;
    }
  }
  if (!program.complete()) return std::nullopt;
  return program;
}

}  // namespace tl
