"""How well `auto` does on raw data: benchmarks/auto/tables.py [--runs N] [--only NAME,...] [--policy SPEC] [--first SEED]

Needs the ridgerunner package and scikit-learn's data. Prints, for each problem, the mean and standard error over runs of
the mistakes (tables of classes), the mean outcome (diabetes), or the regret and its share of what chance would have.
"""

import argparse
import sys
import time

import numpy as np

import ridgerunner as rr
from problems import SYNTHETIC, TABLES, WRECKED, run


def compare_with_oracle(problems, chosen, given):
    print(f"{'problem':24} {'runs':>4} {'median of ratios':>17} {'ratio of means':>15} {'worst':>6}")
    for name in chosen:
        mine, oracle = [], []
        for seed in range(given.first, given.first + given.runs):
            scale = problems[name](seed).scale
            mine.append(run(problems[name](seed), rr.Policy(given.policy, seed=seed))[1] / scale)
            specs = [problems[name](seed).oracle(exploration) for exploration in (0.5, 1)]
            oracle.append(min(run(problems[name](seed), rr.Policy(spec, seed=seed))[1] for spec in specs) / scale)
        ratios = np.divide(mine, oracle)
        print(f"{name:24} {len(mine):4} {np.median(ratios):17.2f} {np.mean(mine) / np.mean(oracle):15.2f} {ratios.max():6.2f}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first shuffle or seed")
    parser.add_argument("--only", default="", help="names of problems, separated by commas")
    parser.add_argument("--policy", default="auto")
    parser.add_argument("--oracle", action="store_true",
                        help="compare with a policy that knows all but the function, with the better of two radii")
    given = parser.parse_args()
    problems = {**TABLES, **SYNTHETIC, **WRECKED}
    chosen = [name for name in given.only.split(",") if name] or list(problems)
    unknown = [name for name in chosen if name not in problems]
    if unknown:
        sys.exit(f"error: no problem {unknown[0]!r}; there are {', '.join(problems)}")
    if given.oracle:
        return compare_with_oracle(problems, chosen, given)
    print(f"{'problem':24} {'runs':>4} {'result':>18} {'regret/chance':>14} {'worst':>6} {'s/run':>6}")
    for name in chosen:
        results, shares, start = [], [], time.time()
        for seed in range(given.first, given.first + given.runs):
            problem = problems[name](seed)
            total, regret, chance = run(problem, rr.Policy(given.policy, seed=seed))
            results.append(total / problem.rounds if name == "diabetes" else regret)
            shares.append(regret / chance)
        error = np.std(results, ddof=1) / np.sqrt(len(results)) if len(results) > 1 else float("nan")
        print(f"{name:24} {len(results):4} {np.mean(results):10.1f} ±{error:6.1f} {np.median(shares):14.3f} "
              f"{max(shares):6.3f} {(time.time() - start) / len(results):6.2f}", flush=True)


if __name__ == "__main__":
    main()
