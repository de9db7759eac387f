#include "ridgerunner/service/experiment/choosing.h"

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner::service {
namespace {

constexpr double kMostPrior = 1e290;  // sums of such are still numbers

// The positions that are left, of `count`.
std::vector<Index> without(const std::vector<Index>& excluded, Index count) {
  if (excluded.back() >= count)
    throw InvalidArgument(fmt::format("excluded names action {} of {}", excluded.back(), count));
  std::vector<Index> kept;
  auto next = excluded.begin();
  for (Index i = 0; i < count; ++i) {
    if (next != excluded.end() && *next == i) {
      ++next;
    } else {
      kept.push_back(i);
    }
  }
  if (kept.empty()) throw InvalidArgument("excluded leaves no action");
  return kept;
}

}  // namespace

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

Vector state_of(const Spec& spec, const Offered& offered, Index index) {
  if (offered.actions.cols() == 0) return spec.arms->col(index);
  Vector state(offered.context.size() + offered.actions.rows());
  state << offered.context, offered.actions.col(index);
  return state;
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
  const std::vector<Index> kept = without(offered.excluded, all.cols());
  Decision decision = policy.choose(all(Eigen::all, kept), random, workspace);
  decision.index = kept[static_cast<std::size_t>(decision.index)];
  return decision;
}

std::optional<Oversized> find_oversized(const Kernel& kernel, const MatrixIn& states) {
  const Vector priors = diagonal(kernel, states);
  for (Index i = 0; i < priors.size(); ++i) {
    if (!(priors[i] <= kMostPrior))
      return Oversized{i, fmt::format("has numbers too large for the kernel: k(s, s) is {}, at most {} can "
                                      "be computed with",
                                      priors[i], kMostPrior)};
  }
  return std::nullopt;
}

}  // namespace ridgerunner::service
