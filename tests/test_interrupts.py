"""Ctrl-C ends what takes long, at once, and looking for it changes no result."""

import signal
import subprocess
import sys
import threading
import time
from dataclasses import astuple

import numpy as np
import pytest
from sklearn.datasets import make_classification

from companion._utils.blas import cholesky
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
@pytest.mark.parametrize("program", LONG.values(), ids=LONG)
def test_an_interrupt_ends_a_long_computation(program):
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", BEFORE + program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "now\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_linear_algebra_under_way_is_left_to_itself():
    n = 4000
    A = np.full((n, n), 0.5, order="F")
    np.fill_diagonal(A, 2.0)
    others = set(threading.enumerate())

    def interrupt():
        while A[0, 0] == 2.0:  # until the factorisation has begun
            time.sleep(1e-3)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    with pytest.raises(KeyboardInterrupt):
        cholesky(A)
    at_the_interrupt = A[-1, -1]
    interrupting.join()
    for left in set(threading.enumerate()) - others:
        left.join()
    assert A[-1, -1] != at_the_interrupt
    assert A[-1] @ A[-1] == pytest.approx(2.0)


@pytest.mark.parametrize("selection", ["first_order", "second_order"])
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
        np.testing.assert_array_equal(one, other)
