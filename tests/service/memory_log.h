#pragma once

#include <atomic>
#include <mutex>

#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {

// A log that lasts as long as its contents are held, and fails when told to.
struct MemoryContents {
  std::mutex mutex;
  std::vector<Record> records;
  std::atomic<bool> failing = false;
  std::atomic<bool> holding = false;  // nothing becomes durable while it is
  std::atomic<int> commits = 0;
};

class MemoryLog : public EventLog {
 public:
  explicit MemoryLog(std::shared_ptr<MemoryContents> contents) : contents_(std::move(contents)) {}

  void append(std::span<const Record> batch) override {
    contents_->holding.wait(true);
    if (contents_->failing) throw LogError("no space left on device");
    const std::scoped_lock lock(contents_->mutex);
    contents_->records.insert(contents_->records.end(), batch.begin(), batch.end());
    ++contents_->commits;
  }

  std::vector<Record> read(std::uint64_t from, std::size_t limit) override {
    const std::scoped_lock lock(contents_->mutex);
    std::vector<Record> found;
    for (std::size_t i = from - 1; i < contents_->records.size() && found.size() < limit; ++i)
      found.push_back(contents_->records[i]);
    return found;
  }

  std::uint64_t last() override {
    const std::scoped_lock lock(contents_->mutex);
    return contents_->records.size();
  }

 private:
  std::shared_ptr<MemoryContents> contents_;
};

}  // namespace ridgerunner::service
