// Saved and loaded: engines on a dictionary, and in levels.
#include "ridgerunner/archive/engine_archive.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "oracles/problems.h"
#include "ridgerunner/archive/policy_archive.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/projected/full_first.h"

namespace ridgerunner::engine_archive_test {
namespace {

Matrix random_points(Index count, std::uint64_t step) {
  Stream random(2, Purpose::test, step);
  return oracle::uniform_points(random, 2, count);
}

struct Life {
  Spec spec;
  bool repeats = false;      // candidates come from a small pool
  bool leaves_open = false;  // every third reward never arrives
  Index late = 0;            // how many rewards are on their way
};

struct Lived {
  Policy policy;
  std::vector<std::pair<Vector, double>> coming;  // rewards on their way

  Decision live(const Life& life, std::uint64_t round) {
    const Matrix offered =
        life.spec.arms ? *life.spec.arms
                       : random_points(life.repeats ? 4 : 12, life.repeats ? round % 5 : 1000 + round);
    const Decision decision = life.spec.arms ? policy.decide() : policy.decide(offered);
    const Vector state = offered.col(decision.index);
    const double reward = std::sin(7 * state.sum()) + 0.1 * Stream(5, Purpose::noise, round).normal();
    if (!life.leaves_open || round % 3 != 0) coming.emplace_back(state, reward);
    if (std::ssize(coming) > life.late) {
      policy.observe(coming.front().first, coming.front().second);
      coming.erase(coming.begin());
    }
    return decision;
  }
};

void expect_continues(const Life& life, std::uint64_t before, std::uint64_t after) {
  Lived one{Policy(life.spec), {}};
  for (std::uint64_t round = 0; round < before; ++round) one.live(life, round);
  const std::string bytes = save_policy(one.policy);
  Lived other{load_policy(bytes, life.spec), one.coming};
  ASSERT_TRUE(save_policy(other.policy) == bytes);
  for (std::uint64_t round = before; round < before + after; ++round)
    ASSERT_EQ(one.live(life, round), other.live(life, round)) << "in round " << round;
  EXPECT_TRUE(save_policy(one.policy) == save_policy(other.policy));
  const Matrix at = random_points(10, 9999);
  const Forecast a = one.policy.predict(at), b = other.policy.predict(at);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.sd, b.sd);
  EXPECT_EQ(a.upper, b.upper);
  const Statistics here = one.policy.statistics(), there = other.policy.statistics();
  EXPECT_EQ(here.evidence.variance_sum, there.evidence.variance_sum);
  EXPECT_EQ(here.evidence.batch_growth, there.evidence.batch_growth);
  EXPECT_EQ(here.evidence.residual_sum, there.evidence.residual_sum);
}

struct Named {
  std::string name;
  Spec spec;
};

std::vector<Named> every_engine() {
  std::vector<Named> all;
  for (const char* name : {"ek-ucb", "bkb", "bbkb", "c-bkb", "c-bbkb", "supk-ucb"}) {
    Spec spec = preset(name);
    spec.kernel.lengthscale = {0.2};
    all.push_back({name, spec});
  }
  for (const bool arrival : {false, true}) {
    Spec spec = preset("ek-ucb");
    spec.kernel.lengthscale = {0.2};
    spec.regression.dictionary.choose("residual_budget");
    spec.regression.arrival_features = arrival;
    spec.regression.dictionary.set("tolerance", 3);
    all.push_back({arrival ? "residual_budget on arrival" : "residual_budget", spec});
  }
  for (const double oversampling : {10.0, 30.0}) {  // full at first, and for long
    Spec spec = preset("ek-ucb");
    spec.kernel.lengthscale = {0.05};
    spec.regression.ridge = 10;
    spec.regression.dictionary.set("oversampling", oversampling);
    all.push_back({"full at first " + std::to_string(oversampling), spec});
  }
  Spec levels = preset("supk-ucb");
  levels.regression.dictionary.choose("kors");
  all.push_back({"levels of kors", levels});
  Spec arrival = preset("ek-ucb");
  arrival.regression.arrival_features = true;
  all.push_back({"kors on arrival", arrival});
  return all;
}

TEST(EngineArchive, EveryEngineContinuesBitForBit) {
  for (const Named& one : every_engine()) {
    for (const std::uint64_t rounds : {0, 1, 45}) {
      SCOPED_TRACE(one.name + " after " + std::to_string(rounds));
      expect_continues({one.spec}, rounds, 100);
    }
    SCOPED_TRACE(one.name + " with repeats");
    expect_continues({one.spec, true}, 60, 100);
  }
}

TEST(EngineArchive, EveryEngineWithArmsContinuesBitForBit) {
  for (Named one : every_engine()) {
    one.spec.arms = random_points(30, 1);
    for (const std::uint64_t rounds : {0, 1, 45}) {
      SCOPED_TRACE(one.name + " after " + std::to_string(rounds));
      expect_continues({one.spec}, rounds, 100);
    }
  }
}

TEST(EngineArchive, EveryEngineContinuesBitForBitWithOpenDecisions) {
  for (Named one : every_engine()) {
    for (const bool arms : {false, true}) {
      if (arms) one.spec.arms = random_points(30, 1);
      for (std::uint64_t rounds = 40; rounds < 48; ++rounds) {  // in the middle of a batch, at its end
        SCOPED_TRACE(one.name + " after " + std::to_string(rounds));
        expect_continues({one.spec, false, rounds % 2 == 0, 3}, rounds, 50);
      }
    }
  }
}

TEST(EngineArchive, ABatchIsSavedInItsMiddle) {
  Spec spec = preset("bbkb");
  spec.arms = random_points(30, 1);
  Policy policy(spec);
  for (int i = 0; i < 4; ++i) policy.decide();
  const Policy loaded = load_policy(save_policy(policy), spec);  // before the first reward
  EXPECT_EQ(loaded.statistics().open, 4);
  policy.observe(spec.arms->col(0), 1);
  policy.decide();
  ASSERT_GT(policy.statistics().evidence.batch_growth, 1);
  EXPECT_EQ(load_policy(save_policy(policy), spec).statistics().evidence.batch_growth,
            policy.statistics().evidence.batch_growth);
}

TEST(EngineArchive, TheSmallestRidgesAreSavedAndLoaded) {
  for (const double ridge : {1e-6, 1e-9, 1e-12, 1e-15}) {
    for (const Index arms : {0, 1, 3}) {
      for (Named one : every_engine()) {
        if (one.name.find("level") != std::string::npos || one.name == "supk-ucb") continue;
        one.spec.regression.ridge = ridge;
        if (arms > 0) one.spec.arms = random_points(arms, 1);
        SCOPED_TRACE(one.name);
        for (const std::uint64_t rounds : {3, 80, 130}) {
          Lived lived{Policy(one.spec), {}};
          try {
            for (std::uint64_t round = 0; round < rounds; ++round) lived.live({one.spec, true}, round);
          } catch (const NumericalError&) {
            // So small a ridge may be too small to compute with; what was learnt until then is there.
          }
          EXPECT_NO_THROW(load_policy(save_policy(lived.policy), one.spec)) << ridge;
        }
      }
    }
  }
}

TEST(EngineArchive, AnotherDictionaryIsAnotherSpec) {
  const Spec saved = preset("ek-ucb");
  const std::string bytes = save_policy(Policy(saved));
  const auto reason = [&](const std::function<void(Spec&)>& change) {
    Spec spec = saved;
    change(spec);
    try {
      load_policy(bytes, spec);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string head = "the file was saved with another spec: ";
  EXPECT_EQ(reason([](Spec& s) { s.regression.dictionary.choose("bkb"); }),
            head + "regression.type is \"kors\" there, \"bkb\" here");
  EXPECT_EQ(reason([](Spec& s) { s.regression.accuracy = 0.25; }),
            head + "regression.accuracy is 0.5 there, 0.25 here");
  for (const auto& [name, before] : {std::pair{"projection", "1.0"}, std::pair{"oversampling", "1.0"},
                                     std::pair{"batch_threshold", "10.0"}, std::pair{"tolerance", "0.05"}}) {
    EXPECT_EQ(reason([&name = name](Spec& s) { s.regression.dictionary.set(name, 3); }),
              head + "regression." + name + " is " + before + " there, 3.0 here");
  }
  EXPECT_EQ(reason([](Spec& s) { s.regression.arrival_features = true; }),
            head + "regression.arrival_features is false there, true here");
}

// An engine's bytes, field by field, so that each can be made absurd.
struct Payload {
  std::uint64_t rounds, outsiders, choices, dimension, since_fresh, first, frozen;
  double sum_of_squares, residual_sum, trace_inverse, largest_prior, variances, open_variances;
  Matrix anchors;
  Vector moment, weights;
  std::vector<std::uint64_t> drawn;
  Matrix states;
  Vector prior, residual, spread, mean, count, open, reward;
  bool all_carried = true;
  std::vector<std::uint64_t> carried;
  std::vector<Vector> coordinates, basis, precision, frozen_rows;
  Matrix members;
  Vector probabilities;

  explicit Payload(const ProjectedRegression& model) {
    const auto& memory = model.memory();
    const ProjectedPoints& points = memory.points;
    rounds = static_cast<std::uint64_t>(memory.rounds);
    outsiders = static_cast<std::uint64_t>(memory.outsiders);
    choices = static_cast<std::uint64_t>(memory.choices);
    dimension = static_cast<std::uint64_t>(memory.dimension);
    since_fresh = static_cast<std::uint64_t>(memory.since_fresh);
    first = static_cast<std::uint64_t>(memory.first + 1);
    frozen = static_cast<std::uint64_t>(memory.frozen.size());
    sum_of_squares = memory.sum_of_squares, residual_sum = memory.residual_sum;
    trace_inverse = memory.trace_inverse, largest_prior = memory.largest_prior;
    variances = memory.variances, open_variances = memory.open_variances;
    anchors = memory.anchors.view(), moment = memory.moment.view(), weights = memory.weights;
    for (const Index point : memory.drawn) drawn.push_back(static_cast<std::uint64_t>(point));
    states = points.states.view();
    prior = points.prior.view(), residual = points.residual.view(), spread = points.spread.view();
    mean = points.mean.view(), count = points.count.view(), open = points.open.view(),
    reward = points.reward.view();
    all_carried = points.carries_all();
    for (const Index point : points.carried) carried.push_back(static_cast<std::uint64_t>(point));
    for (Index j = 0; j < points.features.coordinates(); ++j)
      coordinates.emplace_back(points.features.coordinate(j));
    for (Index i = 0; i < memory.basis.size(); ++i) basis.emplace_back(memory.basis.row(i).transpose());
    for (Index i = 0; i < memory.precision.size(); ++i)
      precision.emplace_back(memory.precision.row(i).transpose());
    for (Index i = 0; i < memory.frozen.size(); ++i)
      frozen_rows.emplace_back(memory.frozen.row(i).transpose());
    members = model.dictionary().members().states, probabilities = model.dictionary().members().probabilities;
  }

  std::string bytes() const {
    ByteWriter out;
    if (!all_carried) {
      out.integer(std::numeric_limits<std::uint64_t>::max() - 1);
      out.integer(carried.size());
      for (const std::uint64_t point : carried) out.integer(point);
    }
    for (const std::uint64_t value : {rounds, outsiders, choices, dimension, since_fresh, first, frozen})
      out.integer(value);
    for (const double value :
         {sum_of_squares, residual_sum, trace_inverse, largest_prior, variances, open_variances}) {
      out.number(value);
    }
    out.matrix(anchors);
    out.vector(moment);
    out.vector(weights);
    out.integer(drawn.size());
    for (const std::uint64_t point : drawn) out.integer(point);
    out.matrix(states);
    for (const Vector* one : {&prior, &residual, &spread, &mean, &count, &open, &reward}) out.vector(*one);
    for (const auto* list : {&coordinates, &basis, &precision, &frozen_rows}) {
      for (const Vector& one : *list) out.vector(one);
    }
    out.matrix(members);
    out.vector(probabilities);
    return out.take();
  }
};

class HandMadeEngine : public testing::TestWithParam<const char*> {
 protected:
  HandMadeEngine() : spec_(preset(GetParam())) {
    spec_.kernel.lengthscale = {0.2};
    if (GetParam() == std::string("bbkb")) spec_.arms = random_points(6, 1);
    Policy policy(spec_);
    Lived lived{policy, {}};
    for (std::uint64_t round = 0; round < 15; ++round) lived.live({spec_, false, false, 1}, round);
    model_ = lived.policy.regression().clone();
  }
  const ProjectedRegression& model() const {
    const auto* full_first = dynamic_cast<const FullFirstRegression*>(model_.get());
    return full_first ? *full_first->projected() : dynamic_cast<const ProjectedRegression&>(*model_);
  }
  std::string reason(const std::string& bytes) const {
    const auto fresh = make_regression(spec_);
    ByteReader in(bytes);
    try {
      read_engine(in, *fresh, spec_.arms ? spec_.arms->cols() : 0);
      in.finish();
    } catch (const InvalidArgument& error) {
      return error.what();
    } catch (const NumericalError& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const char* what, const std::function<void(Payload&)>& change) const {
    Payload payload(model());
    change(payload);
    EXPECT_NE(reason(payload.bytes()), "") << what;
  }

  Spec spec_;
  std::unique_ptr<Regression> model_;
};

TEST_P(HandMadeEngine, TheHonestOneIsAccepted) {
  ByteWriter out;
  write_engine(out, model());
  const Payload payload(model());
  EXPECT_TRUE(payload.bytes() == out.take());
  EXPECT_EQ(reason(payload.bytes()), "");
}

TEST_P(HandMadeEngine, CutShortIsRefusedAtEveryLength) {
  const std::string bytes = Payload(model()).bytes();
  for (std::size_t length = 0; length < bytes.size(); length += 8)
    ASSERT_NE(reason(bytes.substr(0, length)), "") << length;
  EXPECT_NE(reason(bytes + "x"), "");
}

TEST_P(HandMadeEngine, SizesThatDoNotAgreeAreRefused) {
  expect_refused("more moments", [](Payload& p) { p.moment = Vector::Ones(p.moment.size() + 1); });
  expect_refused("fewer weights", [](Payload& p) { p.weights = Vector::Ones(p.weights.size() - 1); });
  expect_refused("an anchor more", [](Payload& p) { p.anchors = Matrix::Zero(2, p.anchors.cols() + 1); });
  expect_refused("anchors of another dimension",
                 [](Payload& p) { p.anchors = Matrix::Zero(3, p.anchors.cols()); });
  expect_refused("a point more", [](Payload& p) { p.states = Matrix::Zero(2, p.states.cols() + 1); });
  expect_refused("points of another dimension",
                 [](Payload& p) { p.states = Matrix::Zero(3, p.states.cols()); });
  expect_refused("no priors", [](Payload& p) { p.prior = Vector(); });
  expect_refused("more means", [](Payload& p) { p.mean = Vector::Zero(p.mean.size() + 1); });
  expect_refused("a coordinate less", [](Payload& p) { p.coordinates.pop_back(); });
  expect_refused("a point that is not there", [](Payload& p) {
    p.all_carried = false;
    p.carried = {1000};
  });
  expect_refused("a point too many with features", [](Payload& p) {
    p.all_carried = false;
    p.carried.assign(p.carried.size() + 1, 0);
  });
  expect_refused("a short coordinate", [](Payload& p) { p.coordinates[0] = Vector::Zero(1); });
  expect_refused("a row less", [](Payload& p) { p.basis.pop_back(); });
  expect_refused("a short row", [](Payload& p) { p.precision[1] = Vector::Ones(1); });
  expect_refused("a frozen row too many", [](Payload& p) {
    ++p.frozen;
    p.frozen_rows.push_back(Vector::Ones(static_cast<Index>(p.frozen)));
  });
  expect_refused("frozen rows that are not there", [](Payload& p) { p.frozen += 1000; });
  expect_refused("a member more", [](Payload& p) {
    p.members = Matrix::Zero(2, p.members.cols() + 1);
    p.probabilities = Vector::Ones(p.members.cols() - 1);
  });
  expect_refused("members of another dimension", [](Payload& p) {
    p.members = Matrix::Zero(3, 1);
    p.probabilities = Vector::Ones(1);
  });
  for (const std::uint64_t size : {std::uint64_t{1} << 20, std::uint64_t{1} << 39, ~std::uint64_t{0}}) {
    expect_refused("rounds", [&](Payload& p) { p.rounds = size; });
    expect_refused("choices", [&](Payload& p) { p.choices = size; });
    expect_refused("dimension", [&](Payload& p) { p.dimension = size; });
    expect_refused("first", [&](Payload& p) { p.first = size; });
  }
}

TEST_P(HandMadeEngine, NumbersThatCannotBeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    expect_refused("sum of squares", [&](Payload& p) { p.sum_of_squares = bad; });
    expect_refused("residual sum", [&](Payload& p) { p.residual_sum = bad; });
    expect_refused("trace", [&](Payload& p) { p.trace_inverse = bad; });
    expect_refused("largest prior", [&](Payload& p) { p.largest_prior = bad; });
    expect_refused("variances", [&](Payload& p) { p.variances = bad; });
    expect_refused("open variances", [&](Payload& p) { p.open_variances = bad; });
    expect_refused("anchor", [&](Payload& p) { p.anchors(0, 0) = bad; });
    expect_refused("moment", [&](Payload& p) { p.moment[0] = bad; });
    expect_refused("weight", [&](Payload& p) { p.weights[0] = bad; });
    expect_refused("state", [&](Payload& p) { p.states(0, 0) = bad; });
    expect_refused("basis", [&](Payload& p) { p.basis[1][0] = bad; });
    expect_refused("precision", [&](Payload& p) { p.precision[1][1] = bad; });
    for (Vector Payload::*field : {&Payload::prior, &Payload::residual, &Payload::spread, &Payload::mean,
                                   &Payload::count, &Payload::open, &Payload::reward}) {
      expect_refused("a point's number", [&](Payload& p) { (p.*field)[0] = bad; });
    }
    expect_refused("coordinate", [&](Payload& p) { p.coordinates[0][0] = bad; });
  }
  expect_refused("a negative sum of squares", [](Payload& p) { p.sum_of_squares = -1; });
  expect_refused("a negative residual sum", [](Payload& p) { p.residual_sum = -1; });
  expect_refused("negative variances", [](Payload& p) { p.variances = -1; });
  expect_refused("a zero pivot", [](Payload& p) { p.basis[0] = Vector::Zero(1); });
  expect_refused("a negative pivot", [](Payload& p) { p.precision[0] = -Vector::Ones(1); });
  expect_refused("a negative prior", [](Payload& p) { p.prior[0] = -1; });
  expect_refused("a negative residual", [](Payload& p) { p.residual[0] = -1; });
  expect_refused("more residual than prior", [](Payload& p) { p.residual[0] = 2 * p.prior[0]; });
  expect_refused("a negative spread", [](Payload& p) { p.spread[0] = -1; });
}

TEST_P(HandMadeEngine, CountsThatDoNotAgreeAreRefused) {
  expect_refused("a round more", [](Payload& p) { ++p.rounds; });
  expect_refused("a choice more", [](Payload& p) { ++p.choices; });
  expect_refused("both", [](Payload& p) { ++p.choices, ++p.rounds; });
  expect_refused("a count more", [](Payload& p) { p.count[0] += 1; });
  expect_refused("half a count", [](Payload& p) { p.count[0] += 0.5; });
  expect_refused("a negative count", [](Payload& p) { p.count[0] = -1; });
  expect_refused("more open than chosen", [](Payload& p) { p.open[0] = p.count[0] + 1; });
  expect_refused("an open one that nobody chose", [](Payload& p) { p.open[1] += 1; });
  expect_refused("no dimension", [](Payload& p) { p.dimension = 0; });
  expect_refused("another dimension", [](Payload& p) { p.dimension = 3; });
  expect_refused("a draw of points that are not there",
                 [](Payload& p) { p.drawn.push_back(static_cast<std::uint64_t>(p.states.cols())); });
  expect_refused("a draw in disorder", [](Payload& p) { p.drawn = {1, 0}; });
  expect_refused("a point drawn twice", [](Payload& p) { p.drawn = {0, 0}; });
  expect_refused("a first point that is not there",
                 [](Payload& p) { p.first = static_cast<std::uint64_t>(p.states.cols()) + 1; });
}

INSTANTIATE_TEST_SUITE_P(Projected, HandMadeEngine, testing::Values("ek-ucb", "c-bkb", "c-bbkb", "bbkb"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

using HandMadeKors = HandMadeEngine;
INSTANTIATE_TEST_SUITE_P(Projected, HandMadeKors, testing::Values("ek-ucb"),
                         [](const auto&) { return "ekucb"; });

TEST_P(HandMadeKors, ProbabilitiesThatCannotBeAreRefused) {
  for (const double bad : {0.0, -0.5, 1.5, std::nan("")})
    expect_refused("a probability", [&](Payload& p) { p.probabilities[0] = bad; });
  expect_refused("a draw that kors does not make", [](Payload& p) { p.drawn = {0}; });
  expect_refused("a first point that kors does not have", [](Payload& p) { p.first = 1; });
}

}  // namespace
}  // namespace ridgerunner::engine_archive_test
