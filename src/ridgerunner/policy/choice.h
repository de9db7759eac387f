#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ridgerunner/codec/range.h"
#include "ridgerunner/error.h"

namespace ridgerunner {

struct Parameter;

// The value of a parameter that is known by its name; monostate: not set.
using ParameterValue = std::variant<std::monostate, bool, double, std::string, std::vector<double>>;
using Parameters = std::map<std::string, ParameterValue, std::less<>>;

// Throws InvalidArgument if there is no such number. Inline, as plug-ins use it.
inline double number_in(const Parameters& parameters, std::string_view name) {
  const auto at = parameters.find(name);
  if (at == parameters.end() || !std::holds_alternative<double>(at->second))
    throw InvalidArgument("there is no number " + std::string(name));
  return std::get<double>(at->second);
}

// The parts of a spec that come in types.
enum class PartKind { bound, dictionary, rule };

// A user's own part, by the name it was registered under (registry.h).
struct Own {
  std::string name;
  Parameters parameters;  // all that it was registered with
};
std::optional<Parameters> own_parameters(PartKind kind, std::string_view name);  // with their defaults
std::vector<std::string> own_names(PartKind kind);

// One of several types of a part. Each type is a record with parameters of its own (codec/record.h) and a
// name; in C++ a part is set as a value,
//   spec.bound = bounds::Amm{};
// and where only names are known (JSON, presets), by these. Parameters that other types have are accepted as
// well and kept: a preset may derive its ridge from one, and who changes the type finds them again.
template <PartKind kind, class... Types>
class Choice {
 public:
  Choice() = default;
  template <class Type>
  requires(std::same_as<Type, Types> || ...) Choice(Type chosen) : chosen_(std::move(chosen)) {}

  std::string type() const;
  template <class Type>
  bool is() const {
    return std::holds_alternative<Type>(chosen_);
  }
  template <class Type>
  const Type* get_if() const {
    return std::get_if<Type>(&chosen_);
  }
  template <class Visit>
  decltype(auto) visit(Visit&& visitor) const {
    return std::visit(std::forward<Visit>(visitor), chosen_);
  }

  // Another type, by its name; what was set stays set. Throws InvalidArgument, listing all types.
  void choose(std::string_view type);

  // Parameters by name: of this type, or of another. Throw InvalidArgument for a name that no type has, and
  // for a value of another kind.
  ParameterValue value(std::string_view name) const;
  double number(std::string_view name) const;
  void set(std::string_view name, ParameterValue value);
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void set(std::string_view name, Number value) {
    set(name, ParameterValue(std::conditional_t<std::is_same_v<Number, bool>, bool, double>(value)));
  }

  // Throws InvalidArgument for the first parameter out of its range, whether this type uses it or not: a
  // typing mistake is one wherever it is.
  void check() const;

  static std::vector<std::string> types();  // users' own at the end
  std::vector<std::string> names() const;   // of all parameters that set() takes
  static void describe(const std::string& section, std::vector<Parameter>& rows);

  // The same type, and the same value for every name.
  bool operator==(const Choice& other) const;

 private:
  static std::optional<ParameterValue> initial(std::string_view name);
  std::optional<ParameterValue> own_value(std::string_view name) const;
  bool set_own(std::string_view name, const ParameterValue& value);
  Parameters changed() const;  // what differs from the defaults

  std::variant<Types..., Own> chosen_;
  Parameters others_;  // of other types, where they differ from their defaults
};

}  // namespace ridgerunner
