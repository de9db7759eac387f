#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridgerunner::service {

// The log could not do what was asked: the disk is full, a sync failed, the file is damaged.
class LogError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The records asked for were archived, and the archive is not at its place.
class ArchivedElsewhere : public LogError {
 public:
  using LogError::LogError;
};

struct Record {
  std::uint64_t seq = 0;
  std::string bytes;  // an encoded event
};

// The only truth: records numbered 1, 2, 3, ... One thread appends at a time, others may read meanwhile.
class EventLog {
 public:
  virtual ~EventLog() = default;

  // The records follow last() without a gap. All of them are durable on return, or LogError is thrown and it
  // is unknown which are: nothing may be appended after that.
  virtual void append(std::span<const Record> batch) = 0;

  // At most `limit` records from `from` on, in order; fewer only at the end. Bytes that cannot be read are
  // a LogError that names the record.
  virtual std::vector<Record> read(std::uint64_t from, std::size_t limit) = 0;

  virtual std::uint64_t last() = 0;  // 0 if empty
};

}  // namespace ridgerunner::service
