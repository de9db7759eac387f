#include <algorithm>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/policy_warnings.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/service/experiment/admission.h"
#include "ridgerunner/service/experiment/choosing.h"
#include "ridgerunner/service/experiment/service_state.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kSharesShown = 32, kRecentShown = 20, kReadAtOnce = 500;
constexpr Index kCandidatesShown = 200;

CandidateView candidate(const Offered& offered, const Forecast& at, Index i) {
  const std::string id = offered.ids.empty() ? "" : offered.ids[static_cast<std::size_t>(i)];
  return {i, id, at.mean[i], at.sd[i], at.lower[i], at.upper[i]};
}

// A decision among the arms of the spec was offered no actions of its own.
std::vector<DecisionView> newest(const Ledger& ledger, std::size_t limit, Index arms) {
  const auto& recent = ledger.recent();
  std::vector<DecisionView> views(
      recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(std::min(limit, recent.size())));
  for (DecisionView& view : views) {
    if (view.candidates == 0) view.candidates = arms;
  }
  return views;
}

}  // namespace

ExperimentView Service::State::view(const Experiment& experiment) const {
  ExperimentView view;
  view.name = experiment.created.name;
  view.description = experiment.created.description;
  view.created = experiment.created_at;
  view.spec = experiment.created.spec;
  {
    const std::scoped_lock lock(experiment.mutex);
    view.closed = experiment.ledger.closed();
    view.settings = experiment.ledger.settings();
    view.last_event = experiment.ledger.last_event();
    view.counts = experiment.ledger.counts();
    view.dimension = experiment.ledger.dimension();
    view.degraded = experiment.given_up;
  }
  const ModelPtr model = experiment.published.get();
  if (!model) return view;
  view.version = model->version;
  view.total_reward = model->totals.reward;
  view.estimated_regret = model->totals.estimated_regret;
  if (!view.degraded) view.degraded = model->totals.degraded;
  view.statistics = model->policy.statistics();
  view.statistics.warnings = warnings_about(model->policy);
  if (const auto diagnosis = experiment.diagnosis.get()) {
    view.diagnostics = diagnosis->diagnostics;
    view.diagnosed = diagnosis->version;
  }
  if (!view.dimension && model->policy.spec().arms) view.dimension = model->policy.spec().arms->rows();
  return view;
}

std::size_t Service::decision_bytes(const std::string& name, Index candidates) const {
  constexpr Index kRank = 1000, kDraws = 32;  // of the candidates' covariance, mostly; drawn at once
  const ModelPtr model = [&]() -> ModelPtr {
    const std::shared_lock lock(state_->registry);
    const auto found = state_->by_name.find(name);
    return found == state_->by_name.end() ? nullptr : found->second->published.get();
  }();
  if (!model || !model->policy.spec().rule.type.is<rules::Thompson>()) return 0;
  if (candidates == 0 && model->policy.spec().arms) candidates = model->policy.spec().arms->cols();
  const Index states = model->policy.regression().evidence().anchors;
  return static_cast<std::size_t>(candidates * (states + std::min(candidates, kRank) + kDraws)) *
         sizeof(double);
}

std::optional<Encoder> Service::features(const std::string& name) const {
  return state_->find(name)->encoder;
}

void Service::require_experiment(const std::string& name) const {
  state_->find(name);
}

// A view may hold events that are not durable yet: it is told when they are. If they never will be, it is
// looked at again.
ExperimentView Service::State::durable_view(const Experiment& experiment) const {
  ExperimentView seen = view(experiment);
  if (journal->wait_durable(seen.last_event)) return seen;
  wait_for_fall_back();
  seen = view(experiment);
  if (seen.last_event <= journal->durable()) return seen;
  throw Refusal(Reason::not_found, fmt::format("there is no experiment \"{}\"", seen.name));
}

std::vector<ExperimentView> Service::experiments() const {
  std::vector<ExperimentView> views;
  for (const ExperimentPtr& experiment : state_->all()) {
    try {
      views.push_back(state_->durable_view(*experiment));
    } catch (const Refusal& refusal) {
      if (refusal.reason != Reason::not_found) throw;
    }
  }
  return views;
}

std::vector<ExperimentView> Service::experiments_now() const {
  std::vector<ExperimentView> views;
  for (const ExperimentPtr& experiment : state_->all()) views.push_back(state_->view(*experiment));
  return views;
}

ExperimentView Service::experiment(const std::string& name) const {
  const ExperimentPtr experiment = state_->find(name);
  state_->diagnoser.want(experiment);
  return state_->durable_view(*experiment);
}

std::vector<std::string> Service::degraded() const {
  std::vector<std::string> names;
  for (const ExperimentPtr& experiment : state_->all()) {
    const ModelPtr model = experiment->published.get();
    if (experiment->stopped || (model && model->totals.degraded)) names.push_back(experiment->created.name);
  }
  return names;
}

Forecast Service::predict(const std::string& name, const MatrixIn& states, std::uint64_t& version) const {
  const ExperimentPtr experiment = state_->find(name);
  const Limits& limits = state_->options.limits;
  if (states.cols() > limits.candidates)
    throw Refusal(Reason::too_large,
                  fmt::format("{} states, at most {} are allowed", states.cols(), limits.candidates),
                  "states");
  require_within(states.rows(), limits, "states");
  {
    const std::scoped_lock lock(experiment->mutex);
    require_dimension(experiment->ledger, states.rows(), "states");
  }
  const ModelPtr model = state_->model_of(*experiment);
  version = model->version;
  return answered("states", [&] {
    if (const auto fault = find_oversized(*experiment->kernel, states))
      throw InvalidArgument(fmt::format("states[{}] {}", fault->index, fault->message));
    return model->policy.predict(states);
  });
}

std::vector<DecisionView> Service::decisions(const std::string& name, std::size_t limit) const {
  const ExperimentPtr experiment = state_->find(name);
  return state_->durable_look(*experiment,
                              [&](const Ledger& ledger) { return newest(ledger, limit, experiment->arms); });
}

Explanation Service::explain(const std::string& name, const std::string& event_id) const {
  const ExperimentPtr experiment = state_->find(name);
  Explanation answer;
  DecisionView& view = answer.decision;
  std::uint64_t rests_on = 0;  // the event that says how it ended
  {
    const std::scoped_lock lock(experiment->mutex);
    const Standing standing = state_->standing(*experiment, event_id);
    if (standing.pending) {
      view.seq = standing.pending->subject.decided;
      view.outcome = standing.pending->deferred ? Outcome::deferred : Outcome::pending;
    } else if (standing.resolved) {
      view.seq = standing.resolved->decided;
      view.outcome = standing.resolved->outcome;
      view.reward = standing.resolved->reward;
      rests_on = standing.resolved->seq;
    } else {
      throw Refusal(Reason::unknown_event, fmt::format("there is no decision \"{}\"", event_id), "event_id");
    }
  }
  state_->require_durable(std::max(view.seq, rests_on));
  const Event event = state_->read_event(view.seq);
  if (!std::holds_alternative<Decided>(event.body))
    throw LogError(fmt::format("event {} is no decision", event.seq));
  const auto& decided = std::get<Decided>(event.body);
  const ModelPtr model = state_->model_of(*experiment);
  const Matrix states = states_of(model->policy.spec(), decided.offered);
  const Forecast at = model->policy.predict(states);
  const Index chosen = decided.decision.index;
  view.time = event.time;
  view.candidates = states.cols();
  answer.chosen = candidate(decided.offered, at, chosen);
  view.choice = {decided.event_id, answer.chosen.id, decided.decision, decided.version};
  answer.state = decided.state;
  answer.version = model->version;
  const auto& excluded = decided.offered.excluded;
  for (Index i = 0; i < states.cols(); ++i) {
    if (std::binary_search(excluded.begin(), excluded.end(), i)) continue;
    if (i < kCandidatesShown) answer.candidates.push_back(candidate(decided.offered, at, i));
    if (i == chosen || (answer.runner_up && answer.runner_up->upper >= at.upper[i])) continue;
    answer.runner_up = candidate(decided.offered, at, i);
  }
  return answer;
}

History Service::history(const std::string& name) const {
  const ModelPtr model = state_->find(name)->published.get();
  if (!model) return {};
  History history = *model->history;
  if (!history.seq.empty() && history.seq.back() == model->version) return history;
  append_point(history, model->version, model->totals, model->policy);
  return history;
}

LiveView Service::live(const std::string& name) const {
  const ExperimentPtr experiment = state_->find(name);
  LiveView live;
  state_->diagnoser.want(experiment);
  live.experiment = state_->durable_view(*experiment);
  state_->durable_look(*experiment, [&](const Ledger& ledger) {
    live.shares.assign(ledger.shares().begin(), ledger.shares().end());
    live.recent = newest(ledger, kRecentShown, experiment->arms);
    return 0;
  });
  std::stable_sort(live.shares.begin(), live.shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (live.shares.size() > kSharesShown) {
    std::uint64_t rest = 0;
    for (std::size_t i = kSharesShown; i < live.shares.size(); ++i) rest += live.shares[i].second;
    live.shares.resize(kSharesShown);
    live.shares.emplace_back("other", rest);
  }
  return live;
}

Figures Service::figures() const {
  Figures figures;
  {
    const std::shared_lock lock(state_->registry);
    figures.experiments = state_->by_name.size();
  }
  figures.appended = state_->journal->appended();
  figures.durable = state_->journal->durable();
  figures.folded = state_->trainer->folded();
  figures.published = state_->trainer->published();
  figures.publish_seconds = state_->trainer->publish_seconds();
  figures.diagnosed = state_->diagnoser.done();
  figures.snapshots = state_->snapshots;
  figures.snapshot_seconds = state_->snapshot_seconds;
  return figures;
}

void Service::export_log(const std::string& name, std::uint64_t from,
                         const std::function<bool(std::span<const Event>)>& sink, ExportEnd& end) const {
  const ExperimentPtr experiment = state_->find(name);
  // If the log has failed, what is durable is exported. Without a model, or with one that learns no more, all
  // that is.
  const std::uint64_t target =
      state_->durable_look(*experiment, [](const Ledger& ledger) { return ledger.last_event(); });
  const ModelPtr model = state_->trainer->wait_for(*experiment, target);
  const std::uint64_t last = std::max(target, model ? model->version : 0);
  end = {last, 0, model && model->version == last ? model_checksum(model->policy) : 0};
  std::vector<Event> events;
  for (std::uint64_t next = std::max(from, experiment->number); next <= last;) {
    events.clear();
    const auto records = state_->log->read(next, std::min<std::size_t>(kReadAtOnce, last - next + 1));
    if (records.empty()) throw LogError(fmt::format("event {} of the log is missing", next));
    for (const Record& record : records) {
      Event event = decode_record(record);
      if (event.experiment == experiment->number) events.push_back(std::move(event));
    }
    next = records.back().seq + 1;
    end.events += events.size();
    if (!sink(events)) return;
  }
}

}  // namespace ridgerunner::service
