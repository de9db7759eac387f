#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ridgerunner/report/figure.h"
#include "ridgerunner/report/table.h"

namespace ridgerunner {

struct Paragraph {
  std::string text;
};

struct PageFigure {
  Figure figure;
  std::string caption = {};
  int width = 800, height = 440;
};

// Text whose line breaks and spaces matter: a configuration, a command.
struct Preformatted {
  std::string text;
};

// What a run was made of: name and value, in order.
struct KeyValues {
  std::vector<std::pair<std::string, std::string>> entries;
};

using Block = std::variant<Paragraph, PageFigure, Table, Preformatted, KeyValues>;

struct Section {
  std::string heading;
  std::vector<Block> blocks = {};
};

struct Page {
  std::string title;
  std::string subtitle = {};
  std::vector<Section> sections = {};
  std::string footer = {};
};

// A complete HTML document in one file: no script and nothing to fetch. Light or dark with the reader's
// preference, dark on white in print. All text is escaped. Throws what to_svg and to_html(Table) throw.
std::string to_html(const Page& page);

}  // namespace ridgerunner
