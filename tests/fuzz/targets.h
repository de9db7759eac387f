#pragma once

#include <string_view>

namespace ridgerunner::fuzz {

// What hostile bytes reach. Each takes any input and returns; a crash, a sanitizer's complaint, an exception
// that nobody promised or a broken promise (which aborts) is a finding. True: the input was taken, not
// refused.
bool requests(std::string_view input);   // bodies of HTTP requests
bool http(std::string_view input);       // requests on the wire
bool events(std::string_view input);     // events of a log, with a checksum that fits
bool snapshots(std::string_view input);  // snapshots and saved policies, likewise
bool specs(std::string_view input);      // specs in JSON and TOML
bool features(std::string_view input);   // a schema, a line end, a context or an action
bool journeys(std::string_view input);   // odd specs, states and rewards through the service and a replay

}  // namespace ridgerunner::fuzz
