#include "ridgerunner/service/event_index.h"

#include <filesystem>

#include <fmt/format.h>

#include "ridgerunner/service/event_log.h"

namespace ridgerunner::service {
namespace {

constexpr std::int64_t kFormat = 1;

void remove(const std::string& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file + suffix);
}

}  // namespace

EventIndex::EventIndex(const std::string& folder, std::uint64_t last_event, std::string& notice) {
  const std::string file = folder + "/index.db";
  try {
    open(file);
    if (through_ > last_event)
      throw LogError(fmt::format("it knows event {}, the log ends with {}", through_, last_event));
  } catch (const LogError& error) {
    notice = fmt::format("the index is made anew: {}", error.what());
    insert_.reset(), mark_.reset(), select_.reset();
    writer_.reset(), reader_.reset();
    remove(file);
    open(file);
  }
}

// After a power cut it may be older than the log, never inconsistent: synchronous = NORMAL is enough.
void EventIndex::open(const std::string& file) {
  writer_ = std::make_unique<Database>(file);
  writer_->execute("PRAGMA journal_mode = WAL");
  writer_->execute("PRAGMA synchronous = NORMAL");
  writer_->execute("PRAGMA cache_size = -8192");
  if (writer_->number("PRAGMA user_version") == 0) {
    Transaction transaction(*writer_);
    writer_->execute(
        "CREATE TABLE resolved (experiment INTEGER, event_id TEXT, decided INTEGER, seq INTEGER, outcome "
        "INTEGER, "
        "reward REAL, PRIMARY KEY (experiment, event_id)) WITHOUT ROWID");
    writer_->execute("CREATE TABLE progress (through INTEGER)");
    writer_->execute("INSERT INTO progress VALUES (0)");
    writer_->execute(fmt::format("PRAGMA user_version = {}", kFormat).c_str());
    transaction.commit();
  }
  if (const auto format = writer_->number("PRAGMA user_version"); format != kFormat)
    throw LogError(fmt::format("index.db has format version {}, this program reads {}", format, kFormat));
  through_ = static_cast<std::uint64_t>(writer_->number("SELECT through FROM progress"));
  insert_ =
      std::make_unique<Statement>(*writer_, "INSERT OR REPLACE INTO resolved VALUES (?, ?, ?, ?, ?, ?)");
  mark_ = std::make_unique<Statement>(*writer_, "UPDATE progress SET through = ?");
  reader_ = std::make_unique<Database>(file);
  reader_->execute("PRAGMA query_only = ON");
  select_ = std::make_unique<Statement>(
      *reader_, "SELECT decided, seq, outcome, reward FROM resolved WHERE experiment = ? AND event_id = ?");
}

void EventIndex::add(std::span<const Entry> entries, std::uint64_t through) {
  Transaction transaction(*writer_);
  for (const Entry& entry : entries) {
    insert_->bind(1, static_cast<std::int64_t>(entry.experiment));
    insert_->bind_text(2, entry.event_id);
    insert_->bind(3, static_cast<std::int64_t>(entry.resolved.decided));
    insert_->bind(4, static_cast<std::int64_t>(entry.resolved.seq));
    insert_->bind(5, static_cast<std::int64_t>(entry.resolved.outcome));
    if (entry.resolved.reward) {
      insert_->bind(6, *entry.resolved.reward);
    } else {
      insert_->bind_null(6);
    }
    insert_->run();
  }
  mark_->bind(1, static_cast<std::int64_t>(through));
  mark_->run();
  transaction.commit();
  through_ = through;
}

std::optional<Resolved> EventIndex::find(std::uint64_t experiment, const std::string& event_id) {
  const std::scoped_lock lock(reading_);
  select_->reset();
  select_->bind(1, static_cast<std::int64_t>(experiment));
  select_->bind_text(2, event_id);
  std::optional<Resolved> found;
  if (select_->step()) {
    found = Resolved{static_cast<std::uint64_t>(select_->integer(0)),
                     static_cast<std::uint64_t>(select_->integer(1)),
                     static_cast<Outcome>(select_->integer(2)), std::nullopt};
    if (!select_->is_null(3)) found->reward = select_->number(3);
  }
  select_->reset();
  return found;
}

std::optional<EventIndex::Entry> ended_by(const Event& event) {
  const auto entry = [&](const Subject& subject, Outcome outcome, std::optional<double> reward) {
    return EventIndex::Entry{
        event.experiment, subject.event_id, {subject.decided, event.seq, outcome, reward}};
  };
  if (const auto* rewarded = std::get_if<Rewarded>(&event.body); rewarded && !rewarded->held)
    return entry(rewarded->subject, Outcome::rewarded, rewarded->reward);
  if (const auto* activated = std::get_if<Activated>(&event.body); activated && activated->reward)
    return entry(activated->subject, Outcome::rewarded, activated->reward);
  if (const auto* expired = std::get_if<Expired>(&event.body))
    return entry(expired->subject, expired->default_reward ? Outcome::defaulted : Outcome::expired,
                 expired->default_reward);
  return std::nullopt;
}

}  // namespace ridgerunner::service
