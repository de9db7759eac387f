// Raw data: visitors of a shop with their age in years, country, weekday and basket in dollars, and prices in
// dollars to choose from. Nothing is scaled and nothing is tuned by hand. Then what was tuned is frozen.
#include <cstdio>

#include <ridgerunner/environment/environment_spec.h>
#include <ridgerunner/ridgerunner.h>

namespace rr = ridgerunner;

int main() {
  const auto shop = rr::make_environment(rr::default_environment(rr::EnvironmentType::pricing), 7);
  rr::Policy policy("auto");
  rr::Offer offer;
  double early = 0, late = 0;
  for (int visitor = 0; visitor < 600; ++visitor) {
    shop->offer(visitor, offer);
    const rr::Decision decision = policy.decide(offer.states);
    const double revenue = offer.expected[decision.index];
    policy.observe(decision, revenue + shop->noise(visitor));
    (visitor < 200 ? early : late) += (offer.expected.maxCoeff() - revenue) / (visitor < 200 ? 200 : 400);
  }
  std::printf("%.2f dollars a visitor lost at first, then %.2f\n", early, late);

  const auto tuned = policy.statistics().tuned;
  std::printf("tuned at %d observations, next at %d\n", static_cast<int>(tuned->at),
              static_cast<int>(tuned->next));
  rr::Policy frozen(policy.tuned_spec());  // an ordinary policy: it learns, and tunes no more
  std::printf("a price matters by %.1f dollars; %s\n", tuned->lengthscale.back(),
              frozen.spec().policy.c_str());
}
