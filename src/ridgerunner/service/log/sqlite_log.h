#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "ridgerunner/service/log/checkpointer.h"
#include "ridgerunner/service/log/event_log.h"
#include "ridgerunner/service/log/file.h"
#include "ridgerunner/service/log/sqlite.h"

namespace ridgerunner::service {

// Events that were moved out of log.db into a file of their own, in FOLDER/archive.
struct ArchivedEvents {
  std::uint64_t first = 0, last = 0;
  std::string file;
};

// The log in one SQLite file, FOLDER/log.db: write-ahead log, every commit synced. FOLDER/mark holds the last
// sequence number that was made durable: a log that ends before it has lost records. One process at a time.
// Old events may be in FOLDER/archive, from where they are read if they are needed.
class SqliteLog : public EventLog {
 public:
  // Creates the folder and the log if they are not there. Throws LogError: another process has the log, it is
  // of another format, it has a gap, or it ends before its mark.
  explicit SqliteLog(const std::string& folder);
  ~SqliteLog() override;

  void append(std::span<const Record> batch) override;
  std::vector<Record> read(std::uint64_t from, std::size_t limit) override;
  std::uint64_t last() override;

  // Moves all events there are into a new file of FOLDER/archive, whose name is returned. It is whole before
  // anything is deleted. Nobody may append or read meanwhile.
  std::string archive();

 private:
  void verify_size();
  void verify_ends();
  void read_archived(std::uint64_t from, std::size_t limit, std::vector<Record>& records) const;

  std::string folder_;
  FileLock lock_;
  Database writer_;
  std::unique_ptr<Statement> insert_, begin_, commit_;
  std::unique_ptr<Checkpointer> checkpointer_;
  int wal_pages_ = 0;  // as of the last commit
  MarkFile mark_;
  std::mutex reading_;  // guards the reader
  std::unique_ptr<Database> reader_;
  std::unique_ptr<Statement> select_;
  std::uint64_t last_ = 0;
  std::vector<ArchivedEvents> archived_;  // in order, without gaps, from event 1 on
};

// A log that cannot be opened in full, for rescue: reads what can be read, without writing anything.
class RescueLog {
 public:
  explicit RescueLog(const std::string& folder);
  struct Found {
    Record record;
    std::string trouble;  // if not empty: why the record cannot be read
  };
  // Calls `sink` for every record and every damaged one, in order; returns the number of damaged ones.
  std::uint64_t each(const std::function<void(const Found&)>& sink);

 private:
  std::string folder_;
  Database database_;
  std::uint64_t mark_ = 0;
};

}  // namespace ridgerunner::service
