#include "ridgerunner/archive/policy_archive.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "places.h"
#include "ridgerunner/archive/engine_archive.h"
#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/kernel/composite.h"
#include "ridgerunner/policy/spec_json.h"

namespace ridgerunner::policy_archive_test {
namespace {

Matrix random_points(Index dimension, Index count, std::uint64_t step) {
  Stream random(2, Purpose::test, step);
  Matrix result(dimension, count);
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < dimension; ++i) result(i, j) = random.uniform();
  }
  return result;
}

std::string reason(std::string_view bytes, const Spec& spec) {
  try {
    load_policy(bytes, spec);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

// How a life goes on: what is offered in each round, and whether states come back.
struct Life {
  Spec spec;
  bool repeats = false;      // candidates come from a small pool
  bool leaves_open = false;  // every third reward never arrives
  std::uint64_t batch = 0;   // observations that arrive at once before the first round
};

Matrix candidates(const Life& life, std::uint64_t round) {
  if (life.spec.arms) return *life.spec.arms;
  return random_points(2, life.repeats ? 4 : 12, life.repeats ? round % 5 : 1000 + round);
}

Decision live(const Life& life, Policy& policy, std::uint64_t round) {
  const Matrix offered = candidates(life, round);
  const Decision decision = life.spec.arms ? policy.decide() : policy.decide(offered);
  const Vector state = offered.col(decision.index);
  const double reward = std::sin(7 * state.sum()) + 0.1 * Stream(5, Purpose::noise, round).normal();
  if (!life.leaves_open || round % 3 != 0) policy.observe(state, reward);
  return decision;
}

void expect_same(const Decision& a, const Decision& b, std::uint64_t round) {
  ASSERT_EQ(a, b) << "in round " << round;  // every number, bit for bit
}

void expect_continues(const Life& life, std::uint64_t before, std::uint64_t after) {
  Policy never_stopped(life.spec);
  if (life.batch > 0) {
    const Matrix states = random_points(2, static_cast<Index>(life.batch), 77);
    never_stopped.observe(states, Vector::LinSpaced(static_cast<Index>(life.batch), -1, 1));
  }
  for (std::uint64_t round = 0; round < before; ++round) live(life, never_stopped, round);
  const std::string bytes = save_policy(never_stopped);
  Policy loaded = load_policy(bytes, life.spec);
  EXPECT_TRUE(save_policy(loaded) == bytes);
  for (std::uint64_t round = before; round < before + after; ++round) {
    const Decision a = live(life, never_stopped, round), b = live(life, loaded, round);
    expect_same(a, b, round);
    if (testing::Test::HasFatalFailure()) return;
  }
  const Matrix at = random_points(2, 10, 9999);
  const Forecast one = never_stopped.predict(at), other = loaded.predict(at);
  EXPECT_EQ(one.mean, other.mean);
  EXPECT_EQ(one.sd, other.sd);
  EXPECT_EQ(one.upper, other.upper);
  EXPECT_TRUE(save_policy(never_stopped) == save_policy(loaded));
}

Spec with_arms(Index count) {
  Spec spec = preset("gp-ucb");
  spec.arms = random_points(2, count, 1);
  return spec;
}

TEST(Archive, ALoadedPolicyContinuesBitForBit) {
  for (const char* name : {"k-ucb", "kernel-ucb", "gp-ucb", "greedy", "uniform"}) {
    for (const std::uint64_t rounds : {0, 1, 37}) {
      SCOPED_TRACE(std::string(name) + " after " + std::to_string(rounds));
      expect_continues({preset(name)}, rounds, 200);
    }
  }
}

TEST(Archive, ALoadedPolicyContinuesBitForBitWhereStatesComeBack) {
  expect_continues({preset("k-ucb"), true}, 50, 200);
  expect_continues({preset("gp-ucb"), true}, 150, 200);
}

TEST(Archive, ALoadedPolicyContinuesBitForBitWithOpenDecisions) {
  expect_continues({preset("gp-ucb"), false, true}, 40, 200);
  expect_continues({preset("k-ucb"), true, true}, 40, 200);
  expect_continues({with_arms(6), true, true}, 40, 200);
}

TEST(Archive, ALoadedMixtureOnAGrowingSubspaceContinuesBitForBit) {
  for (const char* name : {"streaming-amm-ucb", "streaming-dmm-ucb", "streaming-cmm-ucb"}) {
    for (const std::uint64_t rounds : {0, 1, 70}) {
      SCOPED_TRACE(std::string(name) + " after " + std::to_string(rounds));
      expect_continues({preset(name)}, rounds, 60);
    }
    expect_continues({preset(name), true, true}, 40, 60);
    Spec arms = preset(name);
    arms.arms = random_points(2, 30, 1);
    expect_continues({arms, true}, 40, 60);
  }
}

TEST(Archive, ALoadedPolicyContinuesBitForBitAcrossTilesOfTheFactor) {
  for (const std::uint64_t rounds : {100, 127, 128, 129, 250, 256}) {
    SCOPED_TRACE(rounds);
    expect_continues({preset("k-ucb")}, rounds, 200);
  }
}

TEST(Archive, ALoadedPolicyContinuesBitForBitAfterABatch) {
  expect_continues({preset("gp-ucb"), false, false, 300}, 10, 200);
}

TEST(Archive, ALoadedPolicyWithFixedArmsContinuesBitForBit) {
  for (const std::uint64_t rounds : {0, 1, 10, 90}) {
    SCOPED_TRACE(rounds);
    expect_continues({with_arms(5)}, rounds, 200);
  }
  expect_continues({with_arms(400)}, 120, 200);
  expect_continues({with_arms(40), false, false, 200}, 60, 200);
}

TEST(Archive, ALoadedPolicyWithAUsersKernelContinuesBitForBit) {
  const KernelPtr kernel =
      callable([](const VectorIn& x, const VectorIn& y) { return std::exp(-3 * (x - y).norm()); });
  const Life life{preset("k-ucb")};
  Policy one(life.spec, kernel);
  for (std::uint64_t round = 0; round < 20; ++round) live(life, one, round);
  Policy two = load_policy(save_policy(one), life.spec, kernel);
  for (std::uint64_t round = 20; round < 60; ++round)
    expect_same(live(life, one, round), live(life, two, round), round);
}

TEST(Archive, StatisticsAreKept) {
  const Life life{preset("gp-ucb"), false, true};
  Policy policy(life.spec);
  for (std::uint64_t round = 0; round < 30; ++round) live(life, policy, round);
  const Statistics before = policy.statistics(),
                   after = load_policy(save_policy(policy), life.spec).statistics();
  EXPECT_EQ(before.decisions, 30u);
  EXPECT_EQ(after.decisions, before.decisions);
  EXPECT_EQ(after.open, before.open);
  EXPECT_EQ(after.clamped, before.clamped);
  EXPECT_EQ(after.radius, before.radius);
  EXPECT_EQ(after.evidence.rounds, before.evidence.rounds);
  EXPECT_EQ(after.evidence.log_determinant, before.evidence.log_determinant);
  EXPECT_EQ(after.evidence.quadratic_form, before.evidence.quadratic_form);
}

std::string small_archive(const Spec& spec) {
  const Life life{spec, false, true};
  Policy policy(spec);
  for (std::uint64_t round = 0; round < 3; ++round) live(life, policy, round);
  return save_policy(policy);
}

TEST(Archive, ATruncatedFileIsRefusedAtEveryLength) {
  const Spec spec = preset("k-ucb");
  const std::string bytes = small_archive(spec);
  ASSERT_EQ(reason(bytes, spec), "");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_NE(reason(bytes.substr(0, length), spec), "") << length;
  }
}

TEST(Archive, EveryFlippedBitIsFound) {
  const Spec spec = with_arms(2);
  std::string bytes = small_archive(spec);
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    ASSERT_NE(reason(bytes, spec), "") << "bit " << i;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
  }
  EXPECT_EQ(reason(bytes, spec), "");
}

TEST(Archive, WhatIsNotAnArchiveIsRefused) {
  const Spec spec = preset("k-ucb");
  const std::string bytes = small_archive(spec);
  EXPECT_EQ(reason("", spec), "not a ridgerunner file: it does not start with RIDGERUN");
  EXPECT_EQ(reason("{\"t\":1}\n", spec), "not a ridgerunner file: it does not start with RIDGERUN");
  EXPECT_EQ(reason(bytes + "\n", spec), "the file is too long by 1 bytes");
  EXPECT_EQ(reason(bytes + bytes, spec).find("the file is too long"), 0u);
}

TEST(Archive, AnotherKindOrVersionIsRefused) {
  const Spec spec = preset("k-ucb");
  EXPECT_EQ(reason(seal_archive("results", 1, "x"), spec), "the file is of kind \"results\", not \"policy\"");
  EXPECT_EQ(reason(seal_archive("policy", 5, "x"), spec),
            "the file has format version 5, this program reads 1 to 4");
  EXPECT_EQ(reason(seal_archive("policy", 0, "x"), spec),
            "the file has format version 0, this program reads 1 to 4");
}

// Version 1 knew fewer parameters; what it did not know is as it was then.
TEST(Archive, AFileOfTheFirstVersionIsRead) {
  const Spec spec = preset("k-ucb");
  const std::string bytes = small_archive(spec);
  ByteReader in(open_archive("policy", 4, bytes));
  Json saved = parse_json(in.text());
  const std::string text = saved.dump();
  for (const char* since : {"grid", "noise_lower", "noise_upper"}) saved["bound"].erase(since);
  ByteWriter head;
  head.text(saved.dump());
  const std::string_view payload = open_archive("policy", 4, bytes);
  // Two counts, what came with version 2, and the one decision that is open: how many, number, state; then
  // its level, which came with version 3, as counting from 1 did.
  std::string rest(payload.substr(8 + text.size()));
  ASSERT_EQ(rest.substr(24, 16), std::string("\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16));
  rest.erase(24 + 8 + 8 + 3 * 8, 8);
  rest[24 + 8] = 0;
  const std::string old = seal_archive("policy", 1, head.take() + rest.substr(0, 16) + rest.substr(24));
  EXPECT_TRUE(save_policy(load_policy(old, spec)) == bytes);
  Spec other = spec;
  other.bound.set("noise_upper", 2);
  EXPECT_EQ(reason(old, other),
            "the file was saved with another spec: bound.noise_upper is 1.0 there, 2.0 here");
}

TEST(Archive, BoundsOfTheNoiseThatCannotBeAreRefused) {
  const Spec spec = preset("adaptive-ucb");
  const std::string bytes = save_policy(Policy(spec));
  const std::string payload(open_archive("policy", 4, bytes));
  const std::size_t noise = 8 + spec_to_json(spec).dump().size() + 24;  // after the spec and three counts
  const auto with = [&](std::size_t field, double value) {
    std::string changed = payload;
    std::memcpy(changed.data() + noise + 8 * field, &value, sizeof value);
    return reason(seal_archive("policy", 4, changed), spec);
  };
  EXPECT_EQ(with(0, 0.01), "");
  EXPECT_EQ(with(0, 0.0), "the archive has the noise between 0 and 1");
  EXPECT_EQ(with(1, 0.001), "the archive has the noise between 0.01 and 0.001");
  EXPECT_NE(with(1, std::nan("")), "");
  EXPECT_NE(with(2, -1.0), "");
  EXPECT_EQ(with(3, -1.0), "ridge must be > 0, got -1");
  EXPECT_NE(with(4, 1.0), "");  // neither yes nor no
}

TEST(Archive, AnotherSpecIsRefusedByWhatDiffers) {
  const Spec saved = preset("k-ucb");
  const std::string bytes = small_archive(saved), head = "the file was saved with another spec: ";
  const auto with = [&](const std::function<void(Spec&)>& change) {
    Spec spec = saved;
    change(spec);
    return reason(bytes, spec);
  };
  EXPECT_EQ(with([](Spec& s) { s.regression.ridge = 2; }), head + "regression.ridge is 1.0 there, 2.0 here");
  EXPECT_EQ(with([](Spec& s) { s.seed = 8; }), head + "seed is 7 there, 8 here");
  EXPECT_EQ(with([](Spec& s) { s.policy = "greedy"; }), head + "policy is \"k-ucb\" there, \"greedy\" here");
  EXPECT_EQ(with([](Spec& s) { s.rule.first = First::lowest; }),
            head + "rule.first is \"random\" there, \"lowest\" here");
  EXPECT_EQ(with([](Spec& s) { s.bound.set("delta", 0.05); }), head + "bound.delta is 0.01 there, 0.05 here");
  EXPECT_EQ(with([](Spec& s) {
              s.kernel.lengthscale = {0.1, 0.2};
            }),
            head + "kernel.lengthscale is 0.5 there, [0.1,0.2] here");
  EXPECT_EQ(with([](Spec& s) { s.kernel.type = KernelType::linear; }),
            head + "kernel.type is \"gaussian\" there, \"linear\" here");
  EXPECT_EQ(with([](Spec& s) { s.arms = Matrix::Zero(2, 1); }), head + "arms is missing there");
  EXPECT_EQ(reason(small_archive(with_arms(2)), preset("gp-ucb")), head + "arms is missing here");
  Spec many = with_arms(100), other = many;
  (*other.arms)(0, 99) = 5;
  EXPECT_EQ(reason(small_archive(many), other), head + "arms.points differs");
}

// supk_ucb_version_2.rr was saved by the program of commit 2bce0b0: levels of open decisions were kept by the
// model, and found by their states. What follows is what that program decided after it loaded its file.
TEST(Archive, LevelsOfOpenDecisionsAreReadFromFilesBeforeTheyHadNumbers) {
  Spec spec = preset("supk-ucb");
  spec.bound.set("radius", 0.6);
  spec.arms = Matrix{{0.1, 0.4, 0.7, 0.9}};
  std::ifstream file(std::filesystem::path(RIDGERUNNER_TRANSCRIPTS) / "../archive/supk_ucb_version_2.rr",
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Policy policy = load_policy(bytes, spec);
  const auto open = policy.open_decisions().entries();
  ASSERT_EQ(open.size(), 6u);
  EXPECT_EQ(open.back().number, 25u);
  for (const auto& entry : open) EXPECT_NE(entry.level, 0) << entry.number;
  Policy again = load_policy(save_policy(policy), spec);
  for (const auto& entry : open) {
    policy.observe(entry.number, 0.5);
    again.observe(entry.state, 0.5);
  }
  EXPECT_TRUE(save_policy(policy) == save_policy(again));
  EXPECT_EQ(policy.statistics().open, 0);
  for (const Index index : {1, 1, 1, 0}) {
    const Decision decision = policy.decide();
    EXPECT_EQ(decision.index, index);
    EXPECT_EQ(decision.propensity, 0.5);
    EXPECT_NEAR(decision.mean, index == 1 ? 0.3556393707548619 : 0.3735267111030169, 1e-9);
    EXPECT_NEAR(decision.upper, index == 1 ? 0.7098347280572004 : 0.6926162236928914, 1e-9);
  }
}

TEST(Archive, OpenDecisionsThatCannotBeAreRefused) {
  Spec spec = preset("supk-ucb");
  Policy policy(spec);
  policy.decide(Matrix{{0.1, 0.2}});
  const auto sealed = [&](std::uint64_t decisions, std::uint64_t number, std::uint64_t level) {
    ByteWriter out;
    out.text(spec_to_json(spec).dump());
    for (const std::uint64_t value :
         {decisions, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}, number})
      out.integer(value);
    out.vector(Vector::Constant(1, 0.1));
    out.integer(level);
    write_engine(out, Policy(spec).regression());
    return seal_archive("policy", 4, out.take());
  };
  EXPECT_EQ(load_policy(sealed(1, 1, 2), spec).open_decisions().entries()[0].level, 1);
  EXPECT_THROW(load_policy(sealed(1, 2, 2), spec), InvalidArgument) << "more than there were";
  EXPECT_THROW(load_policy(sealed(1, 0, 2), spec), InvalidArgument) << "counted from 1";
  EXPECT_THROW(load_policy(sealed(1, 1, 99), spec), InvalidArgument) << "no such level";
}

// The payload of a policy with one observation at (0.5, 0.5), field by field, so that each can be made
// absurd.
struct Payload {
  std::string spec;
  std::uint64_t decisions = 1, clamped = 0, open = 0;
  std::uint64_t rounds = 1;
  double sum_of_squares = 1, log_determinant = std::log(2.0), largest_diagonal = 2, row_within = 0,
         anchor_within = 0;
  std::uint64_t collapse_at = 34;
  Matrix states = Matrix::Constant(2, 1, 0.5), row_states = states;
  Vector counts = Vector::Ones(1), rewards = Vector::Ones(1), row_counts = Vector::Ones(1),
         forward = Vector::Constant(1, 1 / std::sqrt(2.0)), weights = Vector::Constant(1, 0.5);
  Matrix arm_rows;
  Vector arm_means, arm_explained;
  std::vector<Vector> factor = {Vector::Constant(1, std::sqrt(2.0))};
  std::string tail;

  std::string sealed() const {
    ByteWriter out;
    out.text(spec);
    for (const std::uint64_t value : {decisions, clamped, open, rounds}) out.integer(value);
    for (const double value :
         {sum_of_squares, log_determinant, largest_diagonal, row_within, anchor_within}) {
      out.number(value);
    }
    out.integer(collapse_at);
    out.matrix(states);
    out.matrix(row_states);
    for (const Vector* vector : {&counts, &rewards, &row_counts, &forward, &weights}) {
      out.vector(*vector);
    }
    out.matrix(arm_rows);
    out.vector(arm_means);
    out.vector(arm_explained);
    for (const Vector& row : factor) out.vector(row);
    return seal_archive("policy", 1, out.take() + tail);
  }
};

class HandMadeArchive : public testing::Test {
 protected:
  void expect_refused(const char* what, const std::function<void(Payload&)>& change) const {
    Payload payload;
    payload.spec = spec_to_json(spec_).dump();
    change(payload);
    EXPECT_NE(reason_of(payload), "") << what;
  }
  std::string reason_of(const Payload& payload) const {
    try {
      load_policy(payload.sealed(), spec_);
    } catch (const InvalidArgument& error) {
      return error.what();
    } catch (const NumericalError& error) {
      return error.what();
    }
    return "";
  }
  Spec spec_ = preset("k-ucb");
};

TEST_F(HandMadeArchive, TheHonestOneIsAccepted) {
  Payload payload;
  payload.spec = spec_to_json(spec_).dump();
  ASSERT_EQ(reason_of(payload), "");
  Policy loaded = load_policy(payload.sealed(), spec_);
  Policy lived(spec_);
  lived.decide(Matrix::Constant(2, 1, 0.5));
  lived.observe(Vector::Constant(2, 0.5), 1);
  const Matrix at = random_points(2, 5, 3);
  EXPECT_LT((loaded.predict(at).mean - lived.predict(at).mean).cwiseAbs().maxCoeff(), 1e-14);
}

TEST_F(HandMadeArchive, AbsurdSizesAreRefused) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 39, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    expect_refused("open decisions", [&](Payload& p) { p.open = size; });
    ByteWriter out;
    out.text(spec_to_json(spec_).dump());
    for (int i = 0; i < 4; ++i) out.integer(0);
    for (int i = 0; i < 5; ++i) out.number(0);
    out.integer(0);
    out.integer(size);
    out.integer(size);
    const std::string payload = out.take();
    EXPECT_NE(reason(seal_archive("policy", 1, payload), spec_), "") << size;
    ByteWriter text;
    text.integer(size);
    EXPECT_NE(reason(seal_archive("policy", 1, text.take()), spec_), "") << size;
  }
  expect_refused("rounds", [](Payload& p) { p.rounds = ~std::uint64_t{0}; });
  expect_refused("collapse_at", [](Payload& p) { p.collapse_at = ~std::uint64_t{0}; });
}

TEST_F(HandMadeArchive, SizesThatDoNotAgreeAreRefused) {
  expect_refused("more counts", [](Payload& p) { p.counts = Vector::Ones(2); });
  expect_refused("no rewards", [](Payload& p) { p.rewards = Vector(); });
  expect_refused("more row counts", [](Payload& p) { p.row_counts = Vector::Ones(2); });
  expect_refused("no row states", [](Payload& p) { p.row_states = Matrix(2, 0); });
  expect_refused("rows of another dimension", [](Payload& p) { p.row_states = Matrix::Zero(3, 1); });
  expect_refused("more forward", [](Payload& p) { p.forward = Vector::Ones(2); });
  expect_refused("no weights", [](Payload& p) { p.weights = Vector(); });
  expect_refused("arm means without arms", [](Payload& p) { p.arm_means = Vector::Ones(1); });
  expect_refused("arm variances without arms", [](Payload& p) { p.arm_explained = Vector::Ones(1); });
  expect_refused("a long row", [](Payload& p) { p.factor[0] = Vector::Ones(2); });
  expect_refused("an empty row", [](Payload& p) { p.factor[0] = Vector(); });
  expect_refused("no factor", [](Payload& p) { p.factor.clear(); });
  expect_refused("too much factor", [](Payload& p) { p.factor.push_back(Vector::Ones(2)); });
  expect_refused("a tail", [](Payload& p) { p.tail = "x"; });
}

TEST_F(HandMadeArchive, NumbersThatCannotBeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  expect_refused("a zero pivot", [](Payload& p) { p.factor[0] = Vector::Zero(1); });
  expect_refused("a negative pivot", [](Payload& p) { p.factor[0] = -Vector::Ones(1); });
  expect_refused("a NaN pivot", [&](Payload& p) { p.factor[0] = Vector::Constant(1, nan); });
  expect_refused("a NaN state", [&](Payload& p) { p.states(0, 0) = nan; });
  expect_refused("an infinite reward", [&](Payload& p) { p.rewards[0] = infinity; });
  expect_refused("a NaN solution", [&](Payload& p) { p.forward[0] = nan; });
  expect_refused("a NaN weight", [&](Payload& p) { p.weights[0] = nan; });
  expect_refused("a NaN log-determinant", [&](Payload& p) { p.log_determinant = nan; });
  expect_refused("a NaN sum of squares", [&](Payload& p) { p.sum_of_squares = nan; });
  expect_refused("an infinite row state", [&](Payload& p) { p.row_states(0, 0) = infinity; });
  expect_refused("a NaN sum of squares within", [&](Payload& p) { p.row_within = nan; });
  expect_refused("a row count of zero", [](Payload& p) { p.row_counts[0] = 0; });
  expect_refused("half a count", [](Payload& p) { p.counts[0] = p.row_counts[0] = 0.5; });
  expect_refused("a count of zero", [](Payload& p) { p.counts[0] = 0; });
  expect_refused("a negative count", [](Payload& p) { p.counts[0] = -1; });
  expect_refused("a NaN count", [&](Payload& p) { p.counts[0] = nan; });
}

TEST_F(HandMadeArchive, RoundsThatDoNotAgreeWithTheCountsAreRefused) {
  // With zero rounds and a state, the next observation would start afresh beside an old factor.
  expect_refused("no rounds, one state", [](Payload& p) { p.rounds = 0; });
  expect_refused("more rounds than counts", [](Payload& p) { p.rounds = 5; });
  expect_refused("rounds without states", [](Payload& p) {
    p.states = Matrix(2, 0);
    p.row_states = Matrix(2, 0);
    p.counts = p.rewards = p.row_counts = p.forward = p.weights = Vector();
    p.factor.clear();
  });
}

TEST_F(HandMadeArchive, StatesOfADimensionThatTheKernelLacksAreRefused) {
  spec_.kernel.lengthscale = {0.1, 0.2, 0.3};
  expect_refused("two dimensions for three length-scales", [](Payload&) {});
  spec_ = preset("k-ucb");
  expect_refused("no dimension", [](Payload& p) { p.states = p.row_states = Matrix(0, 1); });
}

TEST_F(HandMadeArchive, StatesOfAnotherDimensionThanTheArmsAreRefused) {
  spec_.arms = Matrix::Constant(3, 2, 0.25);
  expect_refused("two dimensions beside arms of three", [](Payload& p) {
    p.weights = Vector();
    p.arm_rows = Matrix::Zero(2, 1);
    p.arm_means = p.arm_explained = Vector::Zero(2);
  });
}

TEST_F(HandMadeArchive, ASpecThatIsNotJsonIsRefused) {
  expect_refused("no JSON", [](Payload& p) { p.spec = "{"; });
  expect_refused("no object", [](Payload& p) { p.spec = "[]"; });
  expect_refused("nothing", [](Payload& p) { p.spec = ""; });
}

TEST(PolicyArchive, TellsTheSpecThatItWasSavedWith) {
  Spec spec = preset("ek-ucb");
  spec.seed = 11;
  spec.kernel.lengthscale = {0.2, 0.7};
  const std::string bytes = save_policy(Policy(spec));
  EXPECT_EQ(archived_spec(bytes), spec_to_json(spec));
  EXPECT_EQ(spec_from_json(archived_spec(bytes)), spec);
  EXPECT_THROW(archived_spec(bytes.substr(0, bytes.size() - 1)), InvalidArgument);
  EXPECT_THROW(archived_spec("nothing of ours"), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::policy_archive_test
