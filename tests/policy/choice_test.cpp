#include "ridgerunner/policy/choice.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner::choice_test {
namespace {

template <class Work>
std::string reason(const Work& work) {
  try {
    work();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Choice, IsAValueOfOneOfItsTypes) {
  BoundSpec bound = bounds::Dmm{{{0.2, 3, 0.5}, 2}, {1, 2}};
  EXPECT_EQ(bound.type(), "dmm");
  EXPECT_FALSE(bound.is<bounds::Amm>());
  EXPECT_EQ(bound.get_if<bounds::Dmm>()->grid, (std::vector<double>{1, 2}));
  EXPECT_EQ(bound.number("delta"), 0.2);
  EXPECT_EQ(bound.number("norm_bound"), 3);
  EXPECT_EQ(bound.number("mixture_scale"), 2);
  EXPECT_EQ(bound.number("radius"), 0.1) << "another type's default";
}

TEST(Choice, WhatWasSetStaysSetWhateverTheType) {
  BoundSpec bound;
  bound.set("norm_bound", 3);
  bound.set("radius", 0.7);
  bound.choose("amm");
  EXPECT_EQ(bound.get_if<bounds::Amm>()->norm_bound, 3);
  EXPECT_EQ(bound.number("radius"), 0.7);
  bound.choose("fixed");
  EXPECT_EQ(bound.get_if<bounds::Fixed>()->radius, 0.7);
  EXPECT_EQ(bound.number("norm_bound"), 3);
}

TEST(Choice, DefaultsAreThoseOfTheType) {
  DictionaryChoice dictionary = dictionaries::Kors{};
  EXPECT_EQ(dictionary.number("oversampling"), 1);
  dictionary.choose("bkb");
  EXPECT_EQ(dictionary.number("oversampling"), 2);
  dictionary.set("oversampling", 5);
  dictionary.choose("kors");
  EXPECT_EQ(dictionary.number("oversampling"), 5);
}

TEST(Choice, EqualsWhatHasTheSameTypeAndValues) {
  BoundSpec a, b;
  b.set("norm_bound", 10);
  EXPECT_EQ(a, b) << "a default written out";
  b.set("norm_bound", 11);
  EXPECT_FALSE(a == b) << "as a file would differ";
  EXPECT_FALSE(BoundSpec(bounds::Amm{}) == BoundSpec(bounds::Cmm{}));
  EXPECT_FALSE(BoundSpec(bounds::Fixed{1}) == BoundSpec(bounds::Fixed{2}));
}

TEST(Choice, NamesAndKindsThatCannotBeAreRefused) {
  BoundSpec bound;
  EXPECT_EQ(reason([&] { bound.set("beta", 1); }), "there is no parameter beta");
  EXPECT_EQ(reason([&] { bound.number("beta"); }), "there is no parameter beta");
  EXPECT_EQ(reason([&] { bound.set("radius", true); }), "radius has a value of another kind");
  EXPECT_EQ(reason([&] { bound.set("grid", 1.0); }), "grid has a value of another kind");
  EXPECT_EQ(reason([&] { bound.choose("best"); }).find("type must be one of fixed, self_normalized, "), 0u);
  EXPECT_EQ(bound, BoundSpec{});
}

TEST(Choice, ChecksWhatItUsesAndWhatItDoesNot) {
  BoundSpec bound;
  bound.set("delta", 1.5);
  EXPECT_EQ(reason([&] { bound.check(); }), "delta must be between 0 and 1 (exclusive), got 1.5");
  bound.choose("amm");
  EXPECT_EQ(reason([&] { bound.check(); }), "delta must be between 0 and 1 (exclusive), got 1.5");
  bound.set("delta", 0.5);
  bound.set("grid", std::vector<double>{1, -1});
  EXPECT_EQ(reason([&] { bound.check(); }), "grid must be > 0, got -1");
}

// What a type does not use is read, kept and written, as it always was: old files compare equal.
TEST(Choice, ParametersOfOtherTypesSurviveAFile) {
  const Json json = parse_json(R"({"policy":"amm-ucb","bound":{"radius":0.3,"noise_upper":7,"horizon":50}})");
  const Spec spec = spec_from_json(json);
  EXPECT_EQ(spec.horizon, 50);
  const Json written = spec_to_json(spec);
  EXPECT_EQ(written["bound"]["radius"], 0.3);
  EXPECT_EQ(written["bound"]["noise_upper"], 7);
  EXPECT_EQ(written["bound"]["horizon"], 50);
  EXPECT_EQ(spec_from_json(written), spec);
}

TEST(Choice, ASpecIsWrittenAsItAlwaysWas) {
  EXPECT_EQ(
      spec_to_json(preset("dmm-ucb")).dump(),
      R"({"policy":"dmm-ucb","seed":7,"kernel":{"type":"gaussian","lengthscale":0.5,"variance":1.0},)"
      R"("regression":{"type":"exact","ridge":0.010000000000000002,"projection":0.010000000000000002,)"
      R"("oversampling":1.0,"accuracy":0.5,"batch_threshold":10.0,"tolerance":0.05,)"
      R"("arrival_features":false},"bound":{"type":"dmm","radius":0.1,"delta":0.01,"norm_bound":10.0,)"
      R"("noise_bound":0.1,"horizon":1000.0,"mixture_scale":1.0,"grid":[0.1,0.3,1.0,3.0,10.0],)"
      R"("noise_lower":0.01,"noise_upper":1.0,"printed":false},"rule":{"type":"ucb","first":"random"}})");
}

}  // namespace
}  // namespace ridgerunner::choice_test
