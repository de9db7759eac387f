// What changes an experiment, but for deciding.
#include "ridgerunner/service/experiment/service.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/codec/text.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/service/experiment/admission.h"
#include "ridgerunner/service/experiment/choosing.h"
#include "ridgerunner/service/experiment/service_state.h"
#include "ridgerunner/service/log/event_id.h"

namespace ridgerunner::service {
namespace {

constexpr double kSecondsToLearn = 3;  // at the end
constexpr std::size_t kLongestDescription = 1000;

}  // namespace

Service::Service(std::unique_ptr<EventLog> log, Options options)
    : state_(std::make_unique<State>(std::move(log), std::move(options))) {}

Service::~Service() {
  finish();
}

Ticket<Service::Creation> Service::create(const std::string& name, const Json& spec,
                                          const std::string& description, const Settings& settings) {
  State& state = *state_;
  require_name(name);
  require(description.size() <= kLongestDescription, "description must have at most 1000 bytes",
          "description");
  require_settings(settings);
  Policy policy = answered("spec", [&] { return Policy(spec_from_json(spec)); });
  if (policy.spec().arms) {
    Offered offered;
    offered.actions = *policy.spec().arms;
    require_within(offered, state.options.limits);
  }
  const Created created{name, description, spec_to_json(policy.spec()).dump(), settings};

  std::unique_lock lock(state.registry);
  if (const auto found = state.by_name.find(name); found != state.by_name.end()) {
    const ExperimentPtr experiment = found->second;
    lock.unlock();
    if (!(experiment->created == created))
      throw Refusal(Reason::exists, fmt::format("experiment \"{}\" exists with another spec", name), "name",
                    experiment->number);
    ExperimentView view = state.view(*experiment);
    const std::uint64_t seq = view.last_event;
    return {{std::move(view), false}, seq};
  }
  if (state.by_name.size() >= state.options.limits.experiments)
    throw Refusal(Reason::full,
                  fmt::format("there are {} experiments, no more may be", state.by_name.size()));
  const EventPtr event = state.journal->append({0, 0, state.options.clock(), created},
                                               [](Event& numbered) { numbered.experiment = numbered.seq; });
  const auto experiment =
      std::make_shared<Experiment>(event->seq, event->time, created, Learner(std::move(policy)));
  experiment->ledger.fold(*event);
  experiment->learner.fold(*event);
  experiment->shadow.fold(*event);
  publish_model(*experiment, Experiment::Clock::now());
  state.by_name[name] = state.by_number[event->seq] = experiment;
  lock.unlock();
  ExperimentView view = state.view(*experiment);
  const std::uint64_t seq = view.last_event;
  return {{std::move(view), true}, seq};
}

Ticket<ExperimentView> Service::configure(const std::string& name, const SettingsChange& change) {
  const ExperimentPtr experiment = state_->find(name);
  std::uint64_t seq = 0;
  {
    const std::scoped_lock lock(experiment->mutex);
    const Settings before = experiment->ledger.settings(), after = changed(before, change);
    require_settings(after);
    seq = before == after ? experiment->ledger.last_event()
                          : state_->append(*experiment, Configured{after})->seq;
  }
  ExperimentView view = state_->view(*experiment);
  seq = std::max(seq, view.last_event);  // it may show what came after
  return {std::move(view), seq};
}

Ticket<ExperimentView> Service::close(const std::string& name) {
  const ExperimentPtr experiment = state_->find(name);
  std::uint64_t seq = 0;
  {
    const std::scoped_lock lock(experiment->mutex);
    const bool closed = experiment->ledger.closed();
    seq = closed ? experiment->ledger.last_event() : state_->append(*experiment, Closed{})->seq;
  }
  ExperimentView view = state_->view(*experiment);
  seq = std::max(seq, view.last_event);
  return {std::move(view), seq};
}

namespace {

Refusal late(const std::string& event_id, std::uint64_t seq) {
  return {Reason::expired, fmt::format("the deadline of \"{}\" has passed", event_id), "event_id", seq};
}

Refusal unknown(const std::string& event_id) {
  return {Reason::unknown_event, fmt::format("there is no decision \"{}\"", event_id), "event_id"};
}

// The reward that was told before is told again, or another one.
void require_same_reward(const std::string& event_id, double earlier, double now, std::uint64_t seq) {
  if (earlier != now)
    throw Refusal(
        Reason::conflict,
        fmt::format("the reward of \"{}\" is {} already, got {}", event_id, shortest(earlier), shortest(now)),
        "reward", seq);
}

}  // namespace

Ticket<std::string> Service::reward(const std::string& name, const std::string& event_id, double reward) {
  const ExperimentPtr experiment = state_->find(name);
  require_event_id(event_id);
  require_reward("reward", reward);
  state_->require_capacity();
  const std::scoped_lock lock(experiment->mutex);
  const Standing standing = state_->standing(*experiment, event_id);
  if (const auto& over = standing.resolved) {
    if (over->outcome != Outcome::rewarded) throw late(event_id, over->seq);
    require_same_reward(event_id, over->reward.value_or(reward), reward, over->seq);
    return {"accepted", over->seq};
  }
  if (!standing.pending) throw unknown(event_id);
  const Pending pending = *standing.pending;
  if (pending.deadline && *pending.deadline < state_->options.clock())
    throw late(event_id, state_->expire(*experiment, pending)->seq);
  if (pending.held) {
    require_same_reward(event_id, *pending.held, reward, experiment->ledger.last_event());
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
  if (const auto& over = standing.resolved) {
    if (over->outcome != Outcome::rewarded) throw late(event_id, over->seq);
    return {"activated", over->seq};
  }
  if (!standing.pending) throw unknown(event_id);
  const Pending pending = *standing.pending;
  if (!pending.deferred) return {"activated", experiment->ledger.last_event()};
  if (pending.deadline && *pending.deadline < state_->options.clock())
    throw late(event_id, state_->expire(*experiment, pending)->seq);
  return {"activated", state_->append(*experiment, Activated{pending.subject, pending.held})->seq};
}

namespace {

// Every observation, before any is acknowledged: the model could not say later which one it could not take.
void require_learnable(const Experiment& experiment, const Model& model, const ImportRequest& request) {
  answered("state", [&] {
    require_rewards(request.states, request.rewards);
    return 0;
  });
  const auto refuse = [&](Index column, const std::string& what) {
    const auto i = static_cast<std::size_t>(column);
    const std::string where = i < request.lines.size() ? fmt::format("line {}", request.lines[i])
                                                       : fmt::format("observation {}", i + 1);
    throw Refusal(Reason::bad_request, fmt::format("{}: state {}", where, what), where);
  };
  try {
    check_states(model.policy.regression(), request.states);
    if (const auto fault = find_oversized(*experiment.kernel, request.states))
      refuse(fault->index, fault->message);
  } catch (const InvalidArgument&) {
    // Which one?
    for (Index i = 0; i < request.states.cols(); ++i) {
      try {
        check_states(model.policy.regression(), request.states.col(i));
      } catch (const InvalidArgument& error) {
        refuse(i, fmt::format("cannot be taken: {}", error.what()));
      }
    }
    throw;
  }
}

}  // namespace

Ticket<Index> Service::import(const std::string& name, ImportRequest request) {
  State& state = *state_;
  const ExperimentPtr experiment = state.find(name);
  const Index count = request.states.cols();
  if (count > state.options.limits.import)
    throw Refusal(Reason::too_large, fmt::format("{} observations at once, at most {} are allowed", count,
                                                 state.options.limits.import));
  require_within(request.states.rows(), state.options.limits, "state");
  require(count > 0, "there are no observations", "");
  const std::string fault = request.id.empty() ? "" : event_id_fault(request.id);
  require(fault.empty(), "import_id " + fault, "import_id");
  answered("state", [&] {
    require_learnable(*experiment, *state.model_of(*experiment), request);
    return 0;
  });
  state.require_capacity();
  std::unique_lock lock(experiment->mutex);
  if (const auto before = experiment->ledger.import(request.id); before && !request.id.empty()) {
    lock.unlock();
    state.require_durable(*before);
    const Event event = state.read_event(*before);
    const auto* imported = std::get_if<Imported>(&event.body);
    if (!imported || !(*imported == Imported{request.states, request.rewards, request.id}))
      throw Refusal(Reason::conflict, fmt::format("import_id \"{}\" was used with other data", request.id),
                    "import_id");
    return {count, *before};
  }
  state.require_open(*experiment);
  require_dimension(experiment->ledger, request.states.rows(), "state");
  state.require_room(*experiment, count);
  Imported imported{std::move(request.states), std::move(request.rewards), std::move(request.id)};
  return {count, state.append(*experiment, std::move(imported))->seq};
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
    state.stop_house();
    state.diagnoser.stop();
    state.journal->stop();
    state.trainer->stop(kSecondsToLearn);
    if (!state.journal->trouble().empty()) return;
    state.save_snapshot(state.trainer->folded());
    try {
      state.index_resolved();
    } catch (const std::exception& error) {
      state.tell(Severity::error, error.what());
    }
  });
}

}  // namespace ridgerunner::service
