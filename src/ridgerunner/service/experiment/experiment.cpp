#include "ridgerunner/service/experiment/experiment.h"

namespace ridgerunner::service {
namespace {

using Clock = Experiment::Clock;
constexpr double kHistorySeconds = 0.25;  // between copies of the history

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

const Spec* spec_of(const Learner& learner) {
  return learner.has_model() ? &learner.policy().spec() : nullptr;
}

std::optional<Encoder> encoder_of(const Spec* spec) {
  if (!spec || !spec->features) return std::nullopt;
  return Encoder(*spec->features);
}

}  // namespace

Experiment::Experiment(std::uint64_t number_, std::int64_t created_at_, Created created_, Learner learner_)
    : number(number_),
      created_at(created_at_),
      created(std::move(created_)),
      kernel(learner_.has_model() ? make_kernel(spec_of(learner_)->kernel) : nullptr),
      arms(learner_.has_model() && spec_of(learner_)->arms ? spec_of(learner_)->arms->cols() : 0),
      keeps_every_state(learner_.has_model() && service::keeps_every_state(*spec_of(learner_))),
      encoder(encoder_of(spec_of(learner_))),
      learner(std::move(learner_)) {
  if (!learner.has_model()) note_giving_up(*this);
}

void publish_model(Experiment& experiment, Clock::time_point now) {
  const ModelPtr before = experiment.published.get();
  std::shared_ptr<const History> history = before ? before->history : nullptr;
  if (!history || seconds_between(experiment.history_at, now) > kHistorySeconds || experiment.wanted) {
    history = std::make_shared<const History>(experiment.learner.history());
    experiment.history_at = now;
  }
  const Learner& learner = experiment.learner;
  experiment.published.set(std::make_shared<const Model>(
      Model{learner.policy(), learner.version(), learner.totals(), std::move(history)}));
  experiment.published_at = Clock::now();
  experiment.copy_seconds = seconds_between(now, experiment.published_at);
  experiment.stale_since.reset();
  experiment.urgent = false;
  experiment.wanted = false;
}

void note_giving_up(Experiment& experiment) {
  const std::scoped_lock lock(experiment.mutex);
  experiment.given_up = experiment.learner.totals().degraded;
  experiment.stopped = true;
}

}  // namespace ridgerunner::service
