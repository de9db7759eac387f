#include <algorithm>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/regression/capabilities.h"
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
  }
  const ModelPtr model = experiment.published.get();
  view.version = model->version;
  view.total_reward = model->totals.reward;
  view.estimated_regret = model->totals.estimated_regret;
  view.degraded = model->totals.degraded;
  view.statistics = model->policy.statistics();
  view.diagnostics = diagnostics_of(model->policy.regression());
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
  if (!model || model->policy.spec().rule.type != RuleType::thompson) return 0;
  if (candidates == 0 && model->policy.spec().arms) candidates = model->policy.spec().arms->cols();
  const Index states = model->policy.regression().evidence().anchors;
  return static_cast<std::size_t>(candidates * (states + std::min(candidates, kRank) + kDraws)) *
         sizeof(double);
}

void Service::require_experiment(const std::string& name) const {
  state_->find(name);
}

std::vector<ExperimentView> Service::experiments() const {
  std::vector<ExperimentView> views;
  for (const ExperimentPtr& experiment : state_->all()) views.push_back(state_->view(*experiment));
  return views;
}

ExperimentView Service::experiment(const std::string& name) const {
  return state_->view(*state_->find(name));
}

Forecast Service::predict(const std::string& name, const MatrixIn& states, std::uint64_t& version) const {
  const ExperimentPtr experiment = state_->find(name);
  const Limits& limits = state_->options.limits;
  if (states.cols() > limits.candidates)
    throw Refusal(Reason::too_large,
                  fmt::format("{} states, at most {} are allowed", states.cols(), limits.candidates),
                  "states");
  if (states.rows() > limits.dimension)
    throw Refusal(
        Reason::too_large,
        fmt::format("states have {} dimensions, at most {} are allowed", states.rows(), limits.dimension),
        "states");
  {
    const std::scoped_lock lock(experiment->mutex);
    const auto& known = experiment->ledger.dimension();
    if (known && *known != states.rows())
      throw Refusal(
          Reason::bad_request,
          fmt::format("states of this experiment have {} dimensions, got {}", *known, states.rows()),
          "states");
  }
  const ModelPtr model = experiment->published.get();
  version = model->version;
  try {
    return model->policy.predict(states);
  } catch (const InvalidArgument& error) {
    throw Refusal(Reason::bad_request, error.what(), "states");
  }
}

std::vector<DecisionView> Service::decisions(const std::string& name, std::size_t limit) const {
  const ExperimentPtr experiment = state_->find(name);
  const std::scoped_lock lock(experiment->mutex);
  const auto& recent = experiment->ledger.recent();
  return {recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(std::min(limit, recent.size()))};
}

Explanation Service::explain(const std::string& name, const std::string& event_id) const {
  const ExperimentPtr experiment = state_->find(name);
  Explanation answer;
  DecisionView& view = answer.decision;
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
    } else {
      throw Refusal(Reason::unknown_event, fmt::format("there is no decision \"{}\"", event_id), "event_id");
    }
  }
  if (!state_->journal->wait_durable(view.seq))
    throw Refusal(Reason::read_only, "the log cannot be written: " + state_->journal->trouble());
  const Event event = state_->read_event(view.seq);
  const auto& decided = std::get<Decided>(event.body);
  const ModelPtr model = experiment->published.get();
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
  History history = *model->history;
  if (!history.seq.empty() && history.seq.back() == model->version) return history;
  append_point(history, model->version, model->totals, model->policy);
  return history;
}

LiveView Service::live(const std::string& name) const {
  const ExperimentPtr experiment = state_->find(name);
  LiveView live;
  live.experiment = state_->view(*experiment);
  const std::scoped_lock lock(experiment->mutex);
  const Ledger& ledger = experiment->ledger;
  live.shares.assign(ledger.shares().begin(), ledger.shares().end());
  const auto& recent = ledger.recent();
  live.recent.assign(recent.begin(),
                     recent.begin() + static_cast<std::ptrdiff_t>(std::min(kRecentShown, recent.size())));
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
  figures.folded = state_->learning->folded();
  figures.published = state_->learning->published();
  figures.publish_seconds = state_->learning->publish_seconds();
  figures.snapshots = state_->snapshots;
  figures.snapshot_seconds = state_->snapshot_seconds;
  return figures;
}

void Service::export_log(const std::string& name, std::uint64_t from,
                         const std::function<bool(std::span<const Event>)>& sink, ExportEnd& end) const {
  const ExperimentPtr experiment = state_->find(name);
  std::uint64_t target = 0;
  {
    const std::scoped_lock lock(experiment->mutex);
    target = experiment->ledger.last_event();
  }
  state_->journal->wait_durable(target);  // if the log has failed, what is durable is exported
  const ModelPtr model =
      state_->learning->wait_for(*experiment, std::min(target, state_->journal->durable()));
  end = {model->version, 0, model_checksum(model->policy)};
  std::vector<Event> events;
  for (std::uint64_t next = std::max(from, experiment->number); next <= model->version;) {
    events.clear();
    const auto records =
        state_->log->read(next, std::min<std::size_t>(kReadAtOnce, model->version - next + 1));
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
