"""Figures 4.3.1, 4.3.2, 4.4.1 and 5.3.1: where the transformations magnify, computed.

A scene has two classes, uniform on either side of x1 = 0, one of them rare; the ideal frontier is
the line between. The magnification is that of the metric of Theorem 5, sqrt(det g), and its ratio R
is that of the transformed kernel to the Gaussian one, (4.1.3).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.ndimage import distance_transform_edt
from scipy.spatial.distance import cdist
from scipy.stats import sem, spearmanr

from companion.conformal import factors as conformal
from companion.estimators import L2SVC, ConformalSVC
from companion.papers.conformal.methods import Part
from companion.papers.conformal.problems import PAPER, C, Problem, strip
from companion.papers.summaries import select, wide
from companion.reproduction import seed_for, study_over
from companion.solvers.mdm import mdm

N_RARE = 12
N_COMMON = 240

#: Half of the room between the classes of Figure 5.3.1, for a hard margin.
HALF_GAP = 0.35

#: 2 sigma^2 of the scene, about the size of a class.
SCENE_WIDTH = 1.0
METHODS = {
    "Amari": "amari",
    "Wu-Amari": "wu_amari",
    "ACT": "act",
    "KBA": "kba",
    "Williams": "williams",
}
N_SCENES = {"paper": 120, "quick": 3}

#: Lattice of the scene: coordinates of its columns and rows.
X1 = np.linspace(-2.0, 2.0, 121)
X2 = np.linspace(-1.0, 1.0, 41)


@dataclass(frozen=True, eq=False)
class Picture:
    """The lattice of a scene: decision values of the machine, log10 R by method.

    `support` are the support vectors, `artificial` the places that the artificial ones of KBA stand
    for, and `eta` what it adds to the decision for its estimate of the boundary, (4.4.2). In the
    units of the SVM, not of its hulls, the support weights are `unit` times as large.
    """

    X: np.ndarray
    y: np.ndarray
    decision: np.ndarray
    ratio: dict
    support: np.ndarray
    artificial: np.ndarray
    unit: float
    eta: float


def scene(number):
    """Patterns of a scene, the rare class, x1 > 0, first."""
    rng = np.random.default_rng(seed_for(PAPER, "scene", number))
    X = strip(rng, N_RARE + N_COMMON, 0.0, 2.0)
    X[N_RARE:, 0] *= -1.0
    return X, np.repeat([1.0, -1.0], [N_RARE, N_COMMON])


def picture(number):
    """The machine of a scene and the ratios of all methods, one forced transformation each."""
    X, y = scene(number)
    points = np.stack(np.meshgrid(X1, X2), axis=-1).reshape(-1, 2)
    shape = (len(X2), len(X1))
    # no V and no test part; none of these methods draws numbers
    rows = {"learn": np.arange(len(y)), "validate": np.empty(0, int)}
    problem = Problem(X, y, points, None, **rows, seed=0)
    part = Part(problem, width=SCENE_WIDTH, validate=False)
    ratios = {
        name: log_ratio(X, y, transform, points).reshape(shape)
        for name, transform in METHODS.items()
    }
    stage = part.transformed("kba", max_transforms=1).stages[0]
    first = X[stage.columns[: stage.n_first]]
    second = X[stage.columns[stage.n_first :]]
    artificial = (1 - stage.beta) * first[:, np.newaxis] + stage.beta * second
    machine = part.shared.first
    return Picture(
        X,
        y,
        decision=part.plain_decision().reshape(shape),
        ratio=ratios,
        support=X[machine.alpha > 0],
        artificial=artificial.reshape(-1, 2),
        unit=2.0 / machine.squared_norm,  # (2.2.7)
        eta=stage.parameters["shift"],
    )


def log_ratio(X, y, transform, points):
    """log10 R of a forced transformation at points, from the metric of Theorem 5."""
    gamma = 1.0 / SCENE_WIDTH
    machine = ConformalSVC(
        C=C,
        gamma=gamma,
        transform=transform,
        max_transforms=1,
        validation_fraction=None,
    )
    after = machine.fit(X, y).magnification(points)
    return np.log10(np.maximum(after, 1e-300) / (2.0 * gamma))


def frontier_of(decision):
    """x1 of the frontier in every row of the lattice, from the left; NaN in rows without one."""
    places = np.full(len(decision), np.nan)
    for k, row in enumerate(decision):
        turns = np.flatnonzero((row[:-1] <= 0) & (row[1:] > 0))
        if turns.size:
            pair = slice(turns[0], turns[0] + 2)
            places[k] = np.interp(0.0, row[pair], X1[pair])
    return places


def near_and_far(decision):
    """The fifth of the lattice nearest to the frontier, and the fifth farthest from it.

    By the distance to the nearest place on the other side: |f| is small also far from all data.
    """
    step = (X2[1] - X2[0], X1[1] - X1[0])
    distance = sum(
        distance_transform_edt(side, step) for side in (decision > 0, decision <= 0)
    )
    low, high = np.quantile(distance, [0.2, 0.8])
    return distance <= low, distance >= high


def compute_scene(unit):
    """Where each method magnifies: a row a method."""
    shown = picture(unit.params["scene"])
    places = frontier_of(shown.decision)
    near, far = near_and_far(shown.decision)
    squares = cdist(np.column_stack([places, X2]), shown.support, "sqeuclidean")
    density = np.exp(-squares / SCENE_WIDTH).sum(axis=1)
    frontier = np.nanmean(places)
    rows = []
    for name, ratio in shown.ratio.items():
        along = [
            np.interp(place, X1, row) for place, row in zip(places, ratio, strict=True)
        ]
        numbers = {
            "frontier": frontier,
            "largest_at": X1[np.argmax(ratio.mean(axis=0))],
            "near": ratio[near].mean(),
            "far": ratio[far].mean(),
            "along": np.nanstd(along),
            "with_density": spearmanr(density, along, nan_policy="omit").statistic,
        }
        if name == "KBA":
            numbers["estimated"] = np.nanmean(frontier_of(shown.decision + shown.eta))
        if name == "Amari":  # R grows with c to the power d = 2
            numbers["svm_units"] = 2 * np.log10(shown.unit)
        row = {"method": name, "estimated": None, "svm_units": None}
        row |= {key: round(float(number), 6) for key, number in numbers.items()}
        rows.append(row)
    return rows


def one_support_vector(squared_exponent):
    """Largest relative error of (4.1.5) around one support vector: tau = 0.5, all else is 1.

    The root has tau^2 to the power `squared_exponent`: 1 as printed, 2 by Theorem 5.
    """
    tau = 0.5
    r = np.linspace(0.0, 2.0 * tau, 41)
    points = np.column_stack([r, np.zeros_like(r)])
    c = np.exp(-(r**2) / (2 * tau**2))
    slope = -c[:, np.newaxis] * points / tau**2
    metric = conformal.kernel_metric(points, gamma=0.5)
    exact = conformal.magnification(conformal.transformed_metric(c, slope, metric))
    root = np.sqrt(1 + r**2 / tau ** (2 * squared_exponent))
    formula = np.exp(-(r**2) / tau**2) * root
    return np.abs(formula / exact - 1).max()


def compute_formula(unit):
    """(4.1.5) as printed and with tau^4."""
    return {"printed": one_support_vector(1), "by_theorem": one_support_vector(2)}


@dataclass(frozen=True, eq=False)
class Displacement:
    """Figure 5.3.1: a linear machine, corrected by its bias and by its margin.

    Lines w . x = t by way: of the rarer class, the boundary, and of the other class.
    """

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    lines: dict


def displacement(number):
    """The machine of a scene without kernel, and both ways to move its boundary to x1 = 0."""
    X, y = scene(number)
    X = X + np.array([HALF_GAP, 0.0]) * y[:, np.newaxis]
    machine = mdm(X @ X.T, y, tol=1e-8)
    w = (y * machine.alpha) @ X
    plus = machine.m_plus
    minus = machine.m_minus
    # w . x = 0 goes through the true boundary where it crosses the x1 axis
    shift = 0.5 * (plus + minus)
    shrink = min(1.0, max(1e-3, 2.0 * minus / (minus - plus)))
    moved = minus + shrink * (plus - minus)
    lines = {
        "the machine": (plus, shift, minus),
        "bias displaced": (plus - shift, 0.0, minus - shift),
        "margin displaced": (moved, 0.5 * (moved + minus), minus),
    }
    return Displacement(X, y, w, lines)


def compute_displacement(unit):
    """How far the support hyperplane of the larger class moves: a row a way.

    And how far from x1 = -HALF_GAP and HALF_GAP both classes' are before.
    """
    shown = displacement(unit.params["scene"])
    plus, _, before = shown.lines["the machine"]
    rows = []
    for way in ("bias displaced", "margin displaced"):
        _, boundary, minus = shown.lines[way]
        lines = np.array([minus - before, boundary, before, plus])
        distances = lines / np.linalg.norm(shown.w) + [0.0, 0.0, HALF_GAP, -HALF_GAP]
        names = ("moved", "boundary_off", "majority_off", "minority_off")
        numbers = np.abs(distances).round(8)
        rows.append({"way": way} | dict(zip(names, numbers, strict=True)))
    return rows


SCENES = study_over(PAPER, "scenes", compute_scene, scene=N_SCENES)
FORMULA = study_over(PAPER, "formula", compute_formula)
DISPLACEMENTS = study_over(PAPER, "displacements", compute_displacement, scene=N_SCENES)
STUDIES = (SCENES, FORMULA, DISPLACEMENTS)


# -- reproduced values ------------------------------------------------------------------------

#: Support weights as the SVM has them, in ``data/readings.yaml``.
SVM_UNITS = "svm-units"

_RATIO = "log10 of the magnification ratio"
_LARGEST = "distance of the largest magnification from the"
#: What is said of the methods, by row, from the numbers of a scene: a column a method and quantity.
CLAIMS = {
    "Amari": {
        f"{_RATIO}: near the frontier - far": "Amari_near - Amari_far",
        "rank correlation of the ratio and the density of SVs along the frontier": (
            "Amari_with_density"
        ),
    },
    "Williams": {f"{_RATIO}: near the frontier - far": "Williams_near - Williams_far"},
    "Wu-Amari": {
        "spread of log10 of the ratio along the frontier: Wu-Amari - Amari": (
            "`Wu-Amari_along` - Amari_along"
        )
    },
    "Figure 4.3.1": {
        f"{_LARGEST} frontier of the SVM, Wu-Amari": (
            "abs(`Wu-Amari_largest_at` - `Wu-Amari_frontier`)"
        )
    },
    "Figure 4.3.2": {
        f"{_LARGEST} true frontier: ACT - Wu-Amari": (
            "abs(ACT_largest_at) - abs(`Wu-Amari_largest_at`)"
        )
    },
    "Figure 4.4.1": {
        "distance from the true frontier: estimated boundary of KBA - frontier of the SVM": (
            "abs(KBA_estimated) - abs(KBA_frontier)"
        )
    },
}
DISPLACED = {
    "distance of the support hyperplane of the majority class: bias - margin displacement": (
        "`bias displaced_moved` - `margin displaced_moved`"
    ),
    "distance of a support hyperplane from the true one: majority - minority": (
        "`bias displaced_majority_off` - `bias displaced_minority_off`"
    ),
}


def _add_scenes(out, frame):
    """Sections 4.1 to 4.5."""
    scenes = wide(frame, "scene", "method")
    for row, claims in CLAIMS.items():
        out.add_claims(row, scenes, claims)
    column = f"{_RATIO}: the smaller of near and minus far"
    for shift, reading in ((0.0, ""), (scenes.Amari_svm_units, SVM_UNITS)):
        smaller = np.minimum(scenes.Amari_near + shift, -scenes.Amari_far - shift)
        out.add_mean("Amari", column, smaller, reading=reading)


def _add_displacements(out, frame):
    out.add_claims("Figure 5.3.1", wide(frame, "scene", "way"), DISPLACED)


def _add_formula(out, frame):
    place = ("(4.1.5)", "largest error of the magnification, relative")
    out.add(*place, frame.printed[0])
    out.add(*place, frame.by_theorem[0], reading="tau-4")


VALUES = (
    (_add_scenes, "scenes"),
    (_add_displacements, "displacements"),
    (_add_formula, "formula"),
)


# -- the notebook -----------------------------------------------------------------------------

#: The places of the lattice, a row each.
LATTICE = np.stack(np.meshgrid(X1, X2), axis=-1).reshape(-1, 2)


def what_came_out(run):
    """Where the space is enlarged, and where it should be."""
    scenes = run.records["scenes"]
    more = (scenes.near - scenes.far).groupby(scenes.method).mean()
    factor = {name: f"{10**mean:.3g}" for name, mean in more.items()}
    places = scenes.pivot(index="scene", columns="method", values="largest_at")
    nearer, farther = (
        (places[one].abs() < places[other].abs()).sum()
        for one, other in (("ACT", "Wu-Amari"), ("Wu-Amari", "ACT"))
    )
    return (
        f"Over {len(places)} scenes Amari's transformation enlarges the space near the machine's "
        f"frontier {factor['Amari']} times as much as far from it, ACT {factor['ACT']}, Wu and "
        f"Amari's {factor['Wu-Amari']}, KBA {factor['KBA']} and Williams's {factor['Williams']} "
        "times (geometric means). ACT is also meant to bring the largest magnification from that "
        f"frontier, which lies at $x_1={scenes.frontier.median():.2f}$, to the ideal one at 0: it "
        f"lies at ${places['ACT'].median():.2f}$, that of Wu and Amari's at "
        f"${places['Wu-Amari'].median():.2f}$ (medians), and ACT's is the nearer to 0 in {nearer} "
        f"of {len(places)} scenes, Wu and Amari's in {farther}; in the others both are as near."
    )


def scene_of(number, n_rare=N_RARE):
    """A scene with the first patterns of its rare class alone."""
    X, y = scene(number)
    kept = np.r_[:n_rare, N_RARE : len(y)]
    return X[kept], y[kept]


def log_ratios(X, y, C, width):
    """log10 R of each method on the lattice, by its name."""
    found = {}
    for name, transform in METHODS.items():
        machine = ConformalSVC(
            C=C,
            gamma=1 / width,
            transform=transform,
            max_transforms=1,
            validation_fraction=None,
        )
        after = np.maximum(machine.fit(X, y).magnification(LATTICE), 1e-300)
        found[name] = on_lattice(np.log10(after * width / 2))
    return found


def on_lattice(values):
    """Values at the places of the lattice, as a matrix."""
    return np.reshape(values, (len(X2), len(X1)))


def near_less_far(number, C, width, equal):
    """log10 R near the frontier less far from it, by (4.1.4) or the same with equal weights."""
    X, y = scene(number)
    machine = L2SVC(C=C, gamma=1 / width).fit(X, y)
    weights = np.abs(machine.dual_coef_[0]) ** (0 if equal else 1)
    tau = np.sqrt(width / 2) / np.sqrt(2)

    def c(points):
        squares = cdist(points, machine.support_vectors_, "sqeuclidean")
        return np.exp(-squares / (2 * tau**2)) @ weights

    values = c(LATTICE)
    slope = values[:, np.newaxis] * conformal.log_gradient(c, LATTICE)
    before = conformal.kernel_metric(LATTICE, gamma=1 / width)
    metric = conformal.transformed_metric(values, slope, before)
    ratio = 0.5 * np.log10(np.maximum(np.linalg.det(metric), 1e-300))
    near, far = near_and_far(on_lattice(machine.decision_function(LATTICE)))
    return on_lattice(ratio)[near].mean() - on_lattice(ratio)[far].mean()


def weights_table(scenes, C, width):
    """What the weights of Amari's transformation and their units do, a row a kind of weights.

    In how many scenes R > 1 near the frontier and R < 1 far from it is known of those on record.
    """
    numbers = scenes["scene"].unique()
    amari = select(scenes, method="Amari")
    shift = amari.svm_units.astype(float)
    both = {
        "of the hulls, as (4.1.4)": (amari.near > 0) & (amari.far < 0),
        "of the SVM": (amari.near + shift > 0) & (amari.far + shift < 0),
    }
    rows = []
    for name, equal in (*((name, False) for name in both), ("equal", True)):
        gaps = [near_less_far(number, C, width, equal) for number in numbers]
        wanted = f"{both[name].sum()} of {len(amari)}" if name in both else ""
        row = {"weights": name, "near less far": np.mean(gaps)}
        rows.append(row | {"SE": sem(gaps), "R > 1 near and < 1 far": wanted})
    return pd.DataFrame(rows)
