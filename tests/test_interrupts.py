"""Ctrl-C ends what takes long, at once, and looking for it changes no result."""

import gc
import itertools
import signal
import subprocess
import sys
import tracemalloc
from contextlib import suppress
from dataclasses import astuple

import pytest
from _cases import cases
from _run import start
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification

from companion import L1SVC, LSSVC, ConformalSVC, UnbiasedSVC, WeightedRobustSVC
from companion.kernels import gram
from companion.solvers.fscl import fscl
from companion.solvers.mdm import mdm
from companion.solvers.smo import smo
from companion.tuning.leave_one_out import leave_one_out_errors

BEFORE = """
import companion as c, numpy as np
from companion.solvers import mdm
from companion.kernels import gram
from sklearn.datasets import make_classification

def data(n, k=2):
    return make_classification(n, 10, n_informative=6, n_classes=k, flip_y=0.2, random_state=0)

GRID = {"C": np.logspace(0, 4, 50), "gamma": np.logspace(-2, 0, 50)}
"""
#: Each would take minutes or hours, after a small one: an interrupt that meets numba as it lets go
#: of what it loaded is lost.
LONG = {
    "mdm": (
        "X, y = data(60); mdm(gram(X, gamma=1e-3), 2.0 * y - 1.0, ridge=1.0)\n"
        "X, y = data(2000); K = gram(X, gamma=1e-3); print('now', flush=True)\n"
        "mdm(K, 2.0 * y - 1.0, ridge=1e-6, tol=1e-12, max_iter=10**12, accelerate=False)"
    ),
    "WeightedRobustSVC": (
        "c.WeightedRobustSVC().fit(*data(60, 5))\n"
        "X, y = data(1500, 5); print('now', flush=True)\nc.WeightedRobustSVC(C=100.0).fit(X, y)"
    ),
    "GACVSearch": (
        "c.GACVSearch(c.L1SVC(), {'C': [1]}, criterion='leave_one_out').fit(*data(60))\n"
        "X, y = data(1000); print('now', flush=True)\n"
        "c.GACVSearch(c.L1SVC(), GRID, criterion='leave_one_out').fit(X, y)"
    ),
    "KernelGridSearchCV": (
        "c.KernelGridSearchCV(c.L1SVC(), {'C': [1]}).fit(*data(60))\n"
        "X, y = data(2000); print('now', flush=True)\n"
        "c.KernelGridSearchCV(c.L1SVC(), GRID, n_jobs=2).fit(X, y)"
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
@cases("program", *LONG.values(), ids=LONG)
def test_an_interrupt_ends_a_long_computation(program):
    process = start("-W", "ignore", "-c", BEFORE + program)
    assert process.stdout.readline() == "now\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


FITS = """
machine = c.%s
machine.fit(*data(60))  # what is compiled on first use
X, y = data(%d)
print("now", flush=True)
try:
    while True:
        machine.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
# Of many samples: a factorisation, Newton steps and compiled loops of seconds each.
MACHINES = {
    "LSSVC(C=1e3)": 6000,
    "UnbiasedSVC()": 3000,
    "WeightedRobustSVC(C=100.0)": 2500,
    "ConformalSVC()": 4000,
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
@cases("machine, n", *MACHINES.items(), ids=MACHINES)
def test_a_process_ends_that_goes_on_after_an_interrupt(machine, n):
    """No thread is left that works on, and none of which the end of Python takes the memory."""
    process = start("-W", "ignore", "-c", BEFORE + FITS % (machine, n))
    assert process.stdout.readline() == "now\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "interrupted\n"
    assert process.returncode == 0


@cases(
    "machine",
    L1SVC(C=1e6, gamma=1e-3, tol=1e-12),
    LSSVC(solver="smo", C=1e6, tol=1e-12),
    ConformalSVC(transform="tsvt", validation_fraction=None, max_transforms=2),
    ConformalSVC(search="validation_cma", transform="tsvt", random_state=0),
    WeightedRobustSVC(C=100.0),
    UnbiasedSVC(C=100.0),
    ids=["L1SVC", "LSSVC", "gradient", "evolution", "WeightedRobustSVC", "UnbiasedSVC"],
)
def test_memory_is_free_again_after_an_interrupt(machine, monkeypatch):
    n = 600
    X, y = make_classification(n, 5, flip_y=0.2, random_state=0)
    clone(machine).set_params(C=1.0).fit(X[:60], y[:60])  # what is loaded once stays
    calls = itertools.count()

    def report(*_):
        if next(calls) == 3:
            raise KeyboardInterrupt

    for module in ("smo", "mdm", "wls", "dca", "min_margin", "conformal"):
        whole = sys.modules[f"companion.solvers.{module}"]
        if hasattr(whole, "report"):
            monkeypatch.setattr(whole, "report", report)
        if hasattr(whole, "is_asked"):
            monkeypatch.setattr(whole, "is_asked", lambda: True)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    with suppress(KeyboardInterrupt):
        machine.fit(X, y)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert next(calls) == 4  # the interrupt was the last
    assert kept < 0.1 * 8 * n * n


@cases("selection", "first_order", "second_order")
def test_the_path_does_not_depend_on_how_much_is_done_between_two_looks(
    monkeypatch, selection
):
    X, y = make_classification(120, 5, flip_y=0.2, random_state=0)
    K = gram(X, gamma=0.3)
    y = 2.0 * y - 1.0
    alpha = smo(K, y, 0.0, 10.0).alpha

    def results():
        hulls = mdm(K, y, ridge=0.01, selection=selection, tol=1e-8)
        prototypes = fscl(X, 10, rng=0)
        exact = leave_one_out_errors(K, y, alpha, 10.0, decisions=True)
        return [*astuple(hulls), prototypes, *astuple(exact)]

    in_one_go = results()
    for module in ("solvers.mdm", "solvers.fscl", "tuning.leave_one_out"):
        monkeypatch.setattr(sys.modules[f"companion.{module}"], "_BURST", 1)
    for one, other in zip(in_one_go, results(), strict=True):
        assert_array_equal(one, other)
