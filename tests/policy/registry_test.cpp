#include "ridgerunner/policy/registry.h"

#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/policy/spec_toml.h"

namespace ridgerunner::registry_test {
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

// Registered once for all tests of this program, as names last as long as it does.
void register_ours() {
  static const bool done = [] {
    register_bound("test_root", {{"scale", 2.0}, {"norm_bound", 10.0}, {"loud", false}},
                   [](const Parameters& parameters) {
                     const double scale = number_in(parameters, "scale");
                     require_positive("scale", scale);
                     const double norm = number_in(parameters, "norm_bound");
                     return radius_bound([scale, norm](const Evidence& at) {
                       return scale * std::sqrt(at.log_determinant) + norm * std::sqrt(at.ridge);
                     });
                   });
    register_dictionary("test_full", {},
                        [](const Parameters&, const KernelPtr&) { return full_dictionary(); });
    register_rule("test_greedy", {}, [](const Parameters&) { return greedy_rule(); });
    return true;
  }();
  EXPECT_TRUE(done);
}

Matrix line(Index count) {
  return Eigen::RowVectorXd::LinSpaced(count, 0, 1);
}

void live(Policy& policy) {
  for (int t = 0; t < 12; ++t) {
    const Matrix states = line(9);
    const Index chosen = policy.decide(states).index;
    policy.observe(states.col(chosen), std::sin(5 * states(0, chosen)));
  }
}

TEST(Registry, ABoundOfOnesOwnIsNamedBySpecs) {
  register_ours();
  const Spec spec = spec_from_json(toml_to_json(R"(
policy = "k-ucb"
[regression]
ridge = 4
[bound]
type = "test_root"
scale = 3
)"));
  EXPECT_EQ(spec.bound.type(), "test_root");
  EXPECT_EQ(spec.bound.number("scale"), 3);
  Policy policy(spec);
  EXPECT_EQ(policy.statistics().radius, 20);
  live(policy);
  const Evidence at = policy.statistics().evidence;
  EXPECT_DOUBLE_EQ(*policy.statistics().radius, 3 * std::sqrt(at.log_determinant) + 20);
}

TEST(Registry, ItsSpecSurvivesJsonAndToml) {
  register_ours();
  const Spec spec = spec_from_json(parse_json(
      R"({"policy":"gp-ucb","bound":{"type":"test_root","scale":3,"loud":true,"norm_bound":5,"noise_bound":2}})"));
  EXPECT_EQ(spec.regression.ridge, 4) << "the preset's, from noise_bound";
  EXPECT_EQ(spec_from_json(spec_to_json(spec)), spec);
  EXPECT_EQ(spec_from_json(toml_to_json(spec_to_toml(spec))), spec);
  EXPECT_EQ(spec_to_json(spec)["bound"]["loud"], true);
}

TEST(Registry, EveryPartMayBeOnesOwn) {
  register_ours();
  Spec own = preset("k-ucb"), known = own;
  own.regression.dictionary.choose("test_full");
  own.rule.type.choose("test_greedy");
  known.rule.type = rules::Greedy{};
  Policy ours(own), greedy(known);
  live(ours);
  live(greedy);
  EXPECT_EQ(ours.statistics().evidence.anchors, greedy.statistics().evidence.anchors);
  const Forecast a = ours.predict(line(5)), b = greedy.predict(line(5));
  EXPECT_TRUE(a.mean.isApprox(b.mean, 1e-9));
}

TEST(Registry, ASavedPolicyContinues) {
  register_ours();
  Spec spec = preset("k-ucb");
  spec.bound.choose("test_root");
  spec.regression.dictionary.choose("test_full");
  Policy policy(spec);
  live(policy);
  Policy again = load_policy(save_policy(policy), spec);
  EXPECT_EQ(again.decide(line(9)), policy.decide(line(9)));
  EXPECT_EQ(reason([&] {
              load_policy(save_policy(policy), preset("k-ucb"));
            }).find("the file was saved with another spec: "),
            0u);
}

TEST(Registry, ParametersOutOfRangeAreRefusedBeforeAnythingIsBuilt) {
  register_ours();
  EXPECT_EQ(reason([] { spec_from_json(parse_json(R"({"bound":{"type":"test_root","scale":-1}})")); }),
            "scale must be > 0, got -1");
  EXPECT_EQ(reason([] { spec_from_json(parse_json(R"({"bound":{"type":"test_root","scale":"x"}})")); }),
            "bound.scale must be a number, got \"x\"");
  EXPECT_EQ(reason([] {
              spec_from_json(parse_json(R"({"bound":{"scale":1}})"));
            }).find("unknown field bound.scale; known are delta, "),
            0u)
      << "of a type that is not chosen";
}

TEST(Registry, UnknownNamesAreAnsweredWithWhatThereIs) {
  register_ours();
  const std::string message =
      reason([] { spec_from_json(parse_json(R"({"bound":{"type":"never_registered"}})")); });
  EXPECT_EQ(message.find("bound.type must be one of fixed, self_normalized, "), 0u);
  EXPECT_NE(message.find("test_root"), std::string::npos);
  EXPECT_NE(message.find("got \"never_registered\""), std::string::npos);
}

TEST(Registry, NamesAreTakenOnce) {
  register_ours();
  const auto one = [](const Evidence&) { return 1.0; };
  EXPECT_EQ(reason([&] { register_bound("test_root", one); }), "there is a bound test_root already");
  EXPECT_EQ(reason([&] { register_bound("amm", one); }), "there is a bound amm already");
  EXPECT_EQ(reason([] { register_rule("ucb", {}, [](const Parameters&) { return ucb_rule(); }); }),
            "there is a rule ucb already");
  EXPECT_EQ(
      reason([&] { register_bound("My bound", one); }),
      "the name of a bound must be 1 to 64 lower-case letters, digits and underscores, got \"My bound\"");
  EXPECT_EQ(reason([] { register_bound("test_nothing", {}, MakeBound{}); }),
            "the bound test_nothing has no function to make it");
}

TEST(Registry, AMixtureOfOnesOwnIsRefused) {
  register_bound("test_mixture", {}, [](const Parameters&) { return cmm_bound({}); });
  Spec spec = preset("k-ucb");
  spec.bound.choose("test_mixture");
  EXPECT_EQ(reason([&] { validate(spec); }), "bound.type test_mixture must be one radius");
}

TEST(Registry, ThreadsMayRegisterAndUseAtOnce) {
  register_ours();
  std::vector<std::jthread> threads;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&refused, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string name = "test_thread_" + std::to_string(n);
        try {
          register_bound(name, [](const Evidence&) { return 1.0; });
        } catch (const InvalidArgument&) {
          ++refused;
        }
        Spec spec = preset(i % 2 ? "k-ucb" : "ek-ucb");
        spec.bound.choose(name);
        validate(spec);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(refused, 60);
}

TEST(Registry, WhatIsRegisteredIsListedForPeople) {
  register_ours();
  bool found = false;
  for (const Parameter& row : parameters())
    found = found || (row.path == "bound.scale" && row.initial == "2.0");
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace ridgerunner::registry_test
