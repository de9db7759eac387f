#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec.h"
#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner::preset_test {
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
  EXPECT_TRUE(spec.regression.dictionary.is<dictionaries::Kors>());
  EXPECT_EQ(spec.regression.ridge, 1);
  EXPECT_EQ(spec.regression.projection_or_default(), 1);
  EXPECT_EQ(spec.regression.dictionary.number("oversampling"), 1);
  EXPECT_EQ(spec.regression.accuracy, 0.5);
  EXPECT_EQ(spec.regression.dictionary.number("batch_threshold"), 10);
  EXPECT_EQ(spec.regression.dictionary.number("tolerance"), 0.05);
  EXPECT_EQ(spec.horizon, 1000);
  EXPECT_TRUE(spec.bound.is<bounds::Fixed>());
  EXPECT_EQ(spec.bound.number("radius"), 0.1);
  EXPECT_EQ(spec.bound.number("delta"), 0.01);
  EXPECT_EQ(spec.bound.number("norm_bound"), 10);
  EXPECT_EQ(spec.bound.number("noise_bound"), 0.1);
  EXPECT_EQ(spec.bound.number("mixture_scale"), 1);
  EXPECT_TRUE(spec.rule.type.is<rules::Ucb>());
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
  for (const auto& [name, rule] : {std::pair{"greedy", RuleChoice(rules::Greedy{})},
                                   std::pair{"uniform", RuleChoice(rules::Uniform{})}}) {
    Spec expected = preset("k-ucb");
    expected.policy = name;
    expected.rule.type = rule;
    EXPECT_EQ(preset(name), expected);
  }
}

TEST(Preset, GpUcbTakesTheNoiseVarianceAsItsRidge) {
  EXPECT_TRUE(preset("gp-ucb").bound.is<bounds::SelfNormalized>());
  EXPECT_EQ(preset("gp-ucb").regression.ridge, 0.1 * 0.1);
  BoundSpec bound;
  bound.set("noise_bound", 0.5);
  bound.set("mixture_scale", 4);
  EXPECT_EQ(preset("gp-ucb", bound).regression.ridge, 0.25);
  EXPECT_EQ(preset("gp-ucb", bound).bound.number("noise_bound"), 0.5);
}

TEST(Preset, AyGpUcbDividesItByTheMixtureScale) {
  EXPECT_TRUE(preset("ay-gp-ucb").bound.is<bounds::SelfNormalized>());
  EXPECT_EQ(preset("ay-gp-ucb").regression.ridge, 0.1 * 0.1);
  BoundSpec bound;
  bound.set("noise_bound", 0.5);
  bound.set("mixture_scale", 4);
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
  EXPECT_EQ(spec.bound.number("noise_bound"), 2);
  EXPECT_EQ(spec.bound.number("mixture_scale"), 8);
  EXPECT_TRUE(spec.bound.is<bounds::SelfNormalized>());
}

TEST(Preset, AnExplicitBoundTypeWinsOverThePresets) {
  const Spec spec = read(R"({"policy":"gp-ucb","bound":{"type":"fixed","radius":2}})");
  EXPECT_TRUE(spec.bound.is<bounds::Fixed>());
  EXPECT_EQ(spec.bound.number("radius"), 2);
  EXPECT_EQ(spec.regression.ridge, 0.1 * 0.1);
}

TEST(Preset, EveryProjectedOneHasItsEngine) {
  EXPECT_TRUE(preset("bkb").regression.dictionary.is<dictionaries::Bkb>());
  EXPECT_TRUE(preset("c-bkb").regression.dictionary.is<dictionaries::Bkb>());
  EXPECT_TRUE(preset("bbkb").regression.dictionary.is<dictionaries::Bbkb>());
  EXPECT_TRUE(preset("c-bbkb").regression.dictionary.is<dictionaries::Bbkb>());
  EXPECT_TRUE(preset("bkb").bound.is<bounds::Bkb>());
  EXPECT_TRUE(preset("c-bkb").bound.is<bounds::Fixed>());
  EXPECT_EQ(preset("bkb").regression.dictionary.number("oversampling"), 2);
  EXPECT_TRUE(preset("supk-ucb").rule.type.is<rules::SupKernelUcb>());
}

TEST(Preset, TheProjectionFollowsTheRidgeUnlessSet) {
  RegressionSpec regression;
  regression.ridge = 3;
  EXPECT_EQ(regression.projection_or_default(), 3);
  RegressionSpec written = regression;
  written.dictionary.set("projection", 3);
  written.dictionary.set("oversampling", 1);
  EXPECT_EQ(regression, written);
  written.dictionary.set("projection", 2);
  EXPECT_FALSE(regression == written);
}

TEST(Preset, BoundsOfProjectedEnginesAreRefusedOnTheExactOne) {
  for (const char* type : {"bkb", "ek_ucb"}) {
    Spec spec = preset("k-ucb");
    spec.bound.choose(type);
    EXPECT_THROW(validate(spec), InvalidArgument);
    spec.regression.dictionary.choose("kors");
    EXPECT_NO_THROW(validate(spec));
  }
}

TEST(Preset, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    preset("thomson");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(
        error.what(),
        "policy must be one of auto, ek-ucb, k-ucb, kernel-ucb, supk-ucb, gp-ucb, ay-gp-ucb, igp-ucb, "
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
}  // namespace ridgerunner::preset_test
