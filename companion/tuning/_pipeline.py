"""Pipelines in the grid search: transformers fitted once a fold, kernels shared inside it."""

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import chain
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from companion._utils.threads import one_thread
from companion.estimators._compat import rows_of
from companion.estimators._dual import DualClassifier
from companion.kernels import squared_distances
from companion.tuning._evaluate import Evaluation, Workspace, identity, paths_by_kernel


def machine_of(estimator):
    """The machine itself, or the last step of a pipeline; None where neither is of this package."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return last if isinstance(last, DualClassifier) else None


def prefix_of(estimator):
    """What stands before the names of the machine's parameters."""
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""


def is_plain(pipeline, candidates):
    """Whether a pipeline does what its steps do one after the other, and keeps its last one."""
    names = {name for candidate in candidates for name in candidate}
    last = pipeline.steps[-1][0]
    return (
        type(pipeline) is Pipeline
        and len(pipeline.steps) > 1
        and not names & {"steps", last}
    )


def groups_of(pipeline, candidates):
    """Groups of candidates whose transformers are the same."""
    prefix = prefix_of(pipeline)
    members = defaultdict(list)
    for number, candidate in enumerate(candidates):
        others = sorted(name for name in candidate if not name.startswith(prefix))
        members[tuple((name, identity(candidate[name])) for name in others)].append(
            number
        )
    groups = []
    for numbers in members.values():
        first = candidates[numbers[0]]
        shared = {
            name: value for name, value in first.items() if not name.startswith(prefix)
        }
        whole = clone(pipeline).set_params(**clone(shared, safe=False))
        of_the_machine = [
            {
                name.removeprefix(prefix): value
                for name, value in candidates[number].items()
                if name.startswith(prefix)
            }
            for number in numbers
        ]
        groups.append(
            Group(whole[:-1], paths_by_kernel(whole[-1], of_the_machine), numbers)
        )
    return groups


@dataclass
class Group:
    """Transformers, and the machines that see what they give, by kernel and in paths over C."""

    transformers: Pipeline
    kernels: list
    numbers: list


@dataclass
class PipelineEvaluation:
    """All that the cells of a search over a pipeline have in common.

    ``X`` and ``y`` are what was given; ``common`` is the evaluation without points.
    """

    X: Any
    y: Any
    common: Evaluation

    def of_fold(self, group, fold):
        """Evaluate a group on one fold; return {(candidate, fold): result}."""
        start = perf_counter()
        try:
            evaluation = self._transformed(group, fold)
        except Exception:
            if self.common.error_score == "raise":
                raise
            cells = self.common.all_failed(
                chain.from_iterable(group.kernels), [fold], format_exc()
            )
            return {
                (group.numbers[number], fold): cells[number, fold]
                for number, _ in cells
            }
        shared_time = perf_counter() - start
        cells = {}
        with one_thread():
            distances = None
            if any(paths[0].machine.kernel == "rbf" for paths in group.kernels):
                distances = squared_distances(evaluation.X)
            space = Workspace()
            for paths in group.kernels:
                cells |= evaluation.of_kernel(paths, [0], distances, space)
        for cell in cells.values():
            cell["fit_time"] += shared_time / len(cells)
        return {
            (group.numbers[number], fold): cell for (number, _), cell in cells.items()
        }

    def _transformed(self, group, fold):
        """The fold's samples as the machine sees them, training samples first."""
        train, test = self.common.splits[fold]
        transformers = clone(group.transformers)
        X_train = rows_of(self.X, train)
        points = [transformers.fit_transform(X_train, rows_of(self.y, train))]
        points.append(transformers.transform(rows_of(self.X, test)))
        checker = clone(group.kernels[0][0].machine)
        points = [
            checker._validated(part, reset=k == 0) for k, part in enumerate(points)
        ]
        points = (
            sp.vstack(points, format="csr") if any(map(sp.issparse, points)) else points
        )
        points = points if sp.issparse(points) else np.vstack(points)
        checker._require_size(points)
        rows = np.arange(points.shape[0])
        y = np.concatenate([self.common.y[train], self.common.y[test]])
        return replace(
            self.common,
            X=points,
            y=y,
            splits=[(rows[: len(train)], rows[len(train) :])],
        )
