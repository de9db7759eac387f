#include "ridgerunner/service/log/sqlite_log.h"

#include <algorithm>
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

// What log.db says of the events that are no longer in it; it has no such table before the first are moved.
std::vector<ArchivedEvents> archived_in(Database& database, const std::string& folder) {
  std::vector<ArchivedEvents> archived;
  if (database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'archived'") == 0) return archived;
  Statement all(database, "SELECT first, last, file FROM archived ORDER BY first");
  while (all.step()) {
    archived.push_back({static_cast<std::uint64_t>(all.integer(0)),
                        static_cast<std::uint64_t>(all.integer(1)),
                        folder + "/archive/" + std::string(all.bytes(2))});
  }
  return archived;
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
  archived_ = archived_in(writer_, folder_);
  std::uint64_t expected = 1;
  for (const ArchivedEvents& part : archived_) {
    if (part.first != expected || part.last < part.first)
      throw LogError(fmt::format("{}: event {} is missing, the archive goes on with {}", log_file(folder_),
                                 expected, part.first));
    expected = part.last + 1;
  }
  if (last_ > 0 && first != expected)
    throw LogError(
        fmt::format("{}: the log begins with event {}, not with {}", log_file(folder_), first, expected));
  if (last_ == 0) last_ = expected - 1;
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

void SqliteLog::read_archived(std::uint64_t from, std::size_t limit, std::vector<Record>& records) const {
  for (const ArchivedEvents& part : archived_) {
    const std::uint64_t next = from + records.size();
    if (next > part.last || records.size() == limit) continue;
    if (!std::filesystem::exists(part.file))
      throw ArchivedElsewhere(fmt::format("events {} to {} are needed: put their archive back to {}",
                                          part.first, part.last, part.file));
    Database database(part.file, Database::Mode::read_only);
    Statement select(database, kSelect);
    select.bind(1, static_cast<std::int64_t>(next));
    select.bind(2, static_cast<std::int64_t>(limit - records.size()));
    while (select.step()) {
      const auto seq = static_cast<std::uint64_t>(select.integer(0));
      if (seq != from + records.size())
        throw LogError(fmt::format("{}: event {} is missing", part.file, seq));
      records.push_back({seq, std::string(select.bytes(1))});
    }
  }
}

std::string SqliteLog::archive() {
  const std::uint64_t first = archived_.empty() ? 1 : archived_.back().last + 1;
  if (last_ < first) throw LogError("there are no events to archive");
  const std::string name = fmt::format("{:012}-{:012}.db", first, last_), folder = folder_ + "/archive";
  make_folder(folder);
  std::filesystem::remove(folder + "/" + name);  // of an attempt that did not end
  {
    Statement copy(writer_, "VACUUM INTO ?");
    const std::string file = folder + "/" + name;
    copy.bind_text(1, file);
    copy.run();
  }
  sync_file(folder, name);
  {
    Database made(folder + "/" + name, Database::Mode::read_only);
    if (made.number("SELECT count(*) FROM events") != static_cast<std::int64_t>(last_ - first + 1))
      throw LogError(fmt::format("{}/{} is not whole", folder, name));
  }
  Transaction transaction(writer_);
  writer_.execute(
      "CREATE TABLE IF NOT EXISTS archived (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, file TEXT NOT "
      "NULL)");
  Statement add(writer_, "INSERT INTO archived VALUES (?, ?, ?)");
  add.bind(1, static_cast<std::int64_t>(first));
  add.bind(2, static_cast<std::int64_t>(last_));
  add.bind_text(3, name);
  add.run();
  writer_.execute("DELETE FROM events");
  transaction.commit();
  archived_.push_back({first, last_, folder + "/" + name});
  writer_.execute("VACUUM");
  return folder + "/" + name;
}

std::vector<Record> SqliteLog::read(std::uint64_t from, std::size_t limit) {
  const std::scoped_lock lock(reading_);
  std::vector<Record> records;
  read_archived(from, limit, records);
  limit -= records.size();
  from += records.size();
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
  const auto last = static_cast<std::uint64_t>(reader_->number("SELECT max(seq) FROM events"));
  return std::max(last, archived_.empty() ? 0 : archived_.back().last);
}

RescueLog::RescueLog(const std::string& folder)
    : folder_(folder),
      database_(log_file(folder), Database::Mode::read_only),
      mark_(MarkFile::read(folder + "/mark").value_or(0)) {}

std::uint64_t RescueLog::each(const std::function<void(const Found&)>& sink) {
  database_.execute("PRAGMA writable_schema = ON");  // or SQLite refuses a truncated file as a whole
  std::uint64_t damaged = 0;
  std::uint64_t last = mark_;  // damage may hide the end of the log
  const auto report = [&](std::uint64_t seq, const std::string& trouble) {
    ++damaged;
    sink({{seq, ""}, trouble});
  };
  try {
    last = std::max(last, static_cast<std::uint64_t>(database_.number("SELECT max(seq) FROM events")));
  } catch (const LogError& error) {
    if (last == 0) throw;
  }
  const auto each_of = [&](Database& database, std::uint64_t first, std::uint64_t end) {
    Statement one(database, "SELECT bytes FROM events WHERE seq = ?");
    for (std::uint64_t seq = first; seq <= end; ++seq) {
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
  };
  std::uint64_t first = 1;
  for (const ArchivedEvents& part : archived_in(database_, folder_)) {
    first = part.last + 1;
    if (!std::filesystem::exists(part.file)) continue;  // it is elsewhere: the export begins later
    Database archive(part.file, Database::Mode::read_only);
    each_of(archive, part.first, part.last);
  }
  each_of(database_, first, last);
  return damaged;
}

}  // namespace ridgerunner::service
