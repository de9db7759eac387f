#pragma once

#include <string_view>

namespace ridgerunner::fuzz {

// What hostile bytes reach. Each takes any input and returns; a crash, a sanitizer's complaint, an exception
// that nobody promised or a broken promise (which aborts) is a finding.
void requests(std::string_view input);   // bodies of HTTP requests
void http(std::string_view input);       // requests on the wire
void events(std::string_view input);     // events of a log, with a checksum that fits
void snapshots(std::string_view input);  // snapshots and saved policies, likewise
void specs(std::string_view input);      // specs in JSON and TOML

}  // namespace ridgerunner::fuzz
