"""Black-box optimisation: 442 patients, ten measurements each, and the progress of diabetes a year later, dear to find out.
Who has the largest, within 30 tries? A kernel against a linear bandit and against chance, from ten first patients each.

With a folder as argument, it also writes the table there for the C++ twin."""

import sys

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

import ridgerunner as rr

patients, progress = load_diabetes(return_X_y=True)
patients, value = StandardScaler().fit_transform(patients), (progress - progress.mean()) / progress.std()
if len(sys.argv) > 1:
    np.savetxt(f"{sys.argv[1]}/diabetes.csv", np.column_stack([patients, value]), delimiter=",", fmt="%.17g")

for name, preset, kernel in [("kernel", "k-ucb", rr.Gaussian(4.0)), ("linear", "k-ucb", rr.Linear(offset=1)),
                             ("uniform", "uniform", rr.Linear())]:
    found = np.zeros((10, 30))
    for seed in range(10):
        policy, left = rr.Policy(preset, kernel=kernel, ridge=0.5, radius=0.7, seed=seed), list(range(len(value)))
        for t in range(30):
            chosen = left.pop(policy.decide(patients[left]).index)
            policy.observe(patients[chosen], value[chosen])
            found[seed, t] = value[chosen]
    print(f"{name:7} best {found.max(axis=1).mean():.3f} (of {value.max():.3f}), mean {found.mean():.3f}")
