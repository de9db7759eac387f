#pragma once

#include <atomic>
#include <utility>

namespace ridgerunner {

// A value that copies share. Copying costs a counter, whatever the size of the value; own() hands it out for
// writing and copies it first if somebody else holds it. So a model that is copied and learns on pays for
// what it changes only.
//
// Threads: as with any value, one object may be read by many threads or written by one. Different objects may
// be used at the same time even if they share, since a shared value is not written. (A std::shared_ptr would
// not do: its use_count() does not wait for what other owners read before they let go.)
template <class T>
class Shared {
 public:
  template <class... Arguments>
  explicit Shared(std::in_place_t, Arguments&&... arguments)
      : node_(new Node(std::forward<Arguments>(arguments)...)) {}
  Shared(const Shared& other) : node_(other.node_) {
    if (node_) node_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Shared() {
    if (node_ && node_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
  }

  const T& operator*() const { return node_->value; }
  const T* operator->() const { return &node_->value; }

  bool is_shared() const { return node_->owners.load(std::memory_order_acquire) > 1; }

  T& own() {
    if (is_shared()) *this = Shared(std::in_place, std::as_const(node_->value));
    return node_->value;
  }

  // For what may be written although others read: atomics, and memory that they do not look at.
  T& common() { return node_->value; }

 private:
  struct Node {
    template <class... Arguments>
    explicit Node(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}
    T value;
    std::atomic<long> owners{1};
  };
  Node* node_;
};

}  // namespace ridgerunner
