#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layout/checked.h"
#include "layout/layout.h"

namespace tl {

/// Where an element of a tile lives: the register, the same in each thread that holds it, and the first such thread.
struct FragmentSlot {
  int64_t thread;
  int64_t reg;
  bool operator==(const FragmentSlot&) const = default;
};

/// One step of the formula from an element's box index to its slot, see `Fragment::digits`.
struct FragmentDigit {
  int64_t divisor;
  int64_t extent;
  int64_t thread_weight;
  int64_t register_weight;
};

/// The order in which a thread-value layout counts the elements of a tile.
enum class TileOrder { kRowMajor, kColumnMajor };
/// What the copies of a repeated atom are spread over.
enum class RepeatOver { kRegisters, kThreads };

/// A tile spread over the registers of a group of threads: tile coordinate -> (thread, register), with every element
/// held by `replication` threads. Coordinates have one index per tile dimension, extents are >= 1, threads count from 0
/// within the group. Some (thread, register) slots may hold nothing; they are padding, and work on them is predicated
/// off.
///
/// The usual form is *affine*: two layouts, of the thread and of the register, whose sum is the row-major index of the
/// element in a *box*, a tile whose extents are those of the tile or larger (the first dimension of the box is as long
/// as needed). An index whose coordinate lies outside the tile is padding; a thread leaf of stride 0 is replication.
/// What has no affine form is a *table* of slots. Meaning, not form, decides equality.
///
/// Text: `fragment<tile=(16,8), threads=32:2, registers=(2,2):(1,64)>`, with `box=(16,12)` after the tile where the box
/// differs from it beyond the first dimension; or `fragment<tile=(3), slots=(2,2), table=(0,1,2,-1)>`: the numbers of
/// threads and registers, then the row-major element of each slot, register fastest, -1 for padding.
class Fragment {
 public:
  using Coordinate = std::span<const int64_t>;
  /// Element index (row-major in the tile) of a slot, or none.
  using SlotFunction = std::function<std::optional<int64_t>(int64_t thread, int64_t reg)>;

  /// Row-major elements in vectors of `vector`, thread after thread, pass after pass: element e is in thread
  /// (e / vector) mod threads. The last pass may be partial.
  static Checked<Fragment> distribute(const std::vector<int64_t>& extents, int64_t threads, int64_t vector = 1);
  /// Like `distribute`, but rows (runs along the last dimension) start at a thread of their own: each row belongs to
  /// `threads_per_row` consecutive threads and is padded to whole passes, so that a reduction along it keeps an affine
  /// form at any width. Error: threads_per_row does not divide threads.
  static Checked<Fragment> distribute_rows(const std::vector<int64_t>& extents, int64_t threads,
                                           int64_t threads_per_row, int64_t vector = 1);
  /// Every thread holds the whole tile, register = row-major index.
  static Checked<Fragment> replicated(const std::vector<int64_t>& extents, int64_t threads);
  /// From a layout with two top-level modes (thread, register) that gives the index of the element in the tile in the
  /// given order. Thread leaves of stride 0 replicate; indices beyond the tile are padding. Error: an element is
  /// missing, or is held twice by one thread.
  static Checked<Fragment> from_thread_value(const std::vector<int64_t>& extents, const Layout& thread_value,
                                             TileOrder order = TileOrder::kRowMajor);
  /// From the two layouts of the affine form, row-major in `box` (box[0] is ignored: the box is as long as needed).
  static Checked<Fragment> affine(const std::vector<int64_t>& extents, const std::vector<int64_t>& box,
                                  const Layout& thread_layout, const Layout& register_layout);
  /// From any slot function, by enumeration; takes an affine form where one without padding fits. Error: an element is
  /// missing, is held twice by one thread, or sits in different registers of its threads.
  static Checked<Fragment> from_slots(const std::vector<int64_t>& extents, int64_t threads, int64_t registers,
                                      const SlotFunction& element);
  static Checked<Fragment> parse(std::string_view text);
  static Checked<Fragment> parse(TextCursor& cursor);

  /// The fragment of a tile without dimension `dim` (or with extent 1 there): each thread holds the results of the
  /// elements it held. Where that has no affine form, every thread holds every result.
  Checked<Fragment> reduce(size_t dim, bool keep_dim = false) const;
  /// The fragment of a tile of the listed dimensions, in that order: each thread holds what its elements index. As
  /// `reduce` when dimensions are left out; a transposition when none is.
  Checked<Fragment> project(std::span<const size_t> dims) const;
  /// The fragment as an atom, repeated counts[i] times along dimension i, over more registers or over more threads; the
  /// first dimension's copies are counted fastest, or the last one's.
  Checked<Fragment> repeat(std::span<const int64_t> counts, RepeatOver over, bool first_dim_fastest = true) const;
  /// `count` groups of threads, each holding the tile as this one does.
  Checked<Fragment> replicate(int64_t count) const;
  /// The tile cut to smaller extents; what falls outside becomes padding.
  Checked<Fragment> crop(const std::vector<int64_t>& extents) const;

  const std::vector<int64_t>& extents() const { return extents_; }
  /// Elements of the tile.
  int64_t size() const { return size_; }
  int64_t threads() const { return threads_; }
  /// Registers (elements) per thread, padding included.
  int64_t registers() const { return registers_; }
  /// Threads that hold an element; the largest such number where it varies (table form only).
  int64_t replication() const { return replication_; }
  /// Slots that are no padding, over all threads.
  int64_t filled_slots() const;
  /// Threads that hold the element at `coordinate`.
  int64_t replicas(Coordinate coordinate) const;

  /// First holder and register. All queries throw std::out_of_range for what is outside the tile, threads or registers.
  FragmentSlot slot(Coordinate coordinate) const;
  int64_t reg(Coordinate coordinate) const { return slot(coordinate).reg; }
  /// The holder number `replica`, in increasing order of threads.
  int64_t thread(Coordinate coordinate, int64_t replica = 0) const;
  /// The one thread that performs effects for the element: its first holder.
  int64_t owner(Coordinate coordinate) const { return slot(coordinate).thread; }
  bool holds(int64_t thread, Coordinate coordinate) const;
  /// The element in a slot, as a coordinate or as its row-major index; none for padding.
  std::optional<std::vector<int64_t>> coordinate(int64_t thread, int64_t reg) const;
  std::optional<int64_t> element(int64_t thread, int64_t reg) const;
  /// The elements of all slots, that of slot thread * registers() + register, -1 for padding.
  std::vector<int32_t> elements() const;
  /// Coordinate of a row-major index.
  std::vector<int64_t> coordinate_of(int64_t element) const;

  /// Checks by enumeration that slots and elements are inverse to each other: every slot's element says the slot's
  /// register and lists its thread, and there are as many filled slots as holders. Always true; for tests and debug
  /// builds.
  bool is_bijective() const;
  /// Every thread that holds an element in `reader` also holds it here (in whatever register), so that a loop laid out
  /// as `reader` finds its values in its own thread. Error-free: different tiles or thread counts give false.
  bool contains(const Fragment& reader) const;
  /// Same, for a loop over more or other dimensions that reads this tile at the loop's dimensions `dims`.
  bool contains(const Fragment& reader, std::span<const size_t> dims) const;
  /// A v such that every aligned group of v registers of a thread holds v consecutive elements along the last
  /// dimension, the first at a multiple of v, where the end of the tile may cut the group off: what a vector access can
  /// move. It is the widest that the affine form guarantees, 1 for a table.
  int64_t vector_extent() const;
  /// Same tile, threads, registers, and the same element in every slot.
  bool operator==(const Fragment& other) const;
  /// Equal with equal affine forms: a quick answer, sufficient for ==.
  bool is_spelled_like(const Fragment& other) const;
  /// Equal fragments have equal hashes.
  size_t hash() const;

  bool is_affine() const { return affine_; }
  /// The affine form; only where is_affine().
  const Layout& thread_layout() const { return thread_layout_; }
  const Layout& register_layout() const { return register_layout_; }
  const std::vector<int64_t>& box() const { return box_; }
  /// The formula of `slot`, largest divisor first: with `rest` the row-major index in the box, each step's digit is
  /// rest / divisor, rest becomes rest % divisor, and slot = sum of digit * (thread_weight, register_weight). Empty for
  /// one element per thread, and where the fragment is not affine or has no such formula (then `slot` looks up a
  /// table).
  std::span<const FragmentDigit> digits() const { return digits_; }

  std::string to_string() const;

 private:
  struct Table;

  Fragment() = default;
  static Checked<Fragment> start(const std::vector<int64_t>& extents, int64_t threads);
  /// This fragment's slots under other dimensions: old dimension k steps by dim_strides[k] in the row-major index of
  /// `box`.
  Checked<Fragment> restride(const std::vector<int64_t>& extents, const std::vector<int64_t>& box,
                             const std::vector<int64_t>& dim_strides) const;
  bool is_unpadded() const;
  int64_t box_index(Coordinate coordinate) const;
  /// The row-major index in the tile of an index in the box; -1 where that lies outside of the tile.
  int64_t element_in_box(int64_t index) const;
  int64_t element_index(Coordinate coordinate) const;
  int64_t replica_offset(int64_t replica) const;

  /// Find the inverse of the affine form or of a slot function and check that it is one; return what is wrong, if
  /// anything.
  std::optional<std::string> invert_affine();
  std::optional<std::string> invert_slots(const SlotFunction& element);
  std::optional<std::string> missing_element() const;

  std::vector<int64_t> extents_;
  int64_t size_ = 1, threads_ = 1, registers_ = 1, replication_ = 1;
  bool affine_ = true;
  std::vector<int64_t> box_;
  Layout thread_layout_, register_layout_;
  std::vector<LayoutMode> thread_leaves_, register_leaves_;
  std::vector<FragmentDigit> digits_;
  std::shared_ptr<const Table> table_;  // the inverse where `digits_` is none; both directions where not affine
};

}  // namespace tl
