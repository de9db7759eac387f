#include "ridgerunner/codec/csv.h"

#include <sstream>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::csv_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows read(const std::string& text) {
  std::istringstream in(text);
  CsvReader reader(in);
  Rows rows = {reader.header()};
  for (std::vector<std::string> cells; reader.next(cells);) rows.push_back(cells);
  return rows;
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Csv, IsAHeaderAndRowsOfCells) {
  EXPECT_EQ(read("a,b\n1,2\n3,\n"), (Rows{{"a", "b"}, {"1", "2"}, {"3", ""}}));
  EXPECT_EQ(read("a,b\r\n1,2\r\n"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(read("a,b\r1,2"), (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(read("a"), (Rows{{"a"}}));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b\n,"),
            (Rows{{"a", "b"}, {"", ""}}));
}

TEST(Csv, BlankLinesAreSkipped) {
  EXPECT_EQ(read("\na,b\n\n1,2\n\r\n\n3,4\n\n"), (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineEnds) {
  EXPECT_EQ(read("a,\"b,c\"\n\"say \"\"hi\"\"\",\"two\r\nlines\"\n\"\",x"),
            (Rows{{"a", "b,c"}, {"say \"hi\"", "two\nlines"}, {"", "x"}}));
  EXPECT_EQ(read("a\n5\" disk"), (Rows{{"a"}, {"5\" disk"}}));
}

TEST(Csv, KnowsItsLines) {
  std::istringstream in("a\n\"1\n2\"\n\n3\n");
  CsvReader reader(in);
  std::vector<std::string> cells;
  ASSERT_TRUE(reader.next(cells));
  EXPECT_EQ(reader.line(), 2);
  ASSERT_TRUE(reader.next(cells));
  EXPECT_EQ(reader.line(), 5);
  EXPECT_FALSE(reader.next(cells));
}

TEST(Csv, WhatIsNoTableIsRefusedWithItsLine) {
  EXPECT_EQ(error_of(""), "the table is empty: the first line must name its columns");
  EXPECT_EQ(error_of("\n\n"), "the table is empty: the first line must name its columns");
  EXPECT_EQ(error_of("a,,c\n"), "column 2 has no name");
  EXPECT_EQ(error_of("a,b,a\n"), "the column \"a\" is there twice");
  EXPECT_EQ(error_of("a,b\n1,2\n1\n"), "line 3 has 1 cells, but the header has 2");
  EXPECT_EQ(error_of("a,b\n1,2,3\n"), "line 2 has 3 cells, but the header has 2");
  EXPECT_EQ(error_of("a,b\n1,\"2\n3,4\n"), "line 2: a quote is never closed");
  EXPECT_EQ(error_of("a,b\n1,\"2\"x\n"), "line 2: a comma must follow a closing quote");
  EXPECT_EQ(error_of("a\n" + std::string(1'100'000, 'x')), "line 2: a cell has more than 1048576 bytes");
  EXPECT_EQ(error_of("a\n\"" + std::string(1'100'000, 'x')), "line 2: a cell has more than 1048576 bytes");
  EXPECT_EQ(error_of(std::string(100'001, ',')), "line 1 has more than 100000 cells");
}

}  // namespace
}  // namespace ridgerunner::csv_test
