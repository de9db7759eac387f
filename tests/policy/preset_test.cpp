#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec.h"
#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner {
namespace {

Spec read(const char* text) {
  return spec_from_json(parse_json(text));
}

TEST(Preset, EveryListedOneIsThereAndValid) {
  ASSERT_FALSE(presets().empty());
  for (const Preset& known : presets()) {
    const Spec spec = preset(known.name);
    EXPECT_EQ(spec.policy, known.name);
    EXPECT_NO_THROW(validate(spec)) << known.name;
    EXPECT_FALSE(known.summary.empty()) << known.name;
  }
}

TEST(Preset, TheDefaultsAreThoseOfTheReference) {
  const Spec spec = preset("ek-ucb");
  EXPECT_EQ(spec, Spec{});
  EXPECT_EQ(spec.seed, 7u);
  EXPECT_EQ(spec.kernel.type, KernelType::gaussian);
  EXPECT_EQ(spec.kernel.lengthscale, std::vector<double>{0.5});
  EXPECT_EQ(spec.kernel.variance, 1);
  EXPECT_EQ(spec.regression.type, RegressionType::kors);
  EXPECT_EQ(spec.regression.ridge, 1);
  EXPECT_EQ(spec.regression.projection_or_default(), 1);
  EXPECT_EQ(spec.regression.oversampling_or_default(), 1);
  EXPECT_EQ(spec.regression.accuracy, 0.5);
  EXPECT_EQ(spec.regression.batch_threshold, 10);
  EXPECT_EQ(spec.regression.tolerance, 0.05);
  EXPECT_EQ(spec.bound.horizon, 1000);
  EXPECT_EQ(spec.bound.type, BoundType::fixed);
  EXPECT_EQ(spec.bound.radius, 0.1);
  EXPECT_EQ(spec.bound.delta, 0.01);
  EXPECT_EQ(spec.bound.norm_bound, 10);
  EXPECT_EQ(spec.bound.noise_bound, 0.1);
  EXPECT_EQ(spec.bound.mixture_scale, 1);
  EXPECT_EQ(spec.rule.type, RuleType::ucb);
  EXPECT_EQ(spec.rule.first, First::random);
  EXPECT_FALSE(spec.arms);
}

TEST(Preset, KernelUcbDiffersFromKUcbInItsFirstChoiceOnly) {
  Spec expected = preset("k-ucb");
  expected.policy = "kernel-ucb";
  expected.rule.first = First::lowest;
  EXPECT_EQ(preset("kernel-ucb"), expected);
}

TEST(Preset, GreedyAndUniformDifferFromKUcbInTheirRuleOnly) {
  for (const auto& [name, rule] :
       {std::pair{"greedy", RuleType::greedy}, std::pair{"uniform", RuleType::uniform}}) {
    Spec expected = preset("k-ucb");
    expected.policy = name;
    expected.rule.type = rule;
    EXPECT_EQ(preset(name), expected);
  }
}

TEST(Preset, GpUcbTakesTheNoiseVarianceAsItsRidge) {
  EXPECT_EQ(preset("gp-ucb").bound.type, BoundType::self_normalized);
  EXPECT_EQ(preset("gp-ucb").regression.ridge, 0.1 * 0.1);
  BoundSpec bound;
  bound.noise_bound = 0.5;
  bound.mixture_scale = 4;
  EXPECT_EQ(preset("gp-ucb", bound).regression.ridge, 0.25);
  EXPECT_EQ(preset("gp-ucb", bound).bound.noise_bound, 0.5);
}

TEST(Preset, AyGpUcbDividesItByTheMixtureScale) {
  EXPECT_EQ(preset("ay-gp-ucb").bound.type, BoundType::self_normalized);
  EXPECT_EQ(preset("ay-gp-ucb").regression.ridge, 0.1 * 0.1);
  BoundSpec bound;
  bound.noise_bound = 0.5;
  bound.mixture_scale = 4;
  EXPECT_EQ(preset("ay-gp-ucb", bound).regression.ridge, 0.0625);
}

TEST(Preset, DerivedRidgesFollowWhatTheUserSays) {
  EXPECT_EQ(read(R"({"policy":"gp-ucb","bound":{"noise_bound":2}})").regression.ridge, 4);
  EXPECT_EQ(read(R"({"policy":"gp-ucb","bound":{"noise_bound":2,"mixture_scale":8}})").regression.ridge, 4);
  EXPECT_EQ(read(R"({"policy":"ay-gp-ucb","bound":{"noise_bound":2,"mixture_scale":8}})").regression.ridge,
            0.5);
  EXPECT_EQ(read(R"({"policy":"ay-gp-ucb","bound":{"mixture_scale":0.5}})").regression.ridge,
            0.1 * 0.1 / 0.5);
  EXPECT_EQ(read(R"({"policy":"k-ucb","bound":{"noise_bound":2}})").regression.ridge, 1);
}

TEST(Preset, AnExplicitRidgeWinsOverADerivedOne) {
  const Spec spec =
      read(R"({"policy":"ay-gp-ucb","regression":{"ridge":3},"bound":{"noise_bound":2,"mixture_scale":8}})");
  EXPECT_EQ(spec.regression.ridge, 3);
  EXPECT_EQ(spec.bound.noise_bound, 2);
  EXPECT_EQ(spec.bound.mixture_scale, 8);
  EXPECT_EQ(spec.bound.type, BoundType::self_normalized);
}

TEST(Preset, AnExplicitBoundTypeWinsOverThePresets) {
  const Spec spec = read(R"({"policy":"gp-ucb","bound":{"type":"fixed","radius":2}})");
  EXPECT_EQ(spec.bound.type, BoundType::fixed);
  EXPECT_EQ(spec.bound.radius, 2);
  EXPECT_EQ(spec.regression.ridge, 0.1 * 0.1);
}

TEST(Preset, EveryProjectedOneHasItsEngine) {
  EXPECT_EQ(preset("bkb").regression.type, RegressionType::bkb);
  EXPECT_EQ(preset("c-bkb").regression.type, RegressionType::bkb);
  EXPECT_EQ(preset("bbkb").regression.type, RegressionType::bbkb);
  EXPECT_EQ(preset("c-bbkb").regression.type, RegressionType::bbkb);
  EXPECT_EQ(preset("bkb").bound.type, BoundType::bkb);
  EXPECT_EQ(preset("c-bkb").bound.type, BoundType::fixed);
  EXPECT_EQ(preset("bkb").regression.oversampling_or_default(), 2);
  EXPECT_EQ(preset("supk-ucb").rule.type, RuleType::supkernelucb);
}

TEST(Preset, TheProjectionFollowsTheRidgeUnlessSet) {
  RegressionSpec regression;
  regression.ridge = 3;
  EXPECT_EQ(regression.projection_or_default(), 3);
  RegressionSpec written = regression;
  written.projection = 3;
  written.oversampling = 1;
  EXPECT_EQ(regression, written);
  written.projection = 2;
  EXPECT_FALSE(regression == written);
}

TEST(Preset, BoundsOfProjectedEnginesAreRefusedOnTheExactOne) {
  for (const BoundType type : {BoundType::bkb, BoundType::ek_ucb}) {
    Spec spec = preset("k-ucb");
    spec.bound.type = type;
    EXPECT_THROW(validate(spec), InvalidArgument);
    spec.regression.type = RegressionType::kors;
    EXPECT_NO_THROW(validate(spec));
  }
}

TEST(Preset, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    preset("thomson");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "policy must be one of ek-ucb, k-ucb, kernel-ucb, supk-ucb, gp-ucb, ay-gp-ucb, igp-ucb, "
                 "amm-ucb, dmm-ucb, cmm-ucb, "
                 "streaming-amm-ucb, streaming-dmm-ucb, streaming-cmm-ucb, adaptive-ucb, adaptive-ts, "
                 "kernel-ts, bkb, bbkb, "
                 "c-bkb, c-bbkb, greedy, uniform, got \"thomson\"");
  }
}

TEST(Preset, ATypeOfBoundBringsTheRidgeThatBelongsToIt) {
  for (const char* name : {"k-ucb", "gp-ucb"}) {
    const std::string start = std::string(R"({"policy":")") + name + R"(","bound":{"noise_bound":0.5,)";
    EXPECT_EQ(read((start + R"("type":"amm","mixture_scale":2}})").c_str()).regression.ridge, 0.125) << name;
    EXPECT_EQ(read((start + R"("type":"igp","horizon":100}})").c_str()).regression.ridge, 1.02) << name;
    EXPECT_EQ(read((start + R"("type":"amm"},"regression":{"ridge":3}})").c_str()).regression.ridge, 3)
        << name;
  }
  EXPECT_EQ(read(R"({"policy":"k-ucb","bound":{"type":"self_normalized"}})").regression.ridge, 1);
}

}  // namespace
}  // namespace ridgerunner
