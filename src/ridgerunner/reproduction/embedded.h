#pragma once

#include <string_view>
#include <vector>

namespace ridgerunner {

// The files of one folder of reproductions/, put into the library when it is built, so that an installed
// program can run them.
struct EmbeddedReproduction {
  std::string_view key;  // the folder's name
  std::string_view spec, expected, readme;
};

const std::vector<EmbeddedReproduction>& embedded_reproductions();

}  // namespace ridgerunner
