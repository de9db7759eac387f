#pragma once

#include "ridgerunner/service/experiment/ledger.h"
#include "ridgerunner/service/log/event_bytes.h"

namespace ridgerunner::service {

// What snapshots hold beside parts of events, as bytes.

void put(ByteWriter& out, const Counts& counts);
void put(ByteWriter& out, const Pending& pending);
void put(ByteWriter& out, const DecisionView& view);
Counts get_counts(ByteReader& in);
Pending get_pending(ByteReader& in);
DecisionView get_decision_view(ByteReader& in);

}  // namespace ridgerunner::service
