#!/usr/bin/python3
"""The golden radii of the bounds' tests, from their formulas in decimal arithmetic with 60 digits.

Shares no code with the library: prints one row a case, in the order of the tests' tables. Run it and compare
(or paste) when a formula changes.
"""

from decimal import Decimal as D, getcontext

getcontext().prec = 60
E = D(1).exp()

# delta, norm_bound, noise_bound
INPUTS = [("0.01", "10", "0.1"), ("0.3", "0.5", "2"), ("1e-12", "3", "0.01"), ("0.1", "1", "1")]
# rounds, ridge, log_determinant, residual_sum, variance_sum, largest_prior, batch_growth
EVIDENCE = [("1000", "1", "57.25", "0.75", "23.5", "1", "1"), ("7", "0.001", "31", "0.0625", "6.5", "2", "1"),
            ("20000", "100", "12.5", "300", "9.125", "0.5", "10"), ("3", "0.01", "4", "0", "2.5", "0.25", "3")]


def self_normalized(inputs, evidence, arrival):
    delta, norm, noise = map(D, inputs)
    _, ridge, log_determinant, residual, _, _, growth = map(D, evidence)
    inside = 2 * (1 / delta).ln() + log_determinant
    if not arrival:
        inside += residual / ridge
    return growth.sqrt() * (noise * inside.sqrt() + (ridge.sqrt() + residual.sqrt()) * norm)


def ek_ucb(inputs, evidence, projection):
    delta, norm, noise = map(D, inputs)
    rounds, ridge, _, residual, variance, prior, growth = map(D, evidence)
    mu = residual if projection is None else D(projection)
    inside = 4 * (1 / delta).ln() + 2 * (E + E * rounds * prior / ridge).ln() * variance
    return growth.sqrt() * (noise * inside.sqrt() + (ridge.sqrt() + mu.sqrt()) * norm)


def bkb(inputs, evidence, accuracy, printed):
    delta, norm, noise = map(D, inputs)
    rounds, ridge, _, _, variance, prior, growth = map(D, evidence)
    epsilon = D(accuracy)
    alpha = (1 + epsilon) / (1 - epsilon)
    doubt = (1 / delta).ln()
    if printed:
        root = 2 * (alpha * max((prior * rounds).ln(), D(0)) * variance + doubt).sqrt()
    else:
        root = (alpha * (1 + (1 + prior * rounds / ridge).ln()) * variance + 2 * doubt).sqrt()
    return growth.sqrt() * (noise * root + (1 + 1 / (1 - epsilon).sqrt()) * ridge.sqrt() * norm)


def igp(inputs, evidence):
    # The cases' ridges are what this bound's exceeds 1 by.
    delta, norm, noise = map(D, inputs)
    rounds, eta, log_determinant, _, _, _, _ = map(D, evidence)
    inside = log_determinant + rounds * eta + 2 * (1 / delta).ln()
    return (1 + eta).sqrt() * (noise * inside.sqrt() + norm)


def wang(inputs, evidence):
    delta, norm, noise = map(D, inputs)
    _, ridge, log_determinant, _, _, _, _ = map(D, evidence)
    gain = log_determinant / 2
    square = (norm ** 2 + (8 * gain * (2 / delta).ln()).sqrt() + (2 * (4 / delta).ln()).sqrt() * norm
              + 2 * gain + 2 * noise * (2 / delta).ln())
    return ridge.sqrt() * square.sqrt()


def amm(inputs, evidence, projected):
    delta, norm, noise = map(D, inputs)
    _, ridge, log_determinant, residual, _, _, _ = map(D, evidence)
    seen = (noise ** 2 * (log_determinant + 2 * (1 / delta).ln()) + ridge * norm ** 2).sqrt()
    return seen + norm * residual.sqrt() if projected else seen


def mixture_square(inputs, evidence, projected):
    # From (radius at the ridge)^2 = square + ridge B^2 - ridge q, with q = 3.25.
    _, norm, _ = map(D, inputs)
    ridge = D(evidence[1])
    return amm(inputs, evidence, projected) ** 2 - ridge * norm ** 2 + ridge * D("3.25")


def rows(name, columns):
    print(name)
    for inputs, evidence in zip(INPUTS, EVIDENCE):
        print("    {" + ", ".join(f"{column(inputs, evidence):.17g}" for column in columns) + "},")


rows("abbasi2012: features of now, on arrival",
     [lambda i, e: self_normalized(i, e, False), lambda i, e: self_normalized(i, e, True)])
rows("zenati2022: projection 0.5, none", [lambda i, e: ek_ucb(i, e, "0.5"), lambda i, e: ek_ucb(i, e, None)])
rows("calandriello2019: accuracy 0.5, 0.125, printed with accuracy 0.5",
     [lambda i, e: bkb(i, e, "0.5", False), lambda i, e: bkb(i, e, "0.125", False),
      lambda i, e: bkb(i, e, "0.5", True)])
rows("chowdhury2017: ridge 1 + the case's", [igp])
rows("wang2014", [wang])
rows("flynn2024: radius at the ridge without and with residuals, square without and with, q = 3.25",
     [lambda i, e: amm(i, e, False), lambda i, e: amm(i, e, True),
      lambda i, e: mixture_square(i, e, False), lambda i, e: mixture_square(i, e, True)])
