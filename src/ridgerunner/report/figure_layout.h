#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "ridgerunner/report/axis.h"
#include "ridgerunner/report/figure.h"

namespace ridgerunner {

// A rectangle in pixels; y grows downwards.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

// The name of a series and the middle left of its swatch.
struct SeriesLabel {
  std::size_t series = 0;
  std::string text;
  double x = 0, y = 0;
  // Where its line leaves the plot on the right, NaN if it does not.
  double end = std::numeric_limits<double>::quiet_NaN();
};

// Where everything in a figure goes, decided before the first line is drawn.
struct FigureLayout {
  static constexpr double small = 12, big = 15;         // font sizes
  static constexpr double swatch = 20, swatch_gap = 6;  // the sample of a line before its name
  static constexpr double label_height = 16, title_height = 20;
  static constexpr double margin = 12;

  double width = 0, height = 0;
  Box plot;
  Mapping x, y;
  Ticks x_ticks, y_ticks;
  std::vector<std::string> title;  // lines
  double y_label_top = 0;
  std::vector<SeriesLabel> labels;
  bool labels_at_ends = false;  // else in a legend above the plot
};

FigureLayout figure_layout(const Figure& figure, int width, int height);

// A generous guess of the width of text in a sans-serif font of `size` pixels.
double text_width(const std::string& text, double size);

}  // namespace ridgerunner
