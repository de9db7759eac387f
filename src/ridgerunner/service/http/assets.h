#pragma once

#include <span>
#include <string_view>

namespace ridgerunner::service {

// A file of the dashboard, part of the program.
struct Asset {
  std::string_view path;  // "/index.html", "/assets/index-4f3a.js"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view content;
};
std::span<const Asset> assets();

}  // namespace ridgerunner::service
