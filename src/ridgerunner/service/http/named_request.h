#pragma once

#include "ridgerunner/features/encoder.h"
#include "ridgerunner/service/log/event.h"
#include "ridgerunner/service/log/json_reader.h"

namespace ridgerunner::service {

// Requests to experiments whose spec has features: values by name become the numbers of today's requests.
// What cannot be is a Refusal (bad_request) with the field. Include from .cpp files only.

// The context's and the actions' columns, and the ids; those are not looked at yet.
void read_named_offer(const Encoder& encoder, const Field& context, const Field& actions, Offered& offered);

Matrix read_named_states(const Encoder& encoder, const Field& context, const Field& actions);  // d x n
Vector read_named_state(const Encoder& encoder, const Field& context, const Field& action);

}  // namespace ridgerunner::service
