#pragma once

#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// What a policy chooses among what is offered. Pure. Throws InvalidArgument for what cannot be offered.
Decision choose(const Policy& policy, const Offered& offered, std::uint64_t number, Workspace& workspace);

// All that is offered as states, excluded ones too. d x n.
Matrix states_of(const Spec& spec, const Offered& offered);

// One of them.
Vector state_of(const Spec& spec, const Offered& offered, Index index);

// The first of the states that cannot be computed with, since k(s, s) is not finite or far too large; none if
// all can. Throws InvalidArgument for states that the kernel does not take.
struct Oversized {
  Index index;
  std::string message;
};
std::optional<Oversized> find_oversized(const Kernel& kernel, const MatrixIn& states);

}  // namespace ridgerunner::service
