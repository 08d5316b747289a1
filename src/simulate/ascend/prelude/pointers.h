#pragma once

// Pointers into the memories of a core. Each knows its memory by its type, so that an address of one cannot be taken
// for one of another; elements of UB and GM are read and written through references that check every access.

#include "element_types.h"

namespace tl_ascend {

extern "C" {
/// Set by the simulator before a kernel runs.
extern Host* tl_ascend_host;
}

/// A subscript that knows the line it stands on.
struct Index {
  int64_t value;
  int line;
  template <class I>
  constexpr Index(I i, int at = __builtin_LINE()) : value(int64_t(i)), line(at) {}
};

template <class T>
struct remove_const_of {
  using type = T;
};
template <class T>
struct remove_const_of<const T> {
  using type = T;
};

template <class I>
concept Integral = !__is_class(I) && requires(I i) { i % 2; };

/// Accesses to UB in a SIMT region are checked here, where a call for each element would cost more than all else.
inline bool read_is_fine(Host& h, uint64_t at, unsigned bytes, int line) {
  const uint64_t time = h.stamp >> kTimeShift, thread = h.stamp & kThreadMask;
  const uint64_t mine = h.stamp | (uint64_t(line) & kLineMask) << kLineShift;
  if (at + bytes > h.ub_bytes || at > h.ub_bytes || (at & (bytes - 1)) != 0) return false;
  h.ub_touched[at >> kPageShift] = 1;
  bool fine = true;
  for (unsigned b = 0; b < bytes; ++b) {
    const uint64_t w = h.ub_written[at + b], r = h.ub_read[at + b];
    fine &= !((w >> kTimeShift) == time && (w & kThreadMask) != thread) && h.ub_defined[at + b] != 0;
    h.ub_read[at + b] = (r >> kTimeShift) == time && (r & kThreadMask) != thread ? r | kManyThreads : mine;
  }
  return fine;
}

template <class T>
inline T load(Space space, uint64_t at, int line) {
  Host& h = *tl_ascend_host;
  T value;
  if (space == kUb && h.in_region) {
    if (!read_is_fine(h, at, sizeof(T), line)) [[unlikely]] {
      h.suspect(at, sizeof(T), line, kRead);
      if (at > h.ub_bytes - sizeof(T)) return T{};
    }
    __builtin_memcpy(&value, h.ub + at, sizeof(T));
    return value;
  }
  __builtin_memcpy(&value, h.access(space, at, sizeof(T), line, kRead), sizeof(T));
  return value;
}

template <class T>
inline void store(Space space, uint64_t at, T value, int line) {
  Host& h = *tl_ascend_host;
  if (space == kUb && h.in_region) {
    // What is wrong is said before the marks of this access hide what was there.
    const uint64_t time = h.stamp >> kTimeShift, thread = h.stamp & kThreadMask;
    bool fine = at <= h.ub_bytes - sizeof(T) && (at & (sizeof(T) - 1)) == 0;
    if (fine) {
      for (unsigned b = 0; b < sizeof(T); ++b) {
        const uint64_t w = h.ub_written[at + b], r = h.ub_read[at + b];
        fine &= !((w >> kTimeShift) == time && (w & kThreadMask) != thread);
        fine &= !((r >> kTimeShift) == time && (r & kThreadMask) != thread);
      }
    }
    if (!fine) [[unlikely]] {
      h.suspect(at, sizeof(T), line, kWrite);
      if (at > h.ub_bytes - sizeof(T)) return;
    }
    const uint64_t mine = h.stamp | (uint64_t(line) & kLineMask) << kLineShift;
    h.ub_touched[at >> kPageShift] = 1;
    for (unsigned b = 0; b < sizeof(T); ++b) h.ub_written[at + b] = mine;
    for (unsigned b = 0; b < sizeof(T); ++b) h.ub_defined[at + b] = 1;
    __builtin_memcpy(h.ub + at, &value, sizeof(T));
    return;
  }
  __builtin_memcpy(h.access(space, at, sizeof(T), line, kWrite), &value, sizeof(T));
}

template <class T>
inline T value_of(const T& v) {
  return v;
}
template <Space S, class T>
struct reference;
template <Space S, class T>
inline auto value_of(const reference<S, T>& r);

template <Space S, class T>
struct pointer;

/// One element of UB or GM; converts to its value.
template <Space S, class T>
struct reference {
  using value_type = typename remove_const_of<T>::type;
  uint64_t at;
  int line;

  value_type value() const { return load<value_type>(S, at, line); }
  operator value_type() const { return value(); }
  template <class U>
  explicit operator U() const {
    return U(value());
  }
  const reference& operator=(value_type v) const {
    store<value_type>(S, at, v, line);
    return *this;
  }
  const reference& operator=(const reference& other) const { return *this = other.value(); }
  template <Space R, class U>
  const reference& operator=(const reference<R, U>& other) const {
    return *this = value_type(other.value());
  }
  reference(const reference&) = default;
  reference(uint64_t address, int where) : at(address), line(where) {}
  pointer<S, T> operator&() const { return pointer<S, T>::at_address(at, line); }

#define TL_COMPOUND(op)                                \
  template <class U>                                   \
  const reference& operator op##=(const U & u) const { \
    return *this = value_type(value() op value_of(u)); \
  }
  TL_COMPOUND(+)
  TL_COMPOUND(-)
  TL_COMPOUND(*)
  TL_COMPOUND(/) TL_COMPOUND(%) TL_COMPOUND(&) TL_COMPOUND(|) TL_COMPOUND(^) TL_COMPOUND(<<) TL_COMPOUND(>>)
#undef TL_COMPOUND
};

template <Space S, class T>
inline auto value_of(const reference<S, T>& r) {
  return r.value();
}

template <class T>
inline constexpr bool is_reference = false;
template <Space S, class T>
inline constexpr bool is_reference<reference<S, T>> = true;

#define TL_BINARY(op)                               \
  template <class A, class B>                       \
    requires(is_reference<A> || is_reference<B>)    \
  inline auto operator op(const A& a, const B& b) { \
    return value_of(a) op value_of(b);              \
  }
TL_BINARY(+)
TL_BINARY(-)
TL_BINARY(*)
TL_BINARY(/) TL_BINARY(%) TL_BINARY(&) TL_BINARY(|) TL_BINARY(^) TL_BINARY(<<) TL_BINARY(>>) TL_BINARY(<) TL_BINARY(>)
    TL_BINARY(<=) TL_BINARY(>=) TL_BINARY(==) TL_BINARY(!=)
#undef TL_BINARY
        template <Space S, class T>
        inline auto operator-(const reference<S, T>& r) {
  return -r.value();
}
template <Space S, class T>
inline auto operator~(const reference<S, T>& r) {
  return ~r.value();
}

template <Space S, class T>
struct pointer {
  using element = T;
  uint64_t at;
  /// Of the arithmetic that made it: `*p` has no place for one.
  int line;

  pointer() = default;
  static pointer at_address(uint64_t address, int where) {
    pointer p;
    p.at = address;
    p.line = where;
    return p;
  }
  template <class I>
    requires(Integral<I>)
  explicit pointer(I address, int where = __builtin_LINE()) : at(uint64_t(address)), line(where) {}
  /// Without a cast only to const and to void, as pointers of the language.
  template <class U>
  explicit(!__is_same(const U, T) && !__is_same(void, T)) pointer(pointer<S, U> other, int where = __builtin_LINE())
      : at(other.at), line(where) {}
  explicit operator uint64_t() const { return at; }
  explicit operator int64_t() const { return int64_t(at); }
  explicit operator uint32_t() const { return uint32_t(at); }
  explicit operator bool() const { return at != 0; }

  pointer operator+(Index i) const { return at_address(at + uint64_t(i.value) * sizeof(T), i.line); }
  pointer operator-(Index i) const { return at_address(at - uint64_t(i.value) * sizeof(T), i.line); }
  template <class U>
  int64_t operator-(const pointer<S, U>& other) const {
    return int64_t(at - other.at) / int64_t(sizeof(T));
  }
  pointer& operator+=(Index i) { return *this = *this + i; }
  pointer& operator-=(Index i) { return *this = *this - i; }
  pointer& operator++() {
    at += sizeof(T);
    return *this;
  }
  pointer& operator--() {
    at -= sizeof(T);
    return *this;
  }
  template <class U>
  bool operator==(const pointer<S, U>& other) const {
    return at == other.at;
  }
  template <class U>
  bool operator<(const pointer<S, U>& other) const {
    return at < other.at;
  }

  reference<S, T> operator[](Index i) const {
    static_assert(S == kGm || S == kUb, "elements of L1 and L0 cannot be accessed one by one");
    return {at + uint64_t(i.value) * sizeof(T), i.line};
  }
  reference<S, T> operator*() const { return {at, line}; }
};
template <Space S, class T>
inline pointer<S, T> operator+(Index i, const pointer<S, T>& p) {
  return p + i;
}

/// reinterpret_cast to one of these pointers: from another of the same memory, or from an address.
template <class P, class From>
inline P cast_pointer(const From& from, int line = __builtin_LINE()) {
  return P(from, line);
}

}  // namespace tl_ascend

template <class T>
using tl_gm_ptr = tl_ascend::pointer<tl_ascend::kGm, T>;
template <class T>
using tl_ub_ptr = tl_ascend::pointer<tl_ascend::kUb, T>;
template <class T>
using tl_l1_ptr = tl_ascend::pointer<tl_ascend::kL1, T>;
template <class T>
using tl_l0a_ptr = tl_ascend::pointer<tl_ascend::kL0a, T>;
template <class T>
using tl_l0b_ptr = tl_ascend::pointer<tl_ascend::kL0b, T>;
template <class T>
using tl_l0c_ptr = tl_ascend::pointer<tl_ascend::kL0c, T>;
