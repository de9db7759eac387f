#include "ridgerunner/policy/policy.h"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kernel/message_of.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/regression/levelled.h"

namespace ridgerunner::policy_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix points(std::initializer_list<std::initializer_list<double>> columns) {
  Matrix result(static_cast<Index>(columns.begin()->size()), static_cast<Index>(columns.size()));
  Index j = 0;
  for (const auto& column : columns) {
    Index i = 0;
    for (const double value : column) result(i++, j) = value;
    ++j;
  }
  return result;
}

Vector vector(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

Matrix random_points(Index dimension, Index count, std::uint64_t step) {
  Stream random(1, Purpose::test, step);
  Matrix result(dimension, count);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < dimension; ++i) result(i, j) = random.uniform();
  }
  return result;
}

double reward_of(const VectorIn& state) {
  return std::sin(5 * state.sum());
}

Spec with_arms(Matrix arms, const char* name = "gp-ucb") {
  Spec spec = preset(name);
  spec.arms = std::move(arms);
  return spec;
}

// A policy with some past: observations, repeated ones and open decisions.
Policy experienced(Spec spec = preset("k-ucb")) {
  Policy policy(std::move(spec));
  const Matrix candidates = policy.spec().arms ? *policy.spec().arms : random_points(2, 5, 0);
  for (int round = 0; round < 12; ++round) {
    const Decision decision = policy.decide(candidates);
    const Vector state = candidates.col(decision.index);
    if (round % 3 != 2) policy.observe(state, reward_of(state) + 0.01 * round);
  }
  return policy;
}

template <class Error, class Call>
void expect_nothing_changes(Policy& policy, const char* what, Call call) {
  const std::string before = save_policy(policy);
  EXPECT_THROW(call(policy), Error) << what;
  EXPECT_TRUE(save_policy(policy) == before) << what << " left a trace";
}

TEST(Policy, TheFirstChoiceIsRandomWithAnEqualPropensity) {
  std::map<Index, int> counts;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Spec spec = preset("k-ucb");
    spec.seed = seed;
    const Decision decision = Policy(spec).decide(points({{0.0}, {0.5}, {1.0}, {0.2}}));
    EXPECT_EQ(decision.propensity, 0.25);
    EXPECT_EQ(decision.mean, 0);
    EXPECT_EQ(decision.sd, 1);
    EXPECT_DOUBLE_EQ(decision.upper, 0.1);
    EXPECT_DOUBLE_EQ(decision.lower, -0.1);
    ++counts[decision.index];
  }
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(counts[i], 500, 5 * std::sqrt(2000 * 0.25 * 0.75)) << i;
}

TEST(Policy, ChoicesStayRandomUntilThereAreData) {
  Policy policy("gp-ucb");
  std::map<Index, int> counts;
  for (int i = 0; i < 100; ++i) {
    const Decision decision = policy.decide(points({{0.0}, {1.0}}));
    EXPECT_EQ(decision.propensity, 0.5);
    ++counts[decision.index];
  }
  EXPECT_GT(counts[0], 20);
  EXPECT_GT(counts[1], 20);
  policy.observe(vector({0.0}), 1);
  EXPECT_EQ(policy.decide(points({{0.0}, {1.0}})).propensity, 1);
}

TEST(Policy, KernelUcbStartsWithTheLowestIndex) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Spec spec = preset("kernel-ucb");
    spec.seed = seed;
    const Decision decision = Policy(spec).decide(points({{0.3}, {0.1}, {0.9}}));
    EXPECT_EQ(decision.index, 0);
    EXPECT_EQ(decision.propensity, 1);
  }
}

TEST(Policy, TiesGoToTheLowestIndex) {
  for (const char* name : {"kernel-ucb", "gp-ucb", "greedy"}) {
    Policy policy(name);
    policy.observe(vector({0.5}), 1);
    // 1 and 3 are the same point, and so are 0 and 2, further away and with a lower upper bound for greedy.
    EXPECT_EQ(policy.decide(points({{0.5}, {0.5}, {0.5}})).index, 0) << name;
    const Index chosen = policy.decide(points({{9.0}, {0.5}, {9.0}, {0.5}})).index;
    EXPECT_TRUE(chosen == 0 || chosen == 1) << name << " chose " << chosen;
    Spec spec = with_arms(points({{9.0}, {0.5}, {9.0}, {0.5}}), name);
    Policy armed(spec);
    armed.observe(vector({0.5}), 1);
    EXPECT_EQ(armed.decide().index, chosen) << name;
  }
}

TEST(Policy, DecidesByTheDenseFormula) {
  Spec spec = preset("gp-ucb");
  spec.kernel.type = KernelType::matern32;
  Policy policy(spec);
  const Matrix states = random_points(3, 20, 1);
  Vector rewards(20);
  for (Index i = 0; i < 20; ++i) {
    rewards[i] = reward_of(states.col(i));
    policy.observe(states.col(i), rewards[i]);
  }
  const KernelPtr kernel = make_kernel(spec.kernel);
  const double ridge = spec.regression.ridge;
  Matrix k = gram(*kernel, states, states);
  const double log_determinant = std::log((Matrix::Identity(20, 20) + k / ridge).determinant());
  k.diagonal().array() += ridge;
  const Eigen::LLT<Matrix> solver(k);
  const Matrix candidates = random_points(3, 50, 2);
  const Matrix cross = gram(*kernel, states, candidates);
  const Vector mean = cross.transpose() * solver.solve(rewards);
  const Vector sd = ((Vector::Ones(50) -
                      (cross.array() * solver.solve(cross).array()).colwise().sum().matrix().transpose()) /
                     ridge)
                        .cwiseSqrt();
  const double radius = 0.1 * std::sqrt(2 * std::log(100.0) + log_determinant) + std::sqrt(ridge) * 10;
  Index best = 0;
  (mean + radius * sd).maxCoeff(&best);
  EXPECT_NEAR(*policy.statistics().radius, radius, 1e-9);
  const Forecast forecast = policy.predict(candidates);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_NEAR(forecast.mean[i], mean[i], 1e-9);
    EXPECT_NEAR(forecast.sd[i], sd[i], 1e-9);
    EXPECT_NEAR(forecast.lower[i], mean[i] - radius * sd[i], 1e-8);
    EXPECT_NEAR(forecast.upper[i], mean[i] + radius * sd[i], 1e-8);
  }
  const Decision decision = policy.decide(candidates);
  EXPECT_EQ(decision.index, best);
  EXPECT_NEAR(decision.mean, mean[best], 1e-9);
  EXPECT_NEAR(decision.sd, sd[best], 1e-9);
  EXPECT_NEAR(decision.upper, mean[best] + radius * sd[best], 1e-8);
  EXPECT_EQ(decision.propensity, 1);
}

TEST(Policy, GreedyTakesTheLargestMean) {
  Policy policy("greedy");
  policy.observe(vector({0.0}), -1);
  EXPECT_EQ(policy.decide(points({{0.0}, {0.2}, {5.0}, {0.1}})).index, 2);  // far away: mean 0
  policy.observe(vector({0.1}), 3);
  EXPECT_EQ(policy.decide(points({{0.0}, {5.0}, {0.1}})).index, 2);
}

TEST(Policy, UniformIsUniformForEver) {
  Policy policy("uniform");
  const Matrix candidates = points({{0.0}, {1.0}, {2.0}, {3.0}, {4.0}});
  std::map<Index, int> counts;
  for (int i = 0; i < 2000; ++i) {
    const Decision decision = policy.decide(candidates);
    EXPECT_EQ(decision.propensity, 0.2);
    ++counts[decision.index];
    if (i < 50) policy.observe(candidates.col(decision.index), static_cast<double>(decision.index));
  }
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(counts[i], 400, 5 * std::sqrt(2000 * 0.2 * 0.8)) << i;
  const Decision last = policy.decide(candidates);
  const Forecast forecast = policy.predict(candidates);
  EXPECT_DOUBLE_EQ(last.mean, forecast.mean[last.index]);
  EXPECT_DOUBLE_EQ(last.sd, forecast.sd[last.index]);
}

TEST(Policy, AnObservationClosesTheOldestOpenDecisionOfItsState) {
  Policy policy("kernel-ucb");
  const Matrix a = points({{0.0}}), b = points({{1.0}});
  policy.decide(a);
  policy.decide(b);
  policy.decide(a);
  EXPECT_EQ(policy.statistics().open, 3);
  policy.observe(vector({7.0}), 1);  // plain data
  EXPECT_EQ(policy.statistics().open, 3);
  policy.observe(vector({0.0}), 1);
  const auto open = policy.open_decisions().entries();
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].number, 2u);
  EXPECT_EQ(open[1].number, 3u);
  EXPECT_EQ(policy.statistics().decisions, 3u);
  EXPECT_EQ(policy.statistics().evidence.rounds, 2);
}

TEST(Policy, ABatchClosesAsManyDecisionsAsItHasStates) {
  Policy policy("kernel-ucb");
  for (int i = 0; i < 4; ++i) policy.decide(points({{0.0}}));
  policy.observe(points({{0.0}, {0.0}, {5.0}}), vector({1, 2, 3}));
  EXPECT_EQ(policy.statistics().open, 2);
}

TEST(Policy, DecisionsAreNumberedFromOne) {
  Policy policy("kernel-ucb");
  for (std::uint64_t i = 1; i <= 4; ++i) EXPECT_EQ(policy.decide(points({{0.0}, {1.0}})).number, i);
  Policy copy = policy, loaded = load_policy(save_policy(policy), policy.spec());
  for (Policy* one : {&policy, &copy, &loaded}) EXPECT_EQ(one->decide(points({{0.0}})).number, 5u);
}

// Not the order, nor the state, but the number says which decision a reward is of.
TEST(Policy, ARewardComesBackToTheNumberOfItsDecision) {
  Policy policy("kernel-ucb");
  const Decision first = policy.decide(points({{0.0}})), second = policy.decide(points({{0.0}})),
                 third = policy.decide(points({{0.5}}));
  policy.observe(second, 1);
  policy.observe(third.number, 2);
  const auto open = policy.open_decisions().entries();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].number, first.number);
  EXPECT_EQ(policy.statistics().evidence.rounds, 2);
  EXPECT_EQ(policy.statistics().evidence.sum_of_squares, 5);
}

TEST(Policy, AWithdrawnDecisionLeavesNothingToLearn) {
  Policy policy("k-ucb");
  const Decision decision = policy.decide(points({{0.0}, {1.0}}));
  policy.withdraw(decision);
  EXPECT_EQ(policy.statistics().open, 0);
  EXPECT_EQ(policy.statistics().evidence.rounds, 0);
  EXPECT_EQ(policy.statistics().decisions, 1u);
}

TEST(Policy, NumbersThatAreNotOpenAreRefusedAndChangeNothing) {
  for (const char* name : {"k-ucb", "supk-ucb", "bbkb", "ek-ucb"}) {
    for (const bool arms : {false, true}) {
      Spec spec = preset(name);
      if (arms) spec.arms = random_points(2, 6, 0);
      Policy policy = experienced(spec);
      const Decision closed = policy.decide(random_points(2, 6, 0));
      policy.observe(closed, 1);
      const Decision withdrawn = policy.decide(random_points(2, 6, 0));
      policy.withdraw(withdrawn.number);
      for (const std::uint64_t number :
           {std::uint64_t{0}, closed.number, withdrawn.number, std::uint64_t{99}}) {
        expect_nothing_changes<InvalidArgument>(policy, name, [&](Policy& p) { p.observe(number, 1); });
        expect_nothing_changes<InvalidArgument>(policy, name, [&](Policy& p) { p.withdraw(number); });
      }
      const Decision open = policy.decide(random_points(2, 6, 0));
      for (const double reward : {kNaN, kInfinity, 1e200})
        expect_nothing_changes<InvalidArgument>(policy, name, [&](Policy& p) { p.observe(open, reward); });
      EXPECT_NO_THROW(policy.observe(open, 0.5));
    }
  }
  Policy policy("k-ucb");
  EXPECT_EQ(message_of<InvalidArgument>([&] { policy.observe(std::uint64_t{3}, 1); }),
            "decision 3 is not open: there were 0 decisions");
  policy.withdraw(policy.decide(points({{0.0}})));
  EXPECT_EQ(message_of<InvalidArgument>([&] { policy.withdraw(1); }),
            "decision 1 is not open: its reward came, or it was withdrawn");
}

// What a level learns, by the number of its decision; the same state was chosen at several levels.
TEST(Policy, ARewardGoesToTheLevelOfItsDecision) {
  Spec spec = with_arms(random_points(2, 4, 3), "supk-ucb");
  spec.bound.set("radius", 0.6);
  Policy policy(spec);
  std::map<int, Index> rewarded;
  std::vector<Decision> waiting;
  Stream random(8, Purpose::test);
  for (int round = 0; round < 120; ++round) {
    waiting.push_back(policy.decide());
    if (waiting.size() < 6) continue;
    const auto at = static_cast<std::size_t>(random.index(6));
    if (round % 3 == 0) {
      policy.withdraw(waiting[at]);
    } else {
      policy.observe(waiting[at], random.normal());
      ++rewarded[waiting[at].level];
    }
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const auto& models = dynamic_cast<const LevelledRegression&>(policy.regression());
  EXPECT_GE(rewarded.size(), 3u);
  for (int level = 1; level <= models.levels(); ++level)
    EXPECT_EQ(models.level(level).evidence().rounds, rewarded[level]) << level;
}

TEST(Policy, ACallerWhoKeepsTheOpenDecisionsHimselfGetsTheSameModel) {
  for (const char* name : {"supk-ucb", "bbkb", "k-ucb", "ek-ucb"}) {
    const Spec spec = with_arms(random_points(2, 5, 3), name);
    Policy keeps(spec), told(spec);
    std::vector<Decision> waiting;
    for (int round = 0; round < 60; ++round) {
      Workspace workspace;
      const Decision chosen = told.choose_arm(told.randomness(), workspace);
      told.record_untracked_choice(spec.arms->col(chosen.index), chosen);
      waiting.push_back(keeps.decide());
      ASSERT_EQ(waiting.back().index, chosen.index) << name;
      if (waiting.size() < 4) continue;
      const Decision next = waiting[round % 4];
      waiting.erase(waiting.begin() + round % 4);
      const Vector state = spec.arms->col(next.index);
      if (round % 5 == 0) {
        keeps.withdraw(next);
        told.record_withdrawal(state, next.level);
      } else {
        keeps.observe(next, 0.1 * round);
        told.record_reward(state, next.level, 0.1 * round);
      }
    }
    EXPECT_EQ(told.statistics().open, 0);
    EXPECT_EQ(keeps.predict(*spec.arms).mean, told.predict(*spec.arms).mean) << name;
    EXPECT_EQ(keeps.predict(*spec.arms).sd, told.predict(*spec.arms).sd) << name;
    EXPECT_EQ(keeps.statistics().evidence.log_determinant, told.statistics().evidence.log_determinant);
  }
}

// Observing what was decided costs kernel values of the new state with itself only.
TEST(Policy, ObservingTheDecisionNeedsNoSolve) {
  int calls = 0;
  const KernelPtr kernel = callable([&](const VectorIn& x, const VectorIn& y) {
    ++calls;
    return std::exp(-(x - y).squaredNorm());
  });
  Policy policy(preset("gp-ucb"), kernel);
  for (std::uint64_t i = 0; i < 30; ++i) policy.observe(random_points(2, 1, i).col(0), 0.1);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Decision decision = policy.decide(random_points(2, 6, 100 + i));
    calls = 0;
    policy.observe(decision, 0.3);
    EXPECT_EQ(calls, 1) << "k(s, s), and nothing between the data and s";
    EXPECT_NO_THROW(policy.predict(random_points(2, 3, i)));
  }
  const Decision decision = policy.decide(random_points(2, 6, 300));
  policy.observe(vector({0.9, 0.8}), 1);  // another state first: what was solved is of no use any more
  calls = 0;
  policy.observe(decision, 0.3);
  EXPECT_EQ(calls, 1 + 36);
}

TEST(Policy, BadInputChangesNothing) {
  Policy policy = experienced();
  ASSERT_GT(policy.statistics().open, 0);
  const auto bad = [&](const char* what, auto call) {
    expect_nothing_changes<InvalidArgument>(policy, what, call);
  };
  bad("NaN state", [](Policy& p) { p.observe(vector({0.5, kNaN}), 1); });
  bad("infinite state", [](Policy& p) { p.observe(vector({0.5, kInfinity}), 1); });
  bad("NaN reward", [](Policy& p) { p.observe(vector({0.5, 0.5}), kNaN); });
  bad("infinite reward", [](Policy& p) { p.observe(vector({0.5, 0.5}), -kInfinity); });
  bad("wrong dimension", [](Policy& p) { p.observe(vector({0.5}), 1); });
  bad("empty state", [](Policy& p) { p.observe(Vector(), 1); });
  bad("empty batch", [](Policy& p) { p.observe(Matrix(2, 0), Vector()); });
  bad("more states than rewards", [](Policy& p) { p.observe(random_points(2, 3, 9), vector({1, 2})); });
  bad("fewer states than rewards", [](Policy& p) {
    p.observe(random_points(2, 3, 9), vector({1, 2, 3, 4}));
  });
  bad("a batch with one bad reward", [](Policy& p) {
    p.observe(random_points(2, 3, 9), vector({1, kInfinity, 3}));
  });
  bad("a batch with one bad state", [](Policy& p) {
    p.observe(points({{0.1, 0.2}, {kNaN, 0.2}, {0.3, 0.2}}), vector({1, 2, 3}));
  });
  bad("no candidates", [](Policy& p) { p.decide(Matrix(2, 0)); });
  bad("candidates without dimension", [](Policy& p) { p.decide(Matrix(0, 3)); });
  bad("candidates of another dimension", [](Policy& p) { p.decide(random_points(3, 4, 9)); });
  bad("a NaN candidate", [](Policy& p) { p.decide(points({{0.1, 0.2}, {kNaN, 0.2}})); });
  bad("no arms", [](Policy& p) { p.decide(); });
  bad("predicting nothing", [](Policy& p) { p.predict(Matrix(2, 0)); });
  bad("predicting in another dimension", [](Policy& p) { p.predict(random_points(1, 2, 9)); });
  bad("predicting at NaN", [](Policy& p) { p.predict(points({{kNaN, 0.0}})); });
}

TEST(Policy, BadInputChangesNothingWithFixedArms) {
  Policy policy = experienced(with_arms(random_points(2, 6, 3)));
  const auto bad = [&](const char* what, auto call) {
    expect_nothing_changes<InvalidArgument>(policy, what, call);
  };
  bad("wrong dimension", [](Policy& p) { p.observe(vector({0.5}), 1); });
  bad("NaN state", [](Policy& p) { p.observe(vector({0.5, kNaN}), 1); });
  bad("infinite reward", [](Policy& p) { p.observe(p.spec().arms->col(0), kInfinity); });
  bad("candidates of another dimension", [](Policy& p) { p.decide(random_points(3, 4, 9)); });
}

TEST(Policy, BadInputChangesNothingBeforeTheFirstObservation) {
  Spec spec = preset("kernel-ucb");
  spec.kernel.lengthscale = {0.1, 0.2};
  Policy policy(spec);
  const auto bad = [&](const char* what, auto call) {
    expect_nothing_changes<InvalidArgument>(policy, what, call);
  };
  bad("a dimension that the kernel does not have", [](Policy& p) { p.observe(vector({0.5}), 1); });
  bad("candidates of such a dimension", [](Policy& p) { p.decide(random_points(3, 2, 0)); });
  bad("NaN state", [](Policy& p) { p.observe(vector({0.5, kNaN}), 1); });
  bad("infinite reward", [](Policy& p) { p.observe(vector({0.5, 0.5}), kInfinity); });
}

TEST(Policy, ABadCandidateIsRefusedWhicheverOneTheFirstRandomChoiceHits) {
  for (const char* name : {"k-ucb", "uniform"}) {
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Spec spec = preset(name);
      spec.seed = seed;
      Policy policy(spec);
      try {
        policy.decide(points({{0.1}, {kNaN}, {0.3}}));
      } catch (const InvalidArgument&) {
        ++refused;
      }
    }
    EXPECT_EQ(refused, 20) << name;
  }
}

// k(x, y) = x y - 5 if both are beyond 1, else a proper kernel: not positive definite.
KernelPtr crooked() {
  return callable([](const VectorIn& x, const VectorIn& y) {
    const double good = std::exp(-(x - y).squaredNorm());
    return x[0] > 1 && y[0] > 1 ? good - 5 : good;
  });
}

TEST(Policy, AKernelThatIsNotPositiveDefiniteChangesNothing) {
  Policy policy(preset("kernel-ucb"), crooked());
  policy.observe(points({{0.1}, {0.4}, {0.8}}), vector({1, 2, 3}));
  policy.decide(points({{0.5}}));
  expect_nothing_changes<NumericalError>(policy, "one", [](Policy& p) { p.observe(vector({2.0}), 1); });
  expect_nothing_changes<NumericalError>(policy, "a batch", [](Policy& p) {
    p.observe(points({{0.2}, {2.0}, {0.3}}), vector({1, 2, 3}));
  });
  expect_nothing_changes<NumericalError>(policy, "a batch with known states", [](Policy& p) {
    p.observe(points({{0.1}, {0.4}, {2.0}}), vector({1, 2, 3}));
  });
  EXPECT_NO_THROW(policy.observe(vector({0.9}), 1));
}

TEST(Policy, AKernelThatFailsAtTheVeryFirstObservationChangesNothing) {
  Policy policy(preset("kernel-ucb"), crooked());
  expect_nothing_changes<NumericalError>(policy, "the first", [](Policy& p) { p.observe(vector({2.0}), 1); });
  expect_nothing_changes<NumericalError>(policy, "a first batch", [](Policy& p) {
    p.observe(points({{0.2}, {2.0}}), vector({1, 2}));
  });
}

TEST(Policy, AKernelThatIsNotPositiveDefiniteChangesNothingWithFixedArms) {
  Spec spec = with_arms(points({{0.1}, {0.5}, {0.9}}), "kernel-ucb");
  // Two arms claim to be more alike than each is to itself.
  Policy policy(spec, callable([](const VectorIn& x, const VectorIn& y) {
                  return x == y ? 1.0 : x[0] < 0.3 || y[0] < 0.3 ? 0.0 : 3.0;
                }));
  policy.observe(vector({0.1}), 1);
  expect_nothing_changes<NumericalError>(policy, "an arm", [](Policy& p) { p.observe(vector({0.5}), 1); });
  EXPECT_NO_THROW(policy.decide());
}

TEST(Policy, AKernelThatReturnsNaNChangesNothing) {
  Policy policy(preset("kernel-ucb"), callable([](const VectorIn& x, const VectorIn& y) {
                  return x[0] > 1 || y[0] > 1 ? kNaN : std::exp(-(x - y).squaredNorm());
                }));
  policy.observe(vector({0.5}), 1);
  expect_nothing_changes<NumericalError>(policy, "observe", [](Policy& p) { p.observe(vector({2.0}), 1); });
  expect_nothing_changes<NumericalError>(policy, "decide", [](Policy& p) {
    p.decide(points({{0.1}, {2.0}}));
  });
}

TEST(Policy, NoFiniteRewardMakesPredictionsInfinite) {
  Policy policy("kernel-ucb");
  policy.observe(vector({0.5}), 1);
  for (const double reward : {1e100, -1e100, 1e100, 1e100, -1e100, 1e308, -1.7e308}) {
    const std::string before = save_policy(policy);
    try {
      policy.observe(vector({0.5}), reward);
    } catch (const std::exception&) {  // to refuse it is fine, to do so half-way is not
      EXPECT_TRUE(save_policy(policy) == before);
    }
    const Forecast forecast = policy.predict(points({{0.5}, {0.6}}));
    EXPECT_TRUE(forecast.mean.allFinite()) << reward;
    EXPECT_EQ(policy.statistics().evidence.sum_of_squares > 1e199, true) << "it was taken";
    EXPECT_TRUE(std::isfinite(policy.statistics().evidence.sum_of_squares)) << reward;
    EXPECT_TRUE(std::isfinite(policy.statistics().evidence.quadratic_form)) << reward;
  }
}

TEST(Policy, AStateThatOverflowsTheKernelChangesNothing) {
  Spec spec = preset("kernel-ucb");
  spec.kernel.type = KernelType::linear;
  Policy policy(spec);
  policy.observe(vector({1.0}), 1);
  expect_nothing_changes<InvalidArgument>(policy, "observe",
                                          [](Policy& p) { p.observe(vector({1e200}), 1); });
  expect_nothing_changes<InvalidArgument>(policy, "decide", [](Policy& p) {
    p.decide(points({{1.0}, {1e200}}));
  });
  EXPECT_NO_THROW(policy.decide(points({{1.0}, {2.0}})));
}

TEST(Policy, ACopyGoesItsOwnWay) {
  for (const bool arms : {false, true}) {
    Policy original = experienced(arms ? with_arms(random_points(2, 5, 0)) : preset("k-ucb"));
    const std::string before = save_policy(original);
    Policy copy = original;
    EXPECT_TRUE(save_policy(copy) == before);
    copy.decide(random_points(2, 5, 0));
    copy.observe(vector({0.3, 0.4}), 2);
    EXPECT_TRUE(save_policy(original) == before);
    Policy assigned("uniform");
    assigned = original;
    EXPECT_TRUE(save_policy(assigned) == before);
    original.observe(vector({0.3, 0.4}), 5);
    EXPECT_TRUE(save_policy(assigned) == before);
    assigned = *&assigned;
    EXPECT_TRUE(save_policy(assigned) == before);
    const Policy moved = std::move(assigned);
    EXPECT_TRUE(save_policy(moved) == before);
  }
}

TEST(Policy, TheSameSeedGivesTheSameDecisions) {
  for (const Preset& known : presets()) {
    Policy one(known.name), two(known.name);
    for (std::uint64_t round = 0; round < 60; ++round) {
      const Matrix candidates = random_points(2, 8, 100 + round);
      const Decision a = one.decide(candidates), b = two.decide(candidates);
      ASSERT_EQ(a, b) << known.name;
      one.observe(candidates.col(a.index), reward_of(candidates.col(a.index)));
      two.observe(candidates.col(b.index), reward_of(candidates.col(b.index)));
    }
    EXPECT_TRUE(save_policy(one) == save_policy(two)) << known.name;
  }
}

TEST(Policy, AnotherSeedGivesOtherRandomChoices) {
  Spec one = preset("uniform"), two = preset("uniform");
  two.seed = one.seed + 1;
  Policy a(one), b(two);
  int same = 0;
  for (int i = 0; i < 200; ++i) {
    const Matrix candidates = random_points(1, 10, 0);
    same += a.decide(candidates).index == b.decide(candidates).index;
  }
  EXPECT_LT(same, 60);
}

TEST(Policy, ChoosingIsPure) {
  const Policy policy = experienced(preset("uniform"));
  const std::string before = save_policy(policy);
  Workspace workspace, other;
  const Matrix candidates = random_points(2, 30, 4);
  const Decision first = policy.choose(candidates, policy.randomness(), workspace);
  for (int i = 0; i < 5; ++i) {
    policy.choose(random_points(2, 100, 5), policy.randomness(), workspace);
    EXPECT_EQ(policy.choose(candidates, policy.randomness(), workspace), first);
    EXPECT_EQ(policy.choose(candidates, policy.randomness(), other), first);
  }
  EXPECT_TRUE(save_policy(policy) == before);
  Policy decider = policy;
  Decision decided = decider.decide(candidates);
  EXPECT_EQ(std::exchange(decided.number, 0), 13u);
  EXPECT_EQ(decided, first);
}

TEST(Policy, ChoosingIsPureForTheOtherRulesToo) {
  for (const char* name : {"gp-ucb", "greedy"}) {
    const Policy policy = experienced(preset(name));
    Workspace workspace, other;
    const Matrix candidates = random_points(2, 300, 4);
    const Decision first = policy.choose(candidates, policy.randomness(), workspace);
    policy.choose(random_points(2, 7, 5), policy.randomness(), workspace);
    EXPECT_EQ(policy.choose(candidates, policy.randomness(), workspace), first) << name;
    EXPECT_EQ(policy.choose(candidates, policy.randomness(), other), first) << name;
  }
}

TEST(Policy, DecideIsChooseFollowedByRecordChoice) {
  Policy one("k-ucb"), two("k-ucb");
  Workspace workspace;
  for (std::uint64_t round = 0; round < 40; ++round) {
    const Matrix candidates = random_points(2, 10, 200 + round);
    const Decision chosen = one.choose(candidates, one.randomness(), workspace);
    EXPECT_EQ(chosen.number, 0u);
    const std::uint64_t number = one.record_choice(candidates.col(chosen.index), chosen);
    Decision decided = two.decide(candidates);
    ASSERT_EQ(decided.number, number);
    if (round % 2 == 0) {
      one.record_reward(number, 0.5);
      two.observe(candidates.col(decided.index), 0.5);
    } else {
      one.record_reward(candidates.col(chosen.index), Vector::Constant(1, 0.5));
      two.observe(decided, 0.5);
    }
    decided.number = 0;
    ASSERT_EQ(chosen, decided);
  }
  EXPECT_TRUE(save_policy(one) == save_policy(two));
}

TEST(Policy, FixedArmsAreChosenAsIfTheyWereCandidates) {
  for (const char* name : {"kernel-ucb", "k-ucb", "gp-ucb", "greedy", "uniform"}) {
    const Matrix arms = random_points(2, 12, 6);
    Policy armed(with_arms(arms, name)), plain((preset(name)));
    Stream noise(3, Purpose::test);
    for (int round = 0; round < 150; ++round) {
      const Decision a = armed.decide(), b = plain.decide(arms);
      ASSERT_EQ(a.index, b.index) << name << " in round " << round;
      EXPECT_NEAR(a.mean, b.mean, 1e-9) << name;
      EXPECT_NEAR(a.sd, b.sd, 1e-6) << name;
      EXPECT_EQ(a.propensity, b.propensity) << name;
      const double reward = reward_of(arms.col(a.index)) + 0.1 * noise.normal();
      armed.observe(arms.col(a.index), reward);
      plain.observe(arms.col(a.index), reward);
    }
    EXPECT_LE(armed.statistics().evidence.anchors, 12);
    EXPECT_EQ(armed.statistics().evidence.rounds, 150);
    EXPECT_EQ(armed.statistics().open, 0);
  }
}

TEST(Policy, FixedArmsTakeObservationsOfOtherStatesToo) {
  const Matrix arms = random_points(2, 12, 6);
  Policy armed(with_arms(arms)), plain(preset("gp-ucb"));
  for (std::uint64_t round = 0; round < 30; ++round) {
    const Matrix extra = random_points(2, 1, 300 + round);
    armed.observe(extra, vector({1}));
    plain.observe(extra, vector({1}));
    const Decision a = armed.decide(), b = plain.decide(arms);
    ASSERT_EQ(a.index, b.index);
    armed.observe(arms.col(a.index), reward_of(arms.col(a.index)));
    plain.observe(arms.col(a.index), reward_of(arms.col(a.index)));
  }
}

TEST(Policy, ABatchIsWorthItsObservationsOneByOne) {
  EXPECT_TRUE(rc::check([] {
    const Index n = *rc::gen::inRange(1, 40), distinct = *rc::gen::inRange(1, 12);
    const bool arms = *rc::gen::arbitrary<bool>();
    const auto step = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1000));
    const Matrix pool = random_points(2, distinct, 5000 + step);
    Spec spec = preset("k-ucb");
    spec.kernel.lengthscale = {0.3};
    if (arms) spec.arms = random_points(2, 5, 7);
    if (arms) spec.arms->col(0) = pool.col(0);
    Policy one(spec), many(spec);
    Matrix states(2, n);
    Vector rewards(n);
    Stream random(step, Purpose::test, 1);
    for (Index i = 0; i < n; ++i) {
      states.col(i) = pool.col(random.index(distinct));
      rewards[i] = random.normal();
    }
    const Index cut = *rc::gen::inRange<Index>(0, n);
    for (Index i = 0; i < n; ++i) one.observe(states.col(i), rewards[i]);
    if (cut > 0) many.observe(states.leftCols(cut), rewards.head(cut));
    many.observe(states.rightCols(n - cut), rewards.tail(n - cut));
    const Matrix at = random_points(2, 20, 8);
    const Forecast a = one.predict(at), b = many.predict(at);
    RC_ASSERT((a.mean - b.mean).cwiseAbs().maxCoeff() < 1e-10);
    RC_ASSERT((a.sd - b.sd).cwiseAbs().maxCoeff() < 1e-10);
    const Evidence x = one.statistics().evidence, y = many.statistics().evidence;
    RC_ASSERT(x.rounds == y.rounds);
    RC_ASSERT(x.anchors == y.anchors);
    RC_ASSERT(std::abs(x.log_determinant - y.log_determinant) < 1e-10);
    RC_ASSERT(std::abs(x.sum_of_squares - y.sum_of_squares) < 1e-10);
    RC_ASSERT(std::abs(x.quadratic_form - y.quadratic_form) < 1e-10);
  }));
}

TEST(Policy, AUsersOwnKernelTakesThePlaceOfTheSpecs) {
  Policy own(preset("kernel-ucb"), callable([](const VectorIn& x, const VectorIn& y) {
               return std::exp(-0.5 * (x - y).squaredNorm() / 0.25);  // what the spec says anyway
             }));
  Policy spec("kernel-ucb");
  const Matrix states = random_points(2, 10, 9);
  own.observe(states, Vector::LinSpaced(10, 0, 1));
  spec.observe(states, Vector::LinSpaced(10, 0, 1));
  const Matrix at = random_points(2, 5, 10);
  EXPECT_LT((own.predict(at).mean - spec.predict(at).mean).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Join, PutsTheContextBeforeEachAction) {
  const Matrix joined = join(vector({1, 2}), points({{3.0}, {4.0}}));
  EXPECT_EQ(joined, points({{1, 2, 3}, {1, 2, 4}}));
}

}  // namespace
}  // namespace ridgerunner::policy_test
