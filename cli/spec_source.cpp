#include "spec_source.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>
#include <ridgerunner/policy/spec_toml.h>

#include "files.h"

namespace ridgerunner::cli {
namespace {

bool is_preset(const std::string& source) {
  return std::any_of(presets().begin(), presets().end(),
                     [&](const Preset& known) { return known.name == source; });
}

// {"file": F} becomes {key: the rows of F}; F is relative to `folder`.
void resolve_file(Json& json, const char* section, const char* key, const std::filesystem::path& folder) {
  if (!json.is_object() || !json.contains(section) || !json[section].is_object()) return;
  Json& table = json[section];
  if (!table.contains("file")) return;
  const std::string path = std::string(section) + ".file";
  if (!table["file"].is_string()) {
    throw InvalidArgument(fmt::format("{} must be a string, got {}", path, table["file"].dump()));
  }
  if (table.contains(key))
    throw InvalidArgument(fmt::format("{} and {}.{} exclude each other", path, section, key));
  try {
    table[key] = points_to_json(read_csv(folder / table["file"].get<std::string>()).transpose());
  } catch (const FileError& error) {
    throw InvalidArgument(fmt::format("{}: {}", path, error.what()));
  }
  table.erase("file");
}

void resolve_files(Json& json, const std::filesystem::path& folder) {
  resolve_file(json, "arms", "points", folder);
  resolve_file(json, "kernel", "gram", folder);
}

Json parse(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? parse_json(text) : toml_to_json(text);
}

}  // namespace

void naming(const std::string& source, const std::function<void()>& work) {
  try {
    work();
  } catch (const InvalidArgument& error) {
    if (is_preset(source)) throw;
    throw InvalidArgument(fmt::format("{}: {}", source, error.what()));
  }
}

namespace {

Json read_spec(const std::string& source) {
  if (is_preset(source)) return {{"policy", source}};
  if (source != "-" && !std::filesystem::exists(source)) {
    throw InvalidArgument(
        fmt::format("a policy must be a preset ({}) or a spec file, got \"{}\"", preset_names(), source));
  }
  Json json;
  naming(source, [&] {
    json = parse(read_source(source));
    if (!json.is_object()) throw InvalidArgument("a spec must be an object");
    resolve_files(json, source == "-" ? "" : std::filesystem::path(source).parent_path());
  });
  return json;
}

}  // namespace

Json load_spec(const std::string& source, const std::vector<std::string>& settings) {
  Json json = read_spec(source);
  for (const std::string& setting : settings) apply_setting(json, setting);
  resolve_files(json, "");
  return json;
}

Spec load_whole_spec(const std::string& source, const std::vector<std::string>& settings) {
  const Json json = load_spec(source, settings);
  Spec spec;
  naming(source, [&] { spec = spec_from_json(json); });
  return spec;
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
  Json& value = (*place)[key.substr(begin)];
  value = Json::accept(text) ? parse_json(text) : Json(text);
}

}  // namespace ridgerunner::cli
