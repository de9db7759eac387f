import numpy as np
import ridgerunner as rr

policy, prices = rr.Policy("auto"), np.linspace(5, 25, 21)  # dollars
for day in range(200):
    price = prices[policy.decide(prices).index]
    policy.observe(price, 40 * price * np.exp(-(price**2) / 200))
print(f"charge {prices[policy.decide(prices).index]:g} dollars")
