#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tl {

/// Base of immutable, shared nodes. The count is atomic: a node may outlive the trace that made it and cross threads.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) noexcept {}
  RefCounted& operator=(const RefCounted&) noexcept { return *this; }
  virtual ~RefCounted() = default;

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<uint32_t> count_{0};
};

/// Intrusive shared pointer to a `RefCounted` node. Null by default; comparison is identity.
template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT: `nullptr` is the empty reference
  explicit Ref(T* node) : node_(node) { retain(); }
  Ref(const Ref& other) : node_(other.node_) { retain(); }
  Ref(Ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  Ref(const Ref<U>& other) : node_(other.get()) {  // NOLINT: upcast
    retain();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Ref() {
    if (node_ != nullptr && node_->RefCounted::count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
  }

  T* get() const { return node_; }
  T& operator*() const { return *node_; }
  T* operator->() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }
  template <class U>
  bool operator==(const Ref<U>& other) const {
    return node_ == other.get();
  }

 private:
  void retain() {
    if (node_ != nullptr) node_->RefCounted::count_.fetch_add(1, std::memory_order_relaxed);
  }
  T* node_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace tl
