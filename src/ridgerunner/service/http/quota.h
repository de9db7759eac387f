#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace ridgerunner::service {

// A counter with a limit: acquire() fails when the limit would be passed. What was acquired is given back
// when its lease ends, whichever way: by an answer, an exception or a client that hangs up.
class Quota {
 public:
  explicit Quota(std::size_t most) : most_(most) {}
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), amount_(std::exchange(other.amount_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(amount_, other.amount_);
      return *this;
    }
    ~Lease() {
      if (quota_) quota_->used_.fetch_sub(amount_);
    }
    explicit operator bool() const { return quota_ != nullptr; }

   private:
    friend class Quota;
    Lease(Quota& quota, std::size_t amount) : quota_(&quota), amount_(amount) {}
    Quota* quota_ = nullptr;
    std::size_t amount_ = 0;
  };

  // An empty lease if there is not so much left.
  Lease acquire(std::size_t amount = 1) {
    std::size_t used = used_.load();
    do {
      if (amount > most_ - used) return {};
    } while (!used_.compare_exchange_weak(used, used + amount));
    return Lease(*this, amount);
  }

  std::size_t used() const { return used_; }
  std::size_t most() const { return most_; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace ridgerunner::service
