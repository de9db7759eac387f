#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ridgerunner/linalg/types.h"
#include "ridgerunner/policy/decision.h"

namespace ridgerunner::service {

// What may be changed while an experiment runs.
struct Settings {
  std::optional<double> reward_deadline_seconds;  // after a decision was shown
  std::optional<double> default_reward;           // what a decision counts as that got none by then
  bool operator==(const Settings&) const = default;
};

// What a configuration changes; what it leaves out stays as it is.
struct SettingsChange {
  std::optional<std::optional<double>> reward_deadline_seconds, default_reward;
};
Settings changed(Settings settings, const SettingsChange& change);

struct Created {
  std::string name;
  std::string description;
  std::string spec;  // JSON, every parameter written out
  Settings settings;
  bool operator==(const Created&) const = default;
};

struct Configured {
  Settings settings;
  bool operator==(const Configured&) const = default;
};

// What is offered: a state is the context followed by an action's features. Without actions the spec's arms.
struct Offered {
  Vector context;
  Matrix actions;                // a x n
  std::vector<std::string> ids;  // of the actions: none, or one each ("" where an action has none)
  std::vector<Index> excluded;   // ascending
  bool deferred = false;         // it counts from its activation on
  bool operator==(const Offered& other) const;
};

struct Decided {
  std::string event_id;
  Offered offered;
  std::uint64_t number = 0;   // its randomness is that of the experiment's number-th decision
  std::uint64_t version = 0;  // it was made by the model with all the experiment's events up to this one
  Vector state;               // the chosen one
  Decision decision;
  bool operator==(const Decided& other) const;
};

// The decision that an event is about, with what folding needs of it.
struct Subject {
  std::uint64_t decided = 0;  // sequence number of its Decided
  std::string event_id;
  Vector state;
  double upper = 0;
  int level = 0;
  bool operator==(const Subject& other) const;
};

struct Rewarded {
  Subject subject;
  double reward = 0;
  bool held = false;  // not activated yet: it counts when it is
  bool operator==(const Rewarded&) const = default;
};

struct Activated {
  Subject subject;
  std::optional<double> reward;  // the one that was held
  bool operator==(const Activated&) const = default;
};

// Its deadline passed.
struct Expired {
  Subject subject;
  bool shown = true;                     // false: deferred and never activated
  std::optional<double> default_reward;  // counts as its reward
  bool operator==(const Expired&) const = default;
};

struct Imported {
  Matrix states;  // d x n
  Vector rewards;
  std::string id;  // the client's, so that it may repeat its request; "" if it gave none
  bool operator==(const Imported& other) const;
};

struct Closed {
  bool operator==(const Closed&) const = default;
};

// Not a kind that is written: stands for an event whose bytes are as they were written, but whose contents
// this program cannot read.
struct Unreadable {
  std::string why;
  bool operator==(const Unreadable&) const = default;
};

// The position is part of the encoding: new kinds go before Unreadable, none is ever moved.
using Body =
    std::variant<Created, Configured, Decided, Rewarded, Activated, Expired, Imported, Closed, Unreadable>;

struct Event {
  std::uint64_t seq = 0;         // 1, 2, 3, ... over all experiments
  std::uint64_t experiment = 0;  // sequence number of its Created
  std::int64_t time = 0;         // milliseconds since 1970
  Body body;
  bool operator==(const Event&) const = default;
};

using EventPtr = std::shared_ptr<const Event>;

// Canonical bytes: one event, one encoding. A checksum covers all of them, sequence number included.
std::string encode(const Event& event);

// The event again. Throws InvalidArgument for bytes that are damaged, of a newer format, or no event that
// could have been written.
Event decode(std::string_view bytes);

// The same, but contents that cannot be read make an Unreadable: the checksum fits, so it is known which
// event of which experiment it is. Throws for damaged bytes and newer formats.
Event decode_or_mark(std::string_view bytes);

// Throws InvalidArgument unless decode(encode(event)) gives the same event. What is appended must pass; logs
// of version 0.1.0 may hold decisions with NaN, which are read but not written any more.
void require_writable(const Event& event);

// The name of the kind: "created", "configured", ...
const char* kind_name(const Body& body);

// "rr-000000000042": the id of a decision whose client gave none.
std::string made_event_id(std::uint64_t seq);
constexpr std::string_view kMadePrefix = "rr-";

}  // namespace ridgerunner::service
