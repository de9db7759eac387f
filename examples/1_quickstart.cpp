#include <cmath>
#include <iostream>

#include <ridgerunner/ridgerunner.h>

int main() {
  ridgerunner::Policy policy("k-ucb");  // kernel, bound and rule of a preset; any part can be changed
  ridgerunner::Matrix prices = Eigen::RowVectorXd::LinSpaced(21, 0, 1);  // 21 candidates in one dimension
  double revenue = 0;
  for (int day = 0; day < 200; ++day) {
    const auto decision = policy.decide(prices);
    const double price = prices(0, decision.index), sold = price * std::exp(-3 * price * price);
    policy.observe(prices.col(decision.index), sold);
    revenue += sold;
  }
  std::cout << "revenue a day: " << revenue / 200 << ", the best possible: " << std::exp(-0.5) / std::sqrt(6)
            << '\n';
}
