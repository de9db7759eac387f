#pragma once

#include <span>
#include <string_view>

namespace ridgerunner::service {

// A file of the dashboard, as built in web/ and embedded by cmake/embed_web.cmake.
struct Asset {
  std::string_view path;  // "/index.html", "/assets/app.js"; "/" is for the caller to map
  std::string_view type;  // its Content-Type
  std::string_view content;
};

// Every file, sorted by path.
std::span<const Asset> assets();

}  // namespace ridgerunner::service
