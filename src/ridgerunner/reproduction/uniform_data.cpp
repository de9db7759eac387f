#include "ridgerunner/reproduction/uniform_data.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ridgerunner/error.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {

UniformData::UniformData(EnvironmentPtr environment, std::uint64_t seed)
    : environment_(std::move(environment)), seed_(seed) {
  if (!environment_->facts().fixed_arms || environment_->facts().dimension != 1)
    throw InvalidArgument("environment must have fixed arms on the line");
  Offer offer;
  environment_->offer(0, offer);
  std::vector<Index> order(static_cast<std::size_t>(offer.states.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return offer.states(0, a) < offer.states(0, b); });
  arms_ = {offer.states(Eigen::all, order), offer.expected(order)};
}

UniformData::Observation UniformData::at(std::uint64_t round) const {
  const Index arm = Stream(seed_, Purpose::context, round).index(arms_.states.cols());
  return {arms_.states.col(arm), arms_.expected[arm] + environment_->noise(round)};
}

}  // namespace ridgerunner
