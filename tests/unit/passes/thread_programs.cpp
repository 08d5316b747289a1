#include "unit/passes/thread_programs.h"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace tl::testing {
namespace {

/// What may be said at a place of the program.
struct Place {
  /// Only some threads may get here.
  bool apart = false;
  bool in_group = false;
  /// In a loop that may be left or continued by all threads alike, or, where `apart`, by single ones.
  bool may_jump = false;
  int depth = 0;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  ThreadProgram program() {
    const std::vector<int> shapes[] = {{8, 1, 1}, {4, 2, 1}, {2, 3, 2}, {5, 1, 1}, {1, 6, 1}, {1, 1, 1}};
    const std::vector<int>& shape = shapes[below(6)];
    threads_ = shape[0] * shape[1] * shape[2];
    line_ = shape[0] == threads_;
    out_.threads = threads_;
    line(fmt::format(
        "func @f params [%A: global int32[{0}, 4], %B: global int32[{0}, 4], %C: global int32[4], %n: int32] {{",
        threads_));
    line(fmt::format("launch [%bx: int32], [1], lanes=[%tx: int32, %ty: int32, %tz: int32], threads=[{}, {}, {}] {{",
                     shape[0], shape[1], shape[2]));
    line(fmt::format("bind %t: int32, (%tz * {} + %ty) * {} + %tx", shape[1], shape[0]));
    line(fmt::format("alloc %S: shared int32[{}, 4]", threads_));
    line(fmt::format("tile.fill dst=%S[0 :+ {}, 0 :+ 4], value=3", threads_));
    line("alloc %L: local int32[4]");
    line("tile.fill dst=%L[0 :+ 4], value=5");
    line("view %W: local int32[2, 2], %L");
    line("alloc %v: var int32[1], init=1");
    line("alloc %u: var int32[1], init=2");
    same_ = {"%n", "%u[0]"};
    own_ = {"%t", "%tx", "%ty", "%v[0]"};
    own_vars_ = {"%v"};
    same_vars_ = {"%u"};
    statements(3 + below(6), {});
    line("store %B, [%t, 0], %v[0] + %L[2]");
    line("store %B, [%t, 1], %B[%t, 1] + %S[%t, 1]");
    line("store %C, [0], %u[0]");
    line("}\n}");
    return std::move(out_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  void line(const std::string& s) { out_.text += s + "\n"; }
  std::string name(const char* base) { return fmt::format("%{}{}", base, ++names_); }
  const std::string& one_of(const std::vector<std::string>& list) {
    return list[static_cast<size_t>(below(static_cast<int>(list.size())))];
  }
  void count(const char* what) { ++out_.made[what]; }

  // --- expressions
  // --------------------------------------------------------------------------------------------------------

  std::string element() { return chance(70) || small_.empty() ? std::to_string(below(4)) : one_of(small_); }

  /// A value that is the same for all threads.
  std::string same(int depth, bool memory) {
    if (memory && chance(10)) return fmt::format("%S[{}, {}]", below(threads_), below(4));
    if (depth == 0 || chance(40)) return chance(35) ? std::to_string(below(9) - 2) : one_of(same_);
    return operation(same(depth - 1, memory), same(depth - 1, memory));
  }

  /// `cross`: elements of other threads may be read.
  std::string value(int depth, bool cross) {
    switch (depth == 0 ? below(5) : below(9)) {
      case 0:
        return std::to_string(below(11) - 3);
      case 1:
        return one_of(own_);
      case 2:
        return one_of(same_);
      case 3:
        return chance(50) ? fmt::format("%L[{}]", element()) : fmt::format("%W[1, {}]", below(2));
      case 4:
        return memory(cross);
      case 5:
        return fmt::format("select({}, {}, {})", condition(value(0, cross)), value(depth - 1, cross),
                           value(depth - 1, cross));
      default:
        return operation(value(depth - 1, cross), value(depth - 1, cross));
    }
  }

  std::string memory(bool cross) {
    const char* buffer = chance(40) ? "%A" : chance(50) ? "%S" : "%B";
    if (!cross || chance(50)) return fmt::format("{}[%t, {}]", buffer, element());
    return fmt::format("{}[floormod(%t + {}, {}), {}]", buffer, 1 + below(threads_), threads_, element());
  }

  std::string operation(const std::string& a, const std::string& b) {
    static const char* const kForms[] = {"({} + {})", "({} - {})", "({} * {})", "min({}, {})", "max({}, {})"};
    return fmt::format(fmt::runtime(kForms[below(5)]), a, b);
  }
  std::string condition(const std::string& e) {
    return fmt::format("floormod({}, {}) < {}", e, 2 + below(3), 1 + below(2));
  }

  // --- statements
  // ---------------------------------------------------------------------------------------------------------

  /// A nested block; names that it makes end with it.
  template <class F>
  void scope(F&& body) {
    const auto kept = std::tuple(same_, own_, small_, same_vars_, own_vars_);
    body();
    std::tie(same_, own_, small_, same_vars_, own_vars_) = kept;
  }

  void statements(int n, Place at) {
    for (int i = 0; i < n; ++i) statement(at);
  }

  void statement(Place at) {
    const int kind = below(100);
    if (kind < 34) return store(at);
    if (kind < 42) return bind(at);
    if (kind < 47) return own_tile(at);
    if (kind < 52) return variable(at);
    if (kind < 58 && !at.apart) return together(at);
    if (kind < 64 && !at.apart) return uniform_store(at);
    if (kind < 70 && at.may_jump) return jump(at);
    if (at.depth >= 3) return store(at);
    if (kind < 80) return branch(at);
    if (kind < 90) return counted_loop(at);
    if (kind < 96) return open_loop(at);
    if (!at.apart && !at.in_group && at.depth == 0 && line_) return group();
    return store(at);
  }

  bool cross(Place at) const { return !at.apart && !at.in_group; }

  void store(Place at) {
    count("store");
    switch (below(4)) {
      case 0:
        return line(fmt::format("store {}, [0], {}", one_of(own_vars_), value(2, cross(at))));
      case 1:
        return line(fmt::format("store %L, [{}], {}", element(), value(2, cross(at))));
      case 2:  // what other threads write here may be read by none of its own
        return line(fmt::format("store %S, [%t, {}], {}", element(), value(2, false)));
      default:
        return line(fmt::format("store %B, [%t, {}], {}", element(), value(2, false)));
    }
  }

  void bind(Place at) {
    count("bind");
    const bool uniform = chance(30);
    const std::string x = name("x");
    line(fmt::format("bind {}: int32, {}", x, uniform ? same(2, cross(at)) : value(2, cross(at))));
    (uniform ? same_ : own_).push_back(x);
  }

  void variable(Place at) {
    count("variable");
    const std::string w = name("w");
    const bool uniform = !at.apart && chance(40);
    line(fmt::format("alloc {}: var int32[1], init={}", w, uniform ? same(1, cross(at)) : value(1, cross(at))));
    (uniform ? same_ : own_).push_back(w + "[0]");
    (uniform ? same_vars_ : own_vars_).push_back(w);
  }

  void own_tile(Place) {
    count("own tile");
    switch (below(4)) {
      case 0:
        return line("tile.copy src=%A[%t :+ 1, 0 :+ 4], dst=%L[0 :+ 4]");
      case 1:
        return line("tile.copy src=%L[0 :+ 4], dst=%B[%t :+ 1, 0 :+ 4]");
      case 2:
        return line("tile.reduce max, src=%L[0 :+ 4], dst=%v[0 :+ 1], 0");
      default:
        return line(fmt::format("tile.fill dst=%L[1 :+ 2], value={}", one_of(same_)));
    }
  }

  /// Something that all threads do together.
  void together(Place at) {
    if (at.in_group || chance(50)) {
      count("barrier");
      return line("barrier");
    }
    if (chance(30)) {
      count("tile");
      return line(fmt::format("tile.copy src=%A[0 :+ {0}, 0 :+ 4], dst=%S[0 :+ {0}, 0 :+ 4]", threads_));
    }
    count("parallel");
    const std::string i = name("i"), j = name("j");
    line(fmt::format("parallel [{}: int32, {}: int32], [{}, 4] {{", i, j, threads_));
    line(fmt::format("store %S, [{0}, {1}], %S[{0}, {1}] + %B[{0}, {1}] * {2}", i, j, same(1, false)));
    line("}");
  }

  void uniform_store(Place at) {
    count("uniform store");
    if (!same_vars_.empty() && chance(70)) {
      return line(fmt::format("store {}, [0], {}", one_of(same_vars_), same(2, cross(at))));
    }
    if (cross(at)) line(fmt::format("store %C, [{0}], %C[{0}] + {1}", 1 + below(3), same(2, true)));
  }

  void jump(Place at) {
    count(at.apart ? "jump of single threads" : "jump of all");
    line(fmt::format("if {} {{", condition(at.apart ? value(1, false) : same(1, cross(at)))));
    line(chance(50) ? "break" : "continue");
    line("}");
  }

  void branch(Place at) {
    const bool apart = chance(50);
    count(apart ? "branch of single threads" : "branch of all");
    line(fmt::format("if {} {{", condition(apart ? value(1, false) : same(1, cross(at)))));
    // Single threads may not jump in a loop that all run together.
    at.may_jump &= at.apart || !apart;
    at.apart |= apart;
    ++at.depth;
    scope([&] { statements(1 + below(3), at); });
    if (chance(40)) {
      line("} else {");
      scope([&] { statements(1 + below(2), at); });
    }
    line("}");
  }

  void counted_loop(Place at) {
    const bool apart_end = chance(25), apart_jump = chance(20);
    count(apart_end || apart_jump ? "for of single threads" : "for of all");
    const std::string k = name("k");
    std::string end =
        chance(60) ? std::to_string(below(4)) : fmt::format("floormod({}, 4)", same(1, cross(at) && !apart_jump));
    if (apart_end) end = fmt::format("floormod({}, 4)", value(1, false));
    line(fmt::format("for {}: int32, 0, {} {{", k, end));
    at.apart |= apart_end || apart_jump;
    at.may_jump = true;
    ++at.depth;
    scope([&] {
      // Where the loop's trip differs, so may what is kept of its variable, but not the variable.
      (apart_end ? own_ : same_).push_back(k);
      small_.push_back(k);
      statements(1 + below(4), at);
    });
    line("}");
  }

  void open_loop(Place at) {
    const bool apart = chance(50);
    count(apart ? "while of single threads" : "while of all");
    const std::string c = name("c");
    line(fmt::format("alloc {}: var int32[1], init=0", c));
    const std::string go_on = condition(apart ? value(1, false) : same(1, false));
    line(fmt::format("while {}[0] < {} && ({}[0] < 1 || {}) {{", c, 1 + below(3), c, go_on));
    at.apart |= apart;
    at.may_jump = true;
    ++at.depth;
    line(fmt::format("store {0}, [0], {0}[0] + 1", c));
    scope([&] {
      // Inside, all threads that are left count alike.
      (apart ? own_ : same_).push_back(c + "[0]");
      statements(1 + below(4), at);
    });
    line("}");
  }

  void group() {
    count("group");
    const int first = below(threads_), n = 1 + below(threads_ - first);
    line(fmt::format("group first={}, count={} {{", first, n));
    scope([&] {
      same_vars_.clear();
      statements(1 + below(4), {.in_group = true, .depth = 1});
    });
    line("}");
  }

  std::mt19937_64 random_;
  ThreadProgram out_;
  int threads_ = 1, names_ = 0;
  /// Threads lie along x, so that a part of them is a range.
  bool line_ = false;
  /// Values of all threads, of single threads, and variables of small loops (0 to 3).
  std::vector<std::string> same_, own_, small_;
  /// Variables that may be stored to.
  std::vector<std::string> same_vars_, own_vars_;
};

}  // namespace

ThreadProgram random_thread_program(uint64_t seed) { return Generator(seed).program(); }

}  // namespace tl::testing
