"""Ctrl-C ends what takes long, at once, and looking for it changes no result."""

import gc
import itertools
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import contextmanager, suppress
from dataclasses import astuple

import numpy as np
import pytest
from _cases import cases
from _run import start
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification

from companion import L1SVC, LSSVC, ConformalSVC, UnbiasedSVC, WeightedRobustSVC
from companion._utils import blas, threads
from companion._utils.blas import cholesky, economic_svd, symmetric_solve
from companion._utils.threads import one_thread
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
#: Each would take minutes or hours.
LONG = {
    "mdm": (
        "X, y = data(2000); K = gram(X, gamma=1e-3); print('now', flush=True)\n"
        "mdm(K, 2.0 * y - 1.0, ridge=1e-6, tol=1e-12, max_iter=10**12, accelerate=False)"
    ),
    "WeightedRobustSVC": (
        "X, y = data(1500, 5); print('now', flush=True)\nc.WeightedRobustSVC(C=100.0).fit(X, y)"
    ),
    "GACVSearch": (
        "X, y = data(1000); print('now', flush=True)\n"
        "c.GACVSearch(c.L1SVC(), GRID, criterion='leave_one_out').fit(X, y)"
    ),
    "KernelGridSearchCV": (
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


def matrix(n):
    A = np.full((n, n), 0.5, order="F")
    np.fill_diagonal(A, 2.0)
    return A


@contextmanager
def interrupted():
    """Interrupt the main thread as soon as there is another one; which are left comes back."""
    others = set(threading.enumerate())
    left = []

    def interrupt():
        new = set()
        while not any(thread.is_alive() for thread in new):
            time.sleep(1e-3)
            new = set(threading.enumerate()) - others - {interrupting}
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    with pytest.raises(KeyboardInterrupt):
        yield left
    interrupting.join()
    left += set(threading.enumerate()) - others


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
@cases(
    "function, arguments",
    (cholesky, (2500,)),
    (symmetric_solve, (2500, np.ones(2500))),
    (economic_svd, (800,)),
    ids=["cholesky", "solve", "svd"],
)
def test_linear_algebra_under_way_is_left_to_itself(function, arguments, monkeypatch):
    monkeypatch.setattr(blas, "_MANY_ROWS", 100)
    monkeypatch.setattr(threads, "_LONG", 1.0)
    monkeypatch.setattr(threads, "_LOOK_SECONDS", 0.01)
    A = matrix(arguments[0])
    # On one thread it takes longer than the answer to an interrupt.
    with one_thread(), interrupted() as left:
        function(A, *arguments[1:])
    under_way = [thread for thread in left if thread.is_alive()]
    assert under_way
    for thread in under_way:
        thread.join()
    if function is cholesky:
        assert A[-1] @ A[-1] == pytest.approx(2.0)


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
