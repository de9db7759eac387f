#include "ridgerunner/service/log/checkpointer.h"

#include <pthread.h>

#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {
namespace {

constexpr int kPages = 1000;  // of 16 KiB

}  // namespace

Checkpointer::Checkpointer(const std::string& file) : database_(file) {
  database_.execute("PRAGMA synchronous = FULL");
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "rr-checkpoint");
}

Checkpointer::~Checkpointer() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void Checkpointer::after_commit(Database& writer, int pages) {
  std::unique_lock lock(mutex_);
  if (!trouble_.empty()) throw LogError(trouble_);
  if (stage_ == Stage::idle && pages > kPages) {
    stage_ = Stage::wanted;
    work_.notify_one();
  } else if (stage_ == Stage::moved) {
    stage_ = Stage::idle;
    lock.unlock();
    writer.checkpoint();  // the rest; the next commit then begins the write-ahead log anew
  }
}

void Checkpointer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stopping_ || stage_ == Stage::wanted; });
    if (stopping_) return;
    stage_ = Stage::moving;
    lock.unlock();
    std::string trouble;
    try {
      database_.checkpoint();
    } catch (const LogError& error) {
      trouble = error.what();
    }
    lock.lock();
    trouble_ = trouble;
    stage_ = Stage::moved;
  }
}

}  // namespace ridgerunner::service
