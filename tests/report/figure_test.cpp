#include "ridgerunner/report/figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/report/figure_layout.h"

namespace ridgerunner::figure_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

using Strings = std::vector<std::string>;
using Doubles = std::vector<double>;

// What stands between each `before` and the next `after`.
Strings all(const std::string& text, const std::string& before, const std::string& after) {
  Strings found;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t begin = at + before.size();
    found.push_back(text.substr(begin, text.find(after, begin) - begin));
  }
  return found;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Whether `attributes` is a row of name="value", none of them holding < or a bare quote.
bool are_attributes(std::string attributes) {
  while (!attributes.empty()) {
    const std::size_t open = attributes.find("=\""), close = attributes.find('"', open + 2);
    if (attributes[0] != ' ' || open == std::string::npos || close == std::string::npos) return false;
    if (open < 2 || attributes.find_first_of("<\" =", 1) < open) return false;
    attributes.erase(0, close + 1);
  }
  return true;
}

// What is wrong with the XML, or "" if every tag is closed in order and every & starts an entity.
std::string fault_in_xml(const std::string& text) {
  for (const std::string& rest : all(text, "&", ";")) {
    if (rest != "amp" && rest != "lt" && rest != "gt" && rest != "quot" && rest != "#39")
      return "bare & before " + rest.substr(0, 20);
  }
  Strings open;
  for (std::string tag : all(text, "<", ">")) {
    const bool closes = tag[0] == '/', is_empty = tag.back() == '/';
    if (is_empty) tag.pop_back();
    const std::string name = tag.substr(closes, tag.find(' ') - closes);
    if (name.empty() || !are_attributes(tag.substr(closes + name.size()))) return "not a tag: <" + tag;
    if (closes && (open.empty() || open.back() != name)) return "closes what is not open: " + name;
    if (closes) open.pop_back();
    if (!closes && !is_empty) open.push_back(name);
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

struct Point {
  double x, y;
};

std::vector<Point> points(const std::string& path) {
  std::vector<Point> found;
  for (std::size_t at = path.find_first_of("ML"); at != std::string::npos;
       at = path.find_first_of("ML", at + 1)) {
    found.push_back({std::stod(path.substr(at + 1, 12)), std::stod(path.substr(path.find(',', at) + 1, 12))});
  }
  return found;
}

// The paths of the lines in the plot; swatches are drawn with "h" and left out.
Strings lines(const std::string& svg) {
  Strings found = all(svg, "class=\"line\" d=\"", "\"");
  std::erase_if(found, [](const std::string& path) { return contains(path, "h"); });
  return found;
}

Strings bands(const std::string& svg) {
  return all(svg, "class=\"band\" d=\"", "\"");
}

bool has_text(const std::string& svg, const std::string& text) {
  for (const std::string& element : all(svg, "<text", "</text>")) {
    if (element.substr(element.find('>') + 1) == text) return true;
  }
  return false;
}

Figure figure_of(Doubles x, Doubles y) {
  Figure figure;
  figure.title = "Regret";
  figure.x.label = "round";
  figure.y.label = "regret";
  figure.series.push_back({"ucb", std::move(x), std::move(y)});
  return figure;
}

Series curve(const std::string& label, std::size_t n, double factor) {
  Series series;
  series.label = label;
  for (std::size_t i = 1; i <= n; ++i) {
    const double x = static_cast<double>(i), y = factor * std::sqrt(x);
    series.x.push_back(x);
    series.y.push_back(y);
    series.lower.push_back(0.9 * y);
    series.upper.push_back(1.1 * y);
  }
  return series;
}

TEST(Figure, PointsLieWhereTheTicksSayTheyLie) {
  const Figure figure = figure_of({0, 50, 100}, {0, 10, 20});
  const std::string svg = to_svg(figure, 720, 420);
  const Box plot = figure_layout(figure, 720, 420).plot;
  const auto line = points(lines(svg).at(0));
  ASSERT_EQ(line.size(), 3u);
  EXPECT_NEAR(line[0].x, plot.left, 0.01);
  EXPECT_NEAR(line[0].y, plot.bottom, 0.01);
  EXPECT_NEAR(line[1].x, (plot.left + plot.right) / 2, 0.01);
  EXPECT_NEAR(line[1].y, (plot.top + plot.bottom) / 2, 0.01);
  EXPECT_NEAR(line[2].x, plot.right, 0.01);
  EXPECT_NEAR(line[2].y, plot.top, 0.01);
  const std::size_t tick = svg.rfind("<text x=\"", svg.find(">60</text>"));
  ASSERT_NE(tick, std::string::npos);
  EXPECT_NEAR(std::stod(svg.substr(tick + 9, 8)), plot.left + 0.6 * (plot.right - plot.left), 0.01);
}

TEST(Figure, IsWellFormedXmlWhateverTheLabelsHold) {
  Figure figure = figure_of({1, 2}, {1, 2});
  figure.title = "a < b & \"c\" ]]> \x01 \xFF";
  figure.x.label = "<x>";
  figure.y.label = "y & 'z'";
  figure.series[0].label = "</text><script>alert(1)</script>";
  figure.markers = {{1.5, {}, "<m>"}, {{}, 1.5, "&"}, {1.2, 1.3, "\""}};
  const std::string svg = to_svg(figure);
  EXPECT_EQ(fault_in_xml(svg), "");
  EXPECT_FALSE(contains(svg, "<script"));
  EXPECT_TRUE(contains(svg, "&lt;script&gt;"));
  EXPECT_EQ(fault_in_xml("<a><b></a>"), "closes what is not open: a");  // the check itself can fail
  EXPECT_NE(fault_in_xml("<a>&</a>"), "");
  EXPECT_NE(fault_in_xml("<a b=c></a>"), "");
  EXPECT_EQ(fault_in_xml("<a b=\"c\" d=\"&lt;\"><e/></a>"), "");
}

TEST(Figure, TellsAssistiveTechnologyWhatItShows) {
  const std::string svg = to_svg(figure_of({1, 2, 3}, {1, 2, nan}));
  EXPECT_TRUE(contains(svg, "role=\"img\""));
  EXPECT_TRUE(contains(svg, "<title>Regret</title>"));
  EXPECT_TRUE(contains(svg, "<desc>regret against round. ucb ends at 2.00 for 2.00.</desc>"));
}

TEST(Figure, TheSameInputGivesTheSameBytes) {
  Figure figure = figure_of({1, 2, 3}, {1, 4, 9});
  const std::string svg = to_svg(figure);
  EXPECT_EQ(to_svg(figure), svg);
  const std::string id = all(svg, "clipPath id=\"", "\"").at(0);
  EXPECT_TRUE(contains(svg, "clip-path=\"url(#" + id + ")\""));
  figure.series[0].y[1] = 5;
  EXPECT_NE(all(to_svg(figure), "clipPath id=\"", "\"").at(0), id);  // figures on a page do not mix
}

TEST(Figure, ANonFiniteValueLeavesAGap) {
  for (const double bad : {nan, inf, -inf}) {
    const std::string svg = to_svg(figure_of({0, 1, 2, 3, 4}, {1, 2, bad, 2, 1}));
    const std::string path = lines(svg).at(0);
    EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << bad;
    EXPECT_EQ(points(path).size(), 4u) << bad;
    EXPECT_FALSE(contains(svg, "nan"));
    EXPECT_FALSE(contains(svg, "inf"));
    EXPECT_EQ(points(lines(to_svg(figure_of({0, 1, bad, 3, 4}, {1, 2, 9, 2, 1}))).at(0)).size(), 4u) << bad;
  }
}

TEST(Figure, ANonPositiveValueIsDroppedFromALogAxis) {
  Figure figure = figure_of({0, 1, 10, 100, 1000}, {5, 0, 10, 100, -3});
  figure.x.scale = figure.y.scale = Scale::log;
  const std::string svg = to_svg(figure);
  const auto line = points(lines(svg).at(0));
  ASSERT_EQ(line.size(), 2u);  // x = 0, y = 0 and y = -3 have no place
  EXPECT_TRUE(has_text(svg, "10"));
  EXPECT_FALSE(has_text(svg, "0"));
}

TEST(Figure, ABandRunsAlongTheUpperEdgeAndBackAlongTheLower) {
  Figure figure = figure_of({0, 1}, {5, 5});
  figure.y.min = 0;
  figure.y.max = 10;
  figure.series[0].lower = {0, 2.5};
  figure.series[0].upper = {10, 7.5};
  const FigureLayout layout = figure_layout(figure, 720, 420);
  const auto band = points(bands(to_svg(figure)).at(0));
  ASSERT_EQ(band.size(), 4u);
  const double expected[] = {10, 7.5, 2.5, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(band[i].y, layout.y(expected[i]), 0.01);
}

TEST(Figure, ALowerEdgeBelowZeroReachesTheBottomOfALogAxis) {
  Figure figure = figure_of({1, 2}, {1, 10});
  figure.y.scale = Scale::log;
  figure.series[0].lower = {-1, 5};
  figure.series[0].upper = {3, 20};
  const auto band = points(bands(to_svg(figure)).at(0));
  ASSERT_EQ(band.size(), 4u);
  EXPECT_NEAR(band[3].y, figure_layout(figure, 720, 420).plot.bottom, 0.01);
  EXPECT_LT(band[2].y, band[3].y - 50);
}

TEST(Figure, ALowerEdgeCloseToZeroDoesNotTakeOverALogAxis) {
  Figure figure = figure_of({1, 2}, {1, 10});
  figure.y.scale = Scale::log;
  figure.series[0].lower = {1e-12, 5};
  figure.series[0].upper = {3, 20};
  EXPECT_DOUBLE_EQ(figure_layout(figure, 720, 420).y.domain.low, 0.2);  // a third of 1, rounded out
}

TEST(Figure, ALonePointIsADot) {
  const std::string svg = to_svg(figure_of({3}, {7}));
  EXPECT_TRUE(lines(svg).empty());
  EXPECT_EQ(all(svg, "<circle", ">").size(), 1u);
}

TEST(Figure, AnEmptySeriesIsNamedAndAnEmptyFigureSaysSo) {
  Figure figure = figure_of({1, 2}, {1, 2});
  figure.series.push_back({"greedy", {}, {}});
  EXPECT_TRUE(has_text(to_svg(figure), "greedy (no data)"));
  EXPECT_FALSE(has_text(to_svg(figure), "no data"));
  const std::string empty = to_svg(Figure{});
  EXPECT_TRUE(has_text(empty, "no data"));
  EXPECT_EQ(fault_in_xml(empty), "");
}

TEST(Figure, AConstantSeriesIsInTheMiddleOfItsAxis) {
  for (const double value : {5.0, 0.0, -1e12, 1e-12}) {
    const Figure figure = figure_of({1, 2, 3}, {value, value, value});
    const Box plot = figure_layout(figure, 720, 420).plot;
    const auto line = points(lines(to_svg(figure)).at(0));
    ASSERT_EQ(line.size(), 3u);
    EXPECT_EQ(line[0].y, line[2].y);
    EXPECT_NEAR(line[0].y, (plot.top + plot.bottom) / 2, 0.3 * (plot.bottom - plot.top)) << value;
  }
}

TEST(Figure, CoordinatesAreShortEvenForExtremeValues) {
  Figure figure = figure_of({1, 2, 3, 4}, {-1e299, 1e-299, 1e299, 1});
  figure.series.push_back({"tiny", {1e-299, 1, 2, 1e299}, {1e-320, 5e-324, 1.7e308, 0}});
  for (const Scale scale : {Scale::linear, Scale::log}) {
    figure.x.scale = figure.y.scale = scale;
    const std::string svg = to_svg(figure);
    EXPECT_EQ(fault_in_xml(svg), "");
    for (const std::string& path : all(svg, " d=\"", "\"")) {
      EXPECT_EQ(path.find_first_not_of("MLHVZh-.,0123456789"), std::string::npos) << path;
      for (const Point& point : points(path)) {
        EXPECT_LT(std::abs(point.x), 10000);
        EXPECT_LT(std::abs(point.y), 10000);
      }
    }
  }
}

TEST(Figure, WhatLiesOutsideTheLimitsIsClippedToThePlot) {
  Figure figure = figure_of({0, 1, 2}, {0, 1, 1e12});
  figure.y.max = 2;
  const std::string svg = to_svg(figure);
  const FigureLayout layout = figure_layout(figure, 720, 420);
  const Strings clip = all(svg, "<rect x=\"", "\"");
  ASSERT_EQ(clip.size(), 1u);
  EXPECT_NEAR(std::stod(clip[0]), layout.plot.left, 0.01);
  const auto line = points(lines(svg).at(0));
  EXPECT_LT(line[2].y, layout.plot.top);
  EXPECT_GT(line[2].y, -11 * 420);
  EXPECT_TRUE(std::isnan(layout.labels.at(0).end));  // it leaves at the top, not at the right
}

TEST(Figure, ALongSeriesIsThinnedAndKeepsItsExtremes) {
  Figure figure = figure_of({}, {});
  for (int i = 0; i < 50000; ++i) {
    figure.series[0].x.push_back(i);
    figure.series[0].y.push_back(i == 12345 ? 100 : i == 40001 ? -100 : std::sin(i));
  }
  const Box plot = figure_layout(figure, 720, 420).plot;
  const auto line = points(lines(to_svg(figure)).at(0));
  EXPECT_LE(line.size(), 602u);
  EXPECT_GE(line.size(), 500u);
  const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
  const Point highest = *std::min_element(line.begin(), line.end(), by_y);
  EXPECT_NEAR(highest.y, plot.top, 0.01);
  EXPECT_NEAR(highest.x, plot.left + (plot.right - plot.left) * 12345 / 49999, 0.01);
  EXPECT_NEAR(std::max_element(line.begin(), line.end(), by_y)->y, plot.bottom, 0.01);
  EXPECT_NEAR(line.front().x, plot.left, 0.01);
  EXPECT_NEAR(line.back().x, plot.right, 0.01);
}

TEST(Figure, ThinningKeepsTheFirstRoundsOfALogAxis) {
  Figure figure = figure_of({}, {});
  figure.x.scale = Scale::log;
  figure.series[0] = curve("ucb", 100000, 1);
  const auto line = points(lines(to_svg(figure)).at(0));
  const Box plot = figure_layout(figure, 720, 420).plot;
  EXPECT_LE(line.size(), 602u);
  EXPECT_NEAR(line[1].x - plot.left, (plot.right - plot.left) * std::log10(2) / 5, 0.01);  // round 2 is there
}

TEST(Figure, ThinningKeepsGapsAndDoesNotGrowWithThem) {
  Figure figure = figure_of({}, {});
  for (int i = 0; i < 20000; ++i) {
    figure.series[0].x.push_back(i);
    figure.series[0].y.push_back((i > 9000 && i < 11000) || i % 3 == 0 ? nan : 1);
  }
  const std::string svg = to_svg(figure);
  EXPECT_LT(svg.size(), 60000u);
  for (const std::string& run : all(lines(svg).at(0), "M", "M")) {
    const auto piece = points("M" + run);
    EXPECT_LT(piece.back().x - piece.front().x, 10);  // nothing is drawn across the gaps
  }
  double widest = 0;
  Doubles x;
  for (const Point& point : points(lines(svg).at(0))) x.push_back(point.x);
  for (const std::string& dot : all(svg, "<circle cx=\"", "\"")) x.push_back(std::stod(dot));
  std::sort(x.begin(), x.end());
  for (std::size_t i = 1; i < x.size(); ++i) widest = std::max(widest, x[i] - x[i - 1]);
  const Box plot = figure_layout(figure, 720, 420).plot;
  EXPECT_NEAR(widest, 0.1 * (plot.right - plot.left), 6);
}

TEST(Figure, LabelsAtTheLineEndsNeverOverlapAndStayInOrder) {
  Figure figure;
  for (int i = 0; i < 12; ++i)
    figure.series.push_back(curve("policy " + std::to_string(i), 50, 1 + 0.001 * i));
  const FigureLayout layout = figure_layout(figure, 720, 420);
  ASSERT_TRUE(layout.labels_at_ends);
  for (std::size_t i = 1; i < layout.labels.size(); ++i) {
    EXPECT_GE(layout.labels[i].y - layout.labels[i - 1].y, layout.label_height - 1e-9);
    EXPECT_LE(layout.labels[i - 1].end, layout.labels[i].end);
  }
  EXPECT_GE(layout.labels.front().y, layout.plot.top);
  EXPECT_LE(layout.labels.back().y, layout.plot.bottom + 1e-9);
  for (const SeriesLabel& label : layout.labels) EXPECT_GT(label.x, layout.plot.right);
}

TEST(Figure, ALabelWithRoomStandsAtTheHeightOfItsLine) {
  Figure figure = figure_of({0, 1}, {0, 10});
  figure.series.push_back({"flat", {0, 1}, {2, 2}});
  for (const SeriesLabel& label : figure_layout(figure, 720, 420).labels)
    EXPECT_DOUBLE_EQ(label.y, label.end);
}

TEST(Figure, LabelsOfLinesThatEndTogetherPartEvenly) {
  Figure figure = figure_of({0, 1}, {0, 5});
  figure.series.push_back({"twin", {0, 1}, {10, 5}});
  const auto labels = figure_layout(figure, 720, 420).labels;
  EXPECT_NEAR(labels.at(0).y, labels[0].end - 8, 1e-9);
  EXPECT_NEAR(labels.at(1).y, labels[1].end + 8, 1e-9);
}

TEST(Figure, LabelsWithoutRoomMakeALegendAboveThePlot) {
  Figure figure;
  for (int i = 0; i < 12; ++i) {
    figure.series.push_back(curve("a policy with a rather long name " + std::to_string(i), 5, 1 + i));
  }
  for (const int height : {160, 420}) {
    const FigureLayout layout = figure_layout(figure, 400, height);
    EXPECT_FALSE(layout.labels_at_ends);
    EXPECT_GE(layout.plot.bottom - layout.plot.top, 80);
    for (const SeriesLabel& label : layout.labels) {
      EXPECT_LT(label.y + layout.label_height / 2, layout.plot.top);
      EXPECT_LE(label.x + layout.swatch + layout.swatch_gap + text_width(label.text, layout.small), 400);
    }
  }
}

TEST(Figure, TwelveSeriesAreToldApartByColourAndDashes) {
  Figure figure;
  for (int i = 0; i < 12; ++i) figure.series.push_back(curve("p" + std::to_string(i), 5, 1 + i));
  const std::string svg = to_svg(figure);
  EXPECT_EQ(fault_in_xml(svg), "");
  Strings looks;
  for (const std::string& group : all(svg, "<g class=\"", "</g>")) {
    if (!lines(group).empty()) looks.push_back(group.substr(0, group.find('"')));
  }
  EXPECT_EQ(looks.size(), 12u);
  std::sort(looks.begin(), looks.end());
  EXPECT_EQ(std::unique(looks.begin(), looks.end()), looks.end());
  EXPECT_EQ(bands(svg).size(), 12u);
  figure.series[0].dashed = true;
  EXPECT_TRUE(contains(to_svg(figure), "<g class=\"c0 d4\"><path class=\"line\""));
  EXPECT_TRUE(contains(svg, ".rr-figure .d4 .line{stroke-dasharray:5 3}"));
}

TEST(Figure, IsDarkOnlyOnScreensAndStylesNothingButItself) {
  const std::string svg = to_svg(figure_of({1, 2}, {1, 2}));
  EXPECT_EQ(all(svg, "prefers-color-scheme", ")").size(), 1u);
  EXPECT_TRUE(contains(svg, "@media screen and (prefers-color-scheme:dark)"));
  for (const std::string& line : all(all(svg, "<style>", "</style>").at(0), "\n", "{")) {
    const bool goes_on = line.rfind("font-family:", 0) == 0, ends = line.empty() || line[0] == '}';
    EXPECT_TRUE(goes_on || ends || line[0] == '@' || line.rfind(".rr-figure", 0) == 0) << line;
  }
}

TEST(Figure, AMarkerIsALineOrAPointAndWidensTheAxes) {
  Figure figure = figure_of({0, 10}, {0, 10});
  figure.markers = {{5.0, {}, "change"}, {{}, 20.0, "bound"}, {2.5, 10.0, "paper"}};
  const Box plot = figure_layout(figure, 720, 420).plot;
  const std::string svg = to_svg(figure);
  Strings dotted = all(svg, "<path d=\"", ">");
  std::erase_if(dotted, [](const std::string& path) { return !contains(path, "stroke-dasharray=\"3 3\""); });
  ASSERT_EQ(dotted.size(), 2u);
  EXPECT_NEAR(points(dotted[0])[0].x, (plot.left + plot.right) / 2, 0.01);
  EXPECT_NEAR(points(dotted[1])[0].y, plot.top, 0.01);
  const Strings ring = all(svg, "class=\"ring\" cx=\"", "\"");
  ASSERT_EQ(ring.size(), 1u);
  EXPECT_NEAR(std::stod(ring[0]), plot.left + 0.25 * (plot.right - plot.left), 0.01);
  EXPECT_TRUE(has_text(svg, "change") && has_text(svg, "bound") && has_text(svg, "paper"));
}

TEST(Figure, ALongTitleIsWrappedAndThenCut) {
  Figure figure = figure_of({1, 2}, {1, 2});
  figure.title =
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
  const FigureLayout layout = figure_layout(figure, 300, 200);
  ASSERT_EQ(layout.title.size(), 2u);
  EXPECT_EQ(layout.title[0].rfind("one two", 0), 0u);
  EXPECT_EQ(layout.title[1].substr(layout.title[1].size() - 3), "…");
  EXPECT_NE(to_svg(figure, 300, 200).find("<title>" + figure.title + "</title>"), std::string::npos);
}

TEST(Figure, NamesWhatIsWrongWithIt) {
  const auto message = [](const Figure& figure, int width = 720, int height = 420) -> std::string {
    try {
      to_svg(figure, width, height);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(figure_of({1, 2}, {1})), "series 'ucb' must have as many y as x, got 1 and 2");
  Figure figure = figure_of({1, 2}, {1, 2});
  EXPECT_EQ(message(figure, 100), "width must be >= 240, got 100");
  EXPECT_EQ(message(figure, 720, 100), "height must be >= 160, got 100");
  figure.series[0].lower = {0, 1};
  EXPECT_EQ(message(figure),
            "series 'ucb' must have no band or one of 2 lower and upper values, got 2 and 0");
  figure.series[0].lower.clear();
  figure.x.min = 2;
  figure.x.max = 2;
  EXPECT_EQ(message(figure), "the x axis must have min < max, got 2 and 2");
  figure.x = {};
  figure.y.scale = Scale::log;
  figure.y.min = 0;
  EXPECT_EQ(message(figure), "a limit of the y axis must be finite and > 0, got 0");
}

}  // namespace
}  // namespace ridgerunner::figure_test
