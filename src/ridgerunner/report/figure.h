#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgerunner/report/axis.h"

namespace ridgerunner {

// A line through (x_i, y_i), with a translucent band from lower_i to upper_i if both are given. A value that
// is not finite, or not positive on a log axis, leaves a gap; a lower edge that is not positive on a log
// axis reaches the bottom of the plot. Long lines are thinned to what a screen can show, extremes kept.
struct Series {
  std::string label;
  std::vector<double> x = {}, y = {};
  std::vector<double> lower = {}, upper = {};  // empty, or as many as x
  bool dashed = false;
};

// A reference: x alone is a vertical line, y alone a horizontal one, both are a point.
struct Marker {
  std::optional<double> x = {}, y = {};
  std::string label = {};
};

struct Figure {
  std::string title;
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<Marker> markers = {};
};

// A self-contained <svg> element: no script, no external font, light or dark with the reader's preference,
// dark on white and dashed in print. Labels stand at the ends of the lines where they fit, else in a legend
// above the plot. The same figure gives the same bytes. It is taller than `height` only where the legend
// would leave the plot no room.
// Throws InvalidArgument if a series has sides of different lengths, an axis has min >= max or a log axis
// a limit that is not positive, or width < 240 or height < 160.
std::string to_svg(const Figure& figure, int width = 720, int height = 420);

}  // namespace ridgerunner
