#include "ridgerunner/service/experiment/service.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/service/experiment/service_state.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr double kSecondsToLearn = 3;  // at the end
constexpr std::size_t kLongestId = 128, kLongestName = 64, kLongestDescription = 1000;

void require(bool holds, const std::string& message, const char* field) {
  if (!holds) throw Refusal(Reason::bad_request, message, field);
}

void require_name(const std::string& name) {
  const bool fits =
      !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '-';
      });
  require(fits && name != "." && name != "..", "name must be 1 to 64 letters, digits, _, . or -", "name");
}

void require_event_id(const std::string& id) {
  const bool fits = !id.empty() && id.size() <= kLongestId &&
                    std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
  require(fits && id != "." && id != "..",
          "event_id must be 1 to 128 printable ASCII characters without spaces, and not . or ..", "event_id");
}

// As models demand of their data.
void require_reward(const char* name, double reward) {
  constexpr double kMost = 1e100;
  require(std::abs(reward) <= kMost, fmt::format("{} must be a number of at most 1e100 in size", name), name);
}

void require_settings(const Settings& settings) {
  const auto& deadline = settings.reward_deadline_seconds;
  require(!deadline || (*deadline > 0 && *deadline <= 1e10),
          "reward_deadline_seconds must be > 0 and at most 1e10", "reward_deadline_seconds");
  if (settings.default_reward) require_reward("default_reward", *settings.default_reward);
  require(!settings.default_reward || deadline, "default_reward needs reward_deadline_seconds",
          "default_reward");
}

void require_within(const Offered& offered, const Limits& limits) {
  if (offered.actions.cols() > limits.candidates)
    throw Refusal(
        Reason::too_large,
        fmt::format("{} actions, at most {} are allowed", offered.actions.cols(), limits.candidates),
        "actions");
  const Index dimension = offered.context.size() + offered.actions.rows();
  if (dimension > limits.dimension)
    throw Refusal(
        Reason::too_large,
        fmt::format("states have {} dimensions, at most {} are allowed", dimension, limits.dimension),
        "actions");
}

// What arithmetic or the model says against the input becomes an answer to its sender.
template <class Call>
auto answered(const char* field, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request, error.what(), field);
  }
}

void require_dimension(const Ledger& ledger, Index dimension, const char* field) {
  const auto& known = ledger.dimension();
  require(!known || *known == dimension,
          fmt::format("states of this experiment have {} dimensions, got {}", known.value_or(0), dimension),
          field);
}

}  // namespace

Service::Service(std::unique_ptr<EventLog> log, Options options)
    : state_(std::make_unique<State>(std::move(log), std::move(options))) {}

Service::~Service() {
  finish();
}

Ticket<Service::Creation> Service::create(const std::string& name, const Json& spec,
                                          const std::string& description, const Settings& settings) {
  require_name(name);
  require(description.size() <= kLongestDescription, "description must have at most 1000 bytes",
          "description");
  require_settings(settings);
  const Spec parsed = answered("spec", [&] { return spec_from_json(spec); });
  if (parsed.arms) {
    Offered offered;
    offered.actions = *parsed.arms;
    require_within(offered, state_->options.limits);
  }
  Created created{name, description, spec_to_json(parsed).dump(), settings};
  answered("spec", [&] { return policy_of(created); });

  State& state = *state_;
  std::unique_lock lock(state.registry);
  if (const auto found = state.by_name.find(name); found != state.by_name.end()) {
    const ExperimentPtr experiment = found->second;
    lock.unlock();
    if (!(experiment->created == created))
      throw Refusal(Reason::exists, fmt::format("experiment \"{}\" exists with another spec", name), "name");
    return {{state.view(*experiment), false}, experiment->number};
  }
  if (state.by_name.size() >= state.options.limits.experiments)
    throw Refusal(Reason::too_many, fmt::format("there are {} experiments already", state.by_name.size()));
  const EventPtr event = state.journal->append({0, 0, state.options.clock(), created},
                                               [](Event& numbered) { numbered.experiment = numbered.seq; });
  const auto experiment = std::make_shared<Experiment>(event->seq, event->time, created);
  experiment->ledger.fold(*event);
  experiment->learner.fold(*event);
  experiment->shadow.fold(*event);
  publish_model(*experiment, Experiment::Clock::now());
  state.by_name[name] = state.by_number[event->seq] = experiment;
  lock.unlock();
  return {{state.view(*experiment), true}, event->seq};
}

Ticket<ExperimentView> Service::configure(const std::string& name, const Settings& settings) {
  require_settings(settings);
  const ExperimentPtr experiment = state_->find(name);
  std::uint64_t seq = 0;
  {
    const std::scoped_lock lock(experiment->mutex);
    const bool changes = !(experiment->ledger.settings() == settings);
    seq = changes ? state_->append(*experiment, Configured{settings})->seq : experiment->ledger.last_event();
  }
  return {state_->view(*experiment), seq};
}

Ticket<ExperimentView> Service::close(const std::string& name) {
  const ExperimentPtr experiment = state_->find(name);
  std::uint64_t seq = 0;
  {
    const std::scoped_lock lock(experiment->mutex);
    const bool closed = experiment->ledger.closed();
    seq = closed ? experiment->ledger.last_event() : state_->append(*experiment, Closed{})->seq;
  }
  return {state_->view(*experiment), seq};
}

Index Service::check(const std::string& name, const Offered& offered) const {
  const ExperimentPtr experiment = state_->find(name);
  require_within(offered, state_->options.limits);
  const Spec& spec = experiment->published.get()->policy.spec();
  const Index dimension = offered.actions.cols() > 0
                              ? offered.context.size() + offered.actions.rows()
                              : answered("actions", [&] { return states_of(spec, offered); }).rows();
  const std::scoped_lock lock(experiment->mutex);
  require_dimension(experiment->ledger, dimension, "actions");
  return dimension;
}

namespace {

// The answer to a decide that was answered before, if the request is the same.
Ticket<Choice> repeated(const Event& event, const Offered& offered) {
  const auto* decided = std::get_if<Decided>(&event.body);
  if (!decided) throw LogError(fmt::format("event {} is no decision", event.seq));
  if (!(decided->offered == offered))
    throw Refusal(Reason::conflict,
                  fmt::format("event_id \"{}\" was used with another request", decided->event_id),
                  "event_id");
  const auto& ids = decided->offered.ids;
  const std::string id = ids.empty() ? "" : ids[static_cast<std::size_t>(decided->decision.index)];
  return {{decided->event_id, id, decided->decision, decided->version}, event.seq};
}

std::uint64_t decided_of(const Standing& standing) {
  if (standing.pending) return standing.pending->subject.decided;
  return standing.resolved ? standing.resolved->decided : 0;
}

}  // namespace

Ticket<Choice> Service::decide(const std::string& name, const std::string& event_id, Offered offered) {
  State& state = *state_;
  const ExperimentPtr experiment = state.find(name);
  require_within(offered, state.options.limits);
  if (!event_id.empty()) {
    require_event_id(event_id);
    require(!event_id.starts_with(kMadePrefix), "event_id must not begin with \"rr-\"", "event_id");
  }
  // True if it was decided before; a decision that is still on its way to the disk is waited for.
  const auto known = [&](std::unique_lock<std::mutex>& lock) -> std::optional<Ticket<Choice>> {
    if (event_id.empty()) return std::nullopt;
    const std::uint64_t seq = decided_of(state.standing(*experiment, event_id));
    if (seq == 0) return std::nullopt;
    lock.unlock();
    if (!wait_durable(seq)) throw Refusal(Reason::read_only, "the log cannot be written: " + trouble());
    return repeated(state.read_event(seq), offered);
  };
  const auto admit = [&] {
    if (experiment->ledger.closed())
      throw Refusal(Reason::closed, fmt::format("experiment \"{}\" is closed", name));
    const Counts& counts = experiment->ledger.counts();
    if (counts.pending + counts.deferred >= state.options.limits.pending)
      throw Refusal(Reason::too_many,
                    fmt::format("{} decisions wait for their reward", counts.pending + counts.deferred));
  };
  {
    std::unique_lock lock(experiment->mutex);
    if (auto ticket = known(lock)) return *ticket;
    admit();
  }
  state.require_capacity();

  // Outside the lock: on the model as published, with randomness of its own.
  const ModelPtr model = experiment->published.get();
  Decided decided;
  decided.event_id = event_id;
  decided.number = experiment->next_number++;
  decided.version = model->version;
  {
    Workspaces::Lease workspace(state.workspaces);
    decided.decision =
        answered("actions", [&] { return choose(model->policy, offered, decided.number, *workspace); });
  }
  const Index index = decided.decision.index;
  if (offered.actions.cols() == 0) {
    decided.state = model->policy.spec().arms->col(index);
  } else {
    decided.state.resize(offered.context.size() + offered.actions.rows());
    decided.state << offered.context, offered.actions.col(index);
  }
  const std::string id = offered.ids.empty() ? "" : offered.ids[static_cast<std::size_t>(index)];

  std::unique_lock lock(experiment->mutex);
  if (auto ticket = known(lock)) return *ticket;  // the same request came twice at the same time
  admit();
  require_dimension(experiment->ledger, decided.state.size(), "actions");
  decided.offered = std::move(offered);
  const EventPtr event = state.append(*experiment, std::move(decided));
  const auto& made = std::get<Decided>(event->body);
  return {{made.event_id, id, made.decision, made.version}, event->seq};
}

Ticket<std::string> Service::reward(const std::string& name, const std::string& event_id, double reward) {
  const ExperimentPtr experiment = state_->find(name);
  require_event_id(event_id);
  require_reward("reward", reward);
  state_->require_capacity();
  const auto settled = [&](double earlier) {
    if (earlier != reward)
      throw Refusal(Reason::conflict,
                    fmt::format("the reward of \"{}\" is {} already, got {}", event_id, shortest(earlier),
                                shortest(reward)),
                    "reward");
  };
  const std::scoped_lock lock(experiment->mutex);
  const Standing standing = state_->standing(*experiment, event_id);
  const auto late = [&] {
    return Refusal(Reason::expired, fmt::format("the deadline for the reward of \"{}\" has passed", event_id),
                   "event_id");
  };
  if (standing.resolved) {
    if (standing.resolved->outcome != Outcome::rewarded) throw late();
    settled(standing.resolved->reward.value_or(reward));
    return {"accepted", standing.resolved->seq};
  }
  if (!standing.pending)
    throw Refusal(Reason::unknown_event, fmt::format("there is no decision \"{}\"", event_id), "event_id");
  const Pending pending = *standing.pending;
  if (pending.deadline && *pending.deadline < state_->options.clock()) {
    state_->expire(*experiment, pending);
    throw late();
  }
  if (pending.held) {
    settled(*pending.held);
    return {"accepted", experiment->ledger.last_event()};
  }
  return {"accepted", state_->append(*experiment, Rewarded{pending.subject, reward, pending.deferred})->seq};
}

Ticket<std::string> Service::activate(const std::string& name, const std::string& event_id) {
  const ExperimentPtr experiment = state_->find(name);
  require_event_id(event_id);
  state_->require_capacity();
  const std::scoped_lock lock(experiment->mutex);
  const Standing standing = state_->standing(*experiment, event_id);
  const auto late = [&] {
    return Refusal(Reason::expired, fmt::format("the deadline of \"{}\" has passed", event_id), "event_id");
  };
  if (standing.resolved) {
    if (standing.resolved->outcome != Outcome::rewarded) throw late();
    return {"activated", standing.resolved->seq};
  }
  if (!standing.pending)
    throw Refusal(Reason::unknown_event, fmt::format("there is no decision \"{}\"", event_id), "event_id");
  const Pending pending = *standing.pending;
  if (!pending.deferred) return {"activated", experiment->ledger.last_event()};
  if (pending.deadline && *pending.deadline < state_->options.clock()) {
    state_->expire(*experiment, pending);
    throw late();
  }
  return {"activated", state_->append(*experiment, Activated{pending.subject, pending.held})->seq};
}

Ticket<Index> Service::import(const std::string& name, Matrix states, Vector rewards) {
  const ExperimentPtr experiment = state_->find(name);
  const Limits& limits = state_->options.limits;
  if (states.cols() > limits.import)
    throw Refusal(Reason::too_large, fmt::format("{} observations at once, at most {} are allowed",
                                                 states.cols(), limits.import));
  if (states.rows() > limits.dimension)
    throw Refusal(
        Reason::too_large,
        fmt::format("states have {} dimensions, at most {} are allowed", states.rows(), limits.dimension),
        "state");
  require(states.cols() > 0, "there are no observations", "");
  answered("state", [&] {
    require_rewards(states, rewards);
    check_states(experiment->published.get()->policy.regression(), states);
    return 0;
  });
  state_->require_capacity();
  const std::scoped_lock lock(experiment->mutex);
  if (experiment->ledger.closed())
    throw Refusal(Reason::closed, fmt::format("experiment \"{}\" is closed", name));
  require_dimension(experiment->ledger, states.rows(), "state");
  const Index count = states.cols();
  return {count, state_->append(*experiment, Imported{std::move(states), std::move(rewards)})->seq};
}

void Service::when_durable(std::uint64_t seq, std::function<void(bool)> callback) {
  state_->journal->when_durable(seq, std::move(callback));
}

bool Service::wait_durable(std::uint64_t seq) {
  return state_->journal->wait_durable(seq);
}

std::string Service::trouble() const {
  return state_->journal->trouble();
}

void Service::finish() {
  State& state = *state_;
  std::call_once(state.finished, [&] {
    {
      const std::scoped_lock lock(state.house);
      state.house_closing = true;
    }
    state.house_bell.notify_one();
    if (state.housekeeper.joinable()) state.housekeeper.join();
    state.journal->stop();
    state.learning->stop(kSecondsToLearn);
    if (!state.journal->trouble().empty()) return;
    state.save_snapshot(state.learning->folded());
    try {
      state.index_resolved();
    } catch (const std::exception& error) {
      state.tell(Severity::error, error.what());
    }
  });
}

}  // namespace ridgerunner::service
