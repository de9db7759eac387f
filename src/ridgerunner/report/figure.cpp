#include "ridgerunner/report/figure.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/report/figure_layout.h"
#include "ridgerunner/report/table.h"

namespace ridgerunner {
namespace {

constexpr std::size_t most_points = 600;  // of one line or band
constexpr std::size_t colours = 8;
// Okabe and Ito's hues (blue, vermilion, green, purple, ochre, sky, grey, brown), deepened or lightened until
// each is seen against white or near-black.
constexpr const char* on_white[colours] = {"#0072b2", "#d55e00", "#009e73", "#b5508c",
                                           "#c28800", "#3d9fd8", "#4b5563", "#8c5a2b"};
constexpr const char* on_black[colours] = {"#4ba3e3", "#f0793a", "#2cc295", "#e08cc0",
                                           "#e9b02f", "#8fd0f7", "#b6bec9", "#c89a6a"};
constexpr const char* dashes[] = {"none", "10 4", "2 3", "9 3 2 3", "5 3", "9 3 2 3 2 3"};
constexpr std::size_t dash_count = std::size(dashes);

// A coordinate: at most two decimals, no trailing zeros, no "-0".
std::string px(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

template <class... Args>
void put(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

constexpr const char* light_style = R"(
.rr-figure{background:#fff;color:#1f2328;font-size:12px;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}
.rr-figure text{fill:currentColor}
.rr-figure .title{font-size:15px;font-weight:600}
.rr-figure .quiet{color:#57606a;font-variant-numeric:tabular-nums}
.rr-figure .grid{color:#e4e7eb}
.rr-figure .line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
.rr-figure .band{fill:currentColor;fill-opacity:.16}
.rr-figure .ring{fill:none;stroke:currentColor;stroke-width:1.5}
.rr-figure .halo{stroke:#fff;stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
)";

constexpr const char* dark_style = R"(.rr-figure{background:#14171c;color:#e6e8eb}
.rr-figure .quiet{color:#a3abb6}
.rr-figure .grid{color:#2b3038}
.rr-figure .band{fill-opacity:.2}
.rr-figure .halo{stroke:#14171c}
)";

// The same for every figure, so that many may share a page. Dark is for screens only. In print every series
// has its own dashes, the second half of them in a thinner line.
std::string style() {
  std::string light, dark, print;
  for (std::size_t i = 0; i < colours; ++i) {
    put(light, ".rr-figure .c{}{{color:{}}}\n", i, on_white[i]);
    put(dark, ".rr-figure .c{}{{color:{}}}\n", i, on_black[i]);
  }
  for (std::size_t i = 0; i < dash_count; ++i) {
    put(light, ".rr-figure .d{} .line{{stroke-dasharray:{}}}\n", i, dashes[i]);
    put(print, ".rr-figure .p{} .line{{stroke-dasharray:{}}}\n", i, dashes[i]);
    put(print, ".rr-figure .p{} .line{{stroke-dasharray:{};stroke-width:1.2}}\n", i + dash_count, dashes[i]);
  }
  return fmt::format(
      "<style>{}{}@media screen and (prefers-color-scheme:dark){{\n{}{}}}\n@media print{{\n{}}}\n</style>\n",
      light_style, light, dark_style, dark, print);
}

// Colour and dashes of a series: the colours come round again in other dashes, and print has dashes for all.
std::string look(const Figure& figure, std::size_t series) {
  std::string classes = fmt::format("c{}", series % colours);
  if (figure.series[series].dashed) return classes + " d4";
  if (series >= colours) put(classes, " d{}", 1 + (series / colours - 1) % (dash_count - 1));
  return classes + fmt::format(" p{}", series % (2 * dash_count));
}

// The two edges of a band in pixels, which are one and the same for a line; NaN where there is a gap.
struct Track {
  std::vector<double> x, above, below;

  bool is_gap(std::size_t i) const {
    return std::isnan(x[i]) || std::isnan(above[i]) || std::isnan(below[i]);
  }
};

Track line_track(const Series& series, const FigureLayout& layout) {
  Track track;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    track.x.push_back(layout.x(series.x[i]));
    track.above.push_back(layout.y(series.y[i]));
  }
  track.below = track.above;
  return track;
}

Track band_track(const Series& series, const FigureLayout& layout) {
  Track track;
  for (std::size_t i = 0; i < series.lower.size(); ++i) {
    const bool below_log = layout.y.scale == Scale::log && series.lower[i] <= 0;
    track.x.push_back(layout.x(series.x[i]));
    track.above.push_back(layout.y(series.upper[i]));
    track.below.push_back(below_log ? layout.plot.bottom : layout.y(series.lower[i]));
  }
  return track;
}

// The indices worth drawing: all of a short track; of a long one, in each of many narrow columns, the two
// extremes and the first gap.
std::vector<std::size_t> thinned(const Track& track, const Box& plot) {
  const std::size_t n = track.x.size();
  std::vector<bool> keep(n, n <= most_points);
  const double columns = most_points / 2.0 - 1;
  double here = std::numeric_limits<double>::quiet_NaN();
  std::size_t highest = 0, lowest = 0;
  bool gap_kept = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (track.is_gap(i)) {
      keep[i] = keep[i] || !gap_kept;
      gap_kept = true;
      continue;
    }
    const double column = std::floor((track.x[i] - plot.left) / (plot.right - plot.left) * columns);
    if (column != here) {
      keep[highest] = keep[lowest] = true;
      here = column;
      highest = lowest = i;
      gap_kept = i > 0 && keep[i - 1] && track.is_gap(i - 1);
    }
    if (track.above[i] < track.above[highest]) highest = i;
    if (track.below[i] > track.below[lowest]) lowest = i;
  }
  if (n > 0) keep[highest] = keep[lowest] = keep[0] = keep[n - 1] = true;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n; ++i) {
    if (keep[i]) kept.push_back(i);
  }
  return kept;
}

// What is left to draw, cut at the gaps.
std::vector<std::vector<std::size_t>> runs_of(const Track& track, const Box& plot) {
  std::vector<std::vector<std::size_t>> runs(1);
  for (const std::size_t i : thinned(track, plot)) {
    if (!track.is_gap(i)) {
      runs.back().push_back(i);
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  if (runs.back().empty()) runs.pop_back();
  return runs;
}

void draw_line(std::string& out, const Track& track, const Box& plot) {
  std::string path, dots;
  for (const auto& run : runs_of(track, plot)) {
    if (run.size() == 1) {
      put(dots, "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"currentColor\"/>", px(track.x[run[0]]),
          px(track.above[run[0]]));
      continue;
    }
    char command = 'M';
    for (const std::size_t i : run) {
      put(path, "{}{},{}", command, px(track.x[i]), px(track.above[i]));
      command = 'L';
    }
  }
  if (!path.empty()) put(out, "<path class=\"line\" d=\"{}\"/>", path);
  out += dots;
}

void draw_band(std::string& out, const Track& track, const Box& plot) {
  std::string area, bars;
  for (const auto& run : runs_of(track, plot)) {
    if (run.size() == 1) {
      put(bars, "M{},{}V{}", px(track.x[run[0]]), px(track.above[run[0]]), px(track.below[run[0]]));
      continue;
    }
    char command = 'M';
    for (const std::size_t i : run) {
      put(area, "{}{},{}", command, px(track.x[i]), px(track.above[i]));
      command = 'L';
    }
    for (auto i = run.rbegin(); i != run.rend(); ++i)
      put(area, "L{},{}", px(track.x[*i]), px(track.below[*i]));
    area += 'Z';
  }
  if (!area.empty()) put(out, "<path class=\"band\" d=\"{}\"/>", area);
  if (!bars.empty()) put(out, "<path d=\"{}\" stroke=\"currentColor\" stroke-opacity=\".4\"/>", bars);
}

// All bands first, so that no line is under another's band.
std::string data_marks(const Figure& figure, const FigureLayout& layout) {
  std::string out;
  for (const bool band : {true, false}) {
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      std::string marks;
      if (band) {
        draw_band(marks, band_track(figure.series[i], layout), layout.plot);
      } else {
        draw_line(marks, line_track(figure.series[i], layout), layout.plot);
      }
      if (!marks.empty()) put(out, "<g class=\"{}\">{}</g>\n", look(figure, i), marks);
    }
  }
  return out;
}

void draw_text(std::string& out, double x, double y, const char* attributes, const std::string& text) {
  if (text.empty()) return;
  put(out, "<text x=\"{}\" y=\"{}\"{}>{}</text>\n", px(x), px(y), attributes, escape_markup(text));
}

void draw_labels(std::string& out, const Figure& figure, const FigureLayout& layout) {
  const double right = layout.plot.right;
  for (const SeriesLabel& label : layout.labels) {
    put(out, "<g class=\"{}\">", look(figure, label.series));
    if (!std::isnan(label.end)) {
      put(out, "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"currentColor\"/>", px(right), px(label.end));
      put(out, "<path d=\"M{},{}L{},{}\" stroke=\"currentColor\" stroke-opacity=\".6\"/>", px(right + 4),
          px(label.end), px(label.x - 2), px(label.y));
    }
    put(out, "<path class=\"line\" d=\"M{},{}h{}\"/></g>", px(label.x), px(label.y), px(layout.swatch));
    draw_text(out, label.x + layout.swatch + layout.swatch_gap, label.y + 4, "", label.text);
  }
}

std::string axis_title(const Axis& axis, const Ticks& ticks) {
  if (ticks.power == 0) return axis.label;
  return fmt::format("{}{}×{}{}", axis.label, axis.label.empty() ? "" : " (", power_of_ten(ticks.power),
                     axis.label.empty() ? "" : ")");
}

std::string line_between(double x1, double y1, double x2, double y2) {
  return fmt::format("M{},{}L{},{}", px(x1), px(y1), px(x2), px(y2));
}

// Grid, base line and tick marks.
void draw_grid(std::string& out, const FigureLayout& layout) {
  const Box& plot = layout.plot;
  std::string grid, marks = line_between(plot.left, plot.bottom, plot.right, plot.bottom);
  for (const double value : layout.y_ticks.major) {
    const double y = layout.y(value);
    grid += line_between(plot.left, y, plot.right, y);
    if (value == 0 && y < plot.bottom - 1) marks += line_between(plot.left, y, plot.right, y);
  }
  for (const double value : layout.x_ticks.major) {
    const double x = layout.x(value);
    grid += line_between(x, plot.top, x, plot.bottom);
    marks += line_between(x, plot.bottom, x, plot.bottom + 5);
  }
  if (layout.y.scale == Scale::log) marks += line_between(plot.left, plot.top, plot.left, plot.bottom);
  for (const double value : layout.y_ticks.minor) {
    marks += line_between(plot.left - 3, layout.y(value), plot.left, layout.y(value));
  }
  for (const double value : layout.x_ticks.minor) {
    marks += line_between(layout.x(value), plot.bottom, layout.x(value), plot.bottom + 3);
  }
  put(out, "<path class=\"grid\" d=\"{}\" stroke=\"currentColor\"/>\n", grid);
  put(out, "<path class=\"quiet\" d=\"{}\" stroke=\"currentColor\"/>\n", marks);
}

// The numbers at the ticks and the names of the axes.
void draw_numbers(std::string& out, const Figure& figure, const FigureLayout& layout) {
  const Box& plot = layout.plot;
  const Ticks &x = layout.x_ticks, &y = layout.y_ticks;
  const char *end = " text-anchor=\"end\"", *middle = " text-anchor=\"middle\"";
  out += "<g class=\"quiet\">\n";
  for (std::size_t i = 0; i < y.major.size(); ++i) {
    draw_text(out, plot.left - 8, layout.y(y.major[i]) + 4, end, y.labels[i]);
  }
  for (std::size_t i = 0; i < x.major.size(); ++i) {
    draw_text(out, layout.x(x.major[i]), plot.bottom + 19, middle, x.labels[i]);
  }
  draw_text(out, layout.margin, layout.y_label_top + 14, "", axis_title(figure.y, y));
  draw_text(out, (plot.left + plot.right) / 2, plot.bottom + 38, middle, axis_title(figure.x, x));
  out += "</g>\n";
}

// References with their names: that of a horizontal line at its left end, those of vertical lines at the top,
// one below the other so that neighbours do not collide.
void draw_markers(std::string& out, const Figure& figure, const FigureLayout& layout) {
  const Box& plot = layout.plot;
  double drop = 14;
  for (const Marker& marker : figure.markers) {
    const double x = marker.x ? layout.x(*marker.x) : plot.left;
    const double y = marker.y ? layout.y(*marker.y) : plot.top;
    const bool inside = x >= plot.left && x <= plot.right && y >= plot.top && y <= plot.bottom;
    if (!inside || (!marker.x && !marker.y)) continue;
    if (marker.x && marker.y) {
      put(out, "<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", px(x), px(y));
    } else {
      put(out, "<path d=\"{}\" stroke=\"currentColor\" stroke-dasharray=\"3 3\"/>\n",
          marker.x ? line_between(x, plot.top, x, plot.bottom) : line_between(plot.left, y, plot.right, y));
    }
    const bool to_the_left = x + 8 + text_width(marker.label, layout.small) > plot.right;
    const double base = marker.y ? y - 6 : y + drop;
    if (!marker.y) drop += layout.label_height;
    draw_text(out, x + (to_the_left ? -6 : 6), std::max(base, plot.top + 12),
              to_the_left ? " class=\"halo\" text-anchor=\"end\"" : " class=\"halo\"", marker.label);
  }
}

// What a reader who cannot see the figure is told: the axes, and where each line ends.
std::string description(const Figure& figure) {
  std::string out = fmt::format("{} against {}.", figure.y.label.empty() ? "y" : figure.y.label,
                                figure.x.label.empty() ? "x" : figure.x.label);
  for (const Series& series : figure.series) {
    std::size_t i = series.x.size();
    while (i > 0 && !(usable(series.x[i - 1], figure.x.scale) && usable(series.y[i - 1], figure.y.scale)))
      --i;
    const std::string name = series.label.empty() ? "A line" : series.label;
    if (i == 0) {
      put(out, " {} has no data.", name);
    } else {
      put(out, " {} ends at {} for {}.", name, number(series.y[i - 1]), number(series.x[i - 1]));
    }
  }
  return out;
}

}  // namespace

std::string to_svg(const Figure& figure, int width, int height) {
  const FigureLayout layout = figure_layout(figure, width, height);
  const Box& plot = layout.plot;
  const std::string marks = data_marks(figure, layout);
  const std::string name = figure.title.empty() ? description(figure) : figure.title;

  std::string out;
  put(out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rr-figure\" role=\"img\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\">\n",
      px(layout.width), px(layout.height));
  put(out, "<title>{}</title>\n<desc>{}</desc>\n", escape_markup(name), escape_markup(description(figure)));
  out += style();
  // A name for the clip path that figures on one page do not share unless they are drawn alike.
  const std::string id =
      fmt::format("rr-{:016x}",
                  fnv1a(fmt::format("{} {} {} {} {}", marks, plot.left, plot.top, plot.right, plot.bottom)));
  put(out, "<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", id,
      px(plot.left), px(plot.top - 1), px(plot.right - plot.left), px(plot.bottom - plot.top + 2));
  for (std::size_t i = 0; i < layout.title.size(); ++i) {
    draw_text(out, layout.margin, 24 + layout.title_height * static_cast<double>(i), " class=\"title\"",
              layout.title[i]);
  }
  draw_grid(out, layout);
  draw_numbers(out, figure, layout);
  put(out, "<g clip-path=\"url(#{})\">\n{}</g>\n", id, marks);
  draw_markers(out, figure, layout);
  draw_labels(out, figure, layout);
  if (marks.empty()) {
    draw_text(out, (plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2,
              " text-anchor=\"middle\" opacity=\".6\"", "no data");
  }
  return out + "</svg>\n";
}

}  // namespace ridgerunner
