#include "backend/cfamily/c_names.h"

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
}

std::string CNames::fresh(const std::string& wanted) {
  const std::string base = identifier(wanted);
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
