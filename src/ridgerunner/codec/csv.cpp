#include "ridgerunner/codec/csv.h"

#include <istream>
#include <set>

#include <fmt/format.h>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr int kEnd = std::char_traits<char>::eof();
constexpr std::size_t kLongestCell = 1 << 20, kMostCells = 100'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

CsvReader::CsvReader(std::istream& in) : in_(in) {
  if (!read_row(header_)) throw InvalidArgument("the table is empty: the first line must name its columns");
  if (header_[0].starts_with(kByteOrderMark)) header_[0].erase(0, kByteOrderMark.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    if (header_[i].empty()) throw InvalidArgument(fmt::format("column {} has no name", i + 1));
    if (!seen.insert(header_[i]).second)
      throw InvalidArgument(fmt::format("the column \"{}\" is there twice", printable(header_[i])));
  }
}

bool CsvReader::next(std::vector<std::string>& cells) {
  if (!read_row(cells)) return false;
  if (cells.size() != header_.size())
    throw InvalidArgument(
        fmt::format("line {} has {} cells, but the header has {}", begins_, cells.size(), header_.size()));
  return true;
}

// A line end of any system counts as one '\n'.
int CsvReader::take() {
  int c = in_.rdbuf()->sbumpc();
  if (c == '\r') {
    if (in_.rdbuf()->sgetc() == '\n') in_.rdbuf()->sbumpc();
    c = '\n';
  }
  if (c == '\n') ++lines_;
  return c;
}

void CsvReader::read_quoted(std::string& cell) {
  for (;;) {
    const int c = take();
    if (c == kEnd) throw InvalidArgument(fmt::format("line {}: a quote is never closed", begins_));
    if (c == '"') {
      if (in_.rdbuf()->sgetc() != '"') return;
      take();
    }
    cell += static_cast<char>(c);
    if (cell.size() > kLongestCell)
      throw InvalidArgument(fmt::format("line {}: a cell has more than {} bytes", begins_, kLongestCell));
  }
}

bool CsvReader::read_cell(std::string& cell) {
  cell.clear();
  const bool quoted = in_.rdbuf()->sgetc() == '"';
  if (quoted) {
    take();
    read_quoted(cell);
  }
  for (;;) {
    const int c = take();
    if (c == ',') return true;
    if (c == '\n' || c == kEnd) return false;
    if (quoted) throw InvalidArgument(fmt::format("line {}: a comma must follow a closing quote", begins_));
    cell += static_cast<char>(c);
    if (cell.size() > kLongestCell)
      throw InvalidArgument(fmt::format("line {}: a cell has more than {} bytes", begins_, kLongestCell));
  }
}

bool CsvReader::read_row(std::vector<std::string>& cells) {
  while (in_.rdbuf()->sgetc() == '\n' || in_.rdbuf()->sgetc() == '\r') take();
  begins_ = lines_;
  if (in_.rdbuf()->sgetc() == kEnd) return false;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == kMostCells)
      throw InvalidArgument(fmt::format("line {} has more than {} cells", begins_, kMostCells));
    if (count == cells.size()) cells.emplace_back();
    more = read_cell(cells[count]);
  }
  cells.resize(count);
  return true;
}

}  // namespace ridgerunner
