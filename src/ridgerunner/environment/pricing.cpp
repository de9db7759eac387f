#include "ridgerunner/environment/pricing.h"

#include <array>
#include <cmath>

#include "ridgerunner/environment/seeded_environment.h"
#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

constexpr double kLowestPrice = 4, kPriceStep = 2;

class PricingEnvironment final : public SeededEnvironment {
 public:
  PricingEnvironment(const EnvironmentSpec& spec, std::uint64_t seed)
      : SeededEnvironment(facts_of(spec), seed), prices_(spec.actions) {}

  void offer(std::uint64_t round, Offer& out) const override {
    Stream random(seed(), Purpose::context, round);
    const double age = std::round(random.uniform(18, 80));
    const Index country = random.index(Pricing::countries);
    const Index weekday = random.index(7);
    const double basket = std::round(100 * std::exp(3.7 + 0.6 * random.normal())) / 100;
    out.states.setZero(Pricing::dimension, prices_);
    out.expected.resize(prices_);
    const double worth = Pricing::worth(age, country, weekday, basket);
    for (Index i = 0; i < prices_; ++i) {
      const double price = kLowestPrice + kPriceStep * static_cast<double>(i);
      auto state = out.states.col(i);
      state[0] = age;
      state[1 + country] = 1;
      state[1 + Pricing::countries] = static_cast<double>(weekday);
      state[2 + Pricing::countries] = basket;
      state[3 + Pricing::countries] = price;
      out.expected[i] = Pricing::revenue(worth, price);
    }
  }

 private:
  static Facts facts_of(const EnvironmentSpec& spec) {
    Facts facts;
    facts.dimension = Pricing::dimension;
    facts.kernel = spec.kernel;
    facts.noise_sd = spec.noise_sd;
    return facts;
  }

  Index prices_;
};

}  // namespace

const char* Pricing::column(Index i) {
  static constexpr std::array<const char*, dimension> names = {
      "age", "country 1", "country 2", "country 3", "country 4", "country 5", "weekday", "basket", "price"};
  return names.at(static_cast<std::size_t>(i));
}

double Pricing::worth(double age, Index country, Index weekday, double basket) {
  static constexpr std::array<double, countries> kCountry = {0, 3, -2, 5, 1};
  const double from_prime = (age - 40) / 15;
  return 7 + 5 * std::exp(-from_prime * from_prime / 2) + kCountry.at(static_cast<std::size_t>(country)) +
         (weekday >= 5 ? 2 : 0) + 3 * basket / (basket + 50);
}

double Pricing::revenue(double worth, double price) {
  return price / (1 + std::exp((price - worth) / 1.5));
}

EnvironmentPtr pricing(const EnvironmentSpec& spec, std::uint64_t seed) {
  return std::make_shared<PricingEnvironment>(spec, seed);
}

}  // namespace ridgerunner
