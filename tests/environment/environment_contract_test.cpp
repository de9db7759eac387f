// What every environment promises, whatever its problem.

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner::environment_contract_test {

// How GoogleTest prints a spec.
void PrintTo(const EnvironmentSpec& spec, std::ostream* out) {
  *out << name(spec.type);
}

namespace {

std::vector<EnvironmentSpec> specs() {
  std::vector<EnvironmentSpec> all;
  for (const EnvironmentType type : environment_types()) all.push_back(default_environment(type));
  for (const EnvironmentType type :
       {EnvironmentType::bump, EnvironmentType::chessboard, EnvironmentType::step_diagonal}) {
    all.push_back(default_environment(type));
    all.back().draw = Draw::paper;
    all.push_back(default_environment(type));
    all.back().actions = 100;
  }
  EnvironmentSpec rkhs = default_environment(EnvironmentType::rkhs_sample);
  rkhs.fixed_arms = true;
  all.push_back(rkhs);
  rkhs.fixed_arms = false;
  rkhs.dimension = 1;
  rkhs.candidates = 300;
  rkhs.inducing = 50;
  rkhs.kernel.type = KernelType::gaussian;
  all.push_back(rkhs);
  rkhs.dimension = 30;
  rkhs.kernel = KernelSpec{};
  rkhs.kernel.type = KernelType::polynomial;
  all.push_back(rkhs);
  EnvironmentSpec quiet = default_environment(EnvironmentType::gp_draw);
  quiet.noise_sd = 0;
  quiet.candidates = 2;
  all.push_back(quiet);
  return all;
}

bool same(const Offer& a, const Offer& b) {
  return a.states == b.states && a.expected == b.expected;
}

Offer offer(const Environment& environment, std::uint64_t round) {
  Offer out;
  environment.offer(round, out);
  return out;
}

Index candidates(const EnvironmentSpec& spec) {
  switch (spec.type) {
    case EnvironmentType::bump:
    case EnvironmentType::chessboard:
    case EnvironmentType::step_diagonal:
    case EnvironmentType::pricing:
      return spec.actions;
    default:
      return spec.candidates;
  }
}

class EnvironmentContract : public testing::TestWithParam<EnvironmentSpec> {
 protected:
  static constexpr std::uint64_t far_round = 0x1'0000'0003;
  const EnvironmentPtr environment = make_environment(GetParam(), 11);
};

TEST_P(EnvironmentContract, FactsRepeatTheSpec) {
  EXPECT_EQ(environment->facts().kernel, GetParam().kernel);
  EXPECT_EQ(environment->facts().noise_sd, GetParam().noise_sd);
  EXPECT_NO_THROW(make_kernel(environment->facts().kernel)->check_dimension(environment->facts().dimension));
}

TEST_P(EnvironmentContract, EveryRoundOffersTheCandidatesOfTheSpec) {
  for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{1}, far_round}) {
    const Offer out = offer(*environment, round);
    EXPECT_EQ(out.states.rows(), environment->facts().dimension);
    EXPECT_EQ(out.states.cols(), candidates(GetParam()));
    EXPECT_EQ(out.expected.size(), out.states.cols());
  }
}

TEST_P(EnvironmentContract, StatesLieInTheUnitCubeUnlessInRawUnitsAndRewardsAreFinite) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    const Offer out = offer(*environment, round);
    EXPECT_GE(out.states.minCoeff(), 0);
    EXPECT_LE(out.states.maxCoeff(), GetParam().type == EnvironmentType::pricing ? 1000 : 1);
    EXPECT_TRUE(out.expected.allFinite());
    EXPECT_TRUE(std::isfinite(environment->noise(round)));
  }
}

TEST_P(EnvironmentContract, ArmsAreFixedExactlyIfTheFactsSaySo) {
  const Offer first = offer(*environment, 0);
  for (const std::uint64_t round : {std::uint64_t{1}, std::uint64_t{2}, far_round}) {
    EXPECT_EQ(offer(*environment, round).states == first.states, environment->facts().fixed_arms);
  }
}

TEST_P(EnvironmentContract, SameSeedGivesTheSameRoundsInAnyOrder) {
  const EnvironmentPtr twin = make_environment(GetParam(), 11);
  Offer reused;
  for (const std::uint64_t round : {std::uint64_t{7}, far_round, std::uint64_t{0}, std::uint64_t{7}}) {
    twin->offer(round, reused);
    EXPECT_TRUE(same(reused, offer(*environment, round)));
    EXPECT_EQ(twin->noise(round), environment->noise(round));
  }
}

TEST_P(EnvironmentContract, AnotherSeedGivesAnotherProblemAndOtherNoise) {
  const EnvironmentPtr other = make_environment(GetParam(), 12);
  bool differs = false;
  for (std::uint64_t round = 0; round < 3; ++round) {
    differs = differs || !same(offer(*other, round), offer(*environment, round));
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(other->noise(0) == environment->noise(0), GetParam().noise_sd == 0);
}

TEST_P(EnvironmentContract, OfferReusesTheStorageItIsGiven) {
  Offer out = offer(*environment, 0);
  const double* states = out.states.data();
  const double* expected = out.expected.data();
  for (std::uint64_t round = 1; round < 10; ++round) environment->offer(round, out);
  EXPECT_EQ(out.states.data(), states);
  EXPECT_EQ(out.expected.data(), expected);
}

TEST_P(EnvironmentContract, AnOfferOfAnotherSizeIsReplaced) {
  Offer out{Matrix::Constant(9, 7, -1), Vector::Constant(3, -1)};
  environment->offer(4, out);
  EXPECT_TRUE(same(out, offer(*environment, 4)));
}

TEST_P(EnvironmentContract, NoiseIsCentredWithItsStandardDeviation) {
  const int n = 4000;
  const double sd = GetParam().noise_sd;
  double sum = 0, squares = 0;
  for (std::uint64_t round = 0; round < n; ++round) {
    const double noise = environment->noise(round);
    sum += noise;
    squares += noise * noise;
  }
  // Four standard errors: of the mean sd / sqrt(n), of the mean square sd^2 sqrt(2 / n).
  EXPECT_LE(std::abs(sum / n), 4 * sd / std::sqrt(n));
  EXPECT_LE(std::abs(squares / n - sd * sd), 4 * sd * sd * std::sqrt(2.0 / n));
}

INSTANTIATE_TEST_SUITE_P(Every, EnvironmentContract, testing::ValuesIn(specs()),
                         [](const testing::TestParamInfo<EnvironmentSpec>& suite) {
                           return std::string(name(suite.param.type)) + "_" + std::to_string(suite.index);
                         });

}  // namespace
}  // namespace ridgerunner::environment_contract_test
