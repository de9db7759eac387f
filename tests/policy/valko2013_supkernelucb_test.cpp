#include "ridgerunner/policy/valko2013_supkernelucb.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "kernel/message_of.h"
#include "oracles/problems.h"
#include "ridgerunner/bounds/abbasi2012_self_normalized.h"
#include "ridgerunner/bounds/fixed.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/levelled.h"

namespace ridgerunner::valko2013_supkernelucb_test {
namespace {

using oracle::uniform_points;

struct Setting {
  double horizon, ridge;
  BoundPtr bound;
};

// The algorithm as it is written, with sets of rounds and a dense solve for each level.
class Textbook {
 public:
  Textbook(const Setting& setting, KernelPtr kernel)
      : setting_(setting), kernel_(std::move(kernel)), sets_(levels() + 1) {}

  struct Choice {
    Index index;
    int level;
    double mean, sd, propensity;
  };

  Choice choose(const Matrix& candidates, Stream random) const {
    std::set<Index> a;
    for (Index i = 0; i < candidates.cols(); ++i) a.insert(i);
    for (std::size_t s = 1;; ++s) {
      if (s > levels()) throw std::logic_error("the levels are exhausted");
      std::map<Index, double> mean, sd, w;
      const double radius = regress(s, candidates, a, mean, sd);
      for (const Index i : a) w[i] = radius * sd[i];
      const auto all_at_most = [&](double x) {
        return std::all_of(w.begin(), w.end(), [&](const auto& one) { return one.second <= x; });
      };
      const auto higher = [&](Index i, Index j) { return mean[i] + w[i] < mean[j] + w[j]; };
      const Index best = *std::max_element(a.begin(), a.end(), higher);
      if (all_at_most(1 / std::sqrt(setting_.horizon))) return {best, kNoLevel, mean[best], sd[best], 1};
      const double power = std::pow(2.0, -static_cast<double>(s));
      if (all_at_most(power)) {
        std::set<Index> next;
        for (const Index i : a) {
          if (mean[i] + w[i] >= mean[best] + w[best] - 2 * power) next.insert(i);
        }
        a = next;
        continue;
      }
      std::vector<Index> wide;
      for (const Index i : a) {
        if (w[i] > power) wide.push_back(i);
      }
      const auto n = static_cast<std::int64_t>(wide.size());
      const Index chosen = wide[static_cast<std::size_t>(random.index(n))];
      return {chosen, static_cast<int>(s), mean[chosen], sd[chosen], 1 / static_cast<double>(n)};
    }
  }

  void learn(const Vector& state, double reward, int level) {
    if (level != kNoLevel) sets_[static_cast<std::size_t>(level)].push_back(std::ssize(states_));
    states_.push_back(state);
    rewards_.push_back(reward);
  }

  const std::vector<std::vector<Index>>& sets() const { return sets_; }

 private:
  std::size_t levels() const { return static_cast<std::size_t>(std::ceil(std::log(setting_.horizon))); }

  // Gives back the radius.
  double regress(std::size_t level, const Matrix& candidates, const std::set<Index>& a,
                 std::map<Index, double>& mean, std::map<Index, double>& sd) const {
    const std::vector<Index>& psi = sets_[level];
    const Index n = std::ssize(psi);
    Matrix x(candidates.rows(), n), k(n, n);
    Vector y(n);
    for (Index i = 0; i < n; ++i) {
      const auto round = static_cast<std::size_t>(psi[static_cast<std::size_t>(i)]);
      x.col(i) = states_[round];
      y[i] = rewards_[round];
    }
    if (n > 0) kernel_->gram(x, x, k);
    const Eigen::PartialPivLU<Matrix> solver(k + setting_.ridge * Matrix::Identity(n, n));
    for (const Index i : a) {
      Vector cross(n);
      if (n > 0) kernel_->gram(x, candidates.col(i), cross);
      const double prior = diagonal(*kernel_, candidates.col(i))[0];
      mean[i] = n > 0 ? cross.dot(solver.solve(y)) : 0;
      sd[i] = std::sqrt((prior - (n > 0 ? cross.dot(solver.solve(cross)) : 0)) / setting_.ridge);
    }
    Evidence evidence;
    evidence.rounds = n;
    evidence.ridge = setting_.ridge;
    if (n > 0) {
      const Matrix raised = Matrix::Identity(n, n) + k / setting_.ridge;
      evidence.log_determinant = std::log(Eigen::PartialPivLU<Matrix>(raised).determinant());
    }
    return *setting_.bound->radius(evidence);
  }

  Setting setting_;
  KernelPtr kernel_;
  std::vector<std::vector<Index>> sets_;  // of rounds, by level
  std::vector<Vector> states_;
  std::vector<double> rewards_;
};

LevelledRegression models(const Setting& setting, const KernelPtr& kernel) {
  return LevelledRegression(supkernelucb_levels(setting.horizon),
                            [&] { return std::make_unique<ExactRegression>(kernel, setting.ridge); });
}

double reward_at(const VectorIn& state, Stream& random) {
  return std::sin(5 * state[0]) * state[1] + 0.1 * random.normal();
}

struct Trace {
  std::vector<Decision> picks;
  std::vector<Index> rounds;  // by level, from 1
};

Trace run(const Setting& setting, int rounds, std::uint64_t seed) {
  LevelledRegression regression = models(setting, gaussian(0.4));
  const RulePtr rule = supkernelucb_rule(setting.horizon);
  Trace trace;
  Workspace workspace;
  for (int t = 0; t < rounds; ++t) {
    Stream random(99, Purpose::test, static_cast<std::uint64_t>(t));
    const Matrix states = uniform_points(random, 2, 8);
    const Stream choice(seed, Purpose::choice, static_cast<std::uint64_t>(t));
    const Decision pick =
        rule->pick({{states, false}, regression, *setting.bound, regression.evidence()}, choice, workspace)
            .decision;
    const Vector state = states.col(pick.index);
    regression.rewarded(state, pick.level, reward_at(state, random), workspace);
    trace.picks.push_back(pick);
  }
  for (int level = 1; level <= regression.levels(); ++level)
    trace.rounds.push_back(regression.level(level).evidence().rounds);
  return trace;
}

std::vector<Setting> settings() {
  return {{300, 1, fixed_bound(0.1)},
          {300, 0.1, fixed_bound(0.3)},
          {60, 1, fixed_bound(0.4)},
          {300, 0.01, self_normalized_bound({0.1, 1, 0.1})}};
}

TEST(SupKernelUcb, MakesEveryDecisionOfTheTextbookAlgorithm) {
  std::map<int, int> plays;
  for (const Setting& setting : settings()) {
    Textbook textbook(setting, gaussian(0.4));
    const Trace trace = run(setting, 300, 5);
    for (int t = 0; t < 300; ++t) {
      Stream random(99, Purpose::test, static_cast<std::uint64_t>(t));
      const Matrix states = uniform_points(random, 2, 8);
      const auto expected =
          textbook.choose(states, Stream(5, Purpose::choice, static_cast<std::uint64_t>(t)));
      const Decision& pick = trace.picks[static_cast<std::size_t>(t)];
      ASSERT_EQ(pick.index, expected.index) << "round " << t;
      ASSERT_EQ(pick.level, expected.level) << "round " << t;
      ASSERT_EQ(pick.propensity, expected.propensity) << "round " << t;
      ASSERT_NEAR(pick.mean, expected.mean, 1e-9);
      ASSERT_NEAR(pick.sd, expected.sd, 1e-7);
      textbook.learn(states.col(expected.index), reward_at(states.col(expected.index), random),
                     expected.level);
      ++plays[expected.level];
    }
    for (std::size_t level = 1; level < textbook.sets().size(); ++level)
      EXPECT_EQ(trace.rounds[level - 1], std::ssize(textbook.sets()[level])) << "level " << level;
  }
  // Every branch was taken: sure plays, and exploration at several levels.
  EXPECT_GT(plays[kNoLevel], 20);
  EXPECT_GE(plays.size(), 4u);
}

TEST(SupKernelUcb, EndsForEveryHorizon) {
  for (const double horizon : {1.0, 1.0001, 2.0, 2.7182818, 2.7182819, 7.0, 20.0, 1e3, 1e9, 1e300}) {
    EXPECT_LT(std::ldexp(1.0, -supkernelucb_levels(horizon)), 1 / std::sqrt(horizon)) << horizon;
    // The smallest radii go through all levels, the largest through none.
    for (const double radius : {0.0, 1e-200, 1e-9, 0.01, 0.3, 1e3}) {
      EXPECT_EQ(run({horizon, 1, fixed_bound(radius)}, 10, 1).picks.size(), 10u);
    }
  }
}

TEST(SupKernelUcb, HasAsManyLevelsAsTheLogarithmOfTheHorizonRoundedUp) {
  EXPECT_EQ(supkernelucb_levels(1), 1);
  EXPECT_EQ(supkernelucb_levels(2), 1);
  EXPECT_EQ(supkernelucb_levels(3), 2);
  EXPECT_EQ(supkernelucb_levels(1000), 7);
  EXPECT_EQ(supkernelucb_levels(2000), 8);
  EXPECT_EQ(message_of<InvalidArgument>([] { supkernelucb_levels(0.5); }), "horizon must be >= 1, got 0.5");
  EXPECT_EQ(message_of<InvalidArgument>([] { supkernelucb_rule(std::nan("")); }),
            "horizon must be >= 1, got nan");
}

TEST(SupKernelUcb, PlaysAtRandomAmongTheUncertainWithEqualPropensity) {
  // Without data every candidate has w = radius = 1 > 1/2.
  const Setting setting{100, 1, fixed_bound(1)};
  const LevelledRegression regression = models(setting, gaussian(0.4));
  const Matrix states{{0, 1, 2, 3}};
  std::map<Index, int> count;
  Workspace workspace;
  for (std::uint64_t step = 0; step < 4000; ++step) {
    const Decision pick = supkernelucb_rule(100)
                              ->pick({{states, false}, regression, *setting.bound, regression.evidence()},
                                     Stream(1, Purpose::choice, step), workspace)
                              .decision;
    EXPECT_EQ(pick.propensity, 0.25);
    EXPECT_EQ(pick.level, 1);
    EXPECT_EQ(pick.mean, 0);
    EXPECT_EQ(pick.sd, 1);
    ++count[pick.index];
  }
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(count[i], 1000, 130);  // 4.7 standard deviations
}

TEST(SupKernelUcb, LeavesOutWhoIsKnownWellEnough) {
  const Setting setting{100, 1, fixed_bound(1)};
  LevelledRegression regression = models(setting, gaussian(0.1));
  for (int i = 0; i < 8; ++i) regression.observe(Vector::Zero(1), Vector::Ones(1));  // plain data: all levels
  Workspace workspace;
  for (std::uint64_t step = 0; step < 50; ++step) {
    const Decision pick =
        supkernelucb_rule(100)
            ->pick({{Matrix{{0, 1, 2}}, false}, regression, *setting.bound, regression.evidence()},
                   Stream(1, Purpose::choice, step), workspace)
            .decision;
    EXPECT_NE(pick.index, 0);  // w = 1/3
    EXPECT_EQ(pick.propensity, 0.5);
  }
}

TEST(SupKernelUcb, TiesGoToTheLowestIndex) {
  const Setting setting{100, 1, fixed_bound(0.01)};
  const LevelledRegression regression = models(setting, gaussian(0.1));
  Workspace workspace;
  const Decision pick =
      supkernelucb_rule(100)
          ->pick({{Matrix{{3, 1, 2}}, false}, regression, *setting.bound, regression.evidence()},
                 Stream(1, Purpose::choice), workspace)
          .decision;
  EXPECT_EQ(pick.index, 0);
  EXPECT_EQ(pick.level, kNoLevel);
  EXPECT_EQ(pick.propensity, 1);
}

TEST(SupKernelUcb, DropsCandidatesFarBelowTheBest) {
  // Level 1 knows that 0 pays 3 and 1 pays 0, both to within 1/2, and drops the latter; at level 2, which
  // knows nothing, only the former is left to explore.
  const Setting setting{100, 1, fixed_bound(0.5)};
  LevelledRegression regression = models(setting, gaussian(0.1));
  Workspace workspace;
  for (int i = 0; i < 20; ++i) {
    for (const double x : {0.0, 1.0}) {
      regression.rewarded(Vector::Constant(1, x), 1, x == 0 ? 3 : 0, workspace);
    }
  }
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Decision pick =
        supkernelucb_rule(100)
            ->pick({{Matrix{{1, 0}}, false}, regression, *setting.bound, regression.evidence()},
                   Stream(1, Purpose::choice, step), workspace)
            .decision;
    EXPECT_EQ(pick.index, 1);
    EXPECT_EQ(pick.level, 2);
    EXPECT_EQ(pick.propensity, 1);
    EXPECT_EQ(pick.mean, 0);
  }
}

TEST(SupKernelUcb, TheSameSeedMakesTheSameRunAndAnotherSeedAnother) {
  const auto indices = [](const Trace& trace) {
    std::vector<Index> result;
    for (const Decision& pick : trace.picks) result.push_back(pick.index);
    return result;
  };
  const Setting setting = settings()[1];
  EXPECT_EQ(indices(run(setting, 50, 1)), indices(run(setting, 50, 1)));
  EXPECT_NE(indices(run(setting, 50, 1)), indices(run(setting, 50, 2)));
}

TEST(SupKernelUcb, RefusesRegressionsWithoutLevelsOrWithTooFew) {
  const ExactRegression exact(gaussian(0.1), 1);
  const Setting setting{3, 1, fixed_bound(1)};
  const LevelledRegression few = models(setting, gaussian(0.1));
  Workspace workspace;
  const auto pick = [&](const Regression& regression) {
    supkernelucb_rule(1000)->pick(
        {{Matrix{{0, 1}}, false}, regression, *setting.bound, regression.evidence()},
        Stream(1, Purpose::choice), workspace);
  };
  EXPECT_EQ(message_of<InvalidArgument>([&] { pick(exact); }),
            "supkernelucb needs a regression in levels, got one without");
  EXPECT_EQ(message_of<InvalidArgument>([&] { pick(few); }),
            "supkernelucb needs 7 levels for its horizon, got 2");
}

}  // namespace
}  // namespace ridgerunner::valko2013_supkernelucb_test
