#include "ridgerunner/service/experiment/learner.h"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/service/experiment/snapshot_bytes.h"

namespace ridgerunner::service {

Policy policy_of(const Created& created) {
  return Policy(spec_from_json(parse_json(created.spec)));
}

bool choices_matter(const Spec& spec) {
  return spec.regression.dictionary.is<dictionaries::Bbkb>() || spec.rule.type.is<rules::SupKernelUcb>();
}

std::uint32_t model_checksum(const Policy& policy) {
  // Without the archive's own checksum at its end: with it, every archive would have the same one.
  const std::string bytes = save_policy(policy);
  return crc32c(std::string_view(bytes).substr(0, bytes.size() - sizeof(std::uint32_t)));
}

Matrix states_of(const Spec& spec, const Offered& offered) {
  if (offered.actions.cols() == 0) {
    if (!spec.arms) throw InvalidArgument("actions are needed: the spec has no arms");
    if (offered.context.size() > 0)
      throw InvalidArgument("a context needs actions (the arms of a spec are whole states)");
    return *spec.arms;
  }
  if (offered.context.size() == 0) return offered.actions;
  return join(offered.context, offered.actions);
}

Decision choose(const Policy& policy, const Offered& offered, std::uint64_t number, Workspace& workspace) {
  const Stream random(policy.spec().seed, Purpose::choice, number);
  if (offered.excluded.empty()) {
    if (offered.actions.cols() == 0 && offered.context.size() == 0)
      return policy.choose_arm(random, workspace);
    if (offered.context.size() == 0) return policy.choose(offered.actions, random, workspace);
    return policy.choose(states_of(policy.spec(), offered), random, workspace);
  }
  const Matrix all = states_of(policy.spec(), offered);
  if (offered.excluded.back() >= all.cols())
    throw InvalidArgument(fmt::format("excluded names action {} of {}", offered.excluded.back(), all.cols()));
  std::vector<Index> kept;
  for (Index i = 0, next = 0; i < all.cols(); ++i) {
    const bool out =
        next < std::ssize(offered.excluded) && offered.excluded[static_cast<std::size_t>(next)] == i;
    if (out) {
      ++next;
    } else {
      kept.push_back(i);
    }
  }
  if (kept.empty()) throw InvalidArgument("excluded leaves no action");
  Decision decision = policy.choose(all(Eigen::all, kept), random, workspace);
  decision.index = kept[static_cast<std::size_t>(decision.index)];
  return decision;
}

Learner::Learner(const Created& created) : policy_(policy_of(created)) {}

void Learner::fold(const Event& event) {
  count(event.body, totals_.counts);
  totals_.time = event.time;
  try {
    std::visit([&](const auto& body) { fold_body(body); }, event.body);
  } catch (const NumericalError& error) {
    skip(event.seq, error.what());
  } catch (const InvalidArgument& error) {
    skip(event.seq, error.what());
  }
  version_ = event.seq;
  history_.note(event.seq, totals_, policy_);
}

void Learner::skip(std::uint64_t seq, const char* why) {
  if (!totals_.degraded) totals_.degraded = Degraded{0, seq, why};
  ++totals_.degraded->skipped;
}

void Learner::fold_body(const Decided& decided) {
  if (!decided.offered.deferred) policy_.record_untracked_choice(decided.state, decided.decision);
}

void Learner::fold_body(const Rewarded& rewarded) {
  if (!rewarded.held) earn(rewarded.subject, rewarded.reward);
}

void Learner::fold_body(const Activated& activated) {
  Decision decision;
  decision.level = activated.subject.level;
  policy_.record_untracked_choice(activated.subject.state, decision);
  if (activated.reward) earn(activated.subject, *activated.reward);
}

void Learner::fold_body(const Expired& expired) {
  if (expired.default_reward) {
    earn(expired.subject, *expired.default_reward);
  } else {
    policy_.record_withdrawal(expired.subject.state, expired.subject.level);
  }
}

void Learner::fold_body(const Imported& imported) {
  policy_.record_reward(imported.states, imported.rewards);
}

void Learner::earn(const Subject& subject, double reward) {
  totals_.reward += reward;
  if (std::isfinite(subject.upper)) totals_.estimated_regret += subject.upper - reward;
  policy_.record_reward(subject.state, subject.level, reward);
}

void Learner::write(ByteWriter& out) const {
  out.integer(version_);
  put(out, totals_.counts);
  out.number(totals_.reward);
  out.number(totals_.estimated_regret);
  out.integer(static_cast<std::uint64_t>(totals_.time));
  put(out, totals_.degraded.has_value());
  if (totals_.degraded) {
    out.integer(totals_.degraded->skipped);
    out.integer(totals_.degraded->seq);
    out.text(totals_.degraded->message);
  }
  history_.write(out);
  out.text(save_policy(policy_));
}

Learner Learner::read(ByteReader& in, const Created& created) {
  Learner learner(created);
  learner.version_ = in.integer();
  learner.totals_.counts = get_counts(in);
  learner.totals_.reward = in.number();
  learner.totals_.estimated_regret = in.number();
  learner.totals_.time = static_cast<std::int64_t>(in.integer());
  if (get_flag(in)) {
    Degraded degraded;
    degraded.skipped = in.integer();
    degraded.seq = in.integer();
    degraded.message = in.text();
    learner.totals_.degraded = std::move(degraded);
  }
  learner.history_.read(in);
  learner.policy_ = load_policy(in.text(), learner.policy_.spec());
  return learner;
}

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
