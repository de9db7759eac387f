#include "ridgerunner/service/log/event.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/log/event_bytes.h"
#include "ridgerunner/service/log/event_rules.h"

namespace ridgerunner::service {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::array<const char*, std::variant_size_v<Body>> kNames = {
    "created", "configured", "decided", "rewarded",  "activated",
    "expired", "imported",   "closed",  "unreadable"};

bool same(const MatrixIn& a, const MatrixIn& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.size() == 0 || a == b);
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
    if (!event.id.empty()) out.text(event.id);  // the first version had none
  }
  void operator()(const Closed&) {}
  void operator()(const Unreadable& event) { throw InvalidArgument(event.why); }
};

// Reads what Encoder wrote, and refuses what it would not have written: one event, one encoding.
struct Decoder {
  ByteReader& in;

  Created created() {
    Created event;
    event.name = in.text();
    event.description = in.text();
    event.spec = in.text();
    event.settings = get_settings(in);
    return event;
  }

  Decided decided() {
    Decided event;
    event.event_id = in.text();
    event.offered = get_offered(in);
    event.number = in.integer();
    event.version = in.integer();
    event.state = get_vector(in);
    event.decision = get_decision(in);
    check_chosen(event);
    return event;
  }

  Rewarded rewarded() {
    Rewarded event;
    event.subject = get_subject(in);
    event.reward = get_finite(in);
    event.held = get_flag(in);
    return event;
  }

  Activated activated() {
    Activated event;
    event.subject = get_subject(in);
    event.reward = get_optional(in);
    return event;
  }

  Expired expired() {
    Expired event;
    event.subject = get_subject(in);
    event.shown = get_flag(in);
    event.default_reward = get_optional(in);
    return event;
  }

  Imported imported() {
    Imported event;
    event.states = get_matrix(in);
    event.rewards = get_vector(in);
    if (!in.at_end()) {
      event.id = in.text();
      if (event.id.empty()) throw InvalidArgument("an empty id is not written");
    }
    check_imported(event);
    return event;
  }

  Body body(std::uint64_t kind) {
    switch (kind) {
      case 0:
        return created();
      case 1:
        return Configured{get_settings(in)};
      case 2:
        return decided();
      case 3:
        return rewarded();
      case 4:
        return activated();
      case 5:
        return expired();
      case 6:
        return imported();
      case 7:
        return Closed{};
      default:
        throw InvalidArgument(fmt::format("an event of unknown kind {}", kind));
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
  return same(states, other.states) && same(rewards, other.rewards) && id == other.id;
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
  Event event = decode_or_mark(bytes);
  if (const auto* unreadable = std::get_if<Unreadable>(&event.body)) throw InvalidArgument(unreadable->why);
  return event;
}

Event decode_or_mark(std::string_view bytes) {
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
  try {
    event.body = Decoder{in}.body(head & 0xFFFFFFFFu);
    in.finish();
  } catch (const InvalidArgument& error) {
    event.body = Unreadable{error.what()};
  }
  return event;
}

Settings changed(Settings settings, const SettingsChange& change) {
  if (change.reward_deadline_seconds) settings.reward_deadline_seconds = *change.reward_deadline_seconds;
  if (change.default_reward) settings.default_reward = *change.default_reward;
  return settings;
}

const char* kind_name(const Body& body) {
  return kNames[body.index()];
}

std::string made_event_id(std::uint64_t seq) {
  return fmt::format("{}{:012}", kMadePrefix, seq);
}

}  // namespace ridgerunner::service
