#pragma once

// An operation while it is performed: its accesses are checked and recorded here, whatever it moves.

#include <string>
#include <vector>

#include "simulate/ascend/core.h"

namespace tl::simulate::ascend {

class Operation {
 public:
  /// On `pipe` of `core`, as the next of its operations.
  Operation(Core& core, int call, int line, int pipe);

  /// Records an access to bytes of a memory. False where they are outside of it, which is reported.
  bool read(Memory& memory, int64_t first, int64_t bytes);
  bool write(Memory& memory, int64_t first, int64_t bytes);
  /// The tensor that holds all of the bytes; null, reported, where none does.
  Tensor* read_gm(uint64_t address, int64_t bytes);
  Tensor* write_gm(uint64_t address, int64_t bytes, bool atomic = false);

  /// TL128 where `condition` does not hold: what a call demands of its arguments.
  bool require(bool condition, const std::string& message);
  /// TL121: undefined bytes from `first` on are used.
  void undefined(std::string_view where, int64_t first);

  /// Accesses from here on are reported at this line as `call`.
  void at(int call, int line);
  void in_order(bool yes) { order_.own_pipe_complete = yes; }
  uint64_t bytes() const { return bytes_; }
  Core& core() { return core_; }
  int line() const { return line_; }

 private:
  bool inside(const Memory& memory, int64_t first, int64_t bytes, bool writes);
  void report(const std::vector<Conflict>& conflicts, std::string_view where, uint64_t base, bool writes);

  Core& core_;
  int call_, line_;
  /// Of the call that was issued: `line_` may be one in its region.
  int origin_;
  int pipe_;
  Access access_;
  Order order_;
  uint64_t bytes_ = 0;
  std::vector<Conflict> conflicts_;
};

/// Performs a queued operation that moves or computes.
void perform(Core& core, const Record& record, Operation& operation);

// By kind; each in a file of its own.
void copy_gm_to_ub(Core& core, const Record& record, Operation& operation);
void copy_ub_to_gm(Core& core, const Record& record, Operation& operation);
void copy_ub_to_l1(Core& core, const Record& record, Operation& operation);
void copy_gm_to_l1(Core& core, const Record& record, Operation& operation);
void fill_l1(Core& core, const Record& record, Operation& operation);
void load_l0(Core& core, const Record& record, Operation& operation);
void multiply(Core& core, const Record& record, Operation& operation);
void drain(Core& core, const Record& record, Operation& operation);

/// Stores `count` elements of `element` to GM in the atomic mode.
void store_atomically(uint8_t* to, const uint8_t* from, int64_t bytes, int operation, int element);

}  // namespace tl::simulate::ascend
