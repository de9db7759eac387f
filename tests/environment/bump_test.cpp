#include "ridgerunner/environment/bump.h"

#include <gtest/gtest.h>

#include "ridgerunner/environment/anchored.h"

namespace ridgerunner::bump_test {
namespace {

Vector context(double a, double b, double c, double d, double e) {
  Vector x(5);
  x << a, b, c, d, e;
  return x;
}

Bump authors() {
  return draw_bump(Draw::paper, Vector::Zero(10), 1);
}

TEST(Bump, IsOneAtTheAuthorsOptimumAndFallsWithTheDistanceOfTheAction) {
  const Vector origin = context(0.1085, 0.5117, 0.9098, 0.2184, 0.3631);
  EXPECT_EQ(authors().reward(origin, 0.81), 1);
  EXPECT_NEAR(authors().reward(origin, 0.82), 0.99, 1e-15);
  EXPECT_NEAR(authors().reward(origin, 0.70), 0.89, 1e-15);
  EXPECT_NEAR(authors().reward(origin, 0), 0.19, 1e-15);
}

TEST(Bump, FollowsTheSlopeOfTheContext) {
  // <w*, x*> = -0.1058205, so <w*, 0 - x*> = 0.1058205.
  EXPECT_NEAR(authors().reward(Vector::Zero(5), 0.81), 0.8941795, 1e-14);
  EXPECT_NEAR(authors().reward(Vector::Zero(5), 0.04), 0.1241795, 1e-14);
  // w* sums to 0.1415 over all five entries.
  EXPECT_NEAR(authors().reward(Vector::Ones(5), 0.81), 0.7526795, 1e-14);
}

TEST(Bump, ExceedsOneWhereTheSlopeSaysSo) {
  EXPECT_NEAR(authors().reward(context(0, 0, 1, 1, 1), 0.81), 1.8853795, 1e-14);
}

TEST(Bump, IsNeverNegative) {
  EXPECT_EQ(authors().reward(context(1, 1, 0, 0, 0), 0.81), 0);
  EXPECT_EQ(authors().reward(context(1, 1, 0, 0, 0), 0), 0);
}

TEST(Bump, FreshDrawsTakeTheirOptimumAmongTheAnchorsAndStayInRange) {
  bool negative = false, positive = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vector anchors = action_anchors(Draw::fresh, 10, seed);
    const Bump bump = draw_bump(Draw::fresh, anchors, seed);
    EXPECT_TRUE((anchors.array() == bump.best_action).any());
    EXPECT_TRUE((bump.origin.array() >= 0).all() && (bump.origin.array() < 1).all());
    EXPECT_TRUE((bump.slope.array() >= -1).all() && (bump.slope.array() < 1).all());
    negative = negative || bump.slope.minCoeff() < -0.9;
    positive = positive || bump.slope.maxCoeff() > 0.9;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Bump, OffersTheRewardsOfItsDraw) {
  for (const Draw draw : {Draw::fresh, Draw::paper}) {
    EnvironmentSpec spec = default_environment(EnvironmentType::bump);
    spec.draw = draw;
    const Bump bump = draw_bump(draw, action_anchors(draw, 10, 31), 31);
    Offer out;
    make_environment(spec, 31)->offer(2, out);
    for (Index i = 0; i < 10; ++i) {
      EXPECT_EQ(out.expected[i], bump.reward(out.states.col(i).head(5), out.states(5, i)));
    }
  }
}

}  // namespace
}  // namespace ridgerunner::bump_test
