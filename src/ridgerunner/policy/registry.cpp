#include "ridgerunner/policy/registry.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec.h"

namespace ridgerunner {
namespace {

// What users registered of one kind. The program's only table that changes: a name means the same everywhere.
template <class Make>
class Registry {
 public:
  explicit Registry(const char* what) : what_(what) {}

  // `taken`: the names of the house.
  void add(std::string_view name, Parameters parameters, Make make, const std::vector<std::string>& taken) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), allowed))
      throw InvalidArgument(fmt::format(
          "the name of a {} must be 1 to 64 lower-case letters, digits and underscores, got \"{}\"", what_,
          name));
    if (!make) throw InvalidArgument(fmt::format("the {} {} has no function to make it", what_, name));
    for (const auto& [parameter, value] : parameters) {
      if (parameter == "type" || std::holds_alternative<std::monostate>(value))
        throw InvalidArgument(
            fmt::format("the {} {} cannot have a parameter {} like this", what_, name, parameter));
    }
    const std::unique_lock lock(mutex_);
    if (entries_.contains(name) || std::find(taken.begin(), taken.end(), name) != taken.end())
      throw InvalidArgument(fmt::format("there is a {} {} already", what_, name));
    entries_.emplace(name, Entry{std::move(parameters), std::move(make)});
  }

  std::optional<Parameters> parameters(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    const auto at = entries_.find(name);
    return at == entries_.end() ? std::nullopt : std::optional(at->second.parameters);
  }

  std::vector<std::string> names() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries_) all.push_back(name);
    return all;
  }

  Make make(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    const auto at = entries_.find(name);
    if (at == entries_.end()) throw InvalidArgument(fmt::format("there is no {} {}", what_, name));
    return at->second.make;
  }

 private:
  struct Entry {
    Parameters parameters;
    Make make;
  };
  const char* what_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
};

// Never destroyed: functions of Python or of a plug-in could not be dropped any more when a program ends.
Registry<MakeBound>& all_bounds() {
  static auto& all = *new Registry<MakeBound>("bound");
  return all;
}
Registry<MakeRule>& all_rules() {
  static auto& all = *new Registry<MakeRule>("rule");
  return all;
}
Registry<MakeDictionary>& all_dictionaries() {
  static auto& all = *new Registry<MakeDictionary>("dictionary");
  return all;
}

template <class Made>
Made required(Made made, const Own& own) {
  if (!made) throw InvalidArgument(fmt::format("{} made nothing", own.name));
  return made;
}

}  // namespace

std::optional<Parameters> own_parameters(PartKind kind, std::string_view name) {
  switch (kind) {
    case PartKind::bound:
      return all_bounds().parameters(name);
    case PartKind::dictionary:
      return all_dictionaries().parameters(name);
    case PartKind::rule:
      return all_rules().parameters(name);
  }
  return std::nullopt;
}

std::vector<std::string> own_names(PartKind kind) {
  switch (kind) {
    case PartKind::bound:
      return all_bounds().names();
    case PartKind::dictionary:
      return all_dictionaries().names();
    case PartKind::rule:
      return all_rules().names();
  }
  return {};
}

void register_bound(std::string_view name, Parameters parameters, MakeBound make) {
  all_bounds().add(name, std::move(parameters), std::move(make), BoundSpec::types());
}

void register_rule(std::string_view name, Parameters parameters, MakeRule make) {
  all_rules().add(name, std::move(parameters), std::move(make), RuleChoice::types());
}

void register_dictionary(std::string_view name, Parameters parameters, MakeDictionary make) {
  all_dictionaries().add(name, std::move(parameters), std::move(make), DictionaryChoice::types());
}

void register_bound(std::string_view name, std::function<double(const Evidence&)> radius) {
  const BoundPtr bound = radius_bound(std::move(radius));
  register_bound(name, {}, [bound](const Parameters&) { return bound; });
}

BoundPtr make_own_bound(const Own& own) {
  return required(all_bounds().make(own.name)(own.parameters), own);
}

RulePtr make_own_rule(const Own& own) {
  return required(all_rules().make(own.name)(own.parameters), own);
}

std::unique_ptr<Dictionary> make_own_dictionary(const Own& own, const KernelPtr& kernel) {
  return required(all_dictionaries().make(own.name)(own.parameters, kernel), own);
}

}  // namespace ridgerunner
