#include <cmath>
#include <iostream>

#include <ridgerunner/ridgerunner.h>

int main() {
  ridgerunner::Policy policy("auto");
  const ridgerunner::Matrix prices = Eigen::RowVectorXd::LinSpaced(21, 5, 25);  // dollars; a column each
  for (int day = 0; day < 200; ++day) {
    const double price = prices(0, policy.decide(prices).index);
    policy.observe(ridgerunner::Vector::Constant(1, price), 40 * price * std::exp(-price * price / 200));
  }
  std::cout << "charge " << prices(0, policy.decide(prices).index) << " dollars\n";
}
