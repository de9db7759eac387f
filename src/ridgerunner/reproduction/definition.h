#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "ridgerunner/reproduction/check.h"
#include "ridgerunner/reproduction/embedded.h"

namespace ridgerunner {

// A figure, table or theorem of a paper, as its folder in reproductions/ defines it.
struct Definition {
  std::string key;    // "zenati2022_figure3": the folder's name
  std::string paper;  // "zenati2022", as in PAPERS.md
  std::string title;  // "Figure 3"
  std::string shows;  // one line
  Json spec;          // what to run; reproduction.h reads it
  std::vector<Check> checks;
  std::string readme;
};

// Throws InvalidArgument, naming the key, the file and the field, for what is no definition.
Definition parse_definition(const EmbeddedReproduction& files);

// All of them, paper by paper, in the paper's order.
const std::vector<Definition>& definitions();

// Throws InvalidArgument, naming the nearest ones, for an unknown key.
const Definition& find_definition(std::string_view key);

// Whether `a` comes before `b` when numbers in them count as numbers: figure2 before figure10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace ridgerunner
