#include "ridgerunner/service/log/event_json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/log/json_reader.h"
#include "ridgerunner/service/log/json_text.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::pair<std::string_view, double Decision::*> kDecisionNumbers[] = {
    {"mean", &Decision::mean},
    {"sd", &Decision::sd},
    {"lower", &Decision::lower},
    {"upper", &Decision::upper},
    {"propensity", &Decision::propensity}};

struct Writer {
  std::string& out;

  void number(std::string_view name, double value) {
    append_name(out, name);
    append_number(out, value);
  }
  void number(std::string_view name, const std::optional<double>& value) {
    number(name, value.value_or(kInfinity));
  }
  void integer(std::string_view name, std::uint64_t value) {
    append_name(out, name);
    append_integer(out, value);
  }
  void level(int value) {
    append_name(out, "level");
    out += std::to_string(value);
  }
  void flag(std::string_view name, bool value) {
    append_name(out, name);
    out += value ? "true" : "false";
  }
  void text(std::string_view name, std::string_view value) {
    append_name(out, name);
    append_text(out, value);
  }
  void numbers(std::string_view name, const VectorIn& values) {
    append_name(out, name);
    append_numbers(out, values);
  }
  void points(std::string_view name, const MatrixIn& values) {
    append_name(out, name);
    append_points(out, values);
  }
  void ids(const std::vector<std::string>& ids) {
    append_name(out, "ids");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      out += i == 0 ? '[' : ',';
      if (ids[i].empty()) {
        out += "null";
      } else {
        append_text(out, ids[i]);
      }
    }
    out += ']';
  }
  void excluded(const std::vector<Index>& indices) {
    append_name(out, "excluded");
    for (std::size_t i = 0; i < indices.size(); ++i) {
      out += i == 0 ? '[' : ',';
      append_integer(out, static_cast<std::uint64_t>(indices[i]));
    }
    out += ']';
  }

  // NaN and infinity are both null: the names of those that are NaN. Only logs of version 0.1.0 have some.
  void undefined(const Decision& decision) {
    bool first = true;
    for (const auto& [name, value] : kDecisionNumbers) {
      if (!std::isnan(decision.*value)) continue;
      if (first) append_name(out, "nan");
      out += first ? '[' : ',';
      append_text(out, name);
      first = false;
    }
    if (!first) out += ']';
  }

  void settings(const Settings& settings) {
    number("reward_deadline_seconds", settings.reward_deadline_seconds);
    number("default_reward", settings.default_reward);
  }
  void subject(const Subject& subject) {
    text("event_id", subject.event_id);
    integer("decided", subject.decided);
    numbers("state", subject.state);
    number("upper", subject.upper);
    level(subject.level);
  }

  void operator()(const Created& event) {
    text("description", event.description);
    append_name(out, "spec");
    out += event.spec;
    settings(event.settings);
  }
  void operator()(const Configured& event) { settings(event.settings); }
  void operator()(const Decided& event) {
    text("event_id", event.event_id);
    numbers("context", event.offered.context);
    points("actions", event.offered.actions);
    if (!event.offered.ids.empty()) ids(event.offered.ids);
    if (!event.offered.excluded.empty()) excluded(event.offered.excluded);
    if (event.offered.deferred) flag("deferred", true);
    integer("number", event.number);
    integer("version", event.version);
    numbers("state", event.state);
    integer("index", static_cast<std::uint64_t>(event.decision.index));
    for (const auto& [name, value] : kDecisionNumbers) number(name, event.decision.*value);
    integer("clamped", static_cast<std::uint64_t>(event.decision.clamped));
    level(event.decision.level);
    undefined(event.decision);
  }
  void operator()(const Rewarded& event) {
    subject(event.subject);
    number("reward", event.reward);
    if (event.held) flag("held", true);
  }
  void operator()(const Activated& event) {
    subject(event.subject);
    if (event.reward) number("reward", event.reward);
  }
  void operator()(const Expired& event) {
    subject(event.subject);
    flag("shown", event.shown);
    number("default_reward", event.default_reward);
  }
  void operator()(const Imported& event) {
    points("states", event.states);
    numbers("rewards", event.rewards);
    if (!event.id.empty()) text("import_id", event.id);
  }
  void operator()(const Closed&) {}
  void operator()(const Unreadable& event) { text("message", event.why); }
};

// The fields of a line. Each is asked for once; finish() refuses those nobody asked for.
class Line {
 public:
  explicit Line(const Element& root) {
    simdjson::dom::object pairs;
    if (root.get(pairs)) refuse({}, "must be an object", root);
    for (const auto& [key, value] : pairs) {
      if (find(key)) refuse({key}, "is there twice");
      fields_.push_back({key, value});
    }
  }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Element& get(std::string_view name) {
    Entry* entry = find(name);
    if (!entry) refuse({name}, "is missing");
    entry->asked = true;
    return entry->value;
  }
  void finish() const {
    for (const Entry& entry : fields_) {
      if (!entry.asked) refuse({entry.name}, "is unknown");
    }
  }

  double number(std::string_view name) { return read_number(get(name), {name}); }
  double number_or(std::string_view name, double otherwise) {
    return get(name).is_null() ? otherwise : number(name);
  }
  std::optional<double> optional(std::string_view name) {
    return get(name).is_null() ? std::nullopt : std::optional(number(name));
  }
  std::uint64_t count(std::string_view name) { return read_count(get(name), {name}); }
  Index index(std::string_view name) {
    const std::uint64_t value = count(name);
    if (value > std::numeric_limits<std::int32_t>::max()) refuse({name}, "is too large", get(name));
    return static_cast<Index>(value);
  }
  bool flag(std::string_view name) { return read_flag(get(name), {name}); }
  bool flag_if_true(std::string_view name) {
    if (!has(name)) return false;
    if (!flag(name)) refuse({name}, "must be true or absent");
    return true;
  }
  std::string text(std::string_view name) { return std::string(read_text(get(name), {name})); }
  Vector numbers(std::string_view name) { return read_vector(get(name), {name}, true); }
  Matrix points(std::string_view name) { return read_points(get(name), {name}, true); }
  int level() {
    std::int64_t value = 0;
    if (get("level").get(value) || value < -1 || value > 1000)
      refuse({"level"}, "must be an integer from -1 to 1000", get("level"));
    return static_cast<int>(value);
  }

 private:
  struct Entry {
    std::string_view name;
    Element value;
    bool asked = false;
  };
  Entry* find(std::string_view name) {
    for (Entry& entry : fields_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  const Entry* find(std::string_view name) const { return const_cast<Line*>(this)->find(name); }
  std::vector<Entry> fields_;
};

Settings settings_of(Line& line) {
  return {line.optional("reward_deadline_seconds"), line.optional("default_reward")};
}

Subject subject_of(Line& line) {
  Subject subject;
  subject.decided = line.count("decided");
  subject.event_id = line.text("event_id");
  subject.state = line.numbers("state");
  subject.upper = line.number_or("upper", kInfinity);
  subject.level = line.level();
  return subject;
}

Offered offered_of(Line& line) {
  Offered offered;
  offered.context = line.numbers("context");
  offered.actions = line.points("actions");
  if (line.has("ids")) {
    for (const Element id : read_list(line.get("ids"), {"ids"}, "strings"))
      offered.ids.emplace_back(id.is_null() ? std::string_view() : read_text(id, {"ids"}));
  }
  if (line.has("excluded")) {
    for (const Element index : read_list(line.get("excluded"), {"excluded"}, "indices"))
      offered.excluded.push_back(static_cast<Index>(read_count(index, {"excluded"})));
  }
  offered.deferred = line.flag_if_true("deferred");
  return offered;
}

Decision decision_of(Line& line) {
  Decision decision;
  decision.index = line.index("index");
  for (const auto& [name, value] : kDecisionNumbers)
    decision.*value = line.number_or(name, name == "lower" ? -kInfinity : kInfinity);
  decision.clamped = line.index("clamped");
  decision.level = line.level();
  if (!line.has("nan")) return decision;
  for (const Element entry : read_list(line.get("nan"), {"nan"}, "names")) {
    const std::string_view said = read_text(entry, {"nan"});
    const auto found = std::find_if(std::begin(kDecisionNumbers), std::end(kDecisionNumbers),
                                    [&](const auto& known) { return known.first == said; });
    if (found == std::end(kDecisionNumbers) || std::isfinite(decision.*(found->second)))
      refuse({"nan"}, "must name numbers that are null", entry);
    decision.*(found->second) = std::numeric_limits<double>::quiet_NaN();
  }
  return decision;
}

Decided decided_of(Line& line) {
  Decided event;
  event.event_id = line.text("event_id");
  event.offered = offered_of(line);
  event.number = line.count("number");
  event.version = line.count("version");
  event.state = line.numbers("state");
  event.decision = decision_of(line);
  return event;
}

Imported imported_of(Line& line) {
  Imported event{line.points("states"), line.numbers("rewards"), ""};
  if (line.has("import_id")) event.id = line.text("import_id");
  if (line.has("import_id") && event.id.empty()) refuse({"import_id"}, "must not be empty");
  return event;
}

// The text of a spec is kept to the letter, which simdjson could not give back.
Created created_of(Line& line, std::string_view text) {
  Created event;
  event.description = line.text("description");
  event.settings = settings_of(line);
  if (!line.get("spec").is_object()) refuse({"spec"}, "must be an object", line.get("spec"));
  try {
    event.spec = parse_json(text).at("spec").dump();
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request, error.what(), "spec");
  }
  return event;
}

Body body_of(Line& line, std::string_view type, std::string_view text, const std::string& experiment) {
  if (type == "created") {
    Created event = created_of(line, text);
    event.name = experiment;
    return event;
  }
  if (type == "configured") return Configured{settings_of(line)};
  if (type == "decided") return decided_of(line);
  if (type == "rewarded") return Rewarded{subject_of(line), line.number("reward"), line.flag_if_true("held")};
  if (type == "activated")
    return Activated{subject_of(line),
                     line.has("reward") ? std::optional(line.number("reward")) : std::nullopt};
  if (type == "expired")
    return Expired{subject_of(line), line.flag("shown"), line.optional("default_reward")};
  if (type == "imported") return imported_of(line);
  if (type == "closed") return Closed{};
  if (type == "unreadable") return Unreadable{line.text("message")};
  refuse({"type"}, fmt::format("is no kind of event, got \"{}\"", type));
}

}  // namespace

void append_event_line(std::string& out, const Event& event, std::string_view experiment) {
  out += "{\"seq\":";
  append_integer(out, event.seq);
  append_name(out, "time");
  append_time(out, event.time);
  Writer writer{out};
  writer.text("experiment", experiment);
  writer.text("type", kind_name(event.body));
  std::visit(writer, event.body);
  out += "}\n";
}

struct EventLineReader::Parser {
  JsonParser json;
};

EventLineReader::EventLineReader() : parser_(std::make_unique<Parser>()) {}
EventLineReader::~EventLineReader() = default;

EventLine EventLineReader::read(std::string_view text) {
  Line line(parser_->json.parse(text));
  EventLine result;
  result.experiment = line.text("experiment");
  result.event.seq = line.count("seq");
  try {
    result.event.time = time_from_text(line.text("time"));
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request, error.what(), "time");
  }
  result.event.body = body_of(line, line.text("type"), text, result.experiment);
  if (std::holds_alternative<Created>(result.event.body)) result.event.experiment = result.event.seq;
  line.finish();
  if (std::holds_alternative<Unreadable>(result.event.body)) return result;
  // The same rules for an event, however it arrives.
  try {
    decode(encode(result.event));
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request,
                  fmt::format("no event that could have been written: {}", error.what()));
  }
  return result;
}

}  // namespace ridgerunner::service
