#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgerunner::service {

// The head of an answer in HTTP/1.1.
struct ResponseHead {
  int status = 200;
  std::string_view type = "application/json";
  std::string_view more;                 // further header lines, each with its end
  std::int64_t length = -1;              // -1: chunked
  bool close = false, http_1_0 = false;  // of the connection
};
void write_head(std::string& out, const ResponseHead& head);

}  // namespace ridgerunner::service
