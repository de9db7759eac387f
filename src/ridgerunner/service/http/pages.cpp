#include "ridgerunner/service/http/pages.h"

#include <fmt/format.h>

#include "ridgerunner/codec/bytes.h"

namespace ridgerunner::service {

const Asset* find_asset(std::string_view path) {
  if (path == "/") path = "/index.html";
  for (const Asset& asset : assets()) {
    if (asset.path == path) return &asset;
  }
  return nullptr;
}

std::string entity_tag(const Asset& asset) {
  return fmt::format("\"{:08x}\"", crc32c(asset.content));
}

}  // namespace ridgerunner::service
