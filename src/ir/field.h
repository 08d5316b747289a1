#pragma once

#include <cstdint>
#include <string_view>

namespace tl {

/// What an op does with a field. Operand walks, dependence analysis, renaming and printing follow from it.
enum class FieldRole : uint8_t {
  kDefines,      // a Var, vector<Var> or Buffer that comes into being here
  kOperand,      // an Expr or vector<Expr> that is read
  kIndex,        // the same where it is an index: signed arithmetic in it does not wrap
  kReads,        // a Region whose elements are read
  kWrites,       // a Region whose elements are written
  kReadsWrites,  // a Region whose elements are read and written
  kRefers,       // a Buffer that is named, with the element access said by other fields
  kAttr,         // plain data
  kBlock,        // nested ops
};

/// How the text form spells a field.
enum class FieldStyle : uint8_t {
  kPositional,  // the bare value, always printed
  kKeyword,     // key=value, left out when equal to the value of a default-constructed op
};

/// One field of an op class: its text name, where it is, and what it is for.
template <class Class, class Type>
struct Field {
  std::string_view name;
  Type Class::* member;
  FieldRole role;
  FieldStyle style;
};

template <class C, class T>
constexpr Field<C, T> defines(std::string_view name, T C::* member, FieldStyle style = FieldStyle::kPositional) {
  return {name, member, FieldRole::kDefines, style};
}
template <class C, class T>
constexpr Field<C, T> operand(std::string_view name, T C::* member, FieldStyle style = FieldStyle::kPositional) {
  return {name, member, FieldRole::kOperand, style};
}
template <class C, class T>
constexpr Field<C, T> index_operand(std::string_view name, T C::* member, FieldStyle style = FieldStyle::kPositional) {
  return {name, member, FieldRole::kIndex, style};
}
template <class C, class T>
constexpr Field<C, T> reads(std::string_view name, T C::* member) {
  return {name, member, FieldRole::kReads, FieldStyle::kKeyword};
}
template <class C, class T>
constexpr Field<C, T> writes(std::string_view name, T C::* member) {
  return {name, member, FieldRole::kWrites, FieldStyle::kKeyword};
}
template <class C, class T>
constexpr Field<C, T> reads_writes(std::string_view name, T C::* member) {
  return {name, member, FieldRole::kReadsWrites, FieldStyle::kKeyword};
}
template <class C, class T>
constexpr Field<C, T> refers(std::string_view name, T C::* member) {
  return {name, member, FieldRole::kRefers, FieldStyle::kPositional};
}
template <class C, class T>
constexpr Field<C, T> attr(std::string_view name, T C::* member, FieldStyle style = FieldStyle::kKeyword) {
  return {name, member, FieldRole::kAttr, style};
}
template <class C, class T>
constexpr Field<C, T> block(std::string_view name, T C::* member) {
  return {name, member, FieldRole::kBlock, FieldStyle::kPositional};
}

}  // namespace tl
