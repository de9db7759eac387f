#include "ridgerunner/report/page.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::page_test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What stands between each `before` and the next `after`.
std::vector<std::string> all(const std::string& text, const std::string& before, const std::string& after) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t begin = at + before.size();
    found.push_back(text.substr(begin, text.find(after, begin) - begin));
  }
  return found;
}

// The first tag that is closed out of order or never, or "" if all are in balance.
std::string unbalanced_tag(const std::string& html) {
  std::vector<std::string> open;
  for (const std::string& tag : all(html, "<", ">")) {
    const bool closes = tag[0] == '/';
    const std::string name = tag.substr(closes, tag.find(' ') - closes);
    if (name == "!DOCTYPE" || name == "meta" || tag.back() == '/') continue;
    if (closes && (open.empty() || open.back() != name)) return "/" + name;
    if (closes) open.pop_back();
    if (!closes) open.push_back(name);
  }
  return open.empty() ? "" : open.back();
}

Page full_page() {
  Figure figure;
  figure.title = "Regret <b>";
  figure.series = {{"ucb", {1, 2, 3}, {1, 2, 3}}};
  Table table;
  table.columns = {{"policy"}, {"regret", Align::right}};
  table.rows = {{{"<ucb>", "3"}}};
  Page page;
  page.title = "Run <1>";
  page.subtitle = "a & b";
  page.sections = {{"First \"part\"", {Paragraph{"1 < 2 & 3"}, PageFigure{figure, "Figure <1>", 640, 300}}},
                   {"Second", {table, Preformatted{"a  b\n</pre>"}, KeyValues{{{"seed<", "1>"}}}}}};
  page.footer = "made by <us>";
  return page;
}

TEST(Page, HoldsEveryBlockEscapedAndInOrder) {
  const std::string html = to_html(full_page());
  std::size_t position = 0;
  for (const char* part :
       {"<title>Run &lt;1&gt;</title>", "<h1>Run &lt;1&gt;</h1>", "<p>a &amp; b</p>",
        "<h2>First &quot;part&quot;</h2>", "<p>1 &lt; 2 &amp; 3</p>", "viewBox=\"0 0 640 300\"",
        "<title>Regret &lt;b&gt;</title>", "<figcaption>Figure &lt;1&gt;</figcaption>", "<h2>Second</h2>",
        "<td>&lt;ucb&gt;</td>", "<pre>a  b\n&lt;/pre&gt;</pre>", "<dt>seed&lt;</dt><dd>1&gt;</dd>",
        "<footer>made by &lt;us&gt;</footer>"}) {
    const std::size_t found = html.find(part, position);
    ASSERT_NE(found, std::string::npos) << part;
    position = found;
  }
}

TEST(Page, IsBalancedHtml) {
  EXPECT_EQ(unbalanced_tag(to_html(full_page())), "");
  EXPECT_EQ(unbalanced_tag(to_html(Page{})), "");
  EXPECT_EQ(unbalanced_tag("<p><b></p>"), "/p");  // the check itself can fail
  EXPECT_EQ(to_html(Page{}).rfind("<!DOCTYPE html>\n<html lang=\"en\">", 0), 0u);
}

TEST(Page, FetchesNothingAndRunsNothing) {
  const std::string html = to_html(full_page());
  for (const char* forbidden : {"<script", "<link", "<img", "src=", "@import", "@font-face", "url(http"}) {
    EXPECT_FALSE(contains(html, forbidden)) << forbidden;
  }
  // The one address is the name of the SVG language.
  for (const std::string& address : all(html, "://", "\"")) EXPECT_EQ(address, "www.w3.org/2000/svg");
}

TEST(Page, AdaptsToPhonesDarkScreensAndPaper) {
  const std::string html = to_html(full_page());
  EXPECT_TRUE(contains(html, "name=\"viewport\""));
  EXPECT_TRUE(contains(html, "@media screen and (prefers-color-scheme:dark)"));
  EXPECT_TRUE(contains(html, "@media print"));
  EXPECT_FALSE(contains(html, "@media (prefers-color-scheme"));  // would be dark on paper too
}

TEST(Page, LinksToItsSectionsWhenThereAreMany) {
  Page page = full_page();
  EXPECT_FALSE(contains(to_html(page), "<nav"));
  page.sections.push_back({"A & B", {}});
  page.sections.push_back({"", {Paragraph{"no heading, no link"}}});
  const std::string html = to_html(page);
  EXPECT_TRUE(contains(html, "<a href=\"#section-3\">A &amp; B</a>"));
  EXPECT_TRUE(contains(html, "<section id=\"section-3\">\n<h2>A &amp; B</h2>"));
  EXPECT_FALSE(contains(html, "href=\"#section-4\""));
}

TEST(Page, TheSamePageGivesTheSameBytes) {
  EXPECT_EQ(to_html(full_page()), to_html(full_page()));
}

TEST(Page, PassesOnTheComplaintOfABlock) {
  Page page = full_page();
  page.sections[0].blocks.push_back(PageFigure{{}, "", 10, 10});
  EXPECT_THROW(to_html(page), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::page_test
