"""Writes dense.txt: the stream protocol against textbook formulas in plain Python, no ridgerunner involved.

python3 dense.py > dense.txt
"""
import json
from math import exp, log, sqrt

RIDGE, RADIUS, LENGTH = 0.3, 1.5, 0.8


def k(x, y):  # matern32
    u = sqrt(3 * sum(((a - b) / LENGTH) ** 2 for a, b in zip(x, y)))
    return (1 + u) * exp(-u)


def solve(matrix, right):
    """Gaussian elimination with pivoting; the solution and ln|det|."""
    n = len(matrix)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    logdet = 0.0
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        logdet += log(abs(rows[i][i]))
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x, logdet


class Dense:
    def __init__(self):
        self.states, self.rewards = [], []

    def matrix(self):
        n = len(self.states)
        return [[k(self.states[i], self.states[j]) + (RIDGE if i == j else 0) for j in range(n)] for i in range(n)]

    def logdet(self):
        return solve(self.matrix(), self.rewards)[1] - len(self.states) * log(RIDGE)

    def effective_dimension(self):
        """tr K (K + ridge)^-1 = t - ridge tr (K + ridge)^-1"""
        n = len(self.states)
        unit = [[float(i == j) for i in range(n)] for j in range(n)]
        return n - RIDGE * sum(solve(self.matrix(), unit[i])[0][i] for i in range(n))

    def predict(self, s):
        cross = [k(s, u) for u in self.states]
        mean = sum(a * b for a, b in zip(cross, solve(self.matrix(), self.rewards)[0]))
        sd = sqrt((k(s, s) - sum(a * b for a, b in zip(cross, solve(self.matrix(), cross)[0]))) / RIDGE)
        return mean, sd, mean - RADIUS * sd, mean + RADIUS * sd


def show(request, answer):
    print(">", json.dumps(request))
    print("<", json.dumps(answer))


model = Dense()
print("# Written by dense.py: the textbook formulas, solved densely over all observations, repeated ones included.")
print(f"$ stream --spec kernel-ucb --set kernel.type=matern32 --set kernel.lengthscale={LENGTH} "
      f"--set regression.ridge={RIDGE} --set bound.radius={RADIUS}")
observations = [([0.1, 0.2], 1.0), ([0.9, 0.4], -0.5), ([0.1, 0.2], 0.7), ([0.5, 0.5], 2.0), ([0.9, 0.4], -0.1),
                ([0.3, 0.8], 0.25)]
actions = [[0.0], [0.35], [0.6], [0.95]]
for t, (state, reward) in enumerate(observations, 1):
    model.states.append(state)
    model.rewards.append(reward)
    anchors = len({tuple(s) for s in model.states})
    show({"op": "observe", "state": state, "reward": reward}, {"t": t, "anchors": anchors})
    at = [[0.1, 0.2], [0.4, 0.4], [2.0, -1.0]]
    predictions = [model.predict(s) for s in at]
    show({"op": "predict", "states": at},
         {name: [p[i] for p in predictions] for i, name in enumerate(["mean", "sd", "lower", "upper"])})
    candidates = [[0.25] + a for a in actions]
    predictions = [model.predict(s) for s in candidates]
    best = max(range(len(actions)), key=lambda i: predictions[i][3])
    mean, sd, lower, upper = predictions[best]
    show({"op": "decide", "context": [0.25], "actions": actions},
         {"number": t, "index": best, "mean": mean, "sd": sd, "lower": lower, "upper": upper, "propensity": 1})
    show({"op": "stats"}, {"t": t, "ridge": RIDGE, "logdet": model.logdet(), "radius": RADIUS, "anchors": anchors,
                           "effective_dimension": model.effective_dimension(), "projection_error": 0,
                           "residual_sum": 0, "decisions": t, "open": t, "clamped": 0,
                           "noise_lower": None, "noise_upper": None, "noise_crossed": None, "empty_since": None})
