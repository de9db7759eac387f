// A kernel of your own: the hour of the day, where 23 and 1 are close. Any symmetric positive-definite
// function will do.
#include <cmath>
#include <cstdio>

#include <ridgerunner/ridgerunner.h>

namespace rr = ridgerunner;

int main() {
  constexpr double kPi = 3.141592653589793;
  const auto around_the_clock = rr::callable([](const rr::VectorIn& x, const rr::VectorIn& y) {
    return std::exp(-2 * std::pow(std::sin(kPi * (x[0] - y[0]) / 24), 2));
  });
  rr::Spec spec = rr::preset("k-ucb");
  spec.regression.ridge = 0.1;
  rr::Policy policy(spec, around_the_clock);
  const rr::Matrix hours = Eigen::RowVectorXd::LinSpaced(24, 0, 23);
  for (int t = 0; t < 80; ++t) {
    const double hour = hours(0, policy.decide(hours).index);
    policy.observe(rr::Vector::Constant(1, hour), std::cos(2 * kPi * (hour - 23) / 24));
  }
  std::printf("send it at %g o'clock\n", hours(0, policy.decide(hours).index));
  std::printf("at 0 o'clock it is worth %.3f\n", policy.predict(rr::Vector::Constant(1, 0)).mean[0]);
}
