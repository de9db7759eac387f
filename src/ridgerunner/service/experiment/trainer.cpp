#include "ridgerunner/service/experiment/trainer.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace ridgerunner::service {
namespace {

using Clock = Experiment::Clock;
constexpr double kShareOfCopying = 0.1;     // of the time, at most
constexpr double kShareOfSnapshots = 0.1;   // likewise
constexpr double kSecondsAfterFailure = 5;  // until a model is copied again
constexpr double kCalmSeconds = 0.1;        // between models that would choose alike
constexpr std::size_t kAtOnce = 64;         // events
constexpr auto kShortNap = std::chrono::microseconds(500), kLongNap = std::chrono::microseconds(5000);
constexpr int kNice = 5;  // learning gives way to deciding

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

bool changes_choices(const Event& event, const Spec& spec) {
  if (std::holds_alternative<Rewarded>(event.body) || std::holds_alternative<Imported>(event.body) ||
      std::holds_alternative<Expired>(event.body) || std::holds_alternative<Activated>(event.body))
    return true;
  return std::holds_alternative<Decided>(event.body) && choices_matter(spec);
}

}  // namespace

Trainer::Trainer(const Options& options, std::uint64_t folded, Find find, Snapshot snapshot)
    : options_(options),
      find_(std::move(find)),
      snapshot_(std::move(snapshot)),
      folded_(folded),
      snapshot_at_(folded),
      thread_([this] { run(); }) {}

Trainer::~Trainer() {
  stop(0);
}

void Trainer::add(std::vector<EventPtr> events) {
  {
    const std::scoped_lock lock(mutex_);
    for (EventPtr& event : events) {
      hurry_ = hurry_ || !std::holds_alternative<Decided>(event->body);
      queue_.push_back(std::move(event));
    }
    hurry_ = hurry_ || !napping_ || queue_.size() >= kAtOnce;
    if (!hurry_) return;
  }
  work_.notify_one();
}

std::size_t Trainer::backlog() const {
  const std::scoped_lock lock(mutex_);
  return queue_.size();
}

ModelPtr Trainer::wait_for(Experiment& experiment, std::uint64_t seq) {
  std::unique_lock lock(mutex_);
  for (;;) {
    ModelPtr model = experiment.published.get();
    if (!model || model->version >= seq || stopping_ || experiment.stopped) return model;
    experiment.wanted = true;
    wanted_ = true;
    work_.notify_one();
    progress_.wait_for(lock, std::chrono::milliseconds(100));
  }
}

void Trainer::stop(double seconds) {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    stop_at_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Trainer::run() {
  pthread_setname_np(pthread_self(), "rr-trainer");
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  std::deque<EventPtr> batch;
  for (;;) {
    bool stopping = false;
    {
      std::unique_lock lock(mutex_);
      wait(lock);
      stopping = stopping_ && (queue_.empty() || Clock::now() > stop_at_);
      if (stopping) queue_.clear();
      // A part at a time, so that the backlog that is told is true.
      for (std::size_t i = 0; i < kAtOnce && !queue_.empty(); ++i) {
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
    }
    for (const EventPtr& event : batch) fold(*event);
    batch.clear();
    publish_due(stopping);
    progress_.notify_all();
    if (stopping) return;
    snapshot_if_due();
  }
}

// Until there is something to do. Decisions alone can wait a little to be folded: most models do not change
// by them, and waking up for each costs as much as a decision.
void Trainer::wait(std::unique_lock<std::mutex>& lock) {
  const auto ready = [&] { return stopping_ || wanted_ || hurry_; };
  if (stale_.empty() && queue_.empty()) {
    work_.wait(lock, ready);
  } else {
    const bool urgent =
        std::any_of(stale_.begin(), stale_.end(), [](const auto& stale) { return stale->urgent; });
    napping_ = true;
    work_.wait_for(lock, urgent ? kShortNap : kLongNap, ready);
    napping_ = false;
  }
  wanted_ = false;
  hurry_ = queue_.size() > kAtOnce;  // more than is taken now
}

void Trainer::tell(Severity severity, const std::string& message) const {
  if (options_.notice) options_.notice(severity, message);
}

void Trainer::note_trouble(Experiment& experiment, bool was_degraded) {
  const auto& now = experiment.learner.totals().degraded;
  const std::string& name = experiment.created.name;
  if (!experiment.learner.has_model() && !experiment.stopped) {
    note_giving_up(experiment);
    tell(Severity::error, fmt::format("experiment {} learns no more: {}", name, now->message));
  } else if (now && !was_degraded) {
    tell(Severity::error,
         fmt::format("experiment {} is degraded: event {} was skipped: {}", name, now->seq, now->message));
  }
}

void Trainer::fold(const Event& event) {
  const ExperimentPtr experiment = find_(event.experiment);
  if (event.seq > experiment->shadow.last_event()) {  // not its creation
    const bool degraded = experiment->learner.totals().degraded.has_value();
    experiment->learner.fold(event);
    experiment->shadow.fold(event);
    note_trouble(*experiment, degraded);
    if (!experiment->stale_since && !experiment->stopped) {
      experiment->stale_since = Clock::now();
      stale_.push_back(experiment);
    }
    experiment->urgent = experiment->urgent || (experiment->learner.has_model() &&
                                                changes_choices(event, experiment->learner.policy().spec()));
  }
  folded_ = event.seq;
}

bool Trainer::is_due(const Experiment& experiment, Clock::time_point now) const {
  if (experiment.wanted) return true;
  const double calm = experiment.urgent ? options_.publish_milliseconds / 1000 : kCalmSeconds;
  return seconds_between(experiment.published_at, now) >=
         std::max(calm, experiment.copy_seconds / kShareOfCopying);
}

// False: there was no memory for a copy. The last one published goes on deciding, and the next is tried when
// it would be due.
bool Trainer::try_to_publish(Experiment& experiment) {
  const auto now = Clock::now();
  try {
    publish_model(experiment, now);
  } catch (const std::bad_alloc&) {
    experiment.published_at = now;
    experiment.copy_seconds = kSecondsAfterFailure * kShareOfCopying;
    experiment.wanted = false;
    tell(Severity::error, fmt::format("experiment {}: there is no memory to publish its model; decisions are "
                                      "made on an older one",
                                      experiment.created.name));
    return false;
  }
  ++published_;
  publish_seconds_ = experiment.copy_seconds;
  return true;
}

void Trainer::publish_due(bool all) {
  std::erase_if(stale_, [&](const ExperimentPtr& experiment) {
    if (experiment->stopped) return true;
    if (!all && !is_due(*experiment, Clock::now())) return false;
    return try_to_publish(*experiment);
  });
}

void Trainer::snapshot_if_due() {
  const auto now = Clock::now();
  if (folded_ - snapshot_at_ < options_.snapshot_events || now < next_snapshot_) return;
  snapshot_(folded_);
  snapshot_at_ = folded_;
  const auto after = Clock::now();
  next_snapshot_ = after + std::chrono::duration_cast<Clock::duration>((after - now) / kShareOfSnapshots);
}

}  // namespace ridgerunner::service
