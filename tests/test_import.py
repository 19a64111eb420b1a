"""What importing the package costs, and that its public names are there."""

from functools import partial

import pytest
from _run import python

import companion

# A fresh interpreter where every warning is an error.
run = partial(python, "-W", "error", "-c", timeout=120)


def test_import_is_clean_and_loads_nothing_heavy_nor_does_the_help_of_the_command():
    finished = run(
        "import companion.papers.command, sys\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'pandas', 'matplotlib', 'dask'}\n"
        "print(*heavy & set(sys.modules))"
    )
    assert finished.returncode == 0, finished.stderr
    assert (finished.stdout.strip(), finished.stderr) == ("", "")


def test_estimators_searches_and_metrics_load_only_the_core():
    """scikit-learn loads pandas and numba loads yaml by themselves where they are installed."""
    finished = run(
        "import sys, numba, sklearn.model_selection\n"
        "theirs = set(sys.modules)\n"
        "import companion.estimators, companion.metrics, companion.tuning\n"
        "ours = set(sys.modules) - theirs\n"
        "extra = {'pandas', 'yaml', 'matplotlib', 'click', 'pooch', 'papermill', 'dask'}\n"
        "print(sorted(extra & ours))\n"
        "print(sorted(extra & theirs - {'pandas', 'yaml'}))"
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.split() == ["[]", "[]"]


def test_generators_need_the_core_alone():
    finished = run(
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['pandas', 'pooch', 'yaml', 'click']))\n"
        "from companion.datasets import checkers_board, distinct_patterns\n"
        "print(len(distinct_patterns(*checkers_board(rng=0))[0]))"
    )
    assert (finished.stdout.strip(), finished.stderr) == ("2020", "")


def test_an_unknown_name_is_an_attribute_error_of_the_package():
    with pytest.raises(
        AttributeError, match="module 'companion' has no attribute 'L3SVC'"
    ):
        _ = companion.L3SVC


def test_a_command_that_reads_notebooks_builds_no_parsers_of_addresses():
    finished = run(
        "import sys\n"
        "from contextlib import suppress\n"
        "from companion.__main__ import main\n"
        "sys.argv = ['companion', '--version']\n"
        "with suppress(SystemExit):\n"
        "    main()\n"
        "import companion.reproduction.notebooks\n"
        "print('lark' in sys.modules)"
    )
    assert finished.stdout.split()[-1:] == ["False"]


def test_the_rooms_are_there_without_an_import_of_their_own():
    finished = run("import companion; print(companion.tuning.gacv.__name__)")
    assert finished.stdout.strip() == "gacv", finished.stderr
