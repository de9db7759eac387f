#pragma once

#include <string>
#include <string_view>

#include "ridgerunner/service/http/assets.h"

namespace ridgerunner::service {

// The file at an address, "/" being the first page; null if there is none.
const Asset* find_asset(std::string_view path);

// "\"4f3a9b01\"": changes when the content does.
std::string entity_tag(const Asset& asset);

// The description of the API that is served at /openapi.json.
std::string_view openapi();

}  // namespace ridgerunner::service
