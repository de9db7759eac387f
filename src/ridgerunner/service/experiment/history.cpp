#include "ridgerunner/service/experiment/history.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {

void append_point(History& history, std::uint64_t seq, const Totals& totals, const Policy& policy) {
  const Statistics statistics = policy.statistics();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  history.time.push_back(totals.time);
  history.seq.push_back(seq);
  history.decisions.push_back(static_cast<double>(totals.counts.decisions));
  history.rewards.push_back(static_cast<double>(totals.counts.rewards + totals.counts.defaulted));
  history.reward.push_back(totals.reward);
  history.estimated_regret.push_back(totals.estimated_regret);
  history.anchors.push_back(static_cast<double>(statistics.evidence.anchors));
  history.radius.push_back(statistics.radius.value_or(kNone));
  history.pending.push_back(static_cast<double>(totals.counts.pending));
}

void HistoryKeeper::note(std::uint64_t seq, const Totals& totals, const Policy& policy) {
  if (events_++ % stride_ != 0) return;
  append_point(history_, seq, totals, policy);
  if (history_.seq.size() == kMost) thin();
}

namespace {

template <class Series>
void halve(Series& series) {
  for (std::size_t i = 0; 2 * i < series.size(); ++i) series[i] = series[2 * i];
  series.resize((series.size() + 1) / 2);
}

template <class Keeper>
auto numbers(Keeper& history) {
  return std::array{&history.decisions, &history.rewards, &history.reward, &history.estimated_regret,
                    &history.anchors,   &history.radius,  &history.pending};
}

}  // namespace

void HistoryKeeper::thin() {
  halve(history_.time);
  halve(history_.seq);
  for (auto* series : numbers(history_)) halve(*series);
  stride_ *= 2;
}

void HistoryKeeper::write(ByteWriter& out) const {
  out.integer(events_);
  out.integer(stride_);
  out.integer(history_.seq.size());
  for (std::size_t i = 0; i < history_.seq.size(); ++i) {
    out.integer(static_cast<std::uint64_t>(history_.time[i]));
    out.integer(history_.seq[i]);
    for (const auto* series : numbers(history_)) out.number((*series)[i]);
  }
}

void HistoryKeeper::read(ByteReader& in) {
  events_ = in.integer();
  stride_ = in.integer();
  const Index points = in.count();
  if (stride_ == 0 || points >= static_cast<Index>(kMost))
    throw InvalidArgument(fmt::format("a history of {} points, one every {} events", points, stride_));
  for (Index i = 0; i < points; ++i) {
    history_.time.push_back(static_cast<std::int64_t>(in.integer()));
    history_.seq.push_back(in.integer());
    for (auto* series : numbers(history_)) series->push_back(in.number());
  }
}

}  // namespace ridgerunner::service
