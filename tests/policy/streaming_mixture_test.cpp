// The presets streaming-amm-ucb, streaming-dmm-ucb and streaming-cmm-ucb.
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "ridgerunner/environment/environment_spec.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/policy.h"

namespace ridgerunner::streaming_mixture_test {
namespace {

const char* const kNames[] = {"streaming-amm-ucb", "streaming-dmm-ucb", "streaming-cmm-ucb"};

double reward(const VectorIn& state, Stream& random) {
  return std::sin(5 * state.sum()) + 0.1 * random.normal();
}

TEST(StreamingMixture, TheBandOfAChoiceIsTheBandThatIsPredicted) {
  for (const char* name : kNames) {
    Policy policy(preset(name));
    Stream random(3, Purpose::test);
    for (int t = 0; t < 40; ++t) {
      const Matrix offered = oracle::uniform_points(random, 2, 20);
      const Forecast all = policy.predict(offered);
      const Decision decision = policy.decide(offered);
      const Index i = decision.index;
      EXPECT_NEAR(decision.upper, all.upper[i], 1e-9) << name;
      EXPECT_NEAR(decision.lower, all.lower[i], 1e-9) << name;
      EXPECT_NEAR(decision.mean, all.mean[i], 1e-9) << name;
      EXPECT_NEAR(decision.sd, all.sd[i], 1e-7) << name;
      if (t > 0) {
        EXPECT_NEAR(decision.upper, all.upper.maxCoeff(), 1e-9) << name;
      }
      policy.observe(offered.col(i), reward(offered.col(i), random));
    }
    EXPECT_LT(policy.statistics().evidence.anchors, 40);
  }
}

TEST(StreamingMixture, FixedArmsAreChosenLikeTheSameCandidates) {
  Stream random(4, Purpose::test);
  const Matrix arms = oracle::uniform_points(random, 2, 30);
  for (const char* name : kNames) {
    Spec with = preset(name);
    with.arms = arms;
    Policy fixed(with), fresh(preset(name));
    for (int t = 0; t < 60; ++t) {
      const Decision a = fixed.decide(), b = fresh.decide(arms);
      ASSERT_EQ(a.index, b.index) << name << " in round " << t;
      EXPECT_NEAR(a.upper, b.upper, 1e-6);  // cmm: residuals of 1e-16 at the smallest of ridges
      EXPECT_NEAR(a.lower, b.lower, 1e-6);
      const double y = reward(arms.col(a.index), random);
      fixed.observe(arms.col(a.index), y);
      fresh.observe(arms.col(b.index), y);
    }
  }
}

TEST(StreamingMixture, ABatchOfObservationsIsTheSameAsOneByOne) {
  Stream random(5, Purpose::test);
  const Matrix states = oracle::uniform_points(random, 2, 50), probes = oracle::uniform_points(random, 2, 10);
  const Vector rewards = oracle::normals(random, 50, 0.3);
  for (const char* name : kNames) {
    Policy at_once(preset(name)), one_by_one(preset(name));
    at_once.observe(states, rewards);
    for (Index i = 0; i < 50; ++i) one_by_one.observe(states.col(i), rewards[i]);
    EXPECT_EQ(at_once.predict(probes).upper, one_by_one.predict(probes).upper);
    EXPECT_EQ(at_once.predict(probes).lower, one_by_one.predict(probes).lower);
  }
}

TEST(StreamingMixture, FeaturesThatAreNotThoseOnArrivalAreRefused) {
  for (const char* name : kNames) {
    Spec spec = preset(name);
    EXPECT_TRUE(spec.regression.arrival_features);
    EXPECT_EQ(spec.regression.ridge, 0.1 * 0.1);
    spec.regression.arrival_features = false;
    EXPECT_THROW(validate(spec), InvalidArgument) << name;
    spec.regression.arrival_features = true;
    spec.regression.dictionary.choose("kors");
    EXPECT_NO_THROW(validate(spec)) << name;
    spec.regression.dictionary.choose("bkb");
    EXPECT_THROW(validate(spec), InvalidArgument) << name;
  }
}

// On the problem of Flynn & Reeb; the slow test goes to T = 2000.
TEST(StreamingMixture, TheBandIsHardlyWiderThanThatOfTheExactAmm) {
  EnvironmentSpec problem = default_environment(EnvironmentType::rkhs_sample);
  problem.kernel.type = KernelType::gaussian;
  problem.kernel.lengthscale = {0.5};
  const EnvironmentPtr environment = make_environment(problem, 1);
  Spec streaming = preset("streaming-amm-ucb"), exact = preset("amm-ucb");
  streaming.kernel = exact.kernel = environment->facts().kernel;
  Policy ours(streaming), reference(exact);
  Offer offer;
  for (std::uint64_t t = 0; t < 250; ++t) {
    environment->offer(t, offer);
    const Index chosen = ours.decide(offer.states).index;
    const double y = offer.expected[chosen] + environment->noise(t);
    ours.observe(offer.states.col(chosen), y);
    reference.observe(offer.states.col(chosen), y);
  }
  const Forecast a = ours.predict(offer.states), b = reference.predict(offer.states);
  const double ratio = (a.upper - a.lower).mean() / (b.upper - b.lower).mean();
  EXPECT_GT(ratio, 0.999);
  EXPECT_LT(ratio, 1.05);
  EXPECT_LT(ours.statistics().evidence.anchors, 150);
}

}  // namespace
}  // namespace ridgerunner::streaming_mixture_test
