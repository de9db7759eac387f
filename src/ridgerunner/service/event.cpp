#include "ridgerunner/service/event.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/archive/bytes.h"
#include "ridgerunner/error.h"

namespace ridgerunner::service {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::array<const char*, std::variant_size_v<Body>> kNames = {
    "created", "configured", "decided", "rewarded", "activated", "expired", "imported", "closed"};

bool same(const MatrixIn& a, const MatrixIn& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.size() == 0 || a == b);
}

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
  out.integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(decision.level)));
}

void put(ByteWriter& out, const Subject& subject) {
  out.integer(subject.decided);
  out.text(subject.event_id);
  out.vector(subject.state);
  out.number(subject.upper);
  out.integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(subject.level)));
}

struct Encoder {
  ByteWriter& out;

  void operator()(const Created& event) {
    out.text(event.name);
    out.text(event.description);
    out.text(event.spec);
    put(out, event.settings);
  }
  void operator()(const Configured& event) { put(out, event.settings); }
  void operator()(const Decided& event) {
    out.text(event.event_id);
    put(out, event.offered);
    out.integer(event.number);
    out.integer(event.version);
    out.vector(event.state);
    put(out, event.decision);
  }
  void operator()(const Rewarded& event) {
    put(out, event.subject);
    out.number(event.reward);
    put(out, event.held);
  }
  void operator()(const Activated& event) {
    put(out, event.subject);
    put(out, event.reward);
  }
  void operator()(const Expired& event) {
    put(out, event.subject);
    put(out, event.shown);
    put(out, event.default_reward);
  }
  void operator()(const Imported& event) {
    out.matrix(event.states);
    out.vector(event.rewards);
  }
  void operator()(const Closed&) {}
};

// Reads what Encoder wrote, and refuses what it would not have written: one event, one encoding.
struct Decoder {
  ByteReader& in;

  bool flag() {
    const std::uint64_t value = in.integer();
    if (value > 1) throw InvalidArgument(fmt::format("a flag must be 0 or 1, got {}", value));
    return value == 1;
  }
  double finite() {
    const double value = in.number();
    require_finite("a number of an event", value);
    return value;
  }
  std::optional<double> optional() { return flag() ? std::optional(finite()) : std::nullopt; }
  int level() {
    const auto value = static_cast<std::int64_t>(in.integer());
    if (value < -1 || value > 1000) throw InvalidArgument(fmt::format("a level of {}", value));
    return static_cast<int>(value);
  }
  Vector vector() {
    Vector value = in.vector();
    if (!value.allFinite()) throw InvalidArgument("a state has a number that is not finite");
    return value;
  }
  Matrix matrix() {
    Matrix value = in.matrix();
    if (!value.allFinite()) throw InvalidArgument("a state has a number that is not finite");
    return value;
  }
  Settings settings() { return {optional(), optional()}; }

  Offered offered() {
    Offered value;
    value.context = vector();
    value.actions = matrix();
    for (Index i = in.count(); i > 0; --i) value.ids.push_back(in.text());
    for (Index i = in.count(); i > 0; --i) value.excluded.push_back(in.count());
    value.deferred = flag();
    const auto actions = static_cast<std::size_t>(value.actions.cols());
    if (!value.ids.empty() && value.ids.size() != actions)
      throw InvalidArgument(fmt::format("{} ids for {} actions", value.ids.size(), actions));
    for (std::size_t i = 1; i < value.excluded.size(); ++i) {
      if (value.excluded[i - 1] >= value.excluded[i]) throw InvalidArgument("excluded is not ascending");
    }
    return value;
  }

  Decision decision() {
    Decision value;
    value.index = in.count();
    for (double* number : {&value.mean, &value.sd, &value.lower, &value.upper, &value.propensity}) {
      *number = in.number();
      if (std::isnan(*number)) throw InvalidArgument("a decision with a number that is none");
    }
    value.clamped = in.count();
    value.level = level();
    return value;
  }

  Subject subject() {
    Subject value;
    value.decided = in.integer();
    value.event_id = in.text();
    value.state = vector();
    value.upper = in.number();
    value.level = level();
    if (std::isnan(value.upper)) throw InvalidArgument("a decision with a number that is none");
    return value;
  }

  Created created() {
    Created event;
    event.name = in.text();
    event.description = in.text();
    event.spec = in.text();
    event.settings = settings();
    return event;
  }

  Decided decided() {
    Decided event;
    event.event_id = in.text();
    event.offered = offered();
    event.number = in.integer();
    event.version = in.integer();
    event.state = vector();
    event.decision = decision();
    const Index actions = event.offered.actions.cols();
    if (actions > 0 && event.decision.index >= actions)
      throw InvalidArgument(fmt::format("action {} of {} was chosen", event.decision.index, actions));
    return event;
  }

  Rewarded rewarded() {
    Rewarded event;
    event.subject = subject();
    event.reward = finite();
    event.held = flag();
    return event;
  }

  Activated activated() {
    Activated event;
    event.subject = subject();
    event.reward = optional();
    return event;
  }

  Expired expired() {
    Expired event;
    event.subject = subject();
    event.shown = flag();
    event.default_reward = optional();
    return event;
  }

  Imported imported() {
    Imported event;
    event.states = matrix();
    event.rewards = vector();
    if (event.rewards.size() != event.states.cols())
      throw InvalidArgument(
          fmt::format("{} rewards for {} states", event.rewards.size(), event.states.cols()));
    return event;
  }

  Body body(std::uint64_t kind) {
    switch (kind) {
      case 0: return created();
      case 1: return Configured{settings()};
      case 2: return decided();
      case 3: return rewarded();
      case 4: return activated();
      case 5: return expired();
      case 6: return imported();
      case 7: return Closed{};
      default: throw InvalidArgument(fmt::format("an event of unknown kind {}", kind));
    }
  }
};

}  // namespace

bool Offered::operator==(const Offered& other) const {
  return same(context, other.context) && same(actions, other.actions) && ids == other.ids &&
         excluded == other.excluded && deferred == other.deferred;
}

bool Decided::operator==(const Decided& other) const {
  return event_id == other.event_id && offered == other.offered && number == other.number &&
         version == other.version && same(state, other.state) && decision == other.decision;
}

bool Subject::operator==(const Subject& other) const {
  return decided == other.decided && event_id == other.event_id && same(state, other.state) &&
         upper == other.upper && level == other.level;
}

bool Imported::operator==(const Imported& other) const {
  return same(states, other.states) && same(rewards, other.rewards);
}

std::string encode(const Event& event) {
  ByteWriter out;
  out.integer(kFormat << 32 | event.body.index());
  out.integer(event.seq);
  out.integer(event.experiment);
  out.integer(static_cast<std::uint64_t>(event.time));
  std::visit(Encoder{out}, event.body);
  std::string bytes = out.take();
  const std::uint32_t crc = crc32c(bytes);
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

Event decode(std::string_view bytes) {
  std::uint32_t crc = 0;
  if (bytes.size() < 32 + sizeof crc) throw InvalidArgument(fmt::format("only {} bytes", bytes.size()));
  const std::string_view covered = bytes.substr(0, bytes.size() - sizeof crc);
  std::memcpy(&crc, bytes.data() + covered.size(), sizeof crc);
  if (crc != crc32c(covered)) throw InvalidArgument("its checksum is wrong");
  ByteReader in(covered);
  const std::uint64_t head = in.integer();
  if (head >> 32 != kFormat)
    throw InvalidArgument(
        fmt::format("its format version is {}, this program reads {}", head >> 32, kFormat));
  Event event;
  event.seq = in.integer();
  event.experiment = in.integer();
  event.time = static_cast<std::int64_t>(in.integer());
  event.body = Decoder{in}.body(head & 0xFFFFFFFFu);
  in.finish();
  return event;
}

const char* kind_name(const Body& body) {
  return kNames[body.index()];
}

std::string made_event_id(std::uint64_t seq) {
  return fmt::format("{}{:012}", kMadePrefix, seq);
}

}  // namespace ridgerunner::service
