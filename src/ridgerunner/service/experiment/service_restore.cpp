// How the service takes up what its folder holds, and what it leaves there.
#include <new>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/service_state.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kReadAtOnce = 1000;

// Without a model, if this program cannot build one.
Learner learner_of(std::uint64_t seq, const Created& created) {
  try {
    return Learner(created);
  } catch (const std::bad_alloc&) {
    return Learner::without_model(seq, "there is no memory for its model");
  } catch (const std::exception& error) {
    return Learner::without_model(seq, fmt::format("its spec is refused: {}", error.what()));
  }
}

}  // namespace

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
  take_up(std::move(restored));
  read_log(from, indexed);
  for (const auto& [number, experiment] : by_number) {
    if (index) {
      experiment->ledger.hand_out();
      experiment->ledger.forget();
    }
    experiment->shadow = experiment->ledger.keeping(Ledger::Keep::pending);
    experiment->next_number = experiment->ledger.decisions();
    if (experiment->learner.has_model()) publish_model(*experiment, Experiment::Clock::now());
    if (const auto& degraded = experiment->learner.totals().degraded)
      tell(Severity::error, fmt::format("experiment {} is degraded since event {}: {}",
                                        experiment->created.name, degraded->seq, degraded->message));
  }
}

void Service::State::take_up(SnapshotStore::Restored restored) {
  for (Saved& saved : restored.experiments) {
    auto experiment =
        std::make_shared<Experiment>(saved.number, saved.created_at, saved.created, std::move(saved.learner));
    experiment->ledger = std::move(saved.ledger);
    experiment->snapshot_version = experiment->learner.version();
    by_name[experiment->created.name] = by_number[experiment->number] = experiment;
  }
}

void Service::State::read_log(std::uint64_t from, std::uint64_t indexed) {
  const std::uint64_t last = log->last();
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
}

// The experiment that an event begins. Where that cannot be read, it is known by its number, "#7", and has no
// model; so its other events have a place.
void Service::State::revive(const Event& event) {
  const auto* created = std::get_if<Created>(&event.body);
  const std::string why = std::holds_alternative<Unreadable>(event.body)
                              ? "its creation cannot be read: " + std::get<Unreadable>(event.body).why
                              : "it was never created";
  const Created unknown{fmt::format("#{}", event.experiment), "", "{}", {}};
  auto experiment = std::make_shared<Experiment>(
      event.experiment, event.time, created ? *created : unknown,
      created ? learner_of(event.seq, *created) : Learner::without_model(event.seq, why));
  by_name[experiment->created.name] = by_number[event.experiment] = experiment;
}

void Service::State::fold_again(const Event& event) {
  if (!by_number.contains(event.experiment)) revive(event);
  Experiment& experiment = *by_number.at(event.experiment);
  if (event.seq > experiment.learner.version()) {
    experiment.learner.fold(event);
    if (!experiment.learner.has_model() && !experiment.stopped) note_giving_up(experiment);
  }
  if (event.seq > experiment.ledger.last_event()) experiment.ledger.fold(event);
}

// On the training thread, or after it has stopped. An experiment that learns no more is not kept: the next
// start tries again from the log.
void Service::State::save_snapshot(std::uint64_t through) {
  if (!store) return;
  const auto start = Experiment::Clock::now();
  std::vector<SnapshotStore::Part> parts;
  const std::vector<ExperimentPtr> experiments = all();
  for (const ExperimentPtr& experiment : experiments) {
    if (experiment->number > through) continue;  // too young to be folded
    const bool changed = experiment->snapshot_version != experiment->learner.version();
    SnapshotStore::Part part{experiment->number, changed, nullptr};
    if (experiment->learner.has_model())
      part.bytes = [experiment] {
        return write_snapshot(experiment->number, experiment->created_at, experiment->created,
                              experiment->learner, experiment->shadow);
      };
    parts.push_back(std::move(part));
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

}  // namespace ridgerunner::service
