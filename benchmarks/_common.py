"""What the benchmarks share: problems, interleaved timing, the machine, tables."""

import os
import platform
import time

import numpy as np
from threadpoolctl import threadpool_limits

from companion import L1SVC
from companion.datasets import load_ida
from companion.datasets.generators import two_gaussians
from companion.kernels import gram, resolve_gamma

UCI_SETS = ("heart", "breast-cancer", "german")


def noisy_two_class(n, rng):
    """Ten normal inputs, the sign of x1 + x2 x3 + (x4^2 - 1) / 2, one label in ten turned."""
    rng = np.random.default_rng(rng)
    X = rng.standard_normal((n, 10))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] ** 2 - 1) / 2 >= 0, 1, -1)
    y[rng.random(n) < 0.1] *= -1
    return X, y


def synthetic(sizes=(200, 1000, 5000)):
    """Yield (name, X, y): two Gaussians in the plane and a noisy rule in ten dimensions."""
    for n in sizes:
        X, y = two_gaussians(n // 2, means=((0.0, 0.0), (2.0, 0.0)), rng=n)
        yield f"two Gaussians {n}", X, y
        X, y = noisy_two_class(n, rng=n)
        yield f"noisy {n}", X, y


def uci(names=UCI_SETS):
    """Yield (name, X, y) of the UCI sets of the paper."""
    for name in names:
        data = load_ida(name)
        yield f"{name} {len(data.y)}", np.array(data.X), np.array(data.y)


def interleaved(functions, repeats, least=0.2, in_a_row=3):
    """Call the functions in turn, each a few times in a row; return the least CPU seconds of each.

    CPU seconds of the process, one thread: the time another process takes away does not count.
    Rounds go on until ``repeats`` and until the first function has had ``least`` seconds.
    """
    best = [np.inf] * len(functions)
    total = 0.0
    rounds = 0
    while rounds < repeats or (total < least and rounds < 20 * repeats):
        for k, function in enumerate(functions):
            for _ in range(in_a_row):
                start = time.process_time()
                function()
                taken = time.process_time() - start
                best[k] = min(best[k], taken)
                total += taken if k == 0 else 0.0
        rounds += 1
    return best


def warm_up():
    """Compile, or load from the cache, all that the timed fits will call."""
    for n in (40, 3100):
        X, y = two_gaussians(n // 2, means=((0.0, 0.0), (2.0, 0.0)), rng=0)
        for C in (1.0, 1000.0):
            L1SVC(C=C).fit(X, y)


def true_certificate(X, y, beta, C, gamma, box=None, **kernel):
    """Objective and KKT violation of beta = y alpha, in double precision from the kernel.

    The violation is max over I_up minus min over I_low of y - K beta.
    """
    low, high = (
        box if box is not None else (np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0))
    )
    support = np.flatnonzero(beta)
    products = np.zeros(len(y))
    for start in range(0, len(y), 1000):
        rows = slice(start, start + 1000)
        products[rows] = (
            gram(X[rows], X[support], gamma=gamma, **kernel) @ beta[support]
        )
    scores = y - products
    violation = scores[beta < high].max() - scores[beta > low].min()
    return 0.5 * beta @ products - y @ beta, max(violation, 0.0)


def dual_vector(machine, n):
    """beta of all samples from a fitted machine with ``support_`` and ``dual_coef_``."""
    beta = np.zeros(n)
    beta[machine.support_] = np.asarray(machine.dual_coef_).ravel()
    return beta


def scale_gamma(X):
    """The gamma that "scale" stands for."""
    return resolve_gamma("scale", X)


def machine_and_versions(*modules):
    """One line: processor, cores, Python and the versions of packages."""
    processor = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [
                line.split(":", 1)[1].strip() for line in lines if "model name" in line
            ]
        processor = names[0] if names else processor
    except OSError:
        pass
    versions = ", ".join(
        f"{module.__name__} {module.__version__}" for module in modules
    )
    return f"{processor}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def one_thread():
    """Context in which BLAS uses one thread."""
    return threadpool_limits(1)


def summary(ratios, wanted, least=None, goal=None):
    """Sentence about median and least ratio against what is wanted."""
    wishes = f"median {wanted} wanted"
    wishes += "" if goal is None else f", {goal} the goal"
    wishes += "" if least is None else f", never below {least}"
    return f"ratio: median {np.median(ratios):.1f}, least {min(ratios):.1f} ({wishes})"
