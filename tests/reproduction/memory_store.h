#pragma once

#include <map>
#include <mutex>

#include "ridgerunner/reproduction/job.h"

namespace ridgerunner::test {

// A store that forgets with the test.
class MemoryStore final : public Store {
 public:
  std::optional<std::string> read(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    const auto found = kept.find(name);
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  }
  void write(const std::string& name, const std::string& bytes) override {
    const std::lock_guard lock(mutex_);
    kept[name] = bytes;
    ++writes;
  }

  std::map<std::string, std::string> kept;
  int writes = 0;

 private:
  std::mutex mutex_;
};

}  // namespace ridgerunner::test
