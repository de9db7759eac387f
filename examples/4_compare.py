"""Comparing policies: the same problem, the same rounds, the same noise, as many runs as the claim needs."""

import ridgerunner as rr

results = rr.compare("step_diagonal", ["ek-ucb", "k-ucb", "greedy", "uniform"], horizon=300, runs=5, threads=2)
for name, regret in results.final("regret").items():
    print(f"{name:8} regret {regret.mean():6.2f}, sd {regret.std(ddof=1):.2f}")
