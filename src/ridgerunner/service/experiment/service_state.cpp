#include "ridgerunner/service/experiment/service_state.h"

#include <fmt/format.h>
#include <pthread.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kReadAtOnce = 1000;
constexpr auto kHouseRound = std::chrono::milliseconds(100);
constexpr int kIndexEvery = 5;  // rounds
constexpr std::size_t kExpireAtOnce = 1000;

std::int64_t system_milliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

Event decode_record(const Record& record) {
  try {
    Event event = decode(record.bytes);
    if (event.seq != record.seq) throw InvalidArgument(fmt::format("it says that it is event {}", event.seq));
    return event;
  } catch (const InvalidArgument& error) {
    throw LogError(fmt::format("event {} of the log is damaged: {}", record.seq, error.what()));
  }
}

std::unique_ptr<Workspace> Workspaces::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return std::make_unique<Workspace>();
  auto workspace = std::move(free_.back());
  free_.pop_back();
  return workspace;
}

void Workspaces::give_back(std::unique_ptr<Workspace> workspace) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(workspace));
}

Service::State::State(std::unique_ptr<EventLog> log_, Options options_)
    : options(std::move(options_)), log(std::move(log_)) {
  if (!options.clock) options.clock = system_milliseconds;
  restore();
  learning = std::make_unique<Learning>(
      options, log->last(), [this](std::uint64_t number) { return find_number(number); },
      [this](std::uint64_t through) { save_snapshot(through); });
  journal = std::make_unique<Journal>(*log, [this](std::vector<EventPtr> events, double seconds) {
    if (options.committed) options.committed(seconds, events.size());
    learning->add(std::move(events));
  });
  housekeeper = std::thread([this] { keep_house(); });
  pthread_setname_np(housekeeper.native_handle(), "rr-house");
}

Service::State::~State() {
  {
    const std::scoped_lock lock(house);
    house_closing = true;
  }
  house_bell.notify_one();
  if (housekeeper.joinable()) housekeeper.join();
  if (journal) journal->stop();
  if (learning) learning->stop(0);
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
  if (expired.shown) expired.default_reward = experiment.ledger.settings().default_reward;
  return append(experiment, std::move(expired));
}

Event Service::State::read_event(std::uint64_t seq) const {
  const std::vector<Record> records = log->read(seq, 1);
  if (records.empty()) throw LogError(fmt::format("event {} of the log is missing", seq));
  return decode_record(records.front());
}

void Service::State::require_capacity() const {
  if (const std::size_t backlog = learning->backlog(); backlog > options.limits.backlog)
    throw Refusal(Reason::too_many, fmt::format("{} events wait to be learnt from, at most {} may; try later",
                                                backlog, options.limits.backlog));
}

// Newest snapshot, then the rest of the log; the index catches up on the way.
void Service::State::restore() {
  const std::uint64_t last = log->last();
  SnapshotStore::Restored restored;
  std::uint64_t indexed = last;
  if (!options.folder.empty()) {
    store = std::make_unique<SnapshotStore>(options.folder);
    restored = store->load(options.notice);
    if (restored.through > last)
      throw LogError(
          fmt::format("the log ends with event {}, but a snapshot knows event {}", last, restored.through));
    std::string notice;
    index = std::make_unique<EventIndex>(options.folder, last, notice);
    if (!notice.empty()) tell(Severity::warning, notice);
    indexed = index->through();
  }
  std::uint64_t from = restored.through;
  for (const std::uint64_t lost : restored.lost) from = std::min(from, lost - 1);
  for (Saved& saved : restored.experiments) {
    auto experiment = std::make_shared<Experiment>(saved.number, saved.created_at, saved.created);
    experiment->learner = std::move(saved.learner);
    experiment->ledger = std::move(saved.ledger);
    experiment->snapshot_version = experiment->learner.version();
    by_name[experiment->created.name] = by_number[experiment->number] = experiment;
  }
  std::vector<EventIndex::Entry> ended;
  for (std::uint64_t next = std::min(from, indexed) + 1; next <= last;) {
    const std::vector<Record> records = log->read(next, kReadAtOnce);
    if (records.empty()) throw LogError(fmt::format("event {} of the log is missing", next));
    for (const Record& record : records) {
      const Event event = decode_record(record);
      if (event.seq > from) fold_again(event);
      if (event.seq <= indexed) continue;
      if (auto entry = ended_by(event)) ended.push_back(std::move(*entry));
    }
    next = records.back().seq + 1;
    if (index && !ended.empty()) index->add(ended, next - 1);
    ended.clear();
  }
  for (const auto& [number, experiment] : by_number) {
    if (index) {
      experiment->ledger.hand_out();
      experiment->ledger.forget();
    }
    experiment->shadow = experiment->ledger.keeping(Ledger::Keep::pending);
    experiment->next_number = experiment->ledger.decisions();
    publish_model(*experiment, Experiment::Clock::now());
  }
}

void Service::State::fold_again(const Event& event) {
  if (const auto* created = std::get_if<Created>(&event.body); created && !by_number.contains(event.seq)) {
    by_name[created->name] = by_number[event.seq] =
        std::make_shared<Experiment>(event.seq, event.time, *created);
  }
  const auto found = by_number.find(event.experiment);
  if (found == by_number.end())
    throw LogError(fmt::format("event {} of the log belongs to experiment {}, which was never created",
                               event.seq, event.experiment));
  Experiment& experiment = *found->second;
  if (event.seq > experiment.learner.version()) experiment.learner.fold(event);
  if (event.seq > experiment.ledger.last_event()) experiment.ledger.fold(event);
}

// On the learning thread, or after it has stopped.
void Service::State::save_snapshot(std::uint64_t through) {
  if (!store) return;
  const auto start = Experiment::Clock::now();
  std::vector<SnapshotStore::Part> parts;
  const std::vector<ExperimentPtr> experiments = all();
  for (const ExperimentPtr& experiment : experiments) {
    if (experiment->number > through) continue;  // too young to be folded
    const bool changed = experiment->snapshot_version != experiment->learner.version();
    parts.push_back({experiment->number, changed, [experiment] {
                       return write_snapshot(experiment->number, experiment->created_at, experiment->created,
                                             experiment->learner, experiment->shadow);
                     }});
  }
  try {
    store->save(through, parts);
    for (const ExperimentPtr& experiment : experiments)
      experiment->snapshot_version = experiment->learner.version();
    ++snapshots;
  } catch (const std::exception& error) {
    tell(Severity::error, fmt::format("no snapshot was written: {}", error.what()));
  }
  snapshot_seconds = std::chrono::duration<double>(Experiment::Clock::now() - start).count();
}

void Service::State::keep_house() {
  std::unique_lock lock(house);
  for (int round = 1; !house_closing; ++round) {
    house_bell.wait_for(lock, kHouseRound, [&] { return house_closing; });
    lock.unlock();
    try {
      expire_overdue();
      if (round % kIndexEvery == 0) index_resolved();
    } catch (const Refusal&) {
      // Read-only or about to end: deadlines wait for the next start.
    } catch (const std::exception& error) {
      tell(Severity::error, error.what());
    }
    lock.lock();
  }
}

void Service::State::expire_overdue() {
  const std::int64_t now = options.clock();
  for (const ExperimentPtr& experiment : all()) {
    const std::scoped_lock lock(experiment->mutex);
    for (const Pending* overdue : experiment->ledger.overdue(now, kExpireAtOnce)) {
      const Pending pending = *overdue;  // the ledger forgets it
      expire(*experiment, pending);
    }
  }
}

// Everything up to the last event that was durable before is in the ledgers by the time their locks are had.
void Service::State::index_resolved() {
  if (!index) return;
  const std::uint64_t through = journal->durable();
  if (through == index->through()) return;
  struct Taken {
    ExperimentPtr experiment;
    std::shared_ptr<const Ledger::ResolvedById> resolved;
    Ledger::ResolvedById late;  // ended after `through`
  };
  std::vector<Taken> taken;
  for (const ExperimentPtr& experiment : all()) {
    const std::scoped_lock lock(experiment->mutex);
    taken.push_back({experiment, experiment->ledger.hand_out(), {}});
  }
  std::vector<EventIndex::Entry> entries;
  for (Taken& part : taken) {
    for (const auto& [id, entry] : *part.resolved) {
      if (entry.seq > through) {
        part.late.emplace(id, entry);
      } else {
        entries.push_back({part.experiment->number, id, entry});
      }
    }
  }
  index->add(entries, through);
  for (const Taken& part : taken) {
    const std::scoped_lock lock(part.experiment->mutex);
    part.experiment->ledger.forget(part.late);  // frees nothing: `taken` still holds it
  }
}

}  // namespace ridgerunner::service
