#!/usr/bin/python3
"""Makes evidence.json: the objective of a fit by the textbook's formulas, with NumPy's inverse and determinant, and its
gradient by differences. Independent of the library. Run: tests/golden/evidence.py > tests/golden/evidence.json"""

import json
import sys

import numpy as np


def objective(theta, x, y, each, offset, arm):
    n, d = x.shape
    l = np.exp(theta[:-1])
    k = np.array([[np.exp(-0.5 * (((a - b) / l) ** 2).sum()) for b in x] for a in x])
    if arm is not None:
        k = k * (np.asarray(arm)[:, None] == np.asarray(arm))
    m = k + np.exp(theta[-1]) * np.eye(n)
    a, one = np.linalg.inv(m), np.ones(n)
    mean = (one @ a @ y) / (one @ a @ one) if offset is None else offset
    variance = ((y - mean) @ a @ (y - mean) + 2) / (n + 2)
    value = (n + 2) / 2 * np.log(variance) + np.linalg.slogdet(m)[1] / 2
    value += (np.mean(theta[:-1]) - np.log(d) / 2) ** 2 / 2 + (theta[-1] - np.log(0.03)) ** 2 / (2 * 1.5**2)
    if each:
        value += np.log(1 + (theta[:-1] - np.median(theta[:-1])) ** 2 / 0.25).sum()
    return value, mean, variance


def gradient(theta, *rest):
    h, out = 1e-4, []
    for j in range(len(theta)):
        e = np.zeros(len(theta))
        e[j] = h
        f = lambda t: objective(t, *rest)[0]
        out.append((8 * (f(theta + e) - f(theta - e)) - (f(theta + 2 * e) - f(theta - 2 * e))) / (12 * h))
    return out


random = np.random.default_rng(20261118)
cases = []
for n, d, each, offset, arms in [(5, 1, False, None, 0), (12, 2, False, None, 0), (12, 2, True, None, 0), (25, 3, True, None, 0),
                                 (40, 4, True, None, 0), (40, 4, False, 0.0, 0), (30, 2, False, None, 3), (30, 3, True, None, 3)]:
    x = random.normal(size=(n, d))
    y = np.sin(1.5 * x[:, 0]) + 0.3 * random.normal(size=n)
    arm = random.integers(arms, size=n).tolist() if arms else None
    theta = np.append(random.normal(size=d if each else 1) * 0.6 + np.log(d) / 2, np.log(0.05) + 0.5 * random.normal())
    value, mean, variance = objective(theta, x, y, each, offset, arm)
    cases.append(dict(each=each, offset_is_0=offset is not None, arm=arm, points=x.tolist(), rewards=y.tolist(),
                      at=theta.tolist(), value=value, gradient=gradient(theta, x, y, each, offset, arm), offset=mean,
                      signal_variance=variance))
json.dump(cases, sys.stdout, indent=None)
print()
