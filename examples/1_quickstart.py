import numpy as np
import ridgerunner as rr

policy, prices = rr.Policy("k-ucb"), np.linspace(0, 1, 21)
for day in range(200):
    price = prices[policy.decide(prices).index]
    policy.observe(price, price * np.exp(-3 * price**2))
print(f"charge {prices[policy.decide(prices).index]:g}")
