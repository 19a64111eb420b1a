"""Figures 4.3.1, 4.3.2, 4.4.1 and 5.3.1: where the transformations magnify, computed.

A scene has two classes, uniform on either side of x1 = 0, one of them rare; the ideal frontier is
the line between. The magnification is that of the metric of Theorem 5, sqrt(det g), and its ratio R
is that of the transformed kernel to the Gaussian one, (4.1.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from companion import conformal_factors as conformal
from companion.papers.conformal.experiments import Part
from companion.papers.conformal.problems import PAPER, Problem
from companion.reproduction import Study, Unit, seed_for
from companion.solvers.mdm import mdm

N_RARE, N_COMMON = 12, 240

#: 2 sigma^2 of the scene, about the size of a class.
SCENE_WIDTH = 1.0
METHODS = {
    "Amari": "amari",
    "Wu-Amari": "wu_amari",
    "ACT": "act",
    "KBA": "kba",
    "Williams": "williams",
}
N_SCENES = {"paper": 20, "quick": 3}

#: Lattice of the scene: coordinates of its columns and rows.
X1, X2 = np.linspace(-2.0, 2.0, 121), np.linspace(-1.0, 1.0, 41)


@dataclass(frozen=True, eq=False)
class Picture:
    """The lattice of a scene: decision values of the machine and log10 R by method.

    Attributes
    ----------
    X, y : ndarray
        Patterns and labels.
    decision : ndarray of shape (41, 121)
    ratio : dict of str to ndarray of shape (41, 121)
        log10 of the magnification ratio by method.
    artificial : ndarray of shape (n, 2)
        Places between opposite support vectors that KBA's artificial ones stand for.
    """

    X: np.ndarray
    y: np.ndarray
    decision: np.ndarray
    ratio: dict
    artificial: np.ndarray


def scene(number):
    """Patterns of a scene, the rare class, x1 > 0, first.

    Parameters
    ----------
    number : int
        Of the scene.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Labels -1.0 and +1.0.
    """
    rng = np.random.default_rng(seed_for(PAPER, "scene", number))
    X = np.column_stack(
        [rng.uniform(0.0, 2.0, N_RARE + N_COMMON), rng.uniform(-1.0, 1.0, N_RARE + N_COMMON)]
    )
    X[N_RARE:, 0] *= -1.0
    return X, np.repeat([1.0, -1.0], [N_RARE, N_COMMON])


def picture(number):
    """The machine of a scene and the ratios of all methods, one forced transformation each.

    Parameters
    ----------
    number : int
        Of the scene.

    Returns
    -------
    Picture
    """
    X, y = scene(number)
    points = np.stack(np.meshgrid(X1, X2), axis=-1).reshape(-1, 2)
    shape = (len(X2), len(X1))
    none = np.empty(0, dtype=int)
    seed = int(seed_for(PAPER, "scene methods", number).generate_state(1)[0])
    part = Part(
        Problem(X, y, np.arange(len(y)), none, points, None, seed),
        width=SCENE_WIDTH,
        validate=False,
    )
    ratios, artificial = {}, np.empty((0, 2))
    for name, transform in METHODS.items():
        result = part.transformed(transform, max_transforms=1)
        ratios[name] = log_ratio(result, X, points).reshape(shape)
        if name == "KBA" and result.stages:
            stage = result.stages[0]
            first, second = (X[stage.columns[: stage.n_first]], X[stage.columns[stage.n_first :]])
            artificial = (1 - stage.beta) * first[:, np.newaxis] + stage.beta * second
            artificial = artificial.reshape(-1, 2)
    return Picture(X, y, part.plain_decision().reshape(shape), ratios, artificial)


def log_ratio(result, X, points):
    """log10 R of a transformation at points, from the metric of Theorem 5.

    Parameters
    ----------
    result : ConformalResult
    X : ndarray of shape (n, 2)
        Training patterns.
    points : ndarray of shape (n_points, 2)

    Returns
    -------
    ndarray of shape (n_points,)
    """

    def factors(places):
        squares = cdist(places, X, "sqeuclidean")
        return result.transformation(np.exp(-squares / SCENE_WIDTH), squares)

    metric = conformal.kernel_metric(points, gamma=1.0 / SCENE_WIDTH)
    c = factors(points)
    slope = c[:, np.newaxis] * conformal.log_gradient(factors, points)
    after = conformal.magnification(conformal.transformed_metric(c, slope, metric))
    return np.log10(np.maximum(after, 1e-300) / conformal.magnification(metric))


def frontier_of(decision):
    """x1 of the frontier in every row of the lattice, from the left; NaN in rows without one.

    Parameters
    ----------
    decision : ndarray of shape (n_rows, n_columns)
        Decision values on the lattice.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    places = np.full(len(decision), np.nan)
    for k, row in enumerate(decision):
        turns = np.flatnonzero((row[:-1] <= 0) & (row[1:] > 0))
        if turns.size:
            j = turns[0]
            share = -row[j] / (row[j + 1] - row[j])
            places[k] = X1[j] + share * (X1[j + 1] - X1[j])
    return places


def compute_scene(unit):
    """Where each method magnifies: a row a method."""
    shown = picture(unit.params["scene"])
    places = frontier_of(shown.decision)
    at = float(np.nanmean(places))
    size = np.abs(shown.decision)
    near, far = size <= np.quantile(size, 0.2), size >= np.quantile(size, 0.8)
    rows = []
    for name, ratio in shown.ratio.items():
        top = float(X1[np.argmax(ratio.mean(axis=0))])
        along = [
            np.interp(place, X1, row)
            for place, row in zip(places, ratio, strict=True)
            if np.isfinite(place)
        ]
        row = {
            "method": name,
            "frontier": round(at, 6),
            "largest_at": round(top, 6),
            "near": round(float(ratio[near].mean()), 6),
            "far": round(float(ratio[far].mean()), 6),
            "along": round(float(np.std(along)), 6),
            "artificial": None,
        }
        if name == "KBA" and len(shown.artificial):
            row["artificial"] = round(float(np.abs(shown.artificial[:, 0]).mean()), 6)
        rows.append(row)
    return rows


def one_support_vector(squared_exponent, sigma=1.0, tau=0.5, d=2, alpha=1.0):
    """Largest relative error of (4.1.5) around one support vector.

    Parameters
    ----------
    squared_exponent : {1, 2}
        Power of tau^2 under the root: 1 as printed, 2 by Theorem 5.
    sigma, tau, d, alpha
        Width of the kernel, of the transformation, inputs and support weight.

    Returns
    -------
    float
    """
    r = np.linspace(0.0, 2.0 * tau, 41)
    points = np.column_stack([r, *[np.zeros_like(r)] * (d - 1)])
    c = alpha * np.exp(-(r**2) / (2 * tau**2))
    slope = -c[:, np.newaxis] * points / tau**2
    metric = conformal.kernel_metric(points, gamma=0.5 / sigma**2)
    exact = conformal.magnification(conformal.transformed_metric(c, slope, metric))
    root = np.sqrt(1 + sigma**2 / tau ** (2 * squared_exponent) * r**2)
    formula = alpha**d / sigma**d * np.exp(-d * r**2 / (2 * tau**2)) * root
    return float(np.abs(formula / exact - 1).max())


def compute_formula(unit):
    """(4.1.5) as printed and with tau^4."""
    return {
        "printed": float(f"{one_support_vector(1):.6g}"),
        "by_theorem": float(f"{one_support_vector(2):.6g}"),
    }


@dataclass(frozen=True, eq=False)
class Displacement:
    """Figure 5.3.1: a linear machine, corrected by its bias and by its margin.

    Attributes
    ----------
    X, y : ndarray
    w : ndarray of shape (2,)
        In the units of the convex hulls.
    lines : dict of str to tuple of float
        Offsets t of the lines w . x = t by way: of the rarer class, the boundary, of the other one.
    """

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    lines: dict


def displacement(number):
    """The machine of a scene without kernel, and both ways to move its boundary to x1 = 0.

    Parameters
    ----------
    number : int
        Of the scene.

    Returns
    -------
    Displacement
    """
    X, y = scene(number)
    X = X + np.array([0.35, 0.0]) * y[:, np.newaxis]  # room for a hard margin
    machine = mdm(X @ X.T, y, tol=1e-8)
    w = (y * machine.alpha) @ X
    plus, minus = machine.m_plus, machine.m_minus
    boundary = 0.5 * (plus + minus)
    shift = boundary  # w . x = 0 goes through the true boundary where it crosses the x1 axis
    shrink = min(1.0, max(1e-3, 2.0 * minus / (minus - plus)))
    moved = minus + shrink * (plus - minus)
    lines = {
        "the machine": (plus, boundary, minus),
        "bias displaced": (plus - shift, 0.0, minus - shift),
        "margin displaced": (moved, 0.5 * (moved + minus), minus),
    }
    return Displacement(X, y, w, lines)


def compute_displacement(unit):
    """How far the support hyperplane of the larger class moves: a row a way."""
    shown = displacement(unit.params["scene"])
    length = np.linalg.norm(shown.w)
    before = shown.lines["the machine"][2]
    return [
        {
            "way": way,
            "moved": round(float(abs(lines[2] - before) / length), 8),
            "boundary_off": round(float(abs(lines[1]) / length), 8),
        }
        for way, lines in shown.lines.items()
        if way != "the machine"
    ]


def _units(study):
    def units(profile):
        """One unit a scene."""
        return [Unit(PAPER, study, {"scene": k}) for k in range(1, N_SCENES[profile] + 1)]

    return units


SCENES = Study(PAPER, "scenes", _units("scenes"), compute_scene)
FORMULA = Study(PAPER, "formula", lambda profile: [Unit(PAPER, "formula", {})], compute_formula)
DISPLACEMENTS = Study(PAPER, "displacements", _units("displacements"), compute_displacement)
