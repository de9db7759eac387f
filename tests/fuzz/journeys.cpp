// Odd specs, states and rewards through decide, reward, restart and replay.
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/replay.h"
#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/log/refusal.h"
#include "service/memory_log.h"

namespace ridgerunner::fuzz {
namespace {

using namespace service;

constexpr const char* kPolicies[] = {"ek-ucb",       "gp-ucb",   "amm-ucb",   "dmm-ucb",
                                     "cmm-ucb",      "bkb",      "kernel-ts", "k-ucb",
                                     "adaptive-ucb", "supk-ucb", "greedy",    "igp-ucb",
                                     "ay-gp-ucb",    "uniform",  "bbkb",      "streaming-amm-ucb"};
constexpr const char* kKernels[] = {"gaussian", "linear", "polynomial", "matern52"};
constexpr std::array kOdd = {0.0,   1.0,    0.1,   0.01,   10.0,  1e-3, 1e3,   1e-100, 1e100, 1e-300, 5e-324,
                             1e150, 1e200,  9e153, 9e76,   1e-10, 1e10, 0.5,   2.0,    3.0,   -1.0,   -1e100,
                             -0.5,  1e-200, 1e290, -9e153, 1e-8,  1e8,  0.999, 1e-16,  1e16,  7.0};

// The bytes of an input, one after the other; zeros after its end.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  bool left() const { return !text_.empty(); }
  std::size_t next() {
    if (text_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(text_.front());
    text_.remove_prefix(1);
    return byte;
  }
  // Often an ordinary number, sometimes an odd one.
  double number() {
    const std::size_t byte = next();
    return byte < 128 ? static_cast<double>(byte) / 64 - 0.5 : kOdd[byte % kOdd.size()];
  }

 private:
  std::string_view text_;
};

Json spec_of(Bytes& in) {
  Json spec = {{"policy", kPolicies[in.next() % std::size(kPolicies)]}};
  spec["kernel"] = {{"type", kKernels[in.next() % std::size(kKernels)]}};
  const std::size_t set = in.next();
  if (set & 1) spec["kernel"]["variance"] = in.number();
  if (set & 2) spec["regression"]["ridge"] = in.number();
  if (set & 4) spec["bound"]["norm_bound"] = in.number();
  if (set & 8) spec["bound"]["noise_bound"] = in.number();
  if (set & 16) spec["bound"]["delta"] = in.number();
  if (set & 32) spec["arms"] = {{"points", {{in.number()}, {in.number()}, {in.number()}}}};
  return spec;
}

// One experiment, lived through as the bytes say.
class Journey {
 public:
  explicit Journey(std::string_view input) : in_(input) { start(); }

  bool run() {
    const Json spec = spec_of(in_);
    arms_ = spec.contains("arms");
    try {
      service_->create("odd", spec, "", {});
    } catch (const Refusal&) {
      return false;
    }
    for (int step = 0; step < 24 && in_.left(); ++step) act();
    check_log();
    check_restart();
    check_replay();
    return true;
  }

 private:
  void start() {
    service_.reset();
    Options options;
    options.publish_milliseconds = 0;
    options.limits.rows = 100;
    service_ = std::make_unique<Service>(std::make_unique<MemoryLog>(contents_), options);
  }

  // What is refused or cannot be computed changes nothing: the log says so at the end.
  void act() {
    try {
      switch (in_.next() % 8) {
        case 0:
          start();
          break;
        case 1: {
          ImportRequest request{
              Matrix::Constant(1, 2, in_.number()), Vector::Constant(2, in_.number()), {}, ""};
          request.states(0, 1) = in_.number();
          service_->import("odd", std::move(request));
          break;
        }
        case 2:
        case 3:
          if (!open_.empty()) service_->reward("odd", open_[in_.next() % open_.size()], in_.number());
          break;
        case 4: {
          std::uint64_t version = 0;
          service_->predict("odd", Matrix::Constant(1, 1, in_.number()), version);
          break;
        }
        default:
          decide();
      }
      if (in_.next() % 4 == 0) summary();  // lets learning catch up
    } catch (const Refusal&) {
    } catch (const NumericalError&) {
    }
  }

  void decide() {
    Offered offered;
    if (!arms_) {
      offered.actions.resize(1, 1 + static_cast<Index>(in_.next() % 4));
      for (Index i = 0; i < offered.actions.cols(); ++i) offered.actions(0, i) = in_.number();
    }
    const auto choice = service_->decide("odd", "", offered).answer;
    promise(std::isfinite(choice.decision.mean) && choice.decision.sd >= 0,
            "a decision has a mean and an sd");
    promise(choice.decision.lower <= choice.decision.upper, "a band is a band");
    open_.push_back(choice.event_id);
  }

  ExportEnd summary(std::vector<Event>* events = nullptr) {
    ExportEnd end;
    service_->export_log(
        "odd", 1,
        [&](std::span<const Event> some) {
          if (events) events->insert(events->end(), some.begin(), some.end());
          return true;
        },
        end);
    return end;
  }

  void check_log() {
    summary();  // all is durable
    const std::scoped_lock lock(contents_->mutex);
    for (const Record& record : contents_->records)
      promise(encode(decode(record.bytes)) == record.bytes, "what is appended reads back as it was");
  }

  void check_restart() {
    const std::uint32_t before = summary().model;
    start();
    promise(summary().model == before, "a restart gives the same model");
  }

  void check_replay() {
    std::vector<Event> events;
    const ExportEnd end = summary(&events);
    Lag lag;
    for (const Event& event : events) lag.add(event);
    Replay replay(lag.most() + 1);
    for (Event& event : events) replay.add(std::move(event));
    const ReplayReport report = replay.finish();
    promise(report.different == 0 && report.unchecked == 0, "every decision is made again");
    promise(report.model == end.model, "replaying gives the same model");
  }

  Bytes in_;
  bool arms_ = false;
  std::shared_ptr<MemoryContents> contents_ = std::make_shared<MemoryContents>();
  std::unique_ptr<Service> service_;
  std::vector<std::string> open_;
};

}  // namespace

bool journeys(std::string_view input) {
  if (input.empty()) return false;
  return Journey(input).run();
}

}  // namespace ridgerunner::fuzz
