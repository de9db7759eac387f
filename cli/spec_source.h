#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ridgerunner/policy/spec_json.h>

namespace ridgerunner::cli {

// A spec as the user names it: a preset, a TOML or JSON file, or "-" for standard input. Files that it names
// (arms.file, kernel.file) are read, relative to its own folder, and put in their place; those that settings
// name, relative to the current one. Errors name the file.
Json load_spec(const std::string& source, const std::vector<std::string>& settings);

// The same, checked and complete.
Spec load_whole_spec(const std::string& source, const std::vector<std::string>& settings);

// Does the work; an InvalidArgument that it throws names the file, if `source` is one.
void naming(const std::string& source, const std::function<void()>& work);

// Applies "regression.ridge=0.5": the value is JSON if it is that, else a string.
void apply_setting(Json& json, const std::string& setting);

// Throws InvalidArgument unless `setting` is KEY=VALUE; gives back the key.
std::string setting_key(const std::string& setting);

}  // namespace ridgerunner::cli
