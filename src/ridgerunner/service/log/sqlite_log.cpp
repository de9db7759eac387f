#include "ridgerunner/service/log/sqlite_log.h"

#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

namespace ridgerunner::service {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kApplication = 0x52524C47;  // "RRLG"

std::string prepared(const std::string& folder) {
  make_folder(folder);
  return folder + "/lock";
}

std::string log_file(const std::string& folder) {
  return folder + "/log.db";
}

// Pages of 16 KiB: an event with 30 actions takes 2 KiB, of which a page of 4 KiB would hold one.
void prepare_writer(Database& database) {
  database.execute("PRAGMA page_size = 16384");
  database.execute("PRAGMA journal_mode = WAL");
  database.execute("PRAGMA synchronous = FULL");
  database.execute("PRAGMA cache_size = -4096");
  if (database.number("PRAGMA user_version") == 0 &&
      database.number("SELECT count(*) FROM sqlite_schema") == 0) {
    Transaction transaction(database);
    database.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL)");
    database.execute(fmt::format("PRAGMA user_version = {}", kFormat).c_str());
    database.execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
    transaction.commit();
  }
  if (database.number("PRAGMA application_id") != kApplication)
    throw LogError("log.db is not a log of ridgerunner");
  if (const std::int64_t format = database.number("PRAGMA user_version"); format != kFormat)
    throw LogError(fmt::format("log.db has format version {}, this program reads {}", format, kFormat));
}

constexpr const char* kSelect = "SELECT seq, bytes FROM events WHERE seq >= ? ORDER BY seq LIMIT ?";

}  // namespace

SqliteLog::SqliteLog(const std::string& folder)
    : folder_(folder), lock_(prepared(folder)), writer_(log_file(folder)), mark_(folder + "/mark") {
  prepare_writer(writer_);
  verify_size();
  verify_ends();
  insert_ = std::make_unique<Statement>(writer_, "INSERT INTO events (seq, bytes) VALUES (?, ?)");
  begin_ = std::make_unique<Statement>(writer_, "BEGIN IMMEDIATE");
  commit_ = std::make_unique<Statement>(writer_, "COMMIT");
  // Also turns SQLite's own checkpoints off.
  sqlite3_wal_hook(
      writer_.handle(),
      [](void* pages, sqlite3*, const char*, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
      },
      &wal_pages_);
  checkpointer_ = std::make_unique<Checkpointer>(log_file(folder));
  reader_ = std::make_unique<Database>(log_file(folder));
  reader_->execute("PRAGMA query_only = ON");
  select_ = std::make_unique<Statement>(*reader_, kSelect);
}

SqliteLog::~SqliteLog() = default;

// With all of the write-ahead log moved into it, the file is as long as it says.
void SqliteLog::verify_size() {
  writer_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto said = writer_.number("PRAGMA page_count") * writer_.number("PRAGMA page_size");
  const auto found = static_cast<std::int64_t>(std::filesystem::file_size(log_file(folder_)));
  if (found < said)
    throw LogError(
        fmt::format("{} is truncated: {} bytes of {} are missing", log_file(folder_), said - found, said));
}

void SqliteLog::verify_ends() {
  last_ = static_cast<std::uint64_t>(writer_.number("SELECT max(seq) FROM events"));
  const auto first = static_cast<std::uint64_t>(writer_.number("SELECT min(seq) FROM events"));
  if (last_ > 0 && first != 1)
    throw LogError(fmt::format("{}: the log begins with event {}, not with 1", log_file(folder_), first));
  const auto mark = MarkFile::read(folder_ + "/mark");
  if (mark && *mark > last_)
    throw LogError(fmt::format("{}: the log ends with event {}, but event {} had been made durable",
                               log_file(folder_), last_, *mark));
}

void SqliteLog::append(std::span<const Record> batch) {
  if (batch.empty()) return;
  begin_->run();
  for (const Record& record : batch) {
    if (record.seq != last_ + 1)
      throw LogError(fmt::format("event {} cannot follow event {}", record.seq, last_));
    insert_->bind(1, static_cast<std::int64_t>(record.seq));
    insert_->bind_bytes(2, record.bytes);
    insert_->run();
    last_ = record.seq;
  }
  commit_->run();
  mark_.write(last_);
  checkpointer_->after_commit(writer_, wal_pages_);
}

std::vector<Record> SqliteLog::read(std::uint64_t from, std::size_t limit) {
  const std::scoped_lock lock(reading_);
  std::vector<Record> records;
  select_->reset();
  select_->bind(1, static_cast<std::int64_t>(from));
  select_->bind(2, static_cast<std::int64_t>(limit));
  std::uint64_t expected = from;
  try {
    for (; select_->step(); ++expected) {
      const auto seq = static_cast<std::uint64_t>(select_->integer(0));
      if (seq != expected) throw LogError(fmt::format("it is missing, {} is next", seq));
      records.push_back({seq, std::string(select_->bytes(1))});
    }
  } catch (const LogError& error) {
    select_->reset();
    throw LogError(fmt::format("{}: event {} cannot be read: {}", log_file(folder_), expected, error.what()));
  }
  select_->reset();
  return records;
}

std::uint64_t SqliteLog::last() {
  const std::scoped_lock lock(reading_);
  return static_cast<std::uint64_t>(reader_->number("SELECT max(seq) FROM events"));
}

RescueLog::RescueLog(const std::string& folder)
    : database_(log_file(folder), Database::Mode::read_only),
      mark_(MarkFile::read(folder + "/mark").value_or(0)) {}

std::uint64_t RescueLog::each(const std::function<void(const Found&)>& sink) {
  database_.execute("PRAGMA writable_schema = ON");  // or SQLite refuses a truncated file as a whole
  std::uint64_t damaged = 0;
  std::uint64_t last = mark_;
  const auto report = [&](std::uint64_t seq, const std::string& trouble) {
    ++damaged;
    sink({{seq, ""}, trouble});
  };
  try {
    last = std::max(last, static_cast<std::uint64_t>(database_.number("SELECT max(seq) FROM events")));
  } catch (const LogError& error) {
    if (last == 0) throw;
  }
  Statement one(database_, "SELECT bytes FROM events WHERE seq = ?");
  for (std::uint64_t seq = 1; seq <= last; ++seq) {
    try {
      one.bind(1, static_cast<std::int64_t>(seq));
      if (one.step()) {
        sink({{seq, std::string(one.bytes(0))}, ""});
      } else {
        report(seq, "it is missing");
      }
    } catch (const LogError& error) {
      report(seq, error.what());
    }
    one.reset();
  }
  return damaged;
}

}  // namespace ridgerunner::service
