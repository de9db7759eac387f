#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ridgerunner/regression/regression.h"

namespace ridgerunner::service {

// Memory for choosing, one for each choice that is being made.
class Workspaces {
 public:
  class Lease {
   public:
    explicit Lease(Workspaces& owner) : owner_(owner), workspace_(owner.take()) {}
    ~Lease() { owner_.give_back(std::move(workspace_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Workspace& operator*() { return *workspace_; }

   private:
    Workspaces& owner_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  std::unique_ptr<Workspace> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) return std::make_unique<Workspace>();
    auto workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(workspace));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

}  // namespace ridgerunner::service
