#include "ridgerunner/service/experiment/diagnoser.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ridgerunner/regression/capabilities.h"

namespace ridgerunner::service {
namespace {

using Clock = Experiment::Clock;
constexpr int kRest = 20;  // times as long as the last took
constexpr int kNice = 10;  // gives way to everything else

void diagnose(Experiment& experiment) {
  const ModelPtr model = experiment.published.get();
  const auto known = experiment.diagnosis.get();
  if (!model || (known && known->version == model->version)) return;
  Diagnosis made{model->version, {}};
  try {
    made.diagnostics = diagnostics_of(model->policy.regression());
  } catch (const std::exception&) {
    // They stay unknown, of this model.
  }
  experiment.diagnosis.set(std::make_shared<const Diagnosis>(made));
}

}  // namespace

Diagnoser::Diagnoser() : thread_([this] { run(); }) {}

Diagnoser::~Diagnoser() {
  stop();
}

void Diagnoser::want(const ExperimentPtr& experiment) {
  const ModelPtr model = experiment->published.get();
  const auto known = experiment->diagnosis.get();
  if (!model || (known && known->version == model->version)) return;
  {
    const std::scoped_lock lock(mutex_);
    wanted_.insert(experiment);
  }
  work_.notify_one();
}

void Diagnoser::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Diagnoser::run() {
  pthread_setname_np(pthread_self(), "rr-diagnoser");
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stopping_ || !wanted_.empty(); });
    if (stopping_) return;
    const ExperimentPtr experiment = *wanted_.begin();
    wanted_.erase(wanted_.begin());
    lock.unlock();
    const auto start = Clock::now();
    diagnose(*experiment);
    ++done_;
    const auto rest = kRest * (Clock::now() - start);
    lock.lock();
    work_.wait_for(lock, rest, [&] { return stopping_; });
  }
}

}  // namespace ridgerunner::service
