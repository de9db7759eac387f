"""Bands: an interval to act upon. With probability 95 % the true curve is inside of it at all points and at all rounds at
once, if its norm is at most 4 and the noise's sd at most 0.1. Tighter bounds give narrower bands from the same data."""

import numpy as np

import ridgerunner as rr

grid, t = np.linspace(0, 1, 101), np.arange(60)
x, noise = np.fmod(0.618034 * t, 1.0), np.where(t % 2, 0.1, -0.1)


def truth(x):
    return np.sin(6 * x)


for name in ["gp-ucb", "amm-ucb", "dmm-ucb", "cmm-ucb"]:
    policy = rr.Policy(name, kernel=rr.Gaussian(0.2), delta=0.05, norm_bound=4)
    policy.observe(x, truth(x) + noise)
    at = policy.predict(grid)
    inside = ((at.lower <= truth(grid)) & (truth(grid) <= at.upper)).sum()
    print(f"{name:8} truth inside at {inside} of 101 points, mean width {(at.upper - at.lower).mean():.3f}")
