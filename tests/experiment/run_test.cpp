#include "ridgerunner/experiment/run.h"

#include <cmath>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::run_test {
namespace {

// Two far-apart arms worth 1 and 3 in even rounds, 2 and -1 in odd ones; the noise alternates +-0.25.
class Recorded final : public Environment {
 public:
  explicit Recorded(std::optional<double> ceiling = std::nullopt) {
    facts_.dimension = 1;
    facts_.ceiling = ceiling;
  }
  const Facts& facts() const override { return facts_; }
  void offer(std::uint64_t round, Offer& out) const override {
    out.states.resize(1, 2);
    out.states << 0, 100;
    out.expected.resize(2);
    if (round % 2 == 0) {
      out.expected << 1, 3;
    } else {
      out.expected << 2, -1;
    }
  }
  double noise(std::uint64_t round) const override { return round % 2 == 0 ? 0.25 : -0.25; }

 private:
  Facts facts_;
};

double no_clock() {
  return 0;
}

Policy lowest_first() {
  Spec spec = preset("kernel-ucb");
  spec.bound.set("radius", 0);  // nobody is curious
  return Policy(spec);
}

TEST(Checkpoints, AreAllRoundsOfAShortRun) {
  EXPECT_EQ(checkpoints(1), std::vector<std::int64_t>{1});
  EXPECT_EQ(checkpoints(4), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(checkpoints(500).size(), 500u);
}

TEST(Checkpoints, RiseToTheHorizonInEvenSteps) {
  for (const std::int64_t horizon : {501, 999, 1000, 12345, 10'000'000}) {
    const auto rounds = checkpoints(horizon);
    ASSERT_EQ(rounds.size(), 500u);
    EXPECT_EQ(rounds.back(), horizon);
    EXPECT_GE(rounds.front(), 1);
    for (std::size_t i = 1; i < rounds.size(); ++i) {
      const double step = static_cast<double>(rounds[i] - rounds[i - 1]);
      EXPECT_NEAR(step, static_cast<double>(horizon) / 500, 1);
      EXPECT_GE(step, 1);
    }
  }
}

TEST(Run, RegretAndRewardAreAsCountedByHand) {
  // The first choice is arm 0, with reward 1.25 > 0, the mean at arm 1; it stays there.
  // Round:    0     1     2     3
  // expected  1     2     1     2     best  3  2  3  2    so regret 2 2 4 4
  // received  1.25  1.75  1.25  1.75
  const auto trajectory = run(lowest_first(), Recorded(), 4, no_clock);
  ASSERT_TRUE(trajectory);
  EXPECT_EQ(trajectory->regret, (std::vector<double>{2, 2, 4, 4}));
  EXPECT_EQ(trajectory->reward, (std::vector<double>{1.25, 3, 4.25, 6}));
  EXPECT_EQ(trajectory->seconds, (std::vector<double>{0, 0, 0, 0}));
  EXPECT_TRUE(trajectory->ceiling_regret.empty());
  EXPECT_EQ(trajectory->anchors, (std::vector<double>{1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(trajectory->log_determinant, std::log(5));  // four times the same state, ridge 1
  EXPECT_EQ(trajectory->clamped, 0u);
}

TEST(Run, RegretToTheCeilingIsAsCountedByHand) {
  const auto trajectory = run(lowest_first(), Recorded(5), 4, no_clock);
  ASSERT_TRUE(trajectory);
  EXPECT_EQ(trajectory->ceiling_regret, (std::vector<double>{4, 7, 11, 14}));
  EXPECT_EQ(trajectory->regret, (std::vector<double>{2, 2, 4, 4}));
}

TEST(Run, APolicyWithArmsOfItsOwnChoosesAmongThem) {
  Spec spec = preset("kernel-ucb");
  spec.bound.set("radius", 0);
  spec.arms = Matrix(1, 2);
  *spec.arms << 0, 100;
  const auto trajectory = run(Policy(spec), Recorded(), 4, no_clock);
  ASSERT_TRUE(trajectory);
  EXPECT_EQ(trajectory->regret, (std::vector<double>{2, 2, 4, 4}));
}

TEST(Run, OnlyDecidingAndLearningCountAsTime) {
  double now = 0;
  const auto trajectory = run(lowest_first(), Recorded(), 3, [&] { return now += 1; });
  ASSERT_TRUE(trajectory);
  EXPECT_EQ(trajectory->seconds, (std::vector<double>{1, 2, 3}));
}

TEST(Run, EndsWithNothingWhenToldTo) {
  int asked = 0;
  EXPECT_FALSE(run(lowest_first(), Recorded(), 10, no_clock, [&] { return ++asked < 4; }));
  EXPECT_EQ(asked, 4);
}

TEST(Run, ALongRunIsRecordedAtItsCheckpoints) {
  const auto trajectory = run(lowest_first(), Recorded(), 1000, no_clock);
  ASSERT_TRUE(trajectory);
  ASSERT_EQ(trajectory->regret.size(), 500u);
  EXPECT_EQ(trajectory->regret.back(), 1000);  // 2 in every second round
  EXPECT_EQ(trajectory->regret[0], 2);         // after two rounds
  EXPECT_EQ(trajectory->regret[249], 500);
}

TEST(Run, LeavesThePolicyItWasGivenAlone) {
  Policy policy = lowest_first();
  run(policy, Recorded(), 5, no_clock);
  EXPECT_EQ(policy.statistics().decisions, 0u);
}

TEST(Run, AHorizonOfNothingIsRefused) {
  EXPECT_THROW(run(lowest_first(), Recorded(), 0, no_clock), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::run_test
