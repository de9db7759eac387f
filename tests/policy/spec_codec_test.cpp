#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/policy/spec_toml.h"

namespace ridgerunner::spec_codec_test {
namespace {

Spec read(const std::string& text) {
  return spec_from_json(parse_json(text));
}

std::string json_error(const std::string& text) {
  try {
    read(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

std::string toml_error(const std::string& text) {
  try {
    spec_from_json(toml_to_json(text));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

Spec through_json(const Spec& spec) {
  return read(spec_to_json(spec).dump());
}

Spec through_toml(const Spec& spec) {
  return spec_from_json(toml_to_json(spec_to_toml(spec)));
}

KernelSpec kernel_of(KernelType type) {
  KernelSpec kernel;
  kernel.type = type;
  const bool stationary = type <= KernelType::matern52 || type == KernelType::rational_quadratic;
  if (stationary) kernel.lengthscale = {0.1, 1.0 / 3};
  if (type != KernelType::sum && type != KernelType::product && type != KernelType::precomputed)
    kernel.variance = 2.5;
  if (type == KernelType::linear || type == KernelType::polynomial) kernel.offset = 0.25;
  if (type == KernelType::polynomial) kernel.degree = 5;
  if (type == KernelType::rational_quadratic) kernel.shape = 1e-3;
  if (type == KernelType::sum || type == KernelType::product) {
    kernel.parts = {kernel_of(KernelType::matern32), kernel_of(KernelType::polynomial)};
  }
  if (type == KernelType::precomputed) {
    kernel.gram.resize(2, 2);
    kernel.gram << 1, 0.1, 0.1, 3;
  }
  return kernel;
}

TEST(SpecCodec, EveryPresetSurvivesJsonAndToml) {
  for (const Preset& known : presets()) {
    const Spec spec = preset(known.name);
    EXPECT_EQ(through_json(spec), spec) << known.name;
    EXPECT_EQ(through_toml(spec), spec) << known.name;
  }
}

TEST(SpecCodec, EveryKernelTypeSurvivesJsonAndToml) {
  for (int i = 0; i <= static_cast<int>(KernelType::precomputed); ++i) {
    Spec spec;
    spec.kernel = kernel_of(static_cast<KernelType>(i));
    EXPECT_EQ(through_json(spec), spec) << name(spec.kernel.type);
    EXPECT_EQ(through_toml(spec), spec) << name(spec.kernel.type);
  }
}

TEST(SpecCodec, AProductOverBlocksAndNestedPartsSurvive) {
  Spec spec;
  spec.kernel.type = KernelType::product;
  spec.kernel.context_dim = 2;
  KernelSpec inner;
  inner.type = KernelType::sum;
  inner.parts = {kernel_of(KernelType::linear), kernel_of(KernelType::product)};
  spec.kernel.parts = {kernel_of(KernelType::gaussian), inner};
  EXPECT_EQ(through_json(spec), spec);
  EXPECT_EQ(through_toml(spec), spec);
}

TEST(SpecCodec, ArmsSurvive) {
  Spec spec;
  spec.arms = Matrix(2, 3);
  *spec.arms << 0.1, -1e-300, 3, 1e300, 0, -0.7;
  EXPECT_EQ(through_json(spec), spec);
  EXPECT_EQ(through_toml(spec), spec);
}

Schema named_features() {
  return schema_from_json(parse_json(R"({"context":[{"name":"hour","period":24},
      {"name":"a \"b\" = #c","type":"category","values":["x y","\\"]},{"name":"t","type":"text","width":3}],
      "action":[{"name":"v","type":"numbers","size":2,"required":true}],"hash_unknown":true,"hash_width":5})"));
}

TEST(SpecCodec, FeaturesSurvive) {
  Spec spec;
  for (const Schema& schema : {named_features(), Schema{}}) {
    spec.features = schema;
    EXPECT_EQ(through_json(spec), spec);
    EXPECT_EQ(through_toml(spec), spec);
  }
  EXPECT_NE(spec, Spec{});
  EXPECT_FALSE(spec_to_json(Spec{}).contains("features"));
}

TEST(SpecCodec, FeaturesAreTablesInToml) {
  Spec spec;
  spec.features = named_features();
  EXPECT_NE(spec_to_toml(spec).find("\n[[features.context]]\nname = \"hour\" "), std::string::npos);
  EXPECT_NE(spec_to_toml(spec).find("\n[[features.action]]\nname = \"v\" "), std::string::npos);
  EXPECT_EQ(spec_from_json(toml_to_json("[[features.context]]\nname = \"hour\"\nperiod = 24"))
                .features->context[0]
                .period,
            24);
}

TEST(SpecCodec, FeaturesGoWithoutArmsAndWithAKernelOfTheirDimension) {
  EXPECT_EQ(json_error(R"({"features":{},"arms":{"points":[[1]]}})"),
            "features and arms exclude each other: arms are whole states in numbers");
  EXPECT_EQ(json_error(R"({"features":{},"kernel":{"lengthscale":[1,2]}})").empty(), false);
  EXPECT_EQ(json_error(R"({"features":{"context":[{"name":"a","period":-1}]}})"),
            "features.context[0].period must be > 0, got -1");
}

TEST(SpecCodec, NumbersReadBackExactlyWhateverTheyAre) {
  EXPECT_TRUE(rc::check([] {
    Spec spec;
    const auto positive = [] {
      return std::ldexp(1 + *rc::gen::inRange(0, 1 << 30) * 0x1p-30, *rc::gen::inRange(-900, 900));
    };
    spec.seed = static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, INT64_MAX));
    spec.regression.ridge = positive();
    spec.bound.set("radius", positive());
    spec.bound.set("noise_bound", positive());
    spec.bound.set("mixture_scale", positive());
    spec.kernel.variance = positive();
    RC_ASSERT(through_json(spec) == spec);
    RC_ASSERT(through_toml(spec) == spec);
  }));
}

TEST(SpecCodec, TheLargestSeedSurvivesJson) {
  Spec spec;
  spec.seed = INT64_MAX;
  EXPECT_EQ(through_json(spec), spec);
}

TEST(SpecCodec, TheLargestSeedSurvivesToml) {
  Spec spec;
  spec.seed = INT64_MAX;
  ASSERT_NO_THROW(through_toml(spec));
  EXPECT_EQ(through_toml(spec), spec);
}

TEST(SpecCodec, ASeedThatTomlCannotHoldIsRefused) {
  Spec spec;
  spec.seed = std::uint64_t{INT64_MAX} + 1;
  EXPECT_THROW(through_json(spec), InvalidArgument);
  EXPECT_THROW(validate(spec), InvalidArgument);
}

TEST(SpecCodec, TomlAndJsonSayTheSame) {
  const Spec toml = spec_from_json(toml_to_json(R"(
policy = "gp-ucb"
seed = 11
[kernel]
type = "sum"
parts = [{ type = "linear", offset = 1 }, { type = "matern52", lengthscale = [0.1, 2] }]
[bound]
noise_bound = 0.5
[rule]
first = "lowest"
[arms]
points = [[0, 0.5], [1, 2]]
)"));
  const Spec json =
      read(R"({"policy":"gp-ucb","seed":11,"kernel":{"type":"sum","parts":[{"type":"linear","offset":1},
    {"type":"matern52","lengthscale":[0.1,2]}]},"bound":{"noise_bound":0.5},"rule":{"first":"lowest"},
    "arms":{"points":[[0,0.5],[1,2]]}})");
  EXPECT_EQ(toml, json);
  EXPECT_EQ(json.regression.ridge, 0.25);
  ASSERT_TRUE(json.arms);
  EXPECT_EQ(json.arms->rows(), 2);
  EXPECT_EQ((*json.arms)(1, 0), 0.5);
  EXPECT_EQ((*json.arms)(0, 1), 1);
}

TEST(SpecCodec, AnEmptySpecIsEkUcb) {
  EXPECT_EQ(read("{}"), preset("ek-ucb"));
  EXPECT_EQ(spec_from_json(toml_to_json("")), preset("ek-ucb"));
}

TEST(SpecCodec, APolynomialHasAnOffsetOfOneUnlessToldOtherwise) {
  EXPECT_EQ(read(R"({"kernel":{"type":"polynomial"}})").kernel.offset, 1);
  EXPECT_EQ(read(R"({"kernel":{"type":"polynomial","offset":0}})").kernel.offset, 0);
  EXPECT_EQ(read(R"({"kernel":{"type":"linear"}})").kernel.offset, 0);
}

TEST(SpecCodec, WhatIsUnknownIsRefusedWithWhatIsKnown) {
  EXPECT_EQ(
      json_error(R"({"ridge":1})"),
      "unknown field ridge; known are arms, bound, features, kernel, policy, regression, rule, seed, tune");
  EXPECT_EQ(json_error(R"({"regression":{"lambda":1}})"),
            "unknown field regression.lambda; known are accuracy, arrival_features, batch_threshold, "
            "offset, oversampling, projection, reward_high, reward_low, ridge, tolerance, type");
  EXPECT_EQ(
      json_error(R"({"bound":{"type":"fixed","beta":1}})"),
      "unknown field bound.beta; known are delta, grid, horizon, mixture_scale, noise_bound, noise_lower, "
      "noise_upper, norm_bound, printed, radius, type");
  EXPECT_EQ(json_error(R"({"rule":{"last":1}})"), "unknown field rule.last; known are first, ties, type");
  EXPECT_EQ(json_error(R"({"arms":{"rows":[[1]]}})"), "unknown field arms.rows; known are points");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"linear","lengthscale":1}})"),
            "unknown field kernel.lengthscale; known are offset, type, variance");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"sum","parts":[{"degree":2}]}})"),
            "unknown field kernel.parts[0].degree; known are lengthscale, type, variance");
}

TEST(SpecCodec, AFieldThatIsKnownIsListedAsKnownEvenIfAbsent) {
  // "type" was not given here, and is a field all the same.
  EXPECT_EQ(
      json_error(R"({"bound":{"beta":1}})"),
      "unknown field bound.beta; known are delta, grid, horizon, mixture_scale, noise_bound, noise_lower, "
      "noise_upper, norm_bound, printed, radius, type");
}

TEST(SpecCodec, WrongTypesAreRefusedByPathAndValue) {
  EXPECT_EQ(json_error("[]"), "the text must be an object, got []");
  EXPECT_EQ(json_error("7"), "the text must be an object, got 7");
  EXPECT_EQ(json_error(R"({"policy":3})"), "policy must be a string, got 3");
  EXPECT_EQ(json_error(R"({"seed":-1})"), "seed must be an integer >= 0, got -1");
  EXPECT_EQ(json_error(R"({"seed":1.5})"), "seed must be an integer >= 0, got 1.5");
  EXPECT_EQ(json_error(R"({"seed":"1"})"), "seed must be an integer >= 0, got \"1\"");
  EXPECT_EQ(json_error(R"({"seed":99999999999999999999})"), "seed must be an integer >= 0, got 1e+20");
  EXPECT_EQ(json_error(R"({"kernel":"gaussian"})"), "kernel must be an object, got \"gaussian\"");
  EXPECT_EQ(json_error(R"({"kernel":{"lengthscale":"wide"}})"),
            "kernel.lengthscale must be a number or a list of numbers, got \"wide\"");
  EXPECT_EQ(json_error(R"({"kernel":{"lengthscale":[]}})"),
            "kernel.lengthscale must be a number or a list of numbers, got []");
  EXPECT_EQ(json_error(R"({"kernel":{"lengthscale":[1,null]}})"),
            "kernel.lengthscale must be a number, got null");
  EXPECT_EQ(json_error(R"({"kernel":{"variance":true}})"), "kernel.variance must be a number, got true");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"sum","parts":{}}})"),
            "kernel.parts must be a list of kernels, got {}");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"polynomial","degree":2.5}})"),
            "kernel.degree must be an integer >= 1, got 2.5");
  EXPECT_EQ(json_error(R"({"regression":{"ridge":"1"}})"), "regression.ridge must be a number, got \"1\"");
  EXPECT_EQ(json_error(R"({"bound":[]})"), "bound must be an object, got []");
  EXPECT_EQ(json_error(R"({"bound":{"type":1}})"), "bound.type must be a string, got 1");
  EXPECT_EQ(json_error(R"({"bound":{"radius":null}})"), "bound.radius must be a number, got null");
  EXPECT_EQ(json_error(R"({"arms":{"points":3}})"),
            "arms.points must be a list of points, each a list of numbers, got 3");
  EXPECT_EQ(json_error(R"({"arms":{"points":[]}})"),
            "arms.points must be a list of points, each a list of numbers, got []");
  EXPECT_EQ(json_error(R"({"arms":{"points":[[1],[2,3]]}})"),
            "arms.points[1] has dimension 2, but arms.points[0] has 1");
  EXPECT_EQ(json_error(R"({"arms":{"points":[[1],["x"]]}})"),
            "arms.points[1][0] must be a number, got \"x\"");
}

TEST(SpecCodec, UnknownWordsAreRefusedWithTheKnownOnes) {
  EXPECT_EQ(json_error(R"({"kernel":{"type":"rbf"}})"),
            "kernel.type must be one of gaussian, matern12, matern32, matern52, linear, polynomial, "
            "rational_quadratic, sum, product, precomputed, got \"rbf\"");
  EXPECT_EQ(json_error(R"({"regression":{"type":"dense"}})"),
            "regression.type must be one of exact, kors, bkb, bbkb, residual_budget, got \"dense\"");
  EXPECT_EQ(
      json_error(R"({"bound":{"type":"magic"}})"),
      "bound.type must be one of fixed, self_normalized, wang_de_freitas, igp, bkb, ek_ucb, amm, dmm, cmm, "
      "empirical_bernstein, got \"magic\"");
  EXPECT_EQ(json_error(R"({"rule":{"type":"best"}})"),
            "rule.type must be one of ucb, thompson, supkernelucb, greedy, uniform, got \"best\"");
  EXPECT_EQ(json_error(R"({"rule":{"first":"last"}})"),
            "rule.first must be one of random, lowest, got \"last\"");
  EXPECT_EQ(
      json_error(R"({"policy":"magic"})"),
      "policy must be one of auto, ek-ucb, k-ucb, kernel-ucb, supk-ucb, gp-ucb, ay-gp-ucb, igp-ucb, amm-ucb, "
      "dmm-ucb, cmm-ucb, "
      "streaming-amm-ucb, streaming-dmm-ucb, streaming-cmm-ucb, adaptive-ucb, adaptive-ts, kernel-ts, "
      "bkb, bbkb, "
      "c-bkb, c-bbkb, greedy, uniform, got \"magic\"");
}

TEST(SpecCodec, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(json_error(R"({"regression":{"ridge":0}})"), "ridge must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"regression":{"ridge":-1}})"), "ridge must be > 0, got -1");
  EXPECT_EQ(json_error(R"({"regression":{"projection":0}})"), "projection must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"regression":{"oversampling":-2}})"), "oversampling must be > 0, got -2");
  EXPECT_EQ(json_error(R"({"regression":{"accuracy":1}})"),
            "accuracy must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(json_error(R"({"regression":{"batch_threshold":0.5}})"), "batch_threshold must be >= 1, got 0.5");
  EXPECT_EQ(json_error(R"({"regression":{"tolerance":0}})"), "tolerance must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"regression":{"type":"bkb","arrival_features":true}})"),
            "arrival_features needs anchors that stay: bkb and bbkb draw them anew");
  EXPECT_EQ(json_error(R"({"bound":{"horizon":0.5}})"), "horizon must be >= 1, got 0.5");
  EXPECT_EQ(json_error(R"({"bound":{"radius":-0.5}})"), "radius must be >= 0, got -0.5");
  EXPECT_EQ(json_error(R"({"bound":{"mixture_scale":0}})"), "mixture_scale must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"policy":"ay-gp-ucb","bound":{"mixture_scale":0}})"),
            "mixture_scale must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"policy":"gp-ucb","bound":{"delta":1}})"),
            "delta must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(json_error(R"({"policy":"gp-ucb","bound":{"delta":0}})"),
            "delta must be between 0 and 1 (exclusive), got 0");
  EXPECT_EQ(json_error(R"({"policy":"gp-ucb","bound":{"norm_bound":-2}})"),
            "norm_bound must be >= 0, got -2");
  EXPECT_EQ(json_error(R"({"policy":"gp-ucb","regression":{"ridge":1},"bound":{"noise_bound":-2}})"),
            "noise_bound must be >= 0, got -2");
  EXPECT_EQ(json_error(R"({"kernel":{"variance":0}})"), "variance must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"kernel":{"lengthscale":-1}})"), "lengthscale must be > 0, got -1");
  EXPECT_EQ(json_error(R"({"kernel":{"lengthscale":[1,0]}})"), "lengthscale must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"linear","offset":-1}})"), "offset must be >= 0, got -1");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"polynomial","degree":0}})"),
            "kernel.degree must be an integer >= 1, got 0");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"polynomial","degree":101}})"),
            "kernel.degree must be an integer from 1 to 100, got 101");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"rational_quadratic","shape":0}})"), "shape must be > 0, got 0");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"sum"}})"), "parts must name at least one kernel");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"precomputed"}})"),
            "gram must be square and not empty, got 0 x 0");
  EXPECT_EQ(
      json_error(R"({"kernel":{"type":"precomputed","gram":[[1,2],[3,4]]}})").find("gram must be symmetric"),
      0u);
  EXPECT_EQ(json_error(R"({"kernel":{"lengthscale":[1,2]},"arms":{"points":[[1]]}})").empty(), false);
  EXPECT_EQ(json_error(R"({"arms":{}})"), "arms must not be empty");
}

TEST(SpecCodec, ABoundsParametersAreCheckedEvenIfItsTypeDoesNotUseThem) {
  EXPECT_EQ(json_error(R"({"bound":{"type":"fixed","delta":5}})"),
            "delta must be between 0 and 1 (exclusive), got 5");
  EXPECT_EQ(json_error(R"({"bound":{"type":"fixed","norm_bound":-1}})"), "norm_bound must be >= 0, got -1");
  EXPECT_EQ(json_error(R"({"policy":"gp-ucb","bound":{"radius":-1}})"), "radius must be >= 0, got -1");
}

TEST(SpecCodec, AProductOverBlocksIsWholeOrNotAtAll) {
  const std::string message = "a product over blocks needs context_dim, context and action, and no parts";
  EXPECT_EQ(json_error(R"({"kernel":{"type":"product","context_dim":2}})"), message);
  EXPECT_EQ(json_error(R"({"kernel":{"type":"product","context_dim":2,"context":{}}})"), message);
  EXPECT_EQ(json_error(R"({"kernel":{"type":"product","context":{},"action":{}}})"), message);
  EXPECT_EQ(
      json_error(R"({"kernel":{"type":"product","context_dim":1,"context":{},"action":{},"parts":[{}]}})"),
      message);
  EXPECT_EQ(json_error(R"({"kernel":{"type":"product","context_dim":0,"context":{},"action":{}}})"),
            "kernel.context_dim must be an integer >= 1, got 0");
  EXPECT_EQ(
      json_error(R"({"kernel":{"type":"product","context_dim":1,"context":{"variance":"x"},"action":{}}})"),
      "kernel.context.variance must be a number, got \"x\"");
}

TEST(SpecCodec, DuplicateKeysAreRefused) {
  EXPECT_EQ(json_error(R"({"seed":1,"seed":1})"), "the field seed is there twice");
  EXPECT_EQ(json_error(R"({"bound":{"radius":1,"radius":2}})"), "the field radius is there twice");
  EXPECT_EQ(json_error(R"({"kernel":{"type":"sum","parts":[{"type":"linear"},{"type":"linear"}]},"seed":3})"),
            "");
  EXPECT_EQ(toml_error("seed = 1\nseed = 1\n").find("not TOML: "), 0u);
  EXPECT_NE(toml_error("seed = 1\nseed = 1\n").find("line 2"), std::string::npos);
}

TEST(SpecCodec, TextThatIsNotJsonSaysWhere) {
  EXPECT_EQ(json_error("{\"seed\": }").find("not JSON: parse error at line 1, column 10: "), 0u);
  EXPECT_EQ(json_error("").find("not JSON: parse error"), 0u);
  EXPECT_EQ(json_error("{} {}").find("not JSON: parse error"), 0u);
  EXPECT_EQ(json_error("{\"regression\":{\"ridge\":NaN}}").find("not JSON: parse error"), 0u);
  EXPECT_EQ(json_error("{\"regression\":{\"ridge\":1e999}}").find("not JSON: "), 0u);
}

TEST(SpecCodec, NoErrorNamesTheLibraryThatReadsTheText) {
  for (const char* text : {"{", "{\"regression\":{\"ridge\":1e999}}", "\xff\xfe", "{\"a\":\"\x80\"}"}) {
    EXPECT_EQ(json_error(text).find("json.exception"), std::string::npos) << json_error(text);
  }
}

TEST(SpecCodec, TextThatIsNotTomlSaysWhere) {
  EXPECT_EQ(toml_error("seed = \n").find("not TOML: "), 0u);
  EXPECT_NE(toml_error("\n\n[kernel\n").find("line 3"), std::string::npos);
  EXPECT_EQ(toml_error("seed = 1979-05-27").find("not a spec: a date or time at line 1"), 0u);
  EXPECT_EQ(toml_error("[regression]\nridge = inf"), "regression.ridge must be finite, got inf");
  EXPECT_EQ(toml_error("[regression]\nridge = nan"), "regression.ridge must be finite, got nan");
}

TEST(SpecCodec, ALongValueIsCutInTheError) {
  const std::string message = json_error(R"({"seed":")" + std::string(10000, 'x') + "\"}");
  EXPECT_LT(message.size(), 150u);
  EXPECT_EQ(message.find("seed must be an integer >= 0, got \"xxx"), 0u);
}

// A kernel of every type, so that each field of the reference has a place where it is allowed.
std::map<std::string, std::string> places() {
  std::map<std::string, std::string> place;
  for (const char* field : {"lengthscale", "variance"}) place[std::string("kernel.") + field] = "gaussian";
  place["kernel.type"] = "gaussian";
  place["kernel.offset"] = "linear";
  place["kernel.degree"] = "polynomial";
  place["kernel.shape"] = "rational_quadratic";
  for (const char* field : {"parts", "context_dim", "context", "action"})
    place[std::string("kernel.") + field] = "product";
  place["kernel.gram"] = "precomputed";
  return place;
}

// The type of feature that has a key.
const std::map<std::string, std::string> kFeatureTypes = {
    {"name", "number"},   {"type", "number"},     {"required", "number"}, {"log", "number"},
    {"period", "number"}, {"values", "category"}, {"width", "text"},      {"size", "numbers"}};
const std::string kOfFeature = "features.context.";

TEST(Parameters, OfAFeatureAreFieldsThatTheCodecKnowsWithTheirDefaults) {
  int found = 0;
  for (const Parameter& parameter : parameters()) {
    if (!parameter.path.starts_with(kOfFeature)) continue;
    ++found;
    const std::string key = parameter.path.substr(kOfFeature.size());
    Json feature = {{"name", "a"}, {"type", kFeatureTypes.at(key)}};
    if (key != "type" && kFeatureTypes.at(key) == "numbers") feature["size"] = 1;
    feature[key] = nullptr;
    const std::string message = json_error(Json{{"features", {{"context", {feature}}}}}.dump());
    EXPECT_EQ(message.find(fmt::format("features.context[0].{} must be", key)), 0u) << message;
    if (parameter.initial.empty()) continue;
    const std::string text = fmt::format("[[features.context]]\nname = \"a\"\n{}",
                                         key == "type" ? "" : "type = \"" + kFeatureTypes.at(key) + "\"\n");
    EXPECT_EQ(spec_from_json(toml_to_json(text + key + " = " + parameter.initial)),
              spec_from_json(toml_to_json(text)))
        << key;
  }
  EXPECT_EQ(found, static_cast<int>(kFeatureTypes.size()));
}

TEST(Parameters, EveryOneIsAFieldThatTheCodecKnows) {
  const auto kernel_type = places();
  for (const Parameter& parameter : parameters()) {
    if (parameter.path.starts_with(kOfFeature)) continue;  // above
    if (parameter.path == "kernel.file" || parameter.path == "arms.file")
      continue;  // read by the command line
    const auto dot = parameter.path.find('.');
    Json json = Json::object();
    if (dot == std::string::npos) {
      json[parameter.path] = nullptr;  // no field may be null: the error names it as one of the wrong type
    } else {
      Json& section = json[parameter.path.substr(0, dot)] = Json::object();
      if (kernel_type.contains(parameter.path)) section["type"] = kernel_type.at(parameter.path);
      section[parameter.path.substr(dot + 1)] = nullptr;
    }
    const std::string message = json_error(json.dump());
    EXPECT_FALSE(message.empty()) << parameter.path;
    EXPECT_EQ(message.find("unknown field"), std::string::npos) << message;
  }
}

void collect(const Json& json, const std::string& path, std::set<std::string>& fields) {
  for (const auto& [key, value] : json.items()) {
    const std::string inner = path.empty() ? key : path + "." + key;
    if (path.empty() && value.is_object()) {
      collect(value, inner, fields);
    } else {
      fields.insert(inner);
    }
  }
}

TEST(Parameters, CoverEveryFieldThatASpecIsWrittenWith) {
  std::set<std::string> written, listed;
  for (int i = 0; i <= static_cast<int>(KernelType::precomputed); ++i) {
    Spec spec;
    spec.kernel = kernel_of(static_cast<KernelType>(i));
    if (spec.kernel.type != KernelType::precomputed) spec.arms = Matrix::Zero(2, 1);
    collect(spec_to_json(spec), "", written);
  }
  Spec blocks;
  blocks.kernel.type = KernelType::product;
  blocks.kernel.context_dim = 1;
  blocks.kernel.parts = {KernelSpec{}, KernelSpec{}};
  collect(spec_to_json(blocks), "", written);
  Spec tuned = preset("auto");  // these are written only if they are not as they always were
  tuned.regression.offset = 1;
  tuned.regression.reward_low = -1;
  tuned.regression.reward_high = 1;
  collect(spec_to_json(tuned), "", written);
  Spec named;
  named.features = named_features();
  collect(spec_to_json(named), "", written);
  for (const auto& [key, type] : kFeatureTypes) written.insert(kOfFeature + key);
  for (const Parameter& parameter : parameters()) {
    EXPECT_TRUE(listed.insert(parameter.path).second) << parameter.path << " is listed twice";
    EXPECT_FALSE(parameter.meaning.empty()) << parameter.path;
    EXPECT_FALSE(parameter.range.empty()) << parameter.path;
  }
  listed.erase("kernel.file");
  listed.erase("arms.file");
  EXPECT_EQ(written, listed);
}

TEST(Parameters, TheirDefaultsAreThoseOfTheDefaultSpec) {
  for (const Parameter& parameter : parameters()) {
    if (parameter.initial.empty() || parameter.path.starts_with(kOfFeature)) continue;
    const auto dot = parameter.path.find('.');
    const std::string section = dot == std::string::npos ? "" : parameter.path.substr(0, dot),
                      key = dot == std::string::npos ? parameter.path : parameter.path.substr(dot + 1);
    const auto types = places();
    std::string text = section.empty() ? "" : "[" + section + "]\n";
    if (section == "kernel" && key != "type") text += "type = \"" + types.at(parameter.path) + "\"\n";
    const Spec without = spec_from_json(toml_to_json(text));
    const Spec with = spec_from_json(toml_to_json(text + key + " = " + parameter.initial + "\n"));
    EXPECT_EQ(with, without) << parameter.path;
  }
}

TEST(SpecToml, ExplainsEveryLine) {
  const std::string text = spec_to_toml(preset("gp-ucb"));
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (line.empty() || line[0] == '[') continue;
    EXPECT_NE(line.find(" # "), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace ridgerunner::spec_codec_test
