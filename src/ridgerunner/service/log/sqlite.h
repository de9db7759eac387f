#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ridgerunner::service {

class Statement;

// SQLite with ownership and exceptions: whatever fails is a LogError with SQLite's own words.
class Database {
 public:
  enum class Mode { read_write, read_only };
  explicit Database(const std::string& file, Mode mode = Mode::read_write);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql);
  std::int64_t number(
      const char* sql);  // the first column of the first row; 0 if there is none or it is null
  int changes() const;   // rows that the last statement changed
  void checkpoint();  // moves what it can of the write-ahead log into the file, without waiting for anybody
  [[noreturn]] void fail(const std::string& what) const;
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
  std::string file_;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters from 1 on; bytes are not copied and must live until the next reset().
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind_null(int parameter);
  void bind_text(int parameter, std::string_view text);
  void bind_bytes(int parameter, std::string_view bytes);

  bool step();  // true: there is a row
  void reset();
  void run();  // step() to the end, then reset()

  std::int64_t integer(int column) const;
  double number(int column) const;
  bool is_null(int column) const;
  std::string_view bytes(int column) const;  // until the next step

 private:
  void check(int code) const;
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace ridgerunner::service
