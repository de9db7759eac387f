#include "ridgerunner/service/experiment/event_index.h"

#include <filesystem>

#include <fmt/format.h>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {
namespace {

constexpr std::int64_t kFormat = 1;

std::uint64_t hash_of(const EventIndex::Entry& entry) {
  ByteWriter out;
  out.text(entry.event_id);
  out.integer(entry.experiment);
  out.integer(entry.resolved.decided);
  out.integer(entry.resolved.seq);
  out.integer(static_cast<std::uint64_t>(entry.resolved.outcome));
  out.integer(entry.resolved.reward.has_value());
  out.number(entry.resolved.reward.value_or(0));
  return crc32c(out.take()) * 0x9E3779B97F4A7C15u;  // spread over all bits, so that sums rarely meet
}

Resolved read_row(const Statement& row, int first) {
  Resolved resolved{static_cast<std::uint64_t>(row.integer(first)),
                    static_cast<std::uint64_t>(row.integer(first + 1)),
                    static_cast<Outcome>(row.integer(first + 2)), std::nullopt};
  if (!row.is_null(first + 3)) resolved.reward = row.number(first + 3);
  return resolved;
}

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

// Never synced: that would hold up the syncs of the log. After a power cut its checksum tells whether it is
// whole.
void EventIndex::open(const std::string& file) {
  writer_ = std::make_unique<Database>(file);
  writer_->execute("PRAGMA journal_mode = WAL");
  writer_->execute("PRAGMA synchronous = OFF");
  writer_->execute("PRAGMA cache_size = -8192");
  if (writer_->number("PRAGMA user_version") == 0) {
    Transaction transaction(*writer_);
    writer_->execute(
        "CREATE TABLE resolved (experiment INTEGER, event_id TEXT, decided INTEGER, seq INTEGER, outcome "
        "INTEGER, "
        "reward REAL, PRIMARY KEY (experiment, event_id)) WITHOUT ROWID");
    writer_->execute("CREATE TABLE progress (through INTEGER, sum INTEGER)");
    writer_->execute("INSERT INTO progress VALUES (0, 0)");
    writer_->execute(fmt::format("PRAGMA user_version = {}", kFormat).c_str());
    transaction.commit();
  }
  if (const auto format = writer_->number("PRAGMA user_version"); format != kFormat)
    throw LogError(fmt::format("index.db has format version {}, this program reads {}", format, kFormat));
  through_ = static_cast<std::uint64_t>(writer_->number("SELECT through FROM progress"));
  sum_ = static_cast<std::uint64_t>(writer_->number("SELECT sum FROM progress"));
  verify();
  insert_ = std::make_unique<Statement>(*writer_, "INSERT OR IGNORE INTO resolved VALUES (?, ?, ?, ?, ?, ?)");
  mark_ = std::make_unique<Statement>(*writer_, "UPDATE progress SET through = ?, sum = ?");
  reader_ = std::make_unique<Database>(file);
  reader_->execute("PRAGMA query_only = ON");
  select_ = std::make_unique<Statement>(
      *reader_, "SELECT decided, seq, outcome, reward FROM resolved WHERE experiment = ? AND event_id = ?");
}

void EventIndex::add(std::span<const Entry> entries, std::uint64_t through) {
  Transaction transaction(*writer_);
  std::uint64_t sum = sum_;
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
    if (writer_->changes() > 0) sum += hash_of(entry);  // of an id used twice the first stays
  }
  mark_->bind(1, static_cast<std::int64_t>(through));
  mark_->bind(2, static_cast<std::int64_t>(sum));
  mark_->run();
  transaction.commit();
  through_ = through;
  sum_ = sum;
}

void EventIndex::verify() {
  Statement all(*writer_, "SELECT experiment, event_id, decided, seq, outcome, reward FROM resolved");
  std::uint64_t sum = 0;
  while (all.step())
    sum += hash_of({static_cast<std::uint64_t>(all.integer(0)), std::string(all.bytes(1)), read_row(all, 2)});
  if (sum != sum_) throw LogError("index.db is damaged: its checksum is wrong");
}

std::optional<Resolved> EventIndex::find(std::uint64_t experiment, const std::string& event_id) {
  const std::scoped_lock lock(reading_);
  select_->reset();
  select_->bind(1, static_cast<std::int64_t>(experiment));
  select_->bind_text(2, event_id);
  std::optional<Resolved> found;
  if (select_->step()) found = read_row(*select_, 0);
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
