// EK-UCB is to have K-UCB's regret at a fraction of the anchors (zenati2022, section 5), on fresh draws.
#include <gtest/gtest.h>

#include "ridgerunner/experiment/sweep.h"

namespace ridgerunner::ekucb_regret_slow_test {
namespace {

Results compared(EnvironmentType type) {
  ExperimentSpec spec;
  spec.environment = default_environment(type);
  spec.policies = {{"k-ucb", PartialSpec::preset("k-ucb")}, {"ek-ucb", PartialSpec::preset("ek-ucb")}};
  spec.horizon = 1000;
  spec.runs = 40;
  return *sweep(spec, {2, {}});
}

class EkUcbRegret : public ::testing::TestWithParam<EnvironmentType> {};

TEST_P(EkUcbRegret, IsWithinAFifthOfTheExactOneWithFewAnchors) {
  const Results results = compared(GetParam());
  const double exact = summarise(final_values(results.policies[0].runs, &Trajectory::regret)).mean;
  const double quick = summarise(final_values(results.policies[1].runs, &Trajectory::regret)).mean;
  const double anchors = summarise(final_values(results.policies[1].runs, &Trajectory::anchors)).mean;
  RecordProperty("k_ucb", std::to_string(exact));
  RecordProperty("ek_ucb", std::to_string(quick));
  RecordProperty("anchors", std::to_string(anchors));
  EXPECT_LT(quick, 1.2 * exact);
  EXPECT_LT(anchors, 150);
}

INSTANTIATE_TEST_SUITE_P(Zenati2022, EkUcbRegret,
                         ::testing::Values(EnvironmentType::chessboard, EnvironmentType::step_diagonal),
                         [](const auto& problem) { return std::string(name(problem.param)); });

}  // namespace
}  // namespace ridgerunner::ekucb_regret_slow_test
