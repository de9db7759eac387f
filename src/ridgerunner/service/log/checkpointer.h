#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "ridgerunner/service/log/sqlite.h"

namespace ridgerunner::service {

// Moves the write-ahead log of a SQLite file into the file, on a thread of its own, so that no commit waits
// for more than the little that came in meanwhile.
class Checkpointer {
 public:
  explicit Checkpointer(const std::string& file);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // Between two commits of `writer`, with the pages that its write-ahead log holds. Throws LogError if moving
  // failed: what is in the log is safe, but it would grow for ever.
  void after_commit(Database& writer, int pages);

 private:
  void run();

  enum class Stage { idle, wanted, moving, moved };
  Database database_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable work_;
  Stage stage_ = Stage::idle;
  std::string trouble_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ridgerunner::service
