#include "ridgerunner/reproduction/uniform_data.h"

#include <gtest/gtest.h>

#include "ridgerunner/environment/environment_spec.h"
#include "ridgerunner/error.h"

namespace ridgerunner::uniform_data_test {
namespace {

EnvironmentSpec on_the_line() {
  EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
  spec.dimension = 1;
  spec.candidates = 5;
  spec.fixed_arms = true;
  return spec;
}

TEST(UniformData, ArmsRiseAndKeepTheirValues) {
  const EnvironmentPtr environment = make_environment(on_the_line(), 3);
  const UniformData data(environment, 3);
  Offer offer;
  environment->offer(0, offer);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_LT(i > 0 ? data.arms()(0, i - 1) : -1, data.arms()(0, i));
    Index place = 0;
    while (offer.states(0, place) != data.arms()(0, i)) ++place;
    EXPECT_EQ(data.expected()[i], offer.expected[place]);
  }
}

TEST(UniformData, EveryArmIsAsLikelyAndNoiseIsTheProblems) {
  EnvironmentSpec spec = on_the_line();
  spec.noise_sd = 0.1;
  const EnvironmentPtr environment = make_environment(spec, 3);
  const UniformData data(environment, 3);
  Vector counts = Vector::Zero(5);
  for (std::uint64_t round = 0; round < 5000; ++round) {
    const UniformData::Observation seen = data.at(round);
    Index arm = 0;
    while (data.arms()(0, arm) != seen.state[0]) ++arm;
    ++counts[arm];
    EXPECT_EQ(seen.reward, data.expected()[arm] + environment->noise(round));
  }
  EXPECT_GT(counts.minCoeff(), 1000 - 5 * 29);  // sd of a count: 28.3
  EXPECT_LT(counts.maxCoeff(), 1000 + 5 * 29);
  EXPECT_EQ(data.at(17).reward, UniformData(environment, 3).at(17).reward);
}

TEST(UniformData, OtherProblemsAreRefused) {
  EXPECT_THROW(UniformData(make_environment(default_environment(EnvironmentType::bump), 3), 3),
               InvalidArgument);
  EnvironmentSpec plane = on_the_line();
  plane.dimension = 2;
  EXPECT_THROW(UniformData(make_environment(plane, 3), 3), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::uniform_data_test
