"""Classification as a bandit: an example comes in, one of the classes is named, and only whether it was right is told. One
pass, on three tables of scikit-learn; a kernel against a linear bandit and against chance.

A state is the example joined with the class as a unit vector: the linear kernel of unit vectors is 1 for the same class and 0
for others, so that each class has a model of its own. A right answer is worth 1, a wrong one -1.

With a folder as argument, it also writes the tables there for the C++ twin."""

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import StandardScaler

import ridgerunner as rr


def mistakes(policy, examples, labels):
    classes = np.eye(int(labels.max()) + 1)
    wrong = 0
    for example, label in zip(examples, labels):
        named = policy.decide(classes, context=example).index
        policy.observe(np.concatenate([example, classes[named]]), 1.0 if named == label else -1.0)
        wrong += int(named != label)
    return wrong


def policies(dimension, lengthscale, ridge):
    each, radius = rr.Linear(), 0.3 * ridge**0.5  # a model for each class
    yield "kernel", rr.Policy("k-ucb", kernel=rr.Blocks(dimension, rr.Gaussian(lengthscale), each), ridge=ridge, radius=radius)
    yield "linear", rr.Policy("k-ucb", kernel=rr.Blocks(dimension, rr.Linear(offset=1), each), ridge=1.0, radius=0.2)
    yield "uniform", rr.Policy("uniform", kernel=rr.Blocks(dimension, rr.Linear(), each))


def tables():
    """Examples on one scale, in an order that is no class after another, and the kernel policy's length-scale and ridge."""
    images, digits = load_digits(return_X_y=True)
    images = images - images.mean(axis=0)
    yield "digits", 3 * images / np.linalg.norm(images, axis=1, keepdims=True), digits, 1.65, 0.01
    for name, load in [("wine", load_wine), ("breast_cancer", load_breast_cancer)]:
        examples, labels = load(return_X_y=True)
        order = np.random.default_rng(7).permutation(len(labels))
        examples = StandardScaler().fit_transform(examples)[order]
        yield name, examples, labels[order], 1.5 * np.sqrt(examples.shape[1]), 0.1


if __name__ == "__main__":
    for name, examples, labels, lengthscale, ridge in tables():
        if len(sys.argv) > 1:
            rows = np.column_stack([examples, labels])
            np.savetxt(f"{sys.argv[1]}/{name}.csv", rows, delimiter=",", fmt="%.17g")
        counts = [f"{who} {mistakes(policy, examples, labels)}"
                  for who, policy in policies(examples.shape[1], lengthscale, ridge)]
        print(f"{name}: mistakes in {len(labels)}: {', '.join(counts)}")
