#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/experiment/experiment_spec.h"

namespace ridgerunner::contender_test {
namespace {

class Known final : public Environment {
 public:
  explicit Known(Facts facts) : facts_(std::move(facts)) {}
  const Facts& facts() const override { return facts_; }
  void offer(std::uint64_t, Offer& out) const override {
    out.states = Matrix::Constant(1, 3, 0.25);
    out.states(0, 1) = 0.5;
    out.expected = Vector::Zero(3);
  }
  double noise(std::uint64_t) const override { return 0; }

 private:
  Facts facts_;
};

Facts facts(bool fixed_arms = false) {
  Facts result;
  result.dimension = 1;
  result.kernel.type = KernelType::matern32;
  result.kernel.lengthscale = {0.125};
  result.noise_sd = 0.5;
  result.norm = 4;
  result.fixed_arms = fixed_arms;
  return result;
}

Spec filled(const char* text, const Facts& known) {
  return contender_spec({"it", parse_json(text)}, Known(known), 1000, 99);
}

TEST(Contender, WhatIsAbsentComesFromTheProblem) {
  const Spec spec = filled(R"({"policy":"gp-ucb"})", facts());
  EXPECT_EQ(spec.kernel, facts().kernel);
  EXPECT_EQ(spec.bound.number("noise_bound"), 0.5);
  EXPECT_EQ(spec.bound.number("norm_bound"), 4);
  EXPECT_EQ(spec.regression.ridge, 0.25);  // derived from the problem's noise
  EXPECT_EQ(spec.seed, 99u);
  EXPECT_FALSE(spec.arms);
}

TEST(Contender, WhatTheUserSetsWins) {
  const Spec spec = filled(
      R"({"policy":"gp-ucb","kernel":{"type":"linear"},"bound":{"noise_bound":2,"norm_bound":3,"delta":0.2}})",
      facts());
  EXPECT_EQ(spec.kernel.type, KernelType::linear);
  EXPECT_EQ(spec.bound.number("noise_bound"), 2);
  EXPECT_EQ(spec.bound.number("norm_bound"), 3);
  EXPECT_EQ(spec.bound.number("delta"), 0.2);
  EXPECT_EQ(spec.regression.ridge, 4);
  EXPECT_EQ(filled(R"({"policy":"gp-ucb","regression":{"ridge":7}})", facts()).regression.ridge, 7);
  EXPECT_EQ(filled(R"({"policy":"gp-ucb","bound":{"delta":0.2}})", facts()).bound.number("noise_bound"), 0.5);
}

TEST(Contender, WhatTheProblemDoesNotKnowKeepsItsDefault) {
  Facts little;
  little.dimension = 1;
  const Spec spec = filled(R"({"policy":"k-ucb"})", little);
  EXPECT_EQ(spec.bound.number("noise_bound"), 0.1);
  EXPECT_EQ(spec.bound.number("norm_bound"), 10);
}

TEST(Contender, APartOfTheKernelLeavesTheRestToTheProblem) {
  const Spec spec = filled(R"({"policy":"k-ucb","kernel":{"lengthscale":0.3}})", facts());
  EXPECT_EQ(spec.kernel.type, KernelType::matern32);
  EXPECT_EQ(spec.kernel.lengthscale, std::vector<double>{0.3});
}

TEST(Contender, FixedArmsComeFromTheProblem) {
  const Spec spec = filled("{}", facts(true));
  ASSERT_TRUE(spec.arms);
  EXPECT_EQ(spec.arms->cols(), 3);
  EXPECT_EQ((*spec.arms)(0, 1), 0.5);
}

TEST(Contender, ArmsOfTheUsersOwnAreRefused) {
  const auto reason = [](bool fixed) -> std::string {
    try {
      filled(R"({"arms":{"points":[[1]]}})", facts(fixed));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reason(true), "arms must not be set: the environment has its own");
  EXPECT_EQ(reason(false), "arms must not be set: the environment's candidates change every round");
}

TEST(EnvironmentCodec, EveryDefaultSurvives) {
  for (const EnvironmentType type : environment_types()) {
    const EnvironmentSpec spec = default_environment(type);
    EXPECT_EQ(environment_from_json(environment_to_json(spec)), spec) << name(type);
  }
}

std::string reason(const char* text) {
  try {
    environment_from_json(parse_json(text));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(EnvironmentCodec, WhatCannotBeIsRefused) {
  EXPECT_EQ(reason(R"({"type":"moon"})"),
            "environment.type must be one of bump, chessboard, step_diagonal, rkhs_sample, taylor_function, "
            "gp_draw, pricing, "
            "got \"moon\"");
  EXPECT_EQ(reason(R"({"type":"gp_draw","norm":1})"),
            "unknown field environment.norm; known are candidates, kernel, noise_sd, type");
  EXPECT_EQ(reason(R"({"candidates":0})"), "environment.candidates must be an integer >= 1, got 0");
  EXPECT_EQ(reason(R"({"candidates":100001})"),
            "environment.candidates must be an integer from 1 to 100000, got 100001");
  EXPECT_EQ(reason(R"({"noise_sd":-1})"), "noise_sd must be >= 0, got -1");
  EXPECT_EQ(reason(R"({"kernel":{"type":"linear","lengthscale":1}})"),
            "unknown field environment.kernel.lengthscale; known are offset, type, variance");
  EXPECT_EQ(reason(R"({"fixed_arms":1})"), "environment.fixed_arms must be true or false, got 1");
}

TEST(EnvironmentCodec, APartOfTheKernelKeepsTheRestOfTheDefault) {
  const EnvironmentSpec spec = environment_from_json(parse_json(R"({"kernel":{"lengthscale":0.25}})"));
  EXPECT_EQ(spec.kernel.type, KernelType::matern52);
  EXPECT_EQ(spec.kernel.lengthscale, std::vector<double>{0.25});
}

}  // namespace
}  // namespace ridgerunner::contender_test
