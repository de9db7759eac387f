#pragma once

#include "ridgerunner/environment/environment_spec.h"

namespace ridgerunner {

// A shop that offers each visitor one of a few prices, in units as they come: nothing is scaled.
//
//   state     age in years, five countries (one of them 1), weekday 0 to 6, basket in dollars, price in
//   dollars revenue   price · P(buys), P = 1/(1 + e^((price - worth)/1.5)); what it is worth to the visitor
//   grows with the
//             basket, is highest around 40 years and on weekends, and differs by country
//
// Noise is Gaussian, 2 dollars by default. The prices are 4, 6, ... dollars, `actions` of them.
struct Pricing {
  static constexpr Index countries = 5;
  static constexpr Index dimension = 1 + countries + 3;
  static const char* column(Index i);  // "age", "country 1", ..., "price"

  // What the offer is worth to a visitor, in dollars. country: 0 .. countries-1.
  static double worth(double age, Index country, Index weekday, double basket);
  static double revenue(double worth, double price);
};

EnvironmentPtr pricing(const EnvironmentSpec& spec, std::uint64_t seed);

}  // namespace ridgerunner
