#pragma once

// The bodies of Choice, for the file that instantiates it.

#include <algorithm>

#include <fmt/format.h>

#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/choice.h"

namespace ridgerunner {
namespace choice {

template <class Member>
ParameterValue value_of(const Member& member) {
  return member;
}
inline ParameterValue value_of(const std::optional<double>& member) {
  return member ? ParameterValue(*member) : ParameterValue();
}

template <class Member>
bool assign(Member& member, const ParameterValue& value) {
  if (!std::holds_alternative<Member>(value)) return false;
  member = std::get<Member>(value);
  return true;
}
inline bool assign(std::optional<double>& member, const ParameterValue& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    member.reset();
    return true;
  }
  return assign(member.emplace(), value);
}

// Calls use(record.*member, range) for the field of that name; whether there is one.
template <class Type, class Use>
bool with_field(Type& record, std::string_view name, Use use) {
  bool found = false;
  std::remove_const_t<Type>::fields([&](const char* known, auto member, const ValueRange& range, auto&&...) {
    if (found || name != known) return;
    found = true;
    use(record.*member, range);
  });
  return found;
}

[[noreturn]] inline void wrong_kind(std::string_view name) {
  throw InvalidArgument(fmt::format("{} has a value of another kind", name));
}

}  // namespace choice

template <PartKind kind, class... Types>
std::string Choice<kind, Types...>::type() const {
  return visit([]<class Type>(const Type& chosen) -> std::string {
    if constexpr (std::is_same_v<Type, Own>) {
      return chosen.name;
    } else {
      return Type::kName;
    }
  });
}

template <PartKind kind, class... Types>
std::vector<std::string> Choice<kind, Types...>::types() {
  std::vector<std::string> all = {Types::kName...};
  for (std::string& name : own_names(kind)) all.push_back(std::move(name));
  return all;
}

template <PartKind kind, class... Types>
void Choice<kind, Types...>::choose(std::string_view type) {
  if (type == this->type()) return;
  Choice next;
  bool known = ((type == Types::kName && (next.chosen_ = Types{}, true)) || ...);
  if (!known) {
    auto parameters = own_parameters(kind, type);
    if (!parameters)
      throw InvalidArgument(fmt::format("type must be one of {}, got \"{}\"", listed(types()), type));
    next.chosen_ = Own{std::string(type), std::move(*parameters)};
  }
  for (const auto& [name, value] : changed()) {
    if (next.own_value(name) || initial(name)) next.set(name, value);
  }
  *this = std::move(next);
}

template <PartKind kind, class... Types>
std::optional<ParameterValue> Choice<kind, Types...>::initial(std::string_view name) {
  std::optional<ParameterValue> value;
  const auto look = [&](const auto& record) {
    return choice::with_field(
        record, name, [&](const auto& member, const ValueRange&) { value = choice::value_of(member); });
  };
  (look(Types{}) || ...);
  return value;
}

template <PartKind kind, class... Types>
std::optional<ParameterValue> Choice<kind, Types...>::own_value(std::string_view name) const {
  std::optional<ParameterValue> value;
  visit([&]<class Type>(const Type& chosen) {
    if constexpr (std::is_same_v<Type, Own>) {
      if (const auto at = chosen.parameters.find(name); at != chosen.parameters.end()) value = at->second;
    } else {
      choice::with_field(chosen, name,
                         [&](const auto& member, const ValueRange&) { value = choice::value_of(member); });
    }
  });
  return value;
}

template <PartKind kind, class... Types>
ParameterValue Choice<kind, Types...>::value(std::string_view name) const {
  if (auto own = own_value(name)) return *own;
  if (const auto other = others_.find(name); other != others_.end()) return other->second;
  if (auto value = initial(name)) return *value;
  throw InvalidArgument(fmt::format("there is no parameter {}", name));
}

template <PartKind kind, class... Types>
double Choice<kind, Types...>::number(std::string_view name) const {
  const ParameterValue found = value(name);
  if (const double* number = std::get_if<double>(&found)) return *number;
  choice::wrong_kind(name);
}

template <PartKind kind, class... Types>
bool Choice<kind, Types...>::set_own(std::string_view name, const ParameterValue& value) {
  return std::visit(
      [&]<class Type>(Type& chosen) {
        if constexpr (std::is_same_v<Type, Own>) {
          const auto at = chosen.parameters.find(name);
          if (at == chosen.parameters.end()) return false;
          if (at->second.index() != value.index()) choice::wrong_kind(name);
          at->second = value;
          return true;
        } else {
          return choice::with_field(chosen, name, [&](auto& member, const ValueRange&) {
            if (!choice::assign(member, value)) choice::wrong_kind(name);
          });
        }
      },
      chosen_);
}

template <PartKind kind, class... Types>
void Choice<kind, Types...>::set(std::string_view name, ParameterValue value) {
  if (set_own(name, value)) return;
  const auto usual = initial(name);
  if (!usual) throw InvalidArgument(fmt::format("there is no parameter {}", name));
  const bool unset = std::holds_alternative<std::monostate>(*usual);  // an optional number
  if (value.index() != usual->index() && !(unset && std::holds_alternative<double>(value)))
    choice::wrong_kind(name);
  if (value == *usual) {
    others_.erase(std::string(name));
  } else {
    others_.insert_or_assign(std::string(name), std::move(value));
  }
}

template <PartKind kind, class... Types>
Parameters Choice<kind, Types...>::changed() const {
  Parameters found = others_;
  visit([&]<class Type>(const Type& chosen) {
    if constexpr (std::is_same_v<Type, Own>) {
      const Parameters usual = own_parameters(kind, chosen.name).value_or(Parameters{});
      for (const auto& [name, value] : chosen.parameters) {
        if (const auto at = usual.find(name); at == usual.end() || at->second != value)
          found.insert_or_assign(name, value);
      }
    } else {
      const Type usual{};
      Type::fields([&](const char* name, auto member, auto&&...) {
        if (!(chosen.*member == usual.*member))
          found.insert_or_assign(name, choice::value_of(chosen.*member));
      });
    }
  });
  return found;
}

template <PartKind kind, class... Types>
std::vector<std::string> Choice<kind, Types...>::names() const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  (Types::fields([&](const char* name, auto&&...) { add(name); }), ...);
  if (const Own* own = get_if<Own>()) {
    for (const auto& [name, value] : own->parameters) add(name);
  }
  return all;
}

template <PartKind kind, class... Types>
void Choice<kind, Types...>::check() const {
  visit([]<class Type>(const Type& chosen) {
    if constexpr (!std::is_same_v<Type, Own>) check_record(chosen);
  });
  const auto check_other = [&]<class Type>(Type record, const std::string& name,
                                           const ParameterValue& value) {
    return choice::with_field(record, name, [&](auto& member, const ValueRange& range) {
      if (choice::assign(member, value)) check_field(name.c_str(), range, member);
    });
  };
  for (const auto& [name, value] : others_) (check_other(Types{}, name, value) || ...);
}

template <PartKind kind, class... Types>
void Choice<kind, Types...>::describe(const std::string& section, std::vector<Parameter>& rows) {
  (describe_record<Types>(section, rows), ...);
}

template <PartKind kind, class... Types>
bool Choice<kind, Types...>::operator==(const Choice& other) const {
  if (type() != other.type()) return false;
  const std::vector<std::string> known = names();
  return known == other.names() && std::all_of(known.begin(), known.end(), [&](const std::string& name) {
           return value(name) == other.value(name);
         });
}

}  // namespace ridgerunner
