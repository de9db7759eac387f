#include "ridgerunner/service/log/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {

Database::Database(const std::string& file, Mode mode) : file_(file) {
  const int flags =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  // Each connection is used by one thread at a time: no locks of SQLite's own.
  if (sqlite3_open_v2(file.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    const std::string why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(handle_);
    throw LogError(fmt::format("cannot open {}: {}", file, why));
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 10'000);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::fail(const std::string& what) const {
  const int system = sqlite3_system_errno(handle_);
  throw LogError(fmt::format("{}: {}: {}{}", file_, what, sqlite3_errmsg(handle_),
                             system ? fmt::format(" (error {} of the system)", system) : ""));
}

void Database::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) fail("checkpoint");
}

Statement::Statement(Database& database, const char* sql) : database_(database) {
  if (sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
      SQLITE_OK)
    database.fail(sql);
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(sqlite3_sql(statement_));
}

int Database::changes() const {
  return sqlite3_changes(handle_);
}

void Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, parameter, value));
}

void Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_, parameter, value));
}

void Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_, parameter));
}

void Statement::bind_text(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), nullptr, SQLITE_UTF8));
}

void Statement::bind_bytes(int parameter, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_, parameter, bytes.data(), bytes.size(), nullptr));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(sqlite3_sql(statement_));
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_);  // repeats the error of the last step, which has been reported
}

// Ready for the next run, even if this one fails.
void Statement::run() {
  struct Reset {
    Statement& statement;
    ~Reset() { statement.reset(); }
  } reset{*this};
  while (step()) {
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_, column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data ? std::string_view(static_cast<const char*>(data), size) : std::string_view();
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace ridgerunner::service
