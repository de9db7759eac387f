"""Raw data: visitors of a shop with their age in years, country, weekday and basket in dollars, and prices in dollars
to choose from. Nothing is scaled and nothing is tuned by hand. Then what was tuned is frozen."""

import ridgerunner as rr

shop, policy = rr.Environment("pricing", seed=7), rr.Policy("auto")
early = late = 0.0
for visitor in range(600):
    states, expected = shop.offer(visitor)
    decision = policy.decide(states)
    revenue = expected[decision.index]
    policy.observe(decision, revenue + shop.noise(visitor))
    lost = expected.max() - revenue
    early, late = early + (visitor < 200) * lost / 200, late + (visitor >= 200) * lost / 400
print(f"{early:.2f} dollars a visitor lost at first, then {late:.2f}")

tuned = policy.stats()["tune"]
print(f"tuned at {tuned['tuned_at']} observations, next at {tuned['next_at']}")
frozen = rr.Policy(policy.tuned)  # an ordinary policy: it learns, and tunes no more
print(f"a price matters by {tuned['lengthscale'][-1]:.1f} dollars; {frozen.spec['policy']}")
