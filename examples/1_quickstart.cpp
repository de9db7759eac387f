#include <cmath>
#include <iostream>

#include <ridgerunner/ridgerunner.h>

int main() {
  ridgerunner::Policy policy("k-ucb");
  const ridgerunner::Matrix prices = Eigen::RowVectorXd::LinSpaced(21, 0, 1);  // candidates are columns
  for (int day = 0; day < 200; ++day) {
    const double price = prices(0, policy.decide(prices).index);
    policy.observe(ridgerunner::Vector::Constant(1, price), price * std::exp(-3 * price * price));
  }
  std::cout << "charge " << prices(0, policy.decide(prices).index) << '\n';
}
