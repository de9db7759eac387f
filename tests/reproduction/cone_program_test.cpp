#include "ridgerunner/reproduction/cone_program.h"

#include <cmath>

#include <gtest/gtest.h>

#include "reproduction/concluded.h"
#include "ridgerunner/error.h"

namespace ridgerunner::cone_program_test {
namespace {

Matrix pair_of(double between) {
  Matrix matrix(2, 2);
  matrix << 1, between, between, 1;
  return matrix;
}

// One observation y at s_1 and k(s_1, s) = 0.6: f(s_1) = v_1 and f(s) = 0.6 v_1 + 0.8 v_2 with |v| <= B.
TEST(ConeProgram, OneObservationByHand) {
  const Vector reward = Vector::Constant(1, 1);
  // v_1 <= 1 + 0.5 is in the way of 0.6 B = 6.
  EXPECT_NEAR(cone_program_maximum(pair_of(0.6), reward, 0.5, 10, 1e-9),
              0.6 * 1.5 + 0.8 * std::sqrt(100 - 1.5 * 1.5), 1e-8);
  // A wide radius is in nobody's way: B sqrt(k(s,s)).
  EXPECT_NEAR(cone_program_maximum(pair_of(0.6), reward, 50, 10, 1e-9), 10, 1e-8);
  // v_1 >= 3 - 0.5 is.
  EXPECT_NEAR(cone_program_maximum(pair_of(-0.6), Vector::Constant(1, 3), 0.5, 4, 1e-9),
              -0.6 * 2.5 + 0.8 * std::sqrt(16 - 2.5 * 2.5), 1e-8);
}

TEST(ConeProgram, WithoutAnyFunctionInTheSetItFails) {
  EXPECT_THROW(cone_program_maximum(pair_of(0.6), Vector::Constant(1, 20), 0.5, 10, 1e-9), NumericalError);
}

TEST(ProgramReproduction, OursIsTheProgramsMaximum) {
  const Outcome outcome = test::concluded(R"({
    "paper": "p", "title": "t", "shows": "s", "kind": "program", "evaluations": [1, 4, 15], "runs": 2, "seed": 5,
    "environment": {"type": "rkhs_sample", "dimension": 2, "candidates": 6},
    "policy": {"label": "CMM-UCB", "spec": {"policy": "cmm-ucb", "bound": {"mixture_scale": 0.2}}}})");
  for (const std::string t : {"t = 1", "t = 4", "t = 15"}) {
    EXPECT_LT(outcome.values.get(t + " / above, most"), 1e-6);
    EXPECT_LT(outcome.values.get(t + " / below, most"), 1e-6);
  }
}

TEST(ProgramReproduction, OnlyItsOwnBoundIsCompared) {
  EXPECT_THROW(make_reproduction(test::defined(R"({"paper":"p","title":"t","shows":"s","kind":"program",
    "evaluations":[1],"environment":{"type":"rkhs_sample"},
    "policy":{"label":"a","spec":{"policy":"amm-ucb"}}})"),
                                 Size::full),
               InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::cone_program_test
