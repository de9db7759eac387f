#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/archive/policy_archive.h>
#include <ridgerunner/error.h>
#include <ridgerunner/features/encoder.h>
#include <ridgerunner/policy/policy_warnings.h>
#include <ridgerunner/policy/spec_json.h>
#include <ridgerunner/policy/statistics_json.h>
#include <ridgerunner/regression/capabilities.h>

#include "arguments.h"
#include "files.h"
#include "spec_source.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

// The protocol: a request object in, an answer object out. A request either happens in full or throws and
// changes nothing.
class StreamSession {
 public:
  explicit StreamSession(Spec spec) : policy_(std::move(spec)) {
    if (policy_.spec().features) encoder_.emplace(*policy_.spec().features);
  }

  Json answer(const Json& request) {
    Fields fields(request, "");
    std::string op;
    fields.text("op", op);
    if (op == "observe") return observe(fields);
    if (op == "predict") return predict(fields);
    if (op == "decide") return decide(fields);
    if (op == "withdraw") return withdraw(fields);
    if (op == "stats") return stats(fields);
    if (op == "save") return save(fields);
    if (op == "load") return load(fields);
    throw InvalidArgument(fmt::format(
        "op must be one of observe, predict, decide, withdraw, stats, save, load, got \"{}\"", op));
  }

 private:
  static const Json& need(Fields& fields, const char* name) {
    const Json* value = fields.child(name);
    if (!value) throw InvalidArgument(fmt::format("{} is missing", name));
    return *value;
  }

  // Where the spec has features, states are not lists of numbers.
  void refuse_numbers(const Fields& fields) const {
    if (!encoder_) return;
    for (const char* name : {"state", "states"}) {
      if (fields.has(name))
        throw InvalidArgument(
            fmt::format("{} is for specs without features; give the context and the action by name", name));
    }
  }

  // The state of what is observed, for specs with and without features.
  Vector observed_state(Fields& fields) const {
    if (!encoder_) return vector_from_json(need_without_names(fields, "state"), "state");
    const Json* context = fields.child("context");
    return encoder_->encode_state(context, need(fields, "action"));
  }

  static const Json& need_without_names(Fields& fields, const char* name) {
    const Json& value = need(fields, name);
    refuse_names(value, name);
    return value;
  }

  Json observe(Fields& fields) {
    refuse_numbers(fields);
    if (fields.has("states") || fields.has("rewards")) {
      const Matrix states = points_from_json(need_without_names(fields, "states"), "states");
      const Vector rewards = vector_from_json(need(fields, "rewards"), "rewards");
      fields.finish();
      policy_.observe(states, rewards);
    } else {
      double reward = 0;
      need(fields, "reward");
      fields.number("reward", reward);
      if (fields.has("number")) {
        if (fields.has("state")) throw InvalidArgument("observe takes a number or a state, not both");
        if (encoder_ && (fields.has("context") || fields.has("action")))
          throw InvalidArgument("observe takes a number or an action, not both");
        const std::uint64_t number = number_of(fields);
        fields.finish();
        policy_.observe(number, reward);
      } else {
        const Vector state = observed_state(fields);
        fields.finish();
        policy_.observe(state, reward);
      }
    }
    return counts();
  }

  Json withdraw(Fields& fields) {
    const std::uint64_t number = number_of(fields);
    fields.finish();
    policy_.withdraw(number);
    return counts();
  }

  Json counts() const {
    const Evidence evidence = policy_.regression().evidence();
    return {{"t", evidence.rounds}, {"anchors", evidence.anchors}};
  }

  // Of a decision.
  static std::uint64_t number_of(Fields& fields) {
    const Json& value = need(fields, "number");
    if (!value.is_number_unsigned())
      throw InvalidArgument(fmt::format("number must be that of a decision, got {}", value.dump()));
    return value.get<std::uint64_t>();
  }

  Matrix asked_states(Fields& fields) const {
    refuse_numbers(fields);
    if (!encoder_) return points_from_json(need_without_names(fields, "states"), "states");
    const Json* context = fields.child("context");
    return encoder_->encode_actions(context, need(fields, "actions")).states;
  }

  Json predict(Fields& fields) const {
    const Matrix states = asked_states(fields);
    fields.finish();
    const Forecast at = policy_.predict(states);
    return {{"mean", vector_to_json(at.mean)},
            {"sd", vector_to_json(at.sd)},
            {"lower", vector_to_json(at.lower)},
            {"upper", vector_to_json(at.upper)}};
  }

  Json decide(Fields& fields) {
    const Json *context = fields.child("context"), *actions = fields.child("actions");
    fields.finish();
    if (encoder_) return decide_by_name(context, actions);
    if (context) refuse_names(*context, "context");
    if (actions) refuse_names(*actions, "actions");
    return to_json([&] {
      if (!context && !actions) return policy_.decide();
      if (!actions) throw InvalidArgument("a context needs actions (the arms of a spec are whole states)");
      const Matrix candidates = points_from_json(*actions, "actions");
      if (!context) return policy_.decide(candidates);
      return policy_.decide(join(vector_from_json(*context, "context"), candidates));
    }());
  }

  Json decide_by_name(const Json* context, const Json* actions) {
    if (!actions) throw InvalidArgument("actions is missing");
    const EncodedActions offered = encoder_->encode_actions(context, *actions);
    const Decision made = policy_.decide(offered.states);
    Json answer = to_json(made);
    if (offered.ids.empty()) return answer;
    if (const std::string& id = offered.ids[static_cast<std::size_t>(made.index)]; !id.empty())
      answer["id"] = id;
    return answer;
  }

  static Json to_json(const Decision& made) {
    return {{"number", made.number},
            {"index", made.index},
            {"mean", made.mean},
            {"sd", made.sd},
            {"lower", made.lower},
            {"upper", made.upper},
            {"propensity", made.propensity}};
  }

  Json stats(Fields& fields) const {
    bool anchors = false;
    fields.boolean("anchors", anchors);
    fields.finish();
    Statistics statistics = policy_.statistics();
    statistics.warnings = warnings_about(policy_);
    Json answer = statistics_to_json(statistics, diagnostics_of(policy_.regression()));
    if (anchors) answer["anchor_states"] = points_to_json(anchors_of(policy_.regression()));
    return answer;
  }

  Json save(Fields& fields) const {
    std::string file;
    need(fields, "file");
    fields.text("file", file);
    fields.finish();
    write_file(file, save_policy(policy_));
    return {{"t", policy_.statistics().evidence.rounds}};
  }

  Json load(Fields& fields) {
    std::string file;
    need(fields, "file");
    fields.text("file", file);
    fields.finish();
    try {
      policy_ = load_policy(read_file(file), policy_.spec());
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", file, error.what()));
    }
    return {{"t", policy_.statistics().evidence.rounds}};
  }

  Policy policy_;
  std::optional<Encoder> encoder_;  // if the spec has features
};

void serve_stream(StreamSession session, std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    Json answer;
    try {
      answer = session.answer(parse_json(line));
    } catch (const std::exception& error) {
      answer = {{"error", shortened(error.what())}};
    }
    out << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
    if (!out) throw FileError("cannot write to standard output");
  }
}

}  // namespace

void add_stream(CLI::App& app) {
  struct Options {
    std::string source;
    std::vector<std::string> settings;
    std::string seed;
    bool quiet = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("stream", "The engine on standard input and output, one JSON object a line");
  verb->add_option("--spec", options->source, "A preset, or a TOML or JSON file")->required();
  verb->add_option("--set", options->settings,
                   "Override one parameter, KEY=VALUE (e.g. regression.ridge=0.5)")
      ->allow_extra_args(false);
  verb->add_option("--seed", options->seed, "Seed of the policy's randomness")
      ->check(whole_number(0, kMostSeed));
  verb->add_flag("--quiet", options->quiet, "Print nothing but answers, which is all it prints anyway");
  verb->callback([options] {
    if (options->source == "-")
      throw InvalidArgument("--spec must be a preset or a file, got - (requests come from there)");
    if (!options->seed.empty()) options->settings.push_back("seed=" + options->seed);
    std::ios::sync_with_stdio(false);
    serve_stream(StreamSession(load_whole_spec(options->source, options->settings)), std::cin, std::cout);
  });
}

}  // namespace ridgerunner::cli
