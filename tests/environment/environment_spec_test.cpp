#include "ridgerunner/environment/environment_spec.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::environment_spec_test {
namespace {

std::string error(const EnvironmentSpec& spec) {
  try {
    make_environment(spec, 1);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

template <class Change>
std::string error(EnvironmentType type, Change change) {
  EnvironmentSpec spec = default_environment(type);
  change(spec);
  return error(spec);
}

using Spec = EnvironmentSpec;
using enum EnvironmentType;

TEST(EnvironmentSpec, EveryTypeHasItsOwnNameAndAWorkingDefault) {
  std::set<std::string> names;
  for (const EnvironmentType type : environment_types()) {
    names.insert(name(type));
    EXPECT_EQ(default_environment(type).type, type);
    EXPECT_EQ(error(default_environment(type)), "") << name(type);
  }
  EXPECT_EQ(names, (std::set<std::string>{"bump", "chessboard", "step_diagonal", "rkhs_sample",
                                          "taylor_function", "gp_draw", "pricing"}));
}

TEST(EnvironmentSpec, DefaultsAreThoseOfThePapers) {
  for (const EnvironmentType type : environment_types()) {
    if (type == pricing) continue;  // of no paper
    EXPECT_EQ(default_environment(type).noise_sd, 0.1) << name(type);
  }
  EXPECT_EQ(default_environment(pricing).noise_sd, 2);
  for (const EnvironmentType type : {bump, chessboard, step_diagonal, gp_draw}) {
    EXPECT_EQ(default_environment(type).kernel.type, KernelType::gaussian) << name(type);
    EXPECT_EQ(default_environment(type).kernel.lengthscale, std::vector<double>{0.1}) << name(type);
  }
  const EnvironmentSpec rkhs = default_environment(rkhs_sample);
  EXPECT_EQ(rkhs.kernel.type, KernelType::matern52);
  EXPECT_EQ(rkhs.kernel.lengthscale, std::vector<double>{0.5});
  EXPECT_EQ(rkhs.norm, 10);
  EXPECT_EQ(rkhs.dimension, 3);
  EXPECT_EQ(rkhs.candidates, 100);
  EXPECT_EQ(rkhs.inducing, 20);
  const EnvironmentSpec taylor = default_environment(taylor_function);
  EXPECT_EQ(taylor.kernel.lengthscale, std::vector<double>{0.3});
  EXPECT_EQ(taylor.norm, 2.06);
  EXPECT_EQ(taylor.candidates, 100);
}

TEST(EnvironmentSpec, FactsNameNormAndCeilingWhereTheyAreKnown) {
  for (const EnvironmentType type : environment_types()) {
    const EnvironmentPtr environment = make_environment(default_environment(type), 3);
    const Facts& facts = environment->facts();
    const bool contextual = type == bump || type == chessboard || type == step_diagonal;
    EXPECT_EQ(facts.ceiling, contextual ? std::optional<double>(1) : std::nullopt) << name(type);
    EXPECT_EQ(facts.norm.has_value(), type == rkhs_sample || type == taylor_function) << name(type);
    const std::map<EnvironmentType, Index> dimensions = {{bump, 6}, {rkhs_sample, 3}, {pricing, 9}};
    const auto known = dimensions.find(type);
    EXPECT_EQ(facts.dimension, known != dimensions.end() ? known->second : contextual ? 2 : 1) << name(type);
  }
  EXPECT_EQ(make_environment(default_environment(rkhs_sample), 3)->facts().norm, 10);
  EXPECT_EQ(make_environment(default_environment(taylor_function), 3)->facts().norm, 2.06);
}

TEST(EnvironmentSpec, NoiseMustNotBeNegative) {
  for (const EnvironmentType type : environment_types()) {
    EXPECT_EQ(error(type, [](Spec& s) { s.noise_sd = -1; }), "noise_sd must be >= 0, got -1");
    EXPECT_EQ(error(type, [](Spec& s) { s.noise_sd = 0; }), "");
  }
  EXPECT_EQ(error(bump, [](Spec& s) { s.noise_sd = std::numeric_limits<double>::quiet_NaN(); }),
            "noise_sd must be >= 0, got nan");
}

TEST(EnvironmentSpec, CountsMustBeLargeEnough) {
  for (const EnvironmentType type : {bump, chessboard, step_diagonal}) {
    EXPECT_EQ(error(type, [](Spec& s) { s.actions = 0; }), "actions must be >= 1, got 0");
    EXPECT_EQ(error(type, [](Spec& s) { s.actions = 101; }), "actions must be <= 100, got 101");
  }
  EXPECT_EQ(error(rkhs_sample, [](Spec& s) { s.dimension = 0; }), "dimension must be >= 1, got 0");
  EXPECT_EQ(error(rkhs_sample, [](Spec& s) { s.candidates = 0; }), "candidates must be >= 1, got 0");
  EXPECT_EQ(error(rkhs_sample, [](Spec& s) { s.inducing = -3; }), "inducing must be >= 1, got -3");
  EXPECT_EQ(error(taylor_function, [](Spec& s) { s.candidates = 1; }), "candidates must be >= 2, got 1");
  EXPECT_EQ(error(taylor_function, [](Spec& s) { s.features = 0; }), "features must be >= 1, got 0");
  EXPECT_EQ(error(gp_draw, [](Spec& s) { s.candidates = 1; }), "candidates must be >= 2, got 1");
}

TEST(EnvironmentSpec, NormMustBePositiveWhereItIsUsed) {
  EXPECT_EQ(error(rkhs_sample, [](Spec& s) { s.norm = 0; }), "norm must be > 0, got 0");
  EXPECT_EQ(error(taylor_function, [](Spec& s) { s.norm = -2; }), "norm must be > 0, got -2");
  EXPECT_EQ(error(bump, [](Spec& s) { s.norm = 0; }), "");
}

TEST(EnvironmentSpec, TheAuthorsDrawHasTenActionsAndThreeProblems) {
  EXPECT_EQ(error(chessboard,
                  [](Spec& s) {
                    s.draw = Draw::paper;
                    s.actions = 5;
                  }),
            "actions must be 10 where draw is paper, got 5");
  for (const EnvironmentType type : {rkhs_sample, taylor_function, gp_draw}) {
    EXPECT_EQ(error(type, [](Spec& s) { s.draw = Draw::paper; }),
              std::string("draw must be fresh for ") + name(type) + ", got paper");
  }
}

TEST(EnvironmentSpec, AnUnknownTypeIsRefused) {
  EXPECT_EQ(error(static_cast<EnvironmentType>(99), [](Spec&) {}), "unknown environment type");
}

TEST(EnvironmentSpec, ContextualProblemsCannotHaveFixedArms) {
  EXPECT_EQ(error(step_diagonal, [](Spec& s) { s.fixed_arms = true; }),
            "fixed_arms must be false for step_diagonal, got true");
}

TEST(EnvironmentSpec, TheKernelMustFitTheStates) {
  EXPECT_EQ(error(bump,
                  [](Spec& s) {
                    s.kernel.lengthscale = {1, 1};
                  }),
            "lengthscale has 2 entries, but the points have dimension 6");
  EXPECT_EQ(error(rkhs_sample,
                  [](Spec& s) {
                    s.kernel.lengthscale = {1, 1};
                  }),
            "lengthscale has 2 entries, but the points have dimension 3");
  EXPECT_EQ(error(rkhs_sample, [](Spec& s) { s.kernel.lengthscale = {1, 1, 2}; }), "");
  EXPECT_EQ(error(gp_draw, [](Spec& s) { s.kernel.lengthscale = {-1}; }), "lengthscale must be > 0, got -1");
  EXPECT_EQ(error(gp_draw, [](Spec& s) { s.kernel.type = KernelType::matern32; }), "");
}

TEST(EnvironmentSpec, ArmsAreVectorsSoAPrecomputedKernelIsRefused) {
  KernelSpec table;
  table.type = KernelType::precomputed;
  table.gram = Matrix::Identity(2, 2);
  EXPECT_EQ(error(gp_draw, [&](Spec& s) { s.kernel = table; }),
            "kernel must be one of vectors for gp_draw, got precomputed");
  EXPECT_EQ(error(rkhs_sample,
                  [&](Spec& s) {
                    s.kernel.type = KernelType::sum;
                    s.kernel.parts = {KernelSpec{}, table};
                  }),
            "kernel must be one of vectors for rkhs_sample, got precomputed");
}

TEST(EnvironmentSpec, TaylorFeaturesBelongToAGaussianKernelOfOneLengthscale) {
  EXPECT_EQ(error(taylor_function, [](Spec& s) { s.kernel.type = KernelType::matern52; }),
            "kernel must be gaussian for taylor_function, got matern52");
  EXPECT_EQ(error(taylor_function,
                  [](Spec& s) {
                    s.kernel.lengthscale = {1, 1};
                  }),
            "lengthscale has 2 entries, but the points have dimension 1");
  EXPECT_EQ(error(taylor_function, [](Spec& s) { s.kernel.lengthscale = {}; }),
            "lengthscale must not be empty");
}

}  // namespace
}  // namespace ridgerunner::environment_spec_test
