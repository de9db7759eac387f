// How the service decides.
#include <fmt/format.h>

#include "ridgerunner/service/experiment/admission.h"
#include "ridgerunner/service/experiment/choosing.h"
#include "ridgerunner/service/experiment/service_state.h"
#include "ridgerunner/service/log/event_id.h"

namespace ridgerunner::service {
namespace {

std::string id_of(const Offered& offered, Index index) {
  return offered.ids.empty() ? "" : offered.ids[static_cast<std::size_t>(index)];
}

// The answer to a decide that was answered before, if the request is the same.
Ticket<Choice> repeated(const Event& event, const Offered& offered) {
  const auto* decided = std::get_if<Decided>(&event.body);
  if (!decided) throw LogError(fmt::format("event {} is no decision", event.seq));
  if (!(decided->offered == offered))
    throw Refusal(Reason::conflict,
                  fmt::format("event_id \"{}\" was used with another request", decided->event_id),
                  "event_id");
  const std::string id = id_of(decided->offered, decided->decision.index);
  return {{decided->event_id, id, decided->decision, decided->version}, event.seq};
}

std::uint64_t decided_of(const Standing& standing) {
  if (standing.pending) return standing.pending->subject.decided;
  return standing.resolved ? standing.resolved->decided : 0;
}

void require_new_id(const std::string& id) {
  const std::string fault = id.empty() ? "" : new_event_id_fault(id);
  require(fault.empty(), "event_id " + fault, "event_id");
}

}  // namespace

// One request to decide.
struct Service::Deciding {
  State& state;
  Experiment& experiment;
  const std::string& event_id;
  const Offered& offered;

  // The answer if it was decided before; a decision that is on its way to the disk is waited for.
  std::optional<Ticket<Choice>> known(std::unique_lock<std::mutex>& lock) {
    if (event_id.empty()) return std::nullopt;
    const std::uint64_t seq = decided_of(state.standing(experiment, event_id));
    if (seq == 0) return std::nullopt;
    lock.unlock();
    state.require_durable(seq);
    return repeated(state.read_event(seq), offered);
  }

  // A decision is made only if its reward can be taken. The mutex is held.
  void admit() {
    state.require_open(experiment);
    const Counts& counts = experiment.ledger.counts();
    const std::uint64_t waiting = counts.pending + counts.deferred;
    if (waiting >= state.options.limits.pending) {
      const bool may_expire = experiment.ledger.settings().reward_deadline_seconds.has_value();
      throw Refusal(may_expire ? Reason::too_many : Reason::full,
                    fmt::format("{} decisions wait for their reward, no more may: {}", waiting,
                                may_expire ? "try later" : "give rewards or set a deadline"));
    }
    state.require_room(experiment, 1);
  }

  // Outside the lock: on the model as published, with randomness of its own.
  Decided choose_on(const Model& model, std::uint64_t number) {
    Decided decided;
    decided.event_id = event_id;
    decided.number = number;
    decided.version = model.version;
    try {
      Workspaces::Lease workspace(state.workspaces);
      decided.decision = choose(model.policy, offered, number, *workspace);
    } catch (const InvalidArgument& error) {
      throw Refusal(Reason::bad_request, error.what(), "actions");
    } catch (const NumericalError&) {
      require_computable(states_of(model.policy.spec(), offered));
      throw;
    }
    decided.state = state_of(model.policy.spec(), offered, decided.decision.index);
    require_computable(decided.state, decided.decision.index);
    return decided;
  }

  void require_computable(const MatrixIn& states, Index first = 0) {
    const auto fault = answered("actions", [&] { return find_oversized(*experiment.kernel, states); });
    if (fault)
      throw Refusal(Reason::bad_request, fmt::format("actions[{}] {}", first + fault->index, fault->message),
                    fmt::format("actions[{}]", first + fault->index));
  }
};

Ticket<Choice> Service::decide(const std::string& name, const std::string& event_id, Offered offered) {
  State& state = *state_;
  const ExperimentPtr experiment = state.find(name);
  require_within(offered, state.options.limits);
  require_new_id(event_id);
  Deciding deciding{state, *experiment, event_id, offered};
  {
    std::unique_lock lock(experiment->mutex);
    if (auto ticket = deciding.known(lock)) return *ticket;
    deciding.admit();
  }
  state.require_capacity();
  Decided decided = deciding.choose_on(*state.model_of(*experiment), experiment->next_number++);

  std::unique_lock lock(experiment->mutex);
  if (auto ticket = deciding.known(lock)) return *ticket;  // the same request came twice at the same time
  deciding.admit();
  require_dimension(experiment->ledger, decided.state.size(), "actions");
  const std::string id = id_of(offered, decided.decision.index);
  decided.offered = std::move(offered);
  const EventPtr event = state.append(*experiment, std::move(decided));
  const auto& made = std::get<Decided>(event->body);
  return {{made.event_id, id, made.decision, made.version}, event->seq};
}

Check Service::check(const std::string& name, const std::string& event_id, const Offered& offered) {
  State& state = *state_;
  const ExperimentPtr experiment = state.find(name);
  require_within(offered, state.options.limits);
  require_new_id(event_id);
  Deciding deciding{state, *experiment, event_id, offered};
  const ModelPtr model = state.model_of(*experiment);
  const Index candidates = offered.actions.cols() > 0 ? offered.actions.cols() : experiment->arms;
  {
    std::unique_lock lock(experiment->mutex);
    if (const auto ticket = deciding.known(lock))
      return {candidates, state_of(model->policy.spec(), offered, 0).size()};
    deciding.admit();
  }
  state.require_capacity();
  const Decided decided = deciding.choose_on(*model, experiment->next_number);
  const std::scoped_lock lock(experiment->mutex);
  require_dimension(experiment->ledger, decided.state.size(), "actions");
  return {candidates, decided.state.size()};
}

}  // namespace ridgerunner::service
