#include "ridgerunner/report/figure_layout.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr double small = FigureLayout::small, big = FigureLayout::big;
constexpr double swatch = FigureLayout::swatch, swatch_gap = FigureLayout::swatch_gap;
constexpr double label_height = FigureLayout::label_height;
constexpr double margin = FigureLayout::margin, leader = 16;
constexpr double bold = 1.12;  // as wide as this many times regular text

// `text`, cut and ended by "…" if it would be wider than `room`.
std::string shortened(std::string text, double size, double room) {
  if (text_width(text, size) <= room) return text;
  while (!text.empty() && text_width(text + "…", size) > room) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

// The words of `text` in lines no wider than `room`, the last of at most `most` lines shortened.
std::vector<std::string> wrapped(const std::string& text, double size, double room, std::size_t most) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!lines.empty() && (lines.size() == most || text_width(lines.back() + " " + word, size) <= room)) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  for (std::string& line : lines) line = shortened(line, size, room);
  return lines;
}

struct Domains {
  Domain x, y;
};

// The ranges of all that is drawn. On a log axis a band whose lower edge comes close to zero would take all
// the room, so that it counts down to a third of the least y only.
Domains data_of(const Figure& figure) {
  Domains data;
  Domain lower;
  const auto add = [](const Axis& axis, Domain& domain, double value) {
    if (usable(value, axis.scale)) domain.include(value);
  };
  for (const Series& series : figure.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!usable(series.x[i], figure.x.scale)) continue;
      const bool band = !series.lower.empty();
      if (usable(series.y[i], figure.y.scale) || band) data.x.include(series.x[i]);
      add(figure.y, data.y, series.y[i]);
      if (band) add(figure.y, data.y, series.upper[i]);
      if (band) add(figure.y, lower, series.lower[i]);
    }
  }
  for (const Marker& marker : figure.markers) {
    if (marker.x) add(figure.x, data.x, *marker.x);
    if (marker.y) add(figure.y, data.y, *marker.y);
  }
  if (!lower.empty()) {
    const bool limit = figure.y.scale == Scale::log && !data.y.empty();
    data.y.include(limit ? std::max(lower.low, data.y.low / 3) : lower.low);
  }
  return data;
}

bool is_drawn(const Series& series, const Figure& figure) {
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (usable(series.x[i], figure.x.scale) && usable(series.y[i], figure.y.scale)) return true;
  }
  return false;
}

std::vector<SeriesLabel> labels_of(const Figure& figure, double width) {
  std::vector<SeriesLabel> labels;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    if (series.label.empty()) continue;
    const std::string text = series.label + (is_drawn(series, figure) ? "" : " (no data)");
    labels.push_back({i, shortened(text, small, width - 60)});
  }
  return labels;
}

// Rows of swatches with their names from (left, top) on; returns the height they take.
double place_legend(std::vector<SeriesLabel>& labels, double left, double top, double right) {
  double x = left, y = top + label_height / 2;
  for (SeriesLabel& label : labels) {
    const double width = swatch + swatch_gap + text_width(label.text, small);
    if (x > left && x + width > right) {
      x = left;
      y += label_height + 2;
    }
    label.x = x;
    label.y = y;
    x += width + 16;
  }
  return labels.empty() ? 0 : y - top + label_height;
}

// Labels beside the ends of their lines, moved as little as possible (least squares) so that none overlap:
// neighbours that collide become a cluster around the mean of where its members want to be.
void place_at_ends(std::vector<SeriesLabel>& labels, const Box& plot) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const SeriesLabel& a, const SeriesLabel& b) { return a.y < b.y; });
  struct Cluster {
    double sum, count;  // of wanted first positions
    double top(double least, double most) const {
      return std::clamp(sum / count, least, std::max(least, most - label_height * (count - 1)));
    }
  };
  std::vector<Cluster> clusters;
  for (const SeriesLabel& label : labels) {
    Cluster cluster{label.y, 1};
    while (!clusters.empty() &&
           clusters.back().top(plot.top, plot.bottom) + label_height * clusters.back().count >
               cluster.top(plot.top, plot.bottom)) {
      const Cluster above = clusters.back();
      clusters.pop_back();
      cluster = {above.sum + cluster.sum - cluster.count * above.count * label_height,
                 above.count + cluster.count};
    }
    clusters.push_back(cluster);
  }
  std::size_t next = 0;
  for (const Cluster& cluster : clusters) {
    for (int i = 0; i < cluster.count; ++i, ++next) {
      labels[next].x = plot.right + leader;
      labels[next].y = cluster.top(plot.top, plot.bottom) + i * label_height;
    }
  }
}

// Ticks of the x axis, as many as have room for their labels.
Ticks fitting_ticks(const Mapping& mapping) {
  Ticks ticks;
  for (int count = std::max(2, static_cast<int>((mapping.to - mapping.from) / 70)); count >= 1; --count) {
    ticks = ticks_of(mapping.scale, mapping.domain, count);
    bool fits = true;
    for (std::size_t i = 1; i < ticks.major.size(); ++i) {
      const double room = mapping(ticks.major[i]) - mapping(ticks.major[i - 1]);
      const double need = text_width(ticks.labels[i], small) + text_width(ticks.labels[i - 1], small);
      fits = fits && need / 2 + 10 <= room;
    }
    if (fits) break;
  }
  return ticks;
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text, small));
  return width;
}

double widest(const std::vector<SeriesLabel>& labels) {
  double width = 0;
  for (const SeriesLabel& label : labels) width = std::max(width, text_width(label.text, small));
  return width;
}

// Each label wants to be at the height of its line's last point in the plot.
void find_ends(const Figure& figure, FigureLayout& layout) {
  const Box& plot = layout.plot;
  for (SeriesLabel& label : layout.labels) {
    const Series& series = figure.series[label.series];
    label.y = plot.bottom;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const double x = layout.x(series.x[i]), y = layout.y(series.y[i]);
      if (std::isnan(y) || !(x >= plot.left - 0.5 && x <= plot.right + 0.5)) continue;
      label.y = std::clamp(y, plot.top, plot.bottom);
      const bool leaves = x > plot.right - 6 && y == label.y;
      label.end = leaves ? y : std::numeric_limits<double>::quiet_NaN();
    }
  }
}

// The title, then the legend if there is one, then the label of the y axis; returns where the plot starts.
double place_heading(const Figure& figure, double below, FigureLayout& layout) {
  layout.title = wrapped(figure.title, bold * big, layout.width - 2 * margin, 2);
  layout.labels = labels_of(figure, layout.width);
  double top = margin + FigureLayout::title_height * static_cast<double>(layout.title.size());
  const double heading = 30;
  const double room = layout.height - top - heading - below;
  const double lines = static_cast<double>(layout.labels.size());
  layout.labels_at_ends = lines * label_height <= room && widest(layout.labels) <= 0.3 * layout.width;
  if (!layout.labels_at_ends) top += place_legend(layout.labels, margin, top + 4, layout.width - margin);
  layout.y_label_top = top;
  return top + heading;
}

void require_limits(const char* name, const Axis& axis) {
  for (const auto& limit : {axis.min, axis.max}) {
    if (limit && !usable(*limit, axis.scale)) {
      throw InvalidArgument(fmt::format("a limit of the {} axis must be {}, got {}", name,
                                        axis.scale == Scale::log ? "finite and > 0" : "finite", *limit));
    }
  }
  if (axis.min && axis.max && !(*axis.min < *axis.max)) {
    throw InvalidArgument(
        fmt::format("the {} axis must have min < max, got {} and {}", name, *axis.min, *axis.max));
  }
}

void require_drawable(const Figure& figure, int width, int height) {
  require_at_least("width", width, 240);
  require_at_least("height", height, 160);
  require_limits("x", figure.x);
  require_limits("y", figure.y);
  for (const Series& series : figure.series) {
    const std::size_t n = series.x.size();
    if (series.y.size() != n) {
      throw InvalidArgument(fmt::format("series '{}' must have as many y as x, got {} and {}", series.label,
                                        series.y.size(), n));
    }
    if (series.lower.size() != series.upper.size() || (!series.lower.empty() && series.lower.size() != n)) {
      throw InvalidArgument(
          fmt::format("series '{}' must have no band or one of {} lower and upper values, got {} and {}",
                      series.label, n, series.lower.size(), series.upper.size()));
    }
  }
}

}  // namespace

// A generous guess of the width of text in a sans-serif font of `size` pixels.
double text_width(const std::string& text, double size) {
  double ems = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // the rest of a character already counted
    const bool narrow = std::string_view(" ijlftrI.,:;'|!()[]/").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMW@%").find(c) != std::string_view::npos;
    ems += byte >= 0xE3 ? 1 : wide ? 0.97 : narrow ? 0.36 : (c >= 'A' && c <= 'Z') ? 0.7 : 0.62;
  }
  return ems * size;
}

FigureLayout figure_layout(const Figure& figure, int width, int height) {
  require_drawable(figure, width, height);
  FigureLayout layout;
  layout.width = width;
  layout.height = height;
  const double below = margin + 38;
  Box& plot = layout.plot;
  plot.top = place_heading(figure, below, layout);
  layout.height = std::max(layout.height, plot.top + 80 + below);
  plot.bottom = layout.height - below;

  const Domains data = data_of(figure);
  const double row = figure.y.scale == Scale::log ? 36 : 50;
  const int rows = std::max(2, static_cast<int>((plot.bottom - plot.top) / row));
  const Domain y = shown_domain(figure.y, data.y, rows, true);
  layout.y = {figure.y.scale, y, plot.bottom, plot.top};
  layout.y_ticks = ticks_of(figure.y.scale, y, rows);

  plot.left = margin + widest(layout.y_ticks.labels) + 8;
  const bool beside = layout.labels_at_ends && !layout.labels.empty();
  plot.right =
      layout.width - margin - (beside ? leader + swatch + swatch_gap + widest(layout.labels) : margin);
  const Domain x = shown_domain(figure.x, data.x, 0, false);
  layout.x = {figure.x.scale, x, plot.left, plot.right};
  layout.x_ticks = fitting_ticks(layout.x);
  if (beside) {
    find_ends(figure, layout);
    place_at_ends(layout.labels, plot);
  }
  return layout;
}

}  // namespace ridgerunner
