#include "backend/cfamily/c_names.h"

#include <algorithm>

namespace tl {
namespace {

// Words of C++ and names that generated code uses itself.
constexpr const char* kReserved[] = {
    "alignas",   "alignof",  "and",      "and_eq",  "asm",       "auto",      "bitand",   "bitor",    "bool",
    "break",     "case",     "catch",    "char",    "class",     "compl",     "concept",  "const",    "consteval",
    "constexpr", "continue", "decltype", "default", "delete",    "do",        "double",   "else",     "enum",
    "explicit",  "export",   "extern",   "false",   "float",     "for",       "friend",   "goto",     "if",
    "inline",    "int",      "long",     "mutable", "namespace", "new",       "noexcept", "not",      "not_eq",
    "nullptr",   "operator", "or",       "or_eq",   "private",   "protected", "public",   "register", "requires",
    "return",    "short",    "signed",   "sizeof",  "static",    "struct",    "switch",   "template", "this",
    "throw",     "true",     "try",      "typedef", "typeid",    "typename",  "union",    "unsigned", "using",
    "virtual",   "void",     "volatile", "wchar_t", "while",     "xor",       "xor_eq",   "main",     "args",
    "grid",      "first",    "last",     "context", "program",   "place",     "tlp",      "linux",    "unix"};
constexpr const char* kLongWords[] = {
    "char8_t",    "char16_t",     "char32_t",         "co_await",      "co_return",   "co_yield",     "constinit",
    "const_cast", "dynamic_cast", "reinterpret_cast", "static_assert", "static_cast", "thread_local", "typeof"};

// Macros of the C library and of the machines' headers that stand for a value, and how the names of whole families of
// them begin or end. Whether a compiler defines them depends on what it includes by itself; another name is never
// wrong.
constexpr const char* kMacros[] = {"NULL",          "NAN",           "EOF",        "INFINITY",   "BUFSIZ",   "MAXFLOAT",
                                   "BIG_ENDIAN",    "LITTLE_ENDIAN", "PDP_ENDIAN", "BYTE_ORDER", "NOMINMAX", "STD",
                                   "THROWBADALLOC", "stdin",         "stdout",     "stderr",     "errno",    "i386"};
constexpr std::string_view kMacroBegins[] = {"M_",  "FP_",  "SNAN", "HUGE_VAL", "SEEK_", "EXIT_", "CLOCK",    "CUDA",
                                             "NV_", "cuda", "TLP_", "PIPE_",    "asc_",  "tl_",   "EVENT_ID", "ACL_"};
constexpr std::string_view kMacroEnds[] = {"_MAX", "_MIN", "_WIDTH", "_BIT"};

bool may_be_macro(std::string_view name) {
  for (const std::string_view begin : kMacroBegins) {
    if (name.substr(0, begin.size()) == begin) return true;
  }
  for (const std::string_view end : kMacroEnds) {
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) return true;
  }
  return std::find(std::begin(kMacros), std::end(kMacros), name) != std::end(kMacros);
}

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Characters outside ASCII are spelled as their bytes in hexadecimal.
std::string identifier(const std::string& wanted) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : wanted) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += is_identifier_char(c) ? c : '_';
    }
  }
  if (out.empty()) return "v";
  // Two underscores, and one before a capital at the start, belong to the implementation; a digit cannot start a name.
  if (out[0] == '_' || (out[0] >= '0' && out[0] <= '9')) out = "v" + out;
  for (size_t at; (at = out.find("__")) != std::string::npos;) out.erase(at, 1);
  return out;
}

}  // namespace

CNames::CNames() {
  for (const char* word : kReserved) taken_.insert(word);
  for (const char* word : kLongWords) taken_.insert(word);
}

std::string CNames::fresh(const std::string& wanted) {
  std::string base = identifier(wanted);
  // A number behind it would not take a name out of a family that is known by its beginning.
  if (may_be_macro(base)) base = "v_" + base;
  std::string name = base;
  for (int n = 1; !taken_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

const std::string& CNames::of(const void* node, const std::string& wanted) {
  const auto it = names_.find(node);
  if (it != names_.end()) return it->second;
  return names_[node] = fresh(wanted);
}

}  // namespace tl
