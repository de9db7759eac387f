#include "ridgerunner/service/log/event_bytes.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/event_rules.h"

namespace ridgerunner::service {
namespace {

void put_level(ByteWriter& out, int level) {
  out.integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(level)));
}

int get_level(ByteReader& in) {
  const auto value = static_cast<std::int64_t>(in.integer());
  check_level(value);
  return static_cast<int>(value);
}

}  // namespace

void put(ByteWriter& out, bool flag) {
  out.integer(flag ? 1 : 0);
}

void put(ByteWriter& out, const std::optional<double>& value) {
  put(out, value.has_value());
  if (value) out.number(*value);
}

void put(ByteWriter& out, const Settings& settings) {
  put(out, settings.reward_deadline_seconds);
  put(out, settings.default_reward);
}

void put(ByteWriter& out, const Offered& offered) {
  out.vector(offered.context);
  out.matrix(offered.actions);
  out.integer(offered.ids.size());
  for (const std::string& id : offered.ids) out.text(id);
  out.integer(offered.excluded.size());
  for (const Index index : offered.excluded) out.integer(static_cast<std::uint64_t>(index));
  put(out, offered.deferred);
}

void put(ByteWriter& out, const Decision& decision) {
  out.integer(static_cast<std::uint64_t>(decision.index));
  for (const double number :
       {decision.mean, decision.sd, decision.lower, decision.upper, decision.propensity})
    out.number(number);
  out.integer(static_cast<std::uint64_t>(decision.clamped));
  put_level(out, decision.level);
}

void put(ByteWriter& out, const Subject& subject) {
  out.integer(subject.decided);
  out.text(subject.event_id);
  out.vector(subject.state);
  out.number(subject.upper);
  put_level(out, subject.level);
}

bool get_flag(ByteReader& in) {
  const std::uint64_t value = in.integer();
  if (value > 1) throw InvalidArgument(fmt::format("a flag must be 0 or 1, got {}", value));
  return value == 1;
}

double get_finite(ByteReader& in) {
  const double value = in.number();
  require_finite("a number of an event", value);
  return value;
}

std::optional<double> get_optional(ByteReader& in) {
  return get_flag(in) ? std::optional(get_finite(in)) : std::nullopt;
}

Vector get_vector(ByteReader& in) {
  Vector value = in.vector();
  check_finite(value);
  return value;
}

Matrix get_matrix(ByteReader& in) {
  Matrix value = in.matrix();
  check_finite(value);
  return value;
}

Settings get_settings(ByteReader& in) {
  Settings value;
  value.reward_deadline_seconds = get_optional(in);
  value.default_reward = get_optional(in);
  return value;
}

Offered get_offered(ByteReader& in) {
  Offered value;
  value.context = get_vector(in);
  value.actions = get_matrix(in);
  for (Index i = in.count(); i > 0; --i) value.ids.push_back(in.text());
  for (Index i = in.count(); i > 0; --i) value.excluded.push_back(in.count());
  value.deferred = get_flag(in);
  check_offered(value);
  return value;
}

Decision get_decision(ByteReader& in) {
  Decision value;
  value.index = in.count();
  for (double* number : {&value.mean, &value.sd, &value.lower, &value.upper, &value.propensity})
    *number = in.number();  // NaN too: see require_writable()
  value.clamped = in.count();
  value.level = get_level(in);
  return value;
}

Subject get_subject(ByteReader& in) {
  Subject value;
  value.decided = in.integer();
  value.event_id = in.text();
  value.state = get_vector(in);
  value.upper = in.number();
  value.level = get_level(in);
  return value;
}

}  // namespace ridgerunner::service
