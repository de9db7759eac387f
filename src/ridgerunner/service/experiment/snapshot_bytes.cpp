#include "ridgerunner/service/experiment/snapshot_bytes.h"

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {
namespace {

void put_time(ByteWriter& out, std::int64_t time) {
  out.integer(static_cast<std::uint64_t>(time));
}

}  // namespace

void put(ByteWriter& out, const Counts& counts) {
  for (const std::uint64_t number : {counts.decisions, counts.rewards, counts.defaulted, counts.expired,
                                     counts.imported, counts.pending, counts.deferred})
    out.integer(number);
}

void put(ByteWriter& out, const Pending& pending) {
  put(out, pending.subject);
  put_time(out, pending.time);
  put(out, pending.terms);
  put(out, pending.deadline.has_value());
  if (pending.deadline) put_time(out, *pending.deadline);
  put(out, pending.deferred);
  put(out, pending.held);
}

void put(ByteWriter& out, const DecisionView& view) {
  out.integer(view.seq);
  put_time(out, view.time);
  out.text(view.choice.event_id);
  out.text(view.choice.id);
  put(out, view.choice.decision);
  out.integer(view.choice.version);
  out.integer(static_cast<std::uint64_t>(view.candidates));
  out.integer(static_cast<std::uint64_t>(view.outcome));
  put(out, view.reward);
}

Counts get_counts(ByteReader& in) {
  Counts counts;
  for (std::uint64_t* number : {&counts.decisions, &counts.rewards, &counts.defaulted, &counts.expired,
                                &counts.imported, &counts.pending, &counts.deferred})
    *number = in.integer();
  return counts;
}

Pending get_pending(ByteReader& in) {
  Pending value;
  value.subject = get_subject(in);
  value.time = static_cast<std::int64_t>(in.integer());
  value.terms = get_settings(in);
  if (get_flag(in)) value.deadline = static_cast<std::int64_t>(in.integer());
  value.deferred = get_flag(in);
  value.held = get_optional(in);
  return value;
}

DecisionView get_decision_view(ByteReader& in) {
  DecisionView value;
  value.seq = in.integer();
  value.time = static_cast<std::int64_t>(in.integer());
  value.choice.event_id = in.text();
  value.choice.id = in.text();
  value.choice.decision = get_decision(in);
  value.choice.version = in.integer();
  value.candidates = in.count();
  const std::uint64_t outcome = in.integer();
  if (outcome > static_cast<std::uint64_t>(Outcome::expired))
    throw InvalidArgument(fmt::format("an unknown outcome {}", outcome));
  value.outcome = static_cast<Outcome>(outcome);
  value.reward = get_optional(in);
  return value;
}

}  // namespace ridgerunner::service
