#pragma once

#include <memory>
#include <mutex>

#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/experiment/history.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// A model as decisions see it: never changes.
struct Model {
  Policy policy;
  std::uint64_t version = 0;
  Totals totals;
  std::shared_ptr<const History> history;  // may be a little older
};
using ModelPtr = std::shared_ptr<const Model>;

// A pointer that one thread replaces and others take.
template <class T>
class Published {
 public:
  std::shared_ptr<const T> get() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> value) {
    const std::scoped_lock lock(mutex_);
    value_.swap(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

Policy policy_of(const Created& created);

// Whether a choice changes what is chosen next, before any reward.
bool choices_matter(const Spec& spec);

// Whether the model keeps every state apart, so that its memory grows with their square.
bool keeps_every_state(const Spec& spec);

// Checksum of the saved policy: equal for equal models of the same build.
std::uint32_t model_checksum(const Policy& policy);

}  // namespace ridgerunner::service
