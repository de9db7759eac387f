#include "ridgerunner/service/http/metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "ridgerunner/version.h"

namespace ridgerunner::service {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

const Histogram::BucketBoundaries kSeconds = {1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2,
                                              5e-2, 0.1,  0.2,  0.5,  1,    2,    5,    10};
const Histogram::BucketBoundaries kEvents = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
constexpr std::size_t kStatuses = 600;

template <class Metric>
Family<Metric>& family(prometheus::Registry& registry, const char* name, const char* help) {
  prometheus::detail::Builder<Metric> builder;
  return builder.Name(name).Help(help).Register(registry);
}

double number(std::uint64_t value) {
  return static_cast<double>(value);
}

// Counters of the library can only grow.
void advance(Counter& counter, std::uint64_t to) {
  counter.Increment(std::max(0.0, number(to) - counter.Value()));
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  Family<Counter>& requests =
      family<Counter>(registry, "ridgerunner_requests_total", "Requests by call and status");
  Family<Histogram>& latency = family<Histogram>(registry, "ridgerunner_request_seconds",
                                                 "From the request's last byte to the answer's");
  Histogram& commit_seconds =
      family<Histogram>(registry, "ridgerunner_commit_seconds", "Writing and syncing a commit of the log")
          .Add({}, kSeconds);
  Histogram& commit_events =
      family<Histogram>(registry, "ridgerunner_commit_events", "Events in a commit").Add({}, kEvents);
  Gauge& connections = family<Gauge>(registry, "ridgerunner_connections", "Open connections").Add({});
  Gauge& streams =
      family<Gauge>(registry, "ridgerunner_streams", "Open streams of server-sent events").Add({});

  // Set when asked for.
  Family<Gauge>& whole =
      family<Gauge>(registry, "ridgerunner_events", "Sequence number of the last event, by stage");
  Gauge& experiments = family<Gauge>(registry, "ridgerunner_experiments", "Experiments").Add({});
  Gauge& appended = whole.Add({{"stage", "appended"}});
  Gauge& durable = whole.Add({{"stage", "durable"}});
  Gauge& folded = whole.Add({{"stage", "folded"}});
  Family<Gauge>& waiting =
      family<Gauge>(registry, "ridgerunner_queue", "Events that wait, by what they wait for");
  Gauge& to_commit = waiting.Add({{"for", "commit"}});
  Gauge& to_fold = waiting.Add({{"for", "folding"}});
  Counter& published =
      family<Counter>(registry, "ridgerunner_models_published_total", "Models published since the start")
          .Add({});
  Gauge& publish_seconds =
      family<Gauge>(registry, "ridgerunner_publish_seconds", "What publishing a model took last").Add({});
  Counter& snapshots =
      family<Counter>(registry, "ridgerunner_snapshots_total", "Snapshots written since the start").Add({});
  Gauge& snapshot_seconds =
      family<Gauge>(registry, "ridgerunner_snapshot_seconds", "What the last snapshot took").Add({});
  Gauge& read_only =
      family<Gauge>(registry, "ridgerunner_read_only", "1 if the log failed and nothing is taken any more")
          .Add({});

  // By experiment.
  Family<Counter>& decisions =
      family<Counter>(registry, "ridgerunner_decisions_total", "Decisions of an experiment");
  Family<Counter>& rewards =
      family<Counter>(registry, "ridgerunner_rewards_total", "Rewards of an experiment");
  Family<Gauge>& pending = family<Gauge>(registry, "ridgerunner_pending", "Decisions that wait for a reward");
  Family<Gauge>& anchors = family<Gauge>(registry, "ridgerunner_anchors", "Size of the dictionary");
  Family<Gauge>& radius =
      family<Gauge>(registry, "ridgerunner_radius", "Confidence radius; absent if there is none");
  Family<Gauge>& empty = family<Gauge>(registry, "ridgerunner_confidence_set_empty",
                                       "1 if the data contradict the bound's assumptions");
  Family<Gauge>& degraded =
      family<Gauge>(registry, "ridgerunner_degraded", "1 if events could not be folded and were skipped");

  // Found once, then by position: the library looks labels up in a map under a lock.
  std::mutex mutex;
  std::array<std::array<std::atomic<Counter*>, kStatuses>, kCalls> counters = {};
  std::array<Histogram*, kCalls> latencies = {};
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {
  for (const Route& route : routes())
    families_->latencies[static_cast<std::size_t>(route.call)] =
        &families_->latency.Add({{"call", std::string(route.name)}}, kSeconds);
  family<Gauge>(families_->registry, "ridgerunner_build_info", "The version that runs")
      .Add({{"version", kVersion}})
      .Set(1);
}

Metrics::~Metrics() = default;

void Metrics::answered(Call call, int status, double seconds) {
  const auto position = static_cast<std::size_t>(call);
  std::atomic<Counter*>& slot = families_->counters[position][static_cast<std::size_t>(status) % kStatuses];
  Counter* counter = slot.load(std::memory_order_acquire);
  if (!counter) {
    // The family gives the same counter to whoever asks twice.
    counter = &families_->requests.Add(
        {{"call", std::string(route_of(call).name)}, {"status", std::to_string(status)}});
    slot.store(counter, std::memory_order_release);
  }
  counter->Increment();
  if (call != Call::live)
    families_->latencies[position]->Observe(seconds);  // that lasts as long as its viewer
}

void Metrics::committed(double seconds, std::size_t events) {
  families_->commit_seconds.Observe(seconds);
  families_->commit_events.Observe(static_cast<double>(events));
}

void Metrics::connections(std::int64_t change) {
  families_->connections.Increment(static_cast<double>(change));
}

void Metrics::streams(std::int64_t change) {
  families_->streams.Increment(static_cast<double>(change));
}

std::string Metrics::text(const Service* service) {
  Families& all = *families_;
  const std::lock_guard lock(all.mutex);
  if (service) {
    const Figures figures = service->figures();
    all.experiments.Set(number(figures.experiments));
    all.appended.Set(number(figures.appended));
    all.durable.Set(number(figures.durable));
    all.folded.Set(number(figures.folded));
    all.to_commit.Set(number(figures.appended - std::min(figures.appended, figures.durable)));
    all.to_fold.Set(number(figures.durable - std::min(figures.durable, figures.folded)));
    advance(all.published, figures.published);
    all.publish_seconds.Set(figures.publish_seconds);
    advance(all.snapshots, figures.snapshots);
    all.snapshot_seconds.Set(figures.snapshot_seconds);
    all.read_only.Set(service->trouble().empty() ? 0 : 1);
    for (const ExperimentView& view : service->experiments_now()) {
      const prometheus::Labels labels = {{"experiment", view.name}};
      advance(all.decisions.Add(labels), view.counts.decisions);
      advance(all.rewards.Add(labels), view.counts.rewards);
      all.pending.Add(labels).Set(number(view.counts.pending));
      all.anchors.Add(labels).Set(static_cast<double>(view.statistics.evidence.anchors));
      if (view.statistics.radius) all.radius.Add(labels).Set(*view.statistics.radius);
      all.empty.Add(labels).Set(view.statistics.empty_since ? 1 : 0);
      all.degraded.Add(labels).Set(view.degraded ? 1 : 0);
    }
  }
  return prometheus::TextSerializer().Serialize(all.registry.Collect());
}

}  // namespace ridgerunner::service
