#include "simulate/ascend/host_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "embedded/ascend_host_prelude.h"
#include "simulate/ascend/token.h"

namespace tl::simulate::ascend {
namespace {

const std::map<std::string_view, std::string_view> kPointers = {
    {"__gm__", "tl_gm_ptr"},  {"__ubuf__", "tl_ub_ptr"}, {"__cbuf__", "tl_l1_ptr"},
    {"__ca__", "tl_l0a_ptr"}, {"__cb__", "tl_l0b_ptr"},  {"__cc__", "tl_l0c_ptr"},
};

/// Includes that bring what our headers bring.
constexpr std::string_view kVendorHeaders[] = {
    "acl/", "c_api/", "simt_api/", "utils/debug/", "tl_templates/ascend/", "kernel_operator.h", "tilelang_ascend.h"};
constexpr int kHeaderLines = 20000, kFirstHeaderLine = 500000;

class Rewriter {
 public:
  Rewriter(std::span<const TextFile> headers, RewrittenText& out) : headers_(headers), out_(out) {}

  void run(std::string_view text, std::string_view file, int line) {
    std::vector<Token> tokens = tokens_of(text);
    const std::vector<Token>* outer = std::exchange(tokens_, &tokens);
    const std::vector<size_t> outer_ends = std::exchange(read_ends_, {});
    const std::map<size_t, std::string_view> outer_turns = std::exchange(turns_, {});
    for (size_t i = 0; i < tokens.size();) {
      line += static_cast<int>(std::count(tokens[i].text.begin(), tokens[i].text.end(), '\n'));
      i = token(i, file, line);
    }
    tokens_ = outer;
    read_ends_ = outer_ends;
    turns_ = outer_turns;
  }

 private:
  const Token& at(size_t i) const {
    static constexpr Token kEnd{TokenKind::kOther, ""};
    return i < tokens_->size() ? (*tokens_)[i] : kEnd;
  }
  bool is(size_t i, std::string_view text) const { return at(i).text == text; }
  /// The next token that is no space, from `i` on.
  size_t solid(size_t i) const {
    while (at(i).kind == TokenKind::kSpace) ++i;
    return i;
  }
  void copy(size_t i) { out_.text += at(i).text; }
  /// Line ends between two tokens that are not copied.
  void keep_lines(size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      out_.text.append(static_cast<size_t>(std::count(at(i).text.begin(), at(i).text.end(), '\n')), '\n');
    }
  }

  /// Rewrites what starts at `i`; where the next token is.
  size_t token(size_t i, std::string_view file, int line) {
    const Token& t = at(i);
    if (const auto turn = turns_.find(i); turn != turns_.end()) out_.text += turn->second;
    if (t.text == "#") return directive(i, file, line);
    if (t.text == "{") braces_.push_back(namespace_before(i));
    if (t.text == "}" && !braces_.empty()) braces_.pop_back();
    if (t.text == "[") return subscript(i);
    if (t.text == "]" && !read_ends_.empty() && read_ends_.back() == i) {
      read_ends_.pop_back();
      out_.text += ')';
    }
    if (t.kind == TokenKind::kWord) {
      if (kPointers.contains(t.text)) return pointer(i);
      if (t.text == "reinterpret_cast" || t.text == "static_cast") return cast(i);
      if (t.text == "__global__") note_kernel(i);
      if (t.text == "__simt_vf__") note_region(i);
      if (t.text == "asc_sync_inter_wait") out_.waits_across_blocks = true;
      if (t.text == "for") note_for(i);
      if (t.text == "while") note_while(i);
    }
    copy(i);
    return i + 1;
  }

  /// The bracket that closes the one at `open`; the end of the text where none does.
  size_t closing(size_t open) const {
    size_t i = open;
    for (int depth = 0; i < tokens_->size(); ++i) {
      if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
      if ((is(i, ")") || is(i, "]") || is(i, "}")) && --depth == 0) break;
    }
    return i;
  }

  /// `for (a; b; c)` counts its turns behind `c`; a loop over a range ends by itself.
  void note_for(size_t i) {
    const size_t open = solid(i + 1), close = is(open, "(") ? closing(open) : tokens_->size();
    if (close == tokens_->size()) return;
    size_t last = open, semicolons = 0;
    for (size_t j = open + 1; j < close; ++j) {
      if (is(j, "(") || is(j, "[") || is(j, "{")) j = closing(j);
      if (!is(j, ";")) continue;
      last = j;
      ++semicolons;
    }
    if (semicolons == 2) turns_[close] = solid(last + 1) == close ? "tl_ascend::turn()" : ", tl_ascend::turn()";
  }

  /// `while (c)`, also behind `do`, counts its turns before `c`, which may be anything but a declaration.
  void note_while(size_t i) {
    const size_t open = solid(i + 1), first = solid(open + 1), second = solid(first + 1);
    const bool declares = at(first).kind == TokenKind::kWord && at(second).kind == TokenKind::kWord;
    if (is(open, "(") && !declares) turns_[first] = "tl_ascend::turn(), ";
  }

  size_t solid_before(size_t i) const {
    while (i-- > 0) {
      if (at(i).kind != TokenKind::kSpace) return i;
    }
    return tokens_->size();
  }

  /// `name::` where the brace at `i` opens a namespace of that name, else nothing.
  std::string namespace_before(size_t i) const {
    std::string name;
    for (size_t j = solid_before(i); j < tokens_->size(); j = solid_before(j)) {
      if (is(j, "namespace")) return name.empty() ? name : name + "::";
      if (at(j).kind != TokenKind::kWord && !is(j, ":")) break;
      name.insert(0, at(j).text);
    }
    return {};
  }
  std::string qualified(const std::string& name) const {
    std::string out;
    for (const std::string& space : braces_) out += space;
    return out + name;
  }

  /// `x[i]` as `x[tl_ascend::Read(i)]` where the element is neither assigned nor has its address taken.
  size_t subscript(size_t i) {
    copy(i);
    size_t end = i;
    for (int depth = 0; end < tokens_->size(); ++end) {
      if (is(end, "[")) ++depth;
      if (is(end, "]") && --depth == 0) break;
    }
    if (end < tokens_->size() && solid(i + 1) != end && is_read(i, end)) {
      read_ends_.push_back(end);
      out_.text += "tl_ascend::Read(";
    }
    return i + 1;
  }

  /// Whether the element with the subscript between `open` and `close` is read and no more.
  bool is_read(size_t open, size_t close) const {
    static constexpr std::string_view kNoObjects[] = {"operator", "return", "auto", "new", "delete", "case", "else"};
    size_t first = solid_before(open);
    if (is(first, ")")) {
      for (int depth = 0; first < tokens_->size(); --first) {
        if (is(first, ")")) ++depth;
        if (is(first, "(") && --depth == 0) break;
      }
    } else if (at(first).kind != TokenKind::kWord ||
               std::find(std::begin(kNoObjects), std::end(kNoObjects), at(first).text) != std::end(kNoObjects)) {
      return false;
    }
    size_t before = solid_before(first), after = solid(close + 1);
    // `(x[i])` is what `x[i]` is; `f(x[i])` is not.
    while (is(before, "(") && is(after, ")") && at(solid_before(before)).kind != TokenKind::kWord) {
      before = solid_before(before);
      after = solid(after + 1);
    }
    const size_t two_before = solid_before(before);
    const bool operand =
        at(two_before).kind == TokenKind::kWord || is(two_before, ")") || is(two_before, "]") || is(two_before, "&");
    if (is(before, "&") && !operand) return false;
    if ((is(before, "+") || is(before, "-")) && before > 0 && is(before - 1, at(before).text)) return false;
    const std::string_view a = at(after).text, b = at(after + 1).text, c = at(after + 2).text;
    if (a == "[" || a == ".") return false;
    if (a == "=") return b == "=";
    if ((a == "+" || a == "-") && b == a) return false;
    if (a == "-" && b == ">") return false;
    if ((a == "<" || a == ">") && b == a && c == "=") return false;
    return !(a.size() == 1 && std::string_view("+-*/%&|^").find(a[0]) != std::string_view::npos && b == "=");
  }

  /// `__ubuf__ T *` as `tl_ub_ptr<T >`; a qualifier of anything else is dropped.
  size_t pointer(size_t i) {
    std::string type;
    int depth = 0;
    size_t j = i + 1;
    for (; j < tokens_->size(); ++j) {
      const Token& t = at(j);
      if (t.text == "<") ++depth;
      if (t.text == ">") --depth;
      if (t.text == "*" && depth == 0) break;
      const bool inside = depth > 0 || t.text == ">" || t.text == ":" || t.kind != TokenKind::kOther;
      if (!inside || depth < 0) return i + 1;
      type += t.kind == TokenKind::kSpace ? " " : std::string(t.text);
    }
    if (j == tokens_->size()) return i + 1;
    out_.text += fmt::format("{}<{} >", kPointers.at(at(i).text), type);
    size_t next = j + 1;
    const size_t restricted = solid(next);
    if (is(restricted, "__restrict__") || is(restricted, "__restrict")) next = restricted + 1;
    keep_lines(i, next);
    out_.text += ' ';
    return next;
  }

  size_t cast(size_t i) {
    const size_t open = solid(i + 1);
    size_t qualifier = solid(open + 1);
    if (is(qualifier, "const")) qualifier = solid(qualifier + 1);
    const bool ours = is(open, "<") && kPointers.contains(at(qualifier).text);
    if (ours) {
      out_.text += "tl_ascend::cast_pointer";
    } else {
      copy(i);
    }
    return i + 1;
  }

  size_t directive(size_t i, std::string_view file, int line) {
    size_t end = i;
    std::string whole;
    while (end < tokens_->size() && at(end).text != "\n") whole += at(end++).text;
    const size_t word = solid(i + 1);
    if (is(word, "pragma") && is(solid(word + 1), "once")) return end;
    if (!is(word, "include")) {
      copy(i);
      return i + 1;
    }
    const size_t open = whole.find_first_of("<\"");
    const size_t close = open == std::string::npos ? open : whole.find_first_of(">\"", open + 1);
    if (close == std::string::npos) {
      copy(i);
      return i + 1;
    }
    const std::string name = whole.substr(open + 1, close - open - 1);
    for (size_t k = 0; k < headers_.size(); ++k) {
      if (headers_[k].name != name) continue;
      if (std::find(included_.begin(), included_.end(), k) != included_.end()) return end;
      included_.push_back(k);
      out_.text += fmt::format("\n#line {} \"{}\"\n", first_line_of_header(k), name);
      run(headers_[k].text, name, first_line_of_header(k));
      out_.text += fmt::format("\n#line {} \"{}\"", line, file);
      return end;
    }
    for (const std::string_view prefix : kVendorHeaders) {
      if (name.starts_with(prefix)) return end;
    }
    out_.text += whole;
    return end;
  }

  /// The word before the first parenthesis that is not an attribute's.
  std::string function_name(size_t i) const {
    std::string name;
    for (; i < tokens_->size() && !is(i, "{") && !is(i, ";"); ++i) {
      if (at(i).kind == TokenKind::kWord) name = at(i).text;
      if (!is(i, "(")) continue;
      if (name != "__launch_bounds__" && name != "__mix__" && name != "__attribute__") return name;
      while (i < tokens_->size() && !is(i, ")")) ++i;
    }
    return {};
  }

  void note_kernel(size_t i) {
    KernelEntry kernel{function_name(i), CoreKind::kVector, {}};
    kernel.qualified = qualified(kernel.name);
    for (size_t j = i; j < tokens_->size() && !is(j, "{") && !is(j, ";"); ++j) {
      if (is(j, "__cube__")) kernel.kind = CoreKind::kCube;
      if (is(j, "__mix__")) kernel.kind = CoreKind::kMixed;
    }
    const auto known = std::find_if(out_.kernels.begin(), out_.kernels.end(),
                                    [&](const KernelEntry& k) { return k.name == kernel.name; });
    if (!kernel.name.empty() && known == out_.kernels.end()) out_.kernels.push_back(std::move(kernel));
  }

  void note_region(size_t i) {
    size_t before = i;
    while (before > 0 && at(before - 1).kind == TokenKind::kSpace) --before;
    if (before > 0 && is(before - 1, ">")) return;  // a template has no one address
    RegionBound bound{qualified(function_name(i)), {}};
    for (size_t j = i; j < tokens_->size() && !is(j, "{") && !is(j, ";"); ++j) {
      if (!is(j, "__launch_bounds__")) continue;
      for (size_t k = solid(j + 1) + 1; k < tokens_->size() && !is(k, ")"); ++k) bound.threads += at(k).text;
    }
    if (!bound.name.empty() && !bound.threads.empty()) out_.bounds.push_back(std::move(bound));
  }

  std::span<const TextFile> headers_;
  RewrittenText& out_;
  const std::vector<Token>* tokens_ = nullptr;
  std::vector<size_t> included_;
  /// Ends of subscripts that are wrapped, the innermost last.
  std::vector<size_t> read_ends_;
  /// What counts the turns of loops, by the token that it stands before.
  std::map<size_t, std::string_view> turns_;
  /// For each open brace the namespace it opens, as `name::`, or nothing.
  std::vector<std::string> braces_;
};

/// Our headers in the order they need each other; what they include is among them.
std::string prelude() {
  namespace texts = embedded::ascend_host_prelude;
  std::string out;
  for (const std::string_view text :
       {texts::host_abi, texts::element_types, texts::pointers, texts::calls, texts::simt}) {
    for (size_t i = 0; i < text.size();) {
      const size_t end = std::min(text.find('\n', i), text.size() - 1) + 1;
      const std::string_view line = text.substr(i, end - i);
      if (!line.starts_with("#pragma once") && !line.starts_with("#include \"")) out += line;
      i = end;
    }
  }
  return out;
}

}  // namespace

int first_line_of_header(size_t index) { return kFirstHeaderLine + static_cast<int>(index) * kHeaderLines; }

RewrittenText rewrite(std::string_view text, std::span<const TextFile> headers, std::string_view file) {
  RewrittenText out;
  Rewriter(headers, out).run(text, file, 1);
  return out;
}

std::string host_text(std::string_view source, std::span<const TextFile> headers, std::string_view file) {
  const RewrittenText body = rewrite(source, headers, file);
  std::string out = prelude();
  out += fmt::format("\n#line 1 \"{}\"\n{}\n#line 1 \"entries\"\n", file, body.text);
  std::string kernels, bounds;
  for (const KernelEntry& k : body.kernels) {
    out += fmt::format("static void tl_enter_{}(const uint64_t* words) {{ tl_ascend::enter({}, words); }}\n", k.name,
                       k.qualified);
    kernels += fmt::format("  {{\"{0}\", tl_enter_{0}, {1}, {2}}},\n", k.name, static_cast<int>(k.kind),
                           static_cast<int>(body.waits_across_blocks));
  }
  for (const RegionBound& b : body.bounds) {
    bounds += fmt::format("  {{reinterpret_cast<const void*>(&{}), int({})}},\n", b.name, b.threads);
  }
  out += "extern \"C\" {\n__attribute__((visibility(\"default\"))) tl_ascend::Host* tl_ascend_host;\n";
  out += "__attribute__((visibility(\"default\"))) extern const tl_ascend::Kernel tl_ascend_kernels[] = {\n" + kernels +
         "  {nullptr, nullptr, 0, 0}};\n";
  out += "__attribute__((visibility(\"default\"))) extern const tl_ascend::RegionBound tl_ascend_bounds[] = {\n" +
         bounds + "  {nullptr, 0}};\n}\n";
  return out;
}

std::vector<std::string> host_flags() {
  return {"-std=c++20",
          "-O1",
          "-w",
          "-fno-exceptions",
          "-fno-rtti",
          "-fno-strict-aliasing",
          "-fno-math-errno",
          "-ffp-contract=off",
          "-fexcess-precision=16",
          "-fasynchronous-unwind-tables"};
}

}  // namespace tl::simulate::ascend
