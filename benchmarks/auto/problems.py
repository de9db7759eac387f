"""Problems in raw units on which a policy that tunes itself is judged: tables as bandits, and synthetic ones.

A problem has `rounds` and, for round t, `candidates(t)` (rows) and `reward(t, index)`, with the expected rewards of all
candidates in `expected(t)` where they are known.
"""

from __future__ import annotations

import numpy as np
from sklearn import datasets


class Classes:
    """A table of labelled rows: context = the row, actions = the classes, reward 1 for the right one."""

    def __init__(self, table, shuffle, rounds=None, units=None):
        data = table() if callable(table) else table
        order = np.random.default_rng(shuffle).permutation(len(data.data))[:rounds]
        self.x, self.y = data.data[order], data.target[order]
        if units is not None:
            self.x = self.x * units[0] + units[1]
        self.arms = np.eye(int(data.target.max()) + 1)
        self.rounds = len(order)

    def candidates(self, t):
        return np.hstack([np.repeat(self.x[t : t + 1], len(self.arms), axis=0), self.arms])

    def expected(self, t):
        return (np.arange(len(self.arms)) == self.y[t]).astype(float)

    def reward(self, t, index):
        return float(index == self.y[t])


class Outcomes:
    """A table with a number to make large: each round any ten of its rows can be chosen."""

    def __init__(self, table, shuffle, rounds=300, among=10):
        data = table()
        random = np.random.default_rng(1000 + shuffle)
        self.x, self.y, self.rounds = data.data, data.target.astype(float), rounds
        self.rows = [random.choice(len(self.y), among, replace=False) for _ in range(rounds)]

    def candidates(self, t):
        return self.x[self.rows[t]]

    def expected(self, t):
        return self.y[self.rows[t]]

    def reward(self, t, index):
        return self.y[self.rows[t][index]]


class Drawn:
    """A function drawn from a Gaussian process on the unit cube (by 600 random features), in units that say nothing:
    columns times 10^U(-3, 3) and shifted, rewards a f + b over decades. `columns` that do not matter may be added."""

    def __init__(self, seed, dimensions=2, lengthscale=0.2, kernel="gaussian", rounds=1000, among=20, noise=0.3,
                 columns=0, duplicates=0, constant=0, heavy=None, first=0, two_valued=None):
        random = np.random.default_rng(seed)
        self.random = np.random.default_rng(seed + 10**6)
        l = np.broadcast_to(np.asarray(lengthscale, float), (dimensions,))
        frequency = random.standard_normal((600, dimensions)) / l
        if kernel == "matern12":
            frequency /= np.sqrt(random.chisquare(1, 600))[:, None]
        if kernel == "matern32":
            frequency /= np.sqrt(random.chisquare(3, 600) / 3)[:, None]
        phase, weight = random.uniform(0, 2 * np.pi, 600), random.standard_normal(600)
        self.f = lambda x: np.sqrt(2 / 600) * np.cos(x @ frequency.T + phase) @ weight
        x = random.uniform(size=(2000, dimensions))
        self.mean, self.sd = self.f(x).mean(), self.f(x).std()
        self.rounds, self.among, self.d, self.columns = rounds, among, dimensions, columns
        self.kernel, self.l = kernel, l
        total = dimensions + columns
        self.unit, self.shift = 10 ** random.uniform(-3, 3, total), random.standard_normal(total) * 3
        self.scale, self.level = 10 ** random.uniform(-2, 2), random.standard_normal() * 10
        self.noise, self.heavy, self.first, self.two_valued = noise, heavy, first, two_valued
        self.duplicates, self.constant = duplicates, constant
        self.cache = (None, None)

    def oracle(self, exploration):
        """A spec that knows kernel, length-scales, noise, offset and scale."""
        l = np.append(self.l, np.full(self.columns, 1e100)) * self.unit
        signal = self.scale / self.sd
        noise = self.noise * self.scale
        return {"policy": "k-ucb", "kernel": {"type": self.kernel, "lengthscale": l.tolist()},
                "regression": {"ridge": (noise / signal) ** 2, "offset": (self.level - self.mean / self.sd) * self.scale},
                "bound": {"radius": exploration * noise}, "rule": {"ties": "random"}}

    def _round(self, t):
        if self.cache[0] != t:
            random = np.random.default_rng([t, int(self.unit[0] * 1e6) % 2**31])
            self.cache = (t, random.uniform(size=(self.among, self.d + self.columns)))
        return self.cache[1]

    def candidates(self, t):
        x = self._round(t)
        shown = (x + self.shift) * self.unit
        shown = np.hstack([shown] + [shown[:, :1]] * self.duplicates)
        return np.hstack([shown, np.full((self.among, self.constant), 3.7)])

    def _values(self, t):
        return (self.f(self._round(t)[:, : self.d]) - self.mean) / self.sd

    def expected(self, t):
        values = self._values(t)
        if self.two_valued is not None:
            return 1 / (1 + np.exp(-(3 * values + self.two_valued)))
        return (values + self.level) * self.scale

    def reward(self, t, index):
        value = self._values(t)[index]
        if self.two_valued is not None:
            return float(self.random.uniform() < self.expected(t)[index])
        if t < self.first:
            value = -3 * value
        draw = self.random.standard_normal() if self.heavy is None else self.random.standard_t(self.heavy)
        return (value + self.noise * draw + self.level) * self.scale


class Arms:
    """A few arms, each with a function of its own of the context; without context, with a number of its own."""

    def __init__(self, seed, arms=5, dimensions=2, rounds=300, noise=0.5):
        random = np.random.default_rng(seed)
        self.random = np.random.default_rng(seed + 10**6)
        self.rounds, self.scale, self.arms, self.d, self.noise = rounds, 1.0, arms, dimensions, noise
        self.functions = [Drawn(seed * 100 + k, max(dimensions, 1), 0.4) for k in range(arms)]
        self.contexts = random.uniform(size=(rounds, dimensions))
        self.levels = random.standard_normal(arms)

    def candidates(self, t):
        return np.hstack([np.repeat(self.contexts[t : t + 1] * 50 + 20, self.arms, axis=0), np.eye(self.arms)])

    def expected(self, t):
        if self.d == 0:
            return self.levels
        return np.array([(f.f(self.contexts[t : t + 1])[0] - f.mean) / f.sd for f in self.functions])

    def reward(self, t, index):
        return self.expected(t)[index] + self.noise * self.random.standard_normal()


def random_units(data, seed):
    random = np.random.default_rng(seed)
    d = data.data.shape[1]
    return 10 ** random.uniform(-3, 3, d), random.standard_normal(d) * 100


TABLES = {
    "wine": lambda s: Classes(datasets.load_wine, s),
    "breast cancer": lambda s: Classes(datasets.load_breast_cancer, s),
    "digits": lambda s: Classes(datasets.load_digits, s),
    "diabetes": lambda s: Outcomes(datasets.load_diabetes, s),
    "iris": lambda s: Classes(datasets.load_iris, s, units=random_units(datasets.load_iris(), s)),
}

SYNTHETIC = {
    "g2": lambda s: Drawn(s),
    "m1": lambda s: Drawn(s, 1, 0.2, "matern12"),
    "uneven": lambda s: Drawn(s, 3, (0.2, 0.6, 3.0)),
    "2 of 8": lambda s: Drawn(s, 2, 0.3, columns=6),
    "5 arms with context": lambda s: Arms(s),
    "5 arms alone": lambda s: Arms(s, dimensions=0, noise=1.0),
}

WRECKED = {
    "3 duplicated columns": lambda s: Drawn(s, rounds=250, duplicates=3),
    "5 constant columns": lambda s: Drawn(s, rounds=250, constant=5),
    "10 noise columns": lambda s: Drawn(s, rounds=250, columns=10),
    "198 noise columns": lambda s: Drawn(s, rounds=250, columns=198),
    "Student t2 noise": lambda s: Drawn(s, rounds=250, heavy=2),
    "Cauchy noise": lambda s: Drawn(s, rounds=250, heavy=1),
    "0/1 rewards": lambda s: Drawn(s, rounds=250, two_valued=0.0),
    "rare 0/1 rewards": lambda s: Drawn(s, rounds=250, two_valued=-6.0),
    "first 12 adversarial": lambda s: Drawn(s, rounds=250, first=12),
}


def run(problem, policy, random=None):
    """(sum of rewards, regret against the best expected, chance's regret)."""
    total = regret = chance = 0.0
    for t in range(problem.rounds):
        candidates = problem.candidates(t)
        decision = policy.decide(candidates)
        reward = problem.reward(t, decision.index)
        policy.observe(decision, reward)
        expected = problem.expected(t)
        total += reward
        regret += expected.max() - expected[decision.index]
        chance += expected.max() - expected.mean()
    return total, regret, chance
