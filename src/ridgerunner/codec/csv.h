#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ridgerunner {

// A table as text (RFC 4180): cells separated by commas, rows by line ends, the first row has the names of
// the columns. A cell in quotes may hold commas, line ends and, doubled, quotes. Blank lines are skipped.
// Reads a row at a time, so a file of any length takes the memory of its longest row. Throws InvalidArgument
// with the line for a row of another length than the first, a quote that is never closed or text behind one.
class CsvReader {
 public:
  explicit CsvReader(std::istream& in);  // reads the header; names must be there, and once

  const std::vector<std::string>& header() const { return header_; }
  bool next(std::vector<std::string>& cells);    // false at the end
  std::int64_t line() const { return begins_; }  // where the last row begins, from 1 on

 private:
  bool read_row(std::vector<std::string>& cells);
  bool read_cell(std::string& cell);  // whether another follows in the row
  void read_quoted(std::string& cell);
  int take();

  std::istream& in_;
  std::vector<std::string> header_;
  std::int64_t lines_ = 1, begins_ = 1;
};

}  // namespace ridgerunner
