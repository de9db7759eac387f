#include "ridgerunner/report/table.h"

#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"

namespace ridgerunner::table_test {
namespace {

Table regrets() {
  Table table;
  table.columns = {{"policy"}, {"regret", Align::right}, {"rounds", Align::right}};
  table.rows = {{{"k-ucb", Cell("32.2 ± 20.9", true), "500"}}, {{"uniform", "1206 ± 21", "9"}}};
  return table;
}

TEST(Table, TextAlignsColumnsByWhatTheReaderSeesNotByBytes) {
  Table table;
  table.columns = {{"é"}, {"±", Align::right}};
  table.rows = {{{"naïve", "1 ± 2"}}, {{"b", "10 ± 2"}}};
  EXPECT_EQ(to_text(table),
            "────────────────\n"
            " é            ±\n"
            "────────────────\n"
            " naïve    1 ± 2\n"
            " b       10 ± 2\n"
            "────────────────\n");
}

TEST(Table, WithoutColourAStrongCellCarriesAStarAndItsColumnStaysAligned) {
  EXPECT_EQ(to_text(regrets()),
            "──────────────────────────────────\n"
            " policy         regret     rounds\n"
            "──────────────────────────────────\n"
            " k-ucb     32.2 ± 20.9 *      500\n"
            " uniform     1206 ± 21          9\n"
            "──────────────────────────────────\n");
}

TEST(Table, WithColourAStrongCellIsBoldGreenAndNothingElseMoves) {
  const std::string text = to_text(regrets(), true);
  EXPECT_NE(text.find(" k-ucb     \x1b[1;32m32.2 ± 20.9\x1b[0m      500\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" uniform     1206 ± 21        9\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('*'), std::string::npos);
}

TEST(Table, AStrongRowIsMarkedOnceInPlainText) {
  Table table = regrets();
  table.rows[0].cells[1].strong = false;
  table.rows[1].strong = true;
  const std::string text = to_text(table);
  EXPECT_NE(text.find(" uniform *     1206 ± 21        9\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" k-ucb       32.2 ± 20.9      500\n"), std::string::npos) << text;
}

TEST(Table, AControlCharacterInACellCannotReachTheTerminal) {
  Table table;
  table.columns = {{"a"}};
  table.rows = {{{"x\ny\x1b[2Jz"}}};
  EXPECT_NE(to_text(table).find(" x y [2Jz\n"), std::string::npos);
}

TEST(Table, AMissingCellIsBlank) {
  Table table = regrets();
  table.rows.push_back({{"greedy"}});
  EXPECT_NE(to_text(table).find("\n greedy\n"), std::string::npos);
  EXPECT_NE(to_html(table).find("<tr><td>greedy</td><td style=\"text-align:right\"></td>"),
            std::string::npos);
}

TEST(Table, ARowWithTooManyCellsIsRefused) {
  Table table = regrets();
  table.rows.push_back({{"a", "b", "c", "d"}});
  try {
    to_text(table);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "row 2 must have at most 3 cells, got 4");
  }
  EXPECT_THROW(to_html(table), InvalidArgument);
}

TEST(Table, ATableWithoutRowsOrColumnsIsStillATable) {
  EXPECT_EQ(to_text(Table{}), "──\n\n──\n──\n");
  EXPECT_EQ(to_html(Table{}), "<table>\n<thead><tr></tr></thead>\n<tbody>\n</tbody>\n</table>\n");
}

TEST(Table, HtmlEscapesHeadingsCellsAndCaption) {
  Table table;
  table.caption = "a & b";
  table.columns = {{"<i>"}, {"\"q\"", Align::right}};
  table.rows = {{{"<script>", Cell("1 > 0", true)}}};
  EXPECT_EQ(to_html(table),
            "<table>\n<caption>a &amp; b</caption>\n"
            "<thead><tr><th>&lt;i&gt;</th><th style=\"text-align:right\">&quot;q&quot;</th></tr></thead>\n"
            "<tbody>\n<tr><td>&lt;script&gt;</td>"
            "<td style=\"text-align:right\"><strong>1 &gt; 0</strong></td></tr>\n</tbody>\n</table>\n");
}

TEST(DisplayWidth, CountsTerminalColumns) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("± é"), 3u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);     // e and a combining acute
  EXPECT_EQ(display_width("\xE4\xB8\xAD"), 2u);  // a Chinese character
  EXPECT_EQ(display_width("\xFF"
                          "a"),
            2u);  // a broken byte shows as one replacement character
}

TEST(EscapeMarkup, ReplacesWhatXmlMayNotHold) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup("tab\tline\n"), "tab\tline\n");
  EXPECT_EQ(escape_markup(std::string("\0\x01", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_markup("\xC3("), "\xEF\xBF\xBD(");                     // cut off
  EXPECT_EQ(escape_markup("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");       // overlong slash
  EXPECT_EQ(escape_markup("\xED\xA0\x80").substr(0, 3), "\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(escape_markup("\xEF\xBF\xBF"), "\xEF\xBF\xBD");               // U+FFFF
  EXPECT_EQ(escape_markup("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(Number, HasTheAskedForDigitsButKeepsTheIntegerPart) {
  EXPECT_EQ(number(32.21), "32.2");
  EXPECT_EQ(number(1206.4), "1206");
  EXPECT_EQ(number(0.01234), "0.0123");
  EXPECT_EQ(number(99.96), "100");
  EXPECT_EQ(number(-4.5), "-4.50");
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(4.561e-7), "4.56e-7");
  EXPECT_EQ(number(1.5e12, 2), "1.5e12");
  EXPECT_THROW(number(1, 0), InvalidArgument);
}

TEST(Number, SaysWhatIsNotANumber) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "n/a");
  EXPECT_EQ(number(inf), "∞");
  EXPECT_EQ(number(-inf), "-∞");
}

TEST(WithSd, GivesMeanAndSdTheSameDecimals) {
  EXPECT_EQ(with_sd(32.2134, 20.93), "32.2 ± 20.9");
  EXPECT_EQ(with_sd(1206.3, 21.2), "1206 ± 21");
  EXPECT_EQ(with_sd(5.43211, 0.0123), "5.432 ± 0.012");
  EXPECT_EQ(with_sd(-0.5, 0.25), "-0.500 ± 0.250");
  EXPECT_EQ(with_sd(0.001, 3), "0.00 ± 3.00");
  EXPECT_EQ(with_sd(-0.001, 3), "0.00 ± 3.00");  // no "-0.00"
}

TEST(WithSd, TakesOutACommonPowerOfTenOfHugeAndTinyValues) {
  EXPECT_EQ(with_sd(1.23e-7, 4.5e-8), "(1.23 ± 0.45)e-7");
  EXPECT_EQ(with_sd(4.2e12, 1e11), "(4.20 ± 0.10)e12");
  EXPECT_EQ(with_sd(1e-310, 0), "1.00e-310 ± 0");
}

TEST(WithSd, DoesNotPadTheMeanWhenTheSdIsNegligible) {
  EXPECT_EQ(with_sd(1000000, 1e-6), "1000000 ± 1.0e-6");
  EXPECT_EQ(with_sd(32.2, 0), "32.2 ± 0");
  EXPECT_EQ(with_sd(32.2, std::numeric_limits<double>::quiet_NaN()), "32.2");
}

}  // namespace
}  // namespace ridgerunner::table_test
