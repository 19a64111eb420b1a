"""Searches in threads of one process leave its linear algebra the threads that it had."""

import os

import pytest
from _run import said

# The second search starts while the first one runs, and ends after it, with or without an error.
PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import companion
from sklearn.datasets import make_moons
from threadpoolctl import threadpool_info

X, y = make_moons(40, noise=0.3, random_state=0)


def threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def search(kernel):
    machine = companion.L1SVC(kernel=kernel)
    getattr(companion, name)(machine, {"C": [1.0]}, refit=False).fit(X, y)


def first_kernel(A, B):
    first_is_in.set()
    assert second_is_in.wait(60)
    return A @ B.T


def second_kernel(A, B):
    second_is_in.set()
    first.result(60)
    told["after the first"] = threads()
    if name == "KernelGridSearchCV":
        raise KeyboardInterrupt
    return A @ B.T


for name in ("GACVSearch", "KernelGridSearchCV"):
    first_is_in, second_is_in = Event(), Event()
    told = {"before": threads()}
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(search, first_kernel)
        assert first_is_in.wait(60)
        error = pool.submit(search, second_kernel).exception(60)
        print(told, "after both", threads(), type(error).__name__)
"""


@pytest.mark.slow
def test_the_last_search_to_end_gives_the_threads_back():
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    ended, failed = said("-c", PROGRAM, env=environment).splitlines()
    expected = "{'before': {2}, 'after the first': {1}} after both {2}"
    assert ended == f"{expected} NoneType"
    assert failed == f"{expected} KeyboardInterrupt"
