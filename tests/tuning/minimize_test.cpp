#include "ridgerunner/tuning/minimize.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ridgerunner::minimize_test {
namespace {

Box wide(Index n) {
  return {Vector::Constant(n, -10), Vector::Constant(n, 10)};
}

Vector at(double x, double y) {
  Vector out(2);
  out << x, y;
  return out;
}

// (1 - x)^2 + 100 (y - x^2)^2, the usual curved valley.
double valley(const Vector& p, Vector& gradient) {
  const double a = 1 - p[0], b = p[1] - p[0] * p[0];
  gradient[0] = -2 * a - 400 * p[0] * b;
  gradient[1] = 200 * b;
  return a * a + 100 * b * b;
}

TEST(Minimize, FollowsACurvedValleyToItsEnd) {
  const Minimum found = minimize(valley, at(-1.2, 1), wide(2), 200);
  EXPECT_NEAR(found.at[0], 1, 1e-3);
  EXPECT_NEAR(found.at[1], 1, 2e-3);
  EXPECT_LT(found.evaluations, 150);
}

TEST(Minimize, StopsAtTheEdgeOfItsBox) {
  const Minimum found = minimize(valley, at(-1.2, 1), {at(-5, -5), at(0.5, 5)}, 200);
  EXPECT_EQ(found.at[0], 0.5);
  EXPECT_NEAR(found.at[1], 0.25, 1e-3);
}

TEST(Minimize, LeavesAFixedEntryAlone) {
  const Minimum found = minimize(valley, at(3, 7), {at(2, -5), at(2, 5)}, 100);
  EXPECT_EQ(found.at[0], 2);
  EXPECT_NEAR(found.at[1], 4, 1e-4);
}

TEST(Minimize, StepsBackFromWhereThereIsNoValue) {
  // ln x has no value at x <= 0, and x - ln x is least at 1.
  const auto function = [](const Vector& p, Vector& gradient) {
    gradient[0] = 1 - 1 / p[0];
    return p[0] > 0 ? p[0] - std::log(p[0]) : std::numeric_limits<double>::quiet_NaN();
  };
  const Minimum found = minimize(function, Vector::Constant(1, 9), wide(1), 50);
  EXPECT_NEAR(found.at[0], 1, 1e-4);
}

TEST(Minimize, GivesTheStartBackIfItHasNoValueThere) {
  const auto nowhere = [](const Vector&, Vector& gradient) {
    gradient.setZero();
    return std::numeric_limits<double>::infinity();
  };
  EXPECT_EQ(minimize(nowhere, at(1, 2), wide(2), 10).at, at(1, 2));
}

TEST(Minimize, TakesAtMostSoManySteps) {
  const Minimum none = minimize(valley, at(-1.2, 1), wide(2), 0);
  EXPECT_EQ(none.at, at(-1.2, 1));
  EXPECT_EQ(none.evaluations, 1);
}

}  // namespace
}  // namespace ridgerunner::minimize_test
