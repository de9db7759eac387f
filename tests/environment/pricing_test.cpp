#include "ridgerunner/environment/pricing.h"

#include <cmath>

#include <gtest/gtest.h>

namespace ridgerunner::pricing_test {
namespace {

TEST(Pricing, PaysThePriceTimesTheChanceThatItIsPaid) {
  EXPECT_EQ(Pricing::revenue(10, 10), 5);  // at what it is worth, half of the visitors buy
  EXPECT_NEAR(Pricing::revenue(10, 4), 4 / (1 + std::exp(-4.0)), 1e-15);
  EXPECT_LT(Pricing::revenue(10, 20), 0.1);
}

TEST(Pricing, IsWorthMoreAtFortyOnWeekendsWithAFullBasket) {
  EXPECT_NEAR(Pricing::worth(40, 0, 0, 50), 7 + 5 + 1.5, 1e-12);
  EXPECT_GT(Pricing::worth(40, 0, 0, 50), Pricing::worth(70, 0, 0, 50));
  EXPECT_EQ(Pricing::worth(40, 0, 5, 50) - Pricing::worth(40, 0, 4, 50), 2);
  EXPECT_GT(Pricing::worth(40, 0, 0, 150), Pricing::worth(40, 0, 0, 20));
  EXPECT_EQ(Pricing::worth(40, 3, 0, 50) - Pricing::worth(40, 2, 0, 50), 7);
}

TEST(Pricing, OffersTheSameVisitorEveryPrice) {
  const EnvironmentPtr shop = make_environment(default_environment(EnvironmentType::pricing), 7);
  Offer offer;
  for (std::uint64_t visitor = 0; visitor < 50; ++visitor) {
    shop->offer(visitor, offer);
    ASSERT_EQ(offer.states.rows(), Pricing::dimension);
    ASSERT_EQ(offer.states.cols(), 10);
    for (Index i = 0; i < 10; ++i) {
      EXPECT_EQ(offer.states(8, i), 4 + 2 * static_cast<double>(i));
      EXPECT_EQ(offer.states.col(i).head(8), offer.states.col(0).head(8));
    }
    EXPECT_EQ(offer.states.col(0).segment(1, Pricing::countries).sum(), 1);
    EXPECT_GE(offer.states(0, 0), 18);
    EXPECT_LE(offer.states(0, 0), 80);
    EXPECT_GT(offer.states(7, 0), 0);
  }
  EXPECT_STREQ(Pricing::column(0), "age");
  EXPECT_STREQ(Pricing::column(8), "price");
}

}  // namespace
}  // namespace ridgerunner::pricing_test
