#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/buffer.h"

namespace tl {

/// Which names of a function under construction may be used here: everything a still open block has brought into being.
class Scope {
 public:
  /// What the value of a variable depends on.
  enum Dependence : uint8_t { kUniform = 0, kOnParallel = 1, kOnRuntimeParallel = 2 };

  /// A use of something that is not there: never defined, or defined in a block that is closed.
  struct Missing {
    std::string name;
    bool is_buffer = false;
    bool was_defined = false;
    Loc defined_at;
  };

  Scope() { open(); }
  void open() { blocks_.emplace_back(); }
  void close();

  void define(const Var& var, const Loc& loc, uint8_t dependence = kUniform);
  void define(const Buffer& buffer);
  /// A variable or a buffer of the whole function, whatever block is open.
  void define_everywhere(const Var& var, const Loc& loc);
  void define_everywhere(const Buffer& buffer);
  bool is_everywhere(const Expr& var) const { return everywhere_.count(var.get()) != 0; }
  bool knows(const Var& var) const { return entries_.count(var.get()) != 0; }

  /// Notes what `e` uses; the first thing of it that is not there.
  std::optional<Missing> use(const Expr& e);
  std::optional<Missing> use(const Buffer& buffer);
  bool used(const Var& var) const;

  /// Dependence bits of everything `e` uses.
  uint8_t dependence(const Expr& e) const;

  /// A name that no definition has yet: `wanted`, or with a number behind it.
  std::string unique_name(const std::string& wanted);

 private:
  struct Entry {
    Loc loc;
    uint8_t dependence = kUniform;
    bool live = true;
    bool used = false;
  };
  std::optional<Missing> use(const void* node, const std::string& name, bool is_buffer);

  std::unordered_map<const void*, Entry> entries_;
  std::unordered_set<const void*> everywhere_;
  // The entries are keyed by address, so what they stand for must stay alive.
  std::vector<Expr> kept_vars_;
  std::vector<Buffer> kept_buffers_;
  std::vector<std::vector<const void*>> blocks_;
  std::unordered_map<std::string, int> next_number_;
};

}  // namespace tl
