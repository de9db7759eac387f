// The housekeeping thread of the service.
#include <fmt/format.h>

#include "ridgerunner/service/experiment/service_state.h"

namespace ridgerunner::service {
namespace {

constexpr auto kHouseRound = std::chrono::milliseconds(100);
constexpr int kIndexEvery = 5;  // rounds
constexpr std::size_t kExpireAtOnce = 1000;

}  // namespace

void Service::State::keep_house() {
  std::unique_lock lock(house);
  for (int round = 1; !house_closing; ++round) {
    house_bell.wait_for(lock, kHouseRound, [&] { return house_closing; });
    lock.unlock();
    try {
      fall_back();
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

void Service::State::stop_house() {
  {
    const std::scoped_lock lock(house);
    house_closing = true;
  }
  house_bell.notify_all();
  if (housekeeper.joinable()) housekeeper.join();
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

// Every event up to the last durable one is in its ledger: an event is folded while the experiment's lock is
// held, and we take that lock after we asked what is durable.
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
  bool indexed = false;
  const auto give_back = [&] {
    for (const Taken& part : taken) {
      const std::scoped_lock lock(part.experiment->mutex);
      part.experiment->ledger.forget(indexed ? part.late : *part.resolved);
    }
  };
  try {
    index->add(entries, through);
    indexed = true;
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
}

// The log failed: what was appended and did not become durable never happened. Ledgers go back to what the
// training thread has folded, which is all that is durable.
void Service::State::fall_back() {
  if (fallen_back || journal->trouble().empty()) return;
  const std::uint64_t durable = journal->durable();
  if (trainer->folded() < durable) return;  // try again in the next round
  for (const ExperimentPtr& experiment : all()) {
    if (experiment->number > durable) {
      const std::unique_lock lock(registry);
      by_name.erase(experiment->created.name);
      by_number.erase(experiment->number);
      continue;
    }
    const std::scoped_lock lock(experiment->mutex);
    experiment->ledger.fall_back(experiment->shadow);
  }
  {
    const std::scoped_lock lock(house);
    fallen_back = true;
  }
  house_bell.notify_all();
}

void Service::State::wait_for_fall_back() const {
  std::unique_lock lock(house);
  house_bell.wait(lock, [&] { return fallen_back || house_closing; });
  if (!fallen_back) throw Refusal(Reason::draining, "the server is shutting down");
}

}  // namespace ridgerunner::service
