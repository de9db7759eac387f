#include "ridgerunner/service/experiment/service_state.h"

#include <fmt/format.h>
#include <pthread.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {

Event decode_record(const Record& record) {
  try {
    Event event = decode_or_mark(record.bytes);
    if (event.seq != record.seq) throw InvalidArgument(fmt::format("it says that it is event {}", event.seq));
    return event;
  } catch (const InvalidArgument& error) {
    throw LogError(fmt::format("event {} of the log is damaged: {}", record.seq, error.what()));
  }
}

Service::State::State(std::unique_ptr<EventLog> log_, Options options_)
    : options(std::move(options_)), log(std::move(log_)) {
  if (!options.clock) options.clock = [this] { return time.now(); };
  restore();
  trainer = std::make_unique<Trainer>(
      options, log->last(), [this](std::uint64_t number) { return find_number(number); },
      [this](std::uint64_t through) { save_snapshot(through); });
  journal = std::make_unique<Journal>(*log, [this](std::vector<EventPtr> events, double seconds) {
    if (options.committed) options.committed(seconds, events.size());
    trainer->add(std::move(events));
  });
  housekeeper = std::thread([this] { keep_house(); });
  pthread_setname_np(housekeeper.native_handle(), "rr-house");
}

Service::State::~State() {
  stop_house();
  diagnoser.stop();
  if (journal) journal->stop();
  if (trainer) trainer->stop(0);
}

void Service::State::tell(Severity severity, const std::string& message) const {
  if (options.notice) options.notice(severity, message);
}

ExperimentPtr Service::State::find(const std::string& name) const {
  const std::shared_lock lock(registry);
  const auto found = by_name.find(name);
  if (found == by_name.end())
    throw Refusal(Reason::not_found, fmt::format("there is no experiment \"{}\"", name));
  return found->second;
}

ExperimentPtr Service::State::find_number(std::uint64_t number) const {
  const std::shared_lock lock(registry);
  const auto found = by_number.find(number);
  return found == by_number.end() ? nullptr : found->second;
}

std::vector<ExperimentPtr> Service::State::all() const {
  const std::shared_lock lock(registry);
  std::vector<ExperimentPtr> experiments;
  for (const auto& [number, experiment] : by_number) experiments.push_back(experiment);
  return experiments;
}

ModelPtr Service::State::model_of(const Experiment& experiment) const {
  if (ModelPtr model = experiment.published.get()) return model;
  const std::scoped_lock lock(experiment.mutex);
  throw Refusal(Reason::degraded, fmt::format("experiment \"{}\" has no model: {}", experiment.created.name,
                                              experiment.given_up ? experiment.given_up->message : ""));
}

Standing Service::State::standing(const Experiment& experiment, const std::string& event_id) {
  Standing standing;
  standing.pending = experiment.ledger.pending(event_id);
  if (standing.pending) return standing;
  if (const Resolved* resolved = experiment.ledger.resolved(event_id)) {
    standing.resolved = *resolved;
  } else if (index) {
    standing.resolved = index->find(experiment.number, event_id);
  }
  return standing;
}

EventPtr Service::State::append(Experiment& experiment, Body body) {
  EventPtr event =
      journal->append({0, experiment.number, options.clock(), std::move(body)}, [](Event& numbered) {
        if (auto* decided = std::get_if<Decided>(&numbered.body); decided && decided->event_id.empty())
          decided->event_id = made_event_id(numbered.seq);
      });
  experiment.ledger.fold(*event);
  return event;
}

EventPtr Service::State::expire(Experiment& experiment, const Pending& pending) {
  Expired expired{pending.subject, !pending.deferred, std::nullopt};
  if (expired.shown) expired.default_reward = pending.terms.default_reward;
  return append(experiment, std::move(expired));
}

Event Service::State::read_event(std::uint64_t seq) const {
  std::vector<Record> records;
  try {
    records = log->read(seq, 1);
  } catch (const ArchivedElsewhere& error) {
    throw Refusal(Reason::archived, error.what());
  }
  if (records.empty()) throw LogError(fmt::format("event {} of the log is missing", seq));
  return decode_record(records.front());
}

void Service::State::require_durable(std::uint64_t seq) const {
  if (!journal->wait_durable(seq))
    throw Refusal(Reason::read_only, "the log cannot be written: " + journal->trouble());
}

void Service::State::require_capacity() const {
  if (const std::size_t backlog = trainer->backlog(); backlog > options.limits.backlog)
    throw Refusal(Reason::too_many, fmt::format("{} events wait to be learnt from, at most {} may; try later",
                                                backlog, options.limits.backlog));
}

void Service::State::require_open(const Experiment& experiment) const {
  if (experiment.ledger.closed())
    throw Refusal(Reason::closed, fmt::format("experiment \"{}\" is closed", experiment.created.name), "",
                  experiment.ledger.last_event());
}

void Service::State::require_room(const Experiment& experiment, Index more) const {
  const ModelPtr model = experiment.published.get();
  if (!experiment.keeps_every_state || !model) return;
  const Evidence learnt = model->policy.regression().evidence();
  const Counts& counts = experiment.ledger.counts();
  const auto told = static_cast<Index>(counts.rewards + counts.defaulted + counts.imported);
  const auto open = static_cast<Index>(counts.pending + counts.deferred);
  const Index rows = learnt.anchors + std::max<Index>(told - learnt.rounds, 0) + open;
  const Index most = options.limits.rows;
  if (rows + more <= most) return;
  throw Refusal(
      more > most ? Reason::too_large : Reason::full,
      fmt::format("an exact model may have {} states, this one has {} with those on their way, and {} more "
                  "do not fit: raise --max-rows, or use a policy with a dictionary",
                  most, rows, more));
}

}  // namespace ridgerunner::service
