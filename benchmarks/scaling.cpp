// What projected engines gain over the exact one, as ratios of times measured in one run on one core. Usage:
// ridgerunner_scaling [seeds]
#include <cstdlib>

#include <Eigen/Dense>
#include <fmt/format.h>

#include <ridgerunner/environment/environment_spec.h>
#include <ridgerunner/policy/policy.h>
#include <ridgerunner/regression/exact/exact.h>
#include <ridgerunner/regression/projected/projected.h>

#include "measure.h"

namespace ridgerunner {
namespace {

struct Outcome {
  double seconds = 0, regret = 0;
  std::vector<double> blocks;  // seconds of each tenth of the run
  Index anchors = 0;
};

// `plain`: every candidate's mean and sd in full, every round.
Outcome play(const Spec& spec, const Environment& environment, Index horizon, bool plain) {
  Policy policy(spec);
  Workspace workspace;
  Prediction all;
  Offer offer;
  Outcome outcome;
  outcome.blocks.assign(10, 0);
  for (Index t = 0; t < horizon; ++t) {
    environment.offer(static_cast<std::uint64_t>(t), offer);
    double& block = outcome.blocks[static_cast<std::size_t>(10 * t / horizon)];
    Index chosen = 0;
    block += seconds([&] {
      if (plain && t > 0) {
        policy.regression().predict(offer.states, all, workspace);
        chosen = best_of(all, spec.bound.number("radius")).index;
      } else {
        chosen = policy.decide(offer.states).index;
      }
    });
    const double reward = offer.expected[chosen] + environment.noise(static_cast<std::uint64_t>(t));
    const Vector state = offer.states.col(chosen);
    block += seconds([&] { policy.observe(state, reward); });
    outcome.regret += offer.expected.maxCoeff() - offer.expected[chosen];
  }
  for (const double block : outcome.blocks) outcome.seconds += block;
  outcome.anchors = policy.statistics().evidence.anchors;
  return outcome;
}

Spec chessboard_spec(const char* name, const Environment& environment, std::uint64_t seed) {
  Spec spec = preset(name);
  spec.kernel = environment.facts().kernel;
  spec.seed = seed;
  return spec;
}

void chessboard(int seeds, Table& table) {
  constexpr Index kHorizon = 5000;
  std::vector<double> plain, race, regret, long_run;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const EnvironmentPtr problem = make_environment(default_environment(EnvironmentType::chessboard), number);
    const Outcome exact = play(chessboard_spec("k-ucb", *problem, number), *problem, kHorizon, true);
    const Outcome raced = play(chessboard_spec("k-ucb", *problem, number), *problem, kHorizon, false);
    const Outcome quick = play(chessboard_spec("ek-ucb", *problem, number), *problem, kHorizon, false);
    plain.push_back(exact.seconds / quick.seconds);
    race.push_back(raced.seconds / quick.seconds);
    regret.push_back(quick.regret / exact.regret);
    fmt::print(
        "  chessboard, seed {}: K-UCB {:.1f} s, regret {:.1f}; EK-UCB {:.2f} s, regret {:.1f}, {} anchors\n",
        seed, exact.seconds, exact.regret, quick.seconds, quick.regret, quick.anchors);
    const Outcome far = play(chessboard_spec("ek-ucb", *problem, number), *problem, 100'000, false);
    long_run.push_back(far.blocks[9] / far.blocks[0]);
  }
  add_ratios("Chessboard, T = 5000: K-UCB with plain solves / EK-UCB", plain, ">= 40", table);
  add_ratios("  the same, K-UCB with elimination / EK-UCB", race, "reported", table);
  add_ratios("  regret of EK-UCB / of K-UCB", regret, "<= 1.2", table);
  add_ratios("EK-UCB, T = 100,000: time a round, last tenth / first tenth", long_run, "<= 3", table);
}

// Rounds on fixed arms, and the seconds of the last hundred.
struct LastRounds {
  double each = 0, resolve_collapsed = 0, resolve = 0, regret = 0;
  Index anchors = 0;
};
LastRounds arms(const char* name, const Environment& environment, const Matrix& points, std::uint64_t seed) {
  constexpr Index kHorizon = 2000, kLast = 100;
  Spec spec = preset(name);
  spec.kernel = environment.facts().kernel;
  spec.arms = points;
  spec.seed = seed;
  spec.bound.choose("self_normalized");
  Policy policy(spec);
  Offer offer;
  environment.offer(0, offer);
  LastRounds last;
  Matrix states(points.rows(), kHorizon);
  Vector rewards(kHorizon);
  for (Index t = 0; t < kHorizon; ++t) {
    const double time = seconds([&] {
      const Index chosen = policy.decide().index;
      states.col(t) = points.col(chosen);
      rewards[t] = offer.expected[chosen] + environment.noise(static_cast<std::uint64_t>(t));
      last.regret += offer.expected.maxCoeff() - offer.expected[chosen];
      policy.observe(states.col(t), rewards[t]);
    });
    if (t >= kHorizon - kLast) last.each += time / kLast;
  }
  last.anchors = policy.statistics().evidence.anchors;
  if (!spec.regression.dictionary.is<dictionaries::Exact>()) return last;
  // A textbook model has a row a round; ours has one a state.
  Prediction all;
  Workspace workspace;
  last.resolve_collapsed = seconds([&] { policy.regression().predict(points, all, workspace); });
  const KernelPtr kernel = make_kernel(spec.kernel);
  Matrix raised = gram(*kernel, states, states);
  raised.diagonal().array() += spec.regression.ridge;
  const Eigen::LLT<Matrix> factor(raised);
  last.resolve = seconds([&] {
    Matrix cross = gram(*kernel, states, points);
    factor.matrixL().solveInPlace(cross);
    all.sd = cross.colwise().squaredNorm();
  });
  return last;
}

void fixed_arms(int seeds, Table& table) {
  std::vector<double> bkb, bkb_collapsed, bbkb, exact;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
    spec.kernel.type = KernelType::gaussian;
    spec.kernel.lengthscale = {0.5};
    spec.candidates = 10'000;
    spec.fixed_arms = true;
    const EnvironmentPtr problem = make_environment(spec, number);
    Offer offer;
    problem->offer(0, offer);
    const LastRounds textbook = arms("gp-ucb", *problem, offer.states, number);
    const LastRounds each = arms("bkb", *problem, offer.states, number);
    const LastRounds batch = arms("bbkb", *problem, offer.states, number);
    bkb.push_back(textbook.resolve / each.each);
    bkb_collapsed.push_back(textbook.resolve_collapsed / each.each);
    bbkb.push_back(each.each / batch.each);
    exact.push_back(each.each / textbook.each);
    fmt::print(
        "  10,000 arms, seed {}: ms a round: exact re-solve {:.0f} (collapsed {:.0f}, {} states), one row a "
        "round "
        "{:.2f}, BKB {:.2f} ({} anchors), BBKB {:.2f} ({} anchors); regret {:.0f}, {:.0f}, {:.0f}\n",
        seed, 1000 * textbook.resolve, 1000 * textbook.resolve_collapsed, textbook.anchors,
        1000 * textbook.each, 1000 * each.each, each.anchors, 1000 * batch.each, batch.anchors,
        textbook.regret, each.regret, batch.regret);
  }
  add_ratios("10,000 arms, round 2000: exact re-solve / BKB", bkb, ">= 8", table);
  add_ratios("  the same, repeats collapsed / BKB", bkb_collapsed, "reported", table);
  add_ratios("  BKB / BBKB", bbkb, ">= 5", table);
  add_ratios("  BKB / exact with one row a round", exact, "reported", table);
}

// The first states become anchors.
class FirstStates final : public Dictionary {
 public:
  explicit FirstStates(Index count) : count_(count) {}
  double admission(const Newcomer& newcomer) const override { return newcomer.number < count_ ? 1 : 0; }
  std::unique_ptr<Dictionary> clone() const override { return std::make_unique<FirstStates>(*this); }

 private:
  Index count_;
};

void decision(int seeds, Table& table) {
  constexpr Index kAnchors = 500, kCandidates = 100, kRounds = 3000, kRepeats = 200;
  std::vector<double> full, race, flops;
  for (int seed = 0; seed < seeds; ++seed) {
    EnvironmentSpec spec = default_environment(EnvironmentType::rkhs_sample);
    spec.kernel.lengthscale = {0.2};
    spec.candidates = kCandidates;
    const EnvironmentPtr problem = make_environment(spec, static_cast<std::uint64_t>(seed));
    ProjectedRegression regression(make_kernel(spec.kernel), 0.05, std::make_unique<FirstStates>(kAnchors));
    Workspace workspace;
    Offer offer;
    constexpr double kRadius = 1;
    for (Index t = 0; t < kRounds; ++t) {
      problem->offer(static_cast<std::uint64_t>(t), offer);
      const Index chosen = t < kAnchors ? 0 : regression.best_upper(offer.states, kRadius, workspace).index;
      const double reward = offer.expected[chosen] + problem->noise(static_cast<std::uint64_t>(t));
      regression.observe(offer.states.col(chosen), Vector::Constant(1, reward), workspace);
    }
    const Index m = regression.evidence().anchors;
    Matrix l = Matrix::Random(m, m), k = Matrix::Random(m, kCandidates), x = k;
    l.diagonal().array() += 100;
    Prediction all;
    double bare = 0, plain = 0, raced = 0;
    std::int64_t spent = 0;
    for (Index t = 0; t < kRepeats; ++t) {
      problem->offer(static_cast<std::uint64_t>(kRounds + t), offer);
      bare += seconds([&] {
        x = k;
        l.triangularView<Eigen::Lower>().solveInPlace(x);
        l.triangularView<Eigen::Lower>().solveInPlace(x);
      });
      plain += seconds([&] {
        regression.predict(offer.states, all, workspace);
        best_of(all, kRadius);
      });
      raced +=
          seconds([&] { spent += regression.best_upper(offer.states, kRadius, workspace).multiply_adds; });
    }
    full.push_back(plain / bare);
    race.push_back(plain / raced);
    flops.push_back(static_cast<double>(spent) / static_cast<double>(kRepeats * kCandidates * m * m));
    fmt::print(
        "  decision, {} anchors: {:.2f} ms in full, {:.2f} ms by elimination, {:.2f} ms the bare solves\n", m,
        1000 * plain / kRepeats, 1000 * raced / kRepeats, 1000 * bare / kRepeats);
  }
  add_ratios("100 candidates, 500 anchors: decision in full / its two bare solves", full, "<= 1.5", table);
  add_ratios("  decision in full / by elimination", race, "> 1", table);
  add_ratios("  multiply-adds by elimination / in full", flops, "< 1", table);
}

}  // namespace
}  // namespace ridgerunner

int main(int argc, char** argv) {
  using namespace ridgerunner;
  const int seeds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  Table table = ratio_table();
  decision(seeds, table);
  chessboard(seeds, table);
  fixed_arms(seeds, table);
  fmt::print("\nMedian over {} seeds, one core.\n{}", seeds, to_text(table));
  return 0;
}
