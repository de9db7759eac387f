#include "spec_source.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <ridgerunner/error.h>
#include <ridgerunner/policy/spec_toml.h>

#include "files.h"

namespace ridgerunner::cli {
namespace {

bool is_preset(const std::string& source) {
  return std::any_of(presets().begin(), presets().end(),
                     [&](const Preset& known) { return known.name == source; });
}

std::string beside(const std::string& source, const Json& file, const std::string& path) {
  if (!file.is_string()) throw InvalidArgument(fmt::format("{} must be a string, got {}", path, file.dump()));
  const std::filesystem::path given = file.get<std::string>();
  if (given.is_absolute() || source == "-") return given;
  return std::filesystem::path(source).parent_path() / given;
}

// {"file": F} becomes {key: the rows of F}.
void resolve_file(Json& json, const char* section, const char* key, const std::string& source) {
  if (!json.is_object() || !json.contains(section) || !json[section].is_object()) return;
  Json& table = json[section];
  if (!table.contains("file")) return;
  const std::string path = std::string(section) + ".file";
  if (table.contains(key))
    throw InvalidArgument(fmt::format("{} and {}.{} exclude each other", path, section, key));
  table[key] = points_to_json(read_csv(beside(source, table["file"], path)).transpose());
  table.erase("file");
}

Json parse(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? parse_json(text) : toml_to_json(text);
}

}  // namespace

Json load_spec(const std::string& source) {
  if (is_preset(source)) return {{"policy", source}};
  if (source != "-" && !std::filesystem::exists(source)) {
    std::string names;
    for (const Preset& known : presets()) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    throw InvalidArgument(
        fmt::format("a policy must be a preset ({}) or a spec file, got \"{}\"", names, source));
  }
  try {
    Json json = parse(read_file(source));
    resolve_file(json, "arms", "points", source);
    resolve_file(json, "kernel", "gram", source);
    return json;
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", source, error.what()));
  }
}

std::string setting_key(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InvalidArgument(fmt::format("--set takes KEY=VALUE, got \"{}\"", setting));
  }
  return setting.substr(0, equals);
}

void apply_setting(Json& json, const std::string& setting) {
  const std::string key = setting_key(setting), text = setting.substr(key.size() + 1);
  Json* place = &json;
  std::size_t begin = 0;
  for (auto dot = key.find('.'); dot != std::string::npos; begin = dot + 1, dot = key.find('.', begin)) {
    place = &(*place)[key.substr(begin, dot - begin)];
    if (!place->is_object() && !place->is_null()) {
      throw InvalidArgument(fmt::format("{} cannot be set: {} is a value", key, key.substr(0, dot)));
    }
  }
  Json value = Json::parse(text, nullptr, false);
  (*place)[key.substr(begin)] = value.is_discarded() ? Json(text) : value;
}

}  // namespace ridgerunner::cli
