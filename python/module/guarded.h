#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include <ridgerunner/error.h>

#include "module.h"

namespace ridgerunner::python {

// Something that several Python threads may use: one at a time, and without the GIL while it works.
template <class T>
class Guarded {
 public:
  explicit Guarded(T value) : value_(std::move(value)) {}

  // Gives back what `work` makes of the value; that must be no Python object. The GIL is given up before the
  // lock is waited for, since whoever has the lock may be waiting for the GIL to call a kernel function.
  template <class Work>
  auto use(Work&& work) {
    const py::gil_scoped_release release;
    const Turn turn(*this);
    return work(value_);
  }

 private:
  class Turn {
   public:
    explicit Turn(Guarded& owner) : owner_(owner) {
      const std::thread::id self = std::this_thread::get_id();
      if (owner_.user_ == self)
        throw InvalidArgument(
            "it is at work already: a kernel function must not use what it is the kernel of");
      owner_.mutex_.lock();
      owner_.user_ = self;
    }
    ~Turn() {
      owner_.user_ = std::thread::id();
      owner_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Guarded& owner_;
  };

  T value_;
  std::mutex mutex_;
  std::atomic<std::thread::id> user_;
};

}  // namespace ridgerunner::python
