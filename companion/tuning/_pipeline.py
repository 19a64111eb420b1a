"""Pipelines in the grid search: transformers fitted once a fold, kernels shared inside it."""

from dataclasses import dataclass, replace
from itertools import chain
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from companion._utils.threads import one_thread
from companion.estimators import L1SVC, L2SVC, LSSVC, LeastOneNormSVC
from companion.estimators._compat import rows_of
from companion.estimators._dual import DualClassifier
from companion.tuning._evaluate import (
    Evaluation,
    groups_by,
    paths_by_kernel,
    share_time,
    with_parameters,
)


def machine_of(estimator):
    """The machine itself, or the last step of a pipeline; None where neither is of this package."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return last if isinstance(last, DualClassifier) else None


def is_own(estimator):
    """Whether the machine is exactly one of this package, and no class of one's own made of it."""
    return type(machine_of(estimator)) in (L1SVC, L2SVC, LSSVC, LeastOneNormSVC)


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
    groups = []
    for shared, numbers in groups_by(
        candidates, lambda name: not name.startswith(prefix)
    ):
        whole = with_parameters(pipeline, shared)
        of_the_machine = [
            {
                name.removeprefix(prefix): value
                for name, value in candidates[number].items()
                if name.startswith(prefix)
            }
            for number in numbers
        ]
        kernels = paths_by_kernel(whole[-1], of_the_machine)
        groups.append(Group(whole[:-1], kernels, numbers))
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
        common = self.common
        evaluation, _, failure = common._attempt(self._transformed, group, fold)
        if failure is not None:
            paths = chain.from_iterable(group.kernels)
            cells = common.all_failed(paths, [fold], failure)
        else:
            cells = {}
            with one_thread():
                distances = evaluation.distances(group.kernels)
                for paths in group.kernels:
                    cells |= evaluation.of_kernel(paths, [0], distances)
        share_time(cells, perf_counter() - start)
        return {
            (group.numbers[number], fold): cell for (number, _), cell in cells.items()
        }

    def _transformed(self, group, fold):
        """The fold's samples as the machine sees them, training samples first."""
        train, test = self.common.splits[fold]
        transformers = clone(group.transformers)
        X_train = transformers.fit_transform(
            rows_of(self.X, train), rows_of(self.y, train)
        )
        points = [X_train, transformers.transform(rows_of(self.X, test))]
        is_sparse = any(map(sp.issparse, points))
        points = sp.vstack(points, format="csr") if is_sparse else np.vstack(points)
        machine = group.kernels[0][0].machine
        points = machine._validated(points)
        machine._require_size(points)
        rows = np.arange(len(train) + len(test))
        return replace(
            self.common,
            X=points,
            y=np.concatenate([self.common.y[train], self.common.y[test]]),
            splits=[(rows[: len(train)], rows[len(train) :])],
        )
