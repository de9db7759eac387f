#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <boost/beast/core/flat_buffer.hpp>

namespace ridgerunner::service {

// Memory for one request at a time. A connection has one only while it has a request, so those that are idle
// hold none, however long their last request was.
struct Scratch {
  boost::beast::flat_buffer input;  // bytes that have arrived and are not parsed yet
  std::string body;                 // of the request
  std::string head, answer;         // the answer's head and body
};

// Scratch memory that is used again.
class ScratchPool {
 public:
  class Lease {
   public:
    Lease() = default;
    explicit Lease(ScratchPool& pool) : pool_(&pool), scratch_(pool.take()) {}
    Lease(Lease&& other) noexcept : pool_(other.pool_), scratch_(std::move(other.scratch_)) {}
    Lease& operator=(Lease&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(scratch_, other.scratch_);
      return *this;
    }
    ~Lease() {
      if (scratch_) pool_->give_back(std::move(scratch_));
    }
    explicit operator bool() const { return scratch_ != nullptr; }
    Scratch* operator->() { return scratch_.get(); }
    Scratch& operator*() { return *scratch_; }

   private:
    ScratchPool* pool_ = nullptr;
    std::unique_ptr<Scratch> scratch_;
  };

  // Bytes that are kept for later requests.
  std::size_t kept_bytes() const {
    const std::scoped_lock lock(mutex_);
    std::size_t sum = 0;
    for (const auto& scratch : free_)
      sum += scratch->input.capacity() + scratch->body.capacity() + scratch->answer.capacity();
    return sum;
  }

 private:
  static constexpr std::size_t kKept = 64, kKeptBytes = 64 << 10;

  std::unique_ptr<Scratch> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Scratch> scratch = std::move(free_.back());
        free_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>();
  }

  void give_back(std::unique_ptr<Scratch> scratch) {
    scratch->input.clear();
    if (scratch->input.capacity() > kKeptBytes) scratch->input.shrink_to_fit();
    for (std::string* text : {&scratch->body, &scratch->head, &scratch->answer}) {
      text->clear();
      if (text->capacity() > kKeptBytes) *text = std::string();
    }
    const std::scoped_lock lock(mutex_);
    if (free_.size() < kKept) free_.push_back(std::move(scratch));
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace ridgerunner::service
