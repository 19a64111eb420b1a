"""Table 3: RBF machines on real and simulated data, with their sizes.

Each machine has one setting a set, by 5-fold cross-validation inside the first two splits, their
errors together. Section 4.1 has "optimal parameters for every algorithm and split"; the table has
sizes that do not vary over the splits at all, or hardly, as of one setting. The rule for ties is
one for all machines: fewest kernels, then widest, then the largest C.

The support vector machine is searched with shared kernel values and warm starts along C. The
unbiased machine stands on prototypes placed once a split among its training inputs, without their
labels; distances to them serve all widths and folds. It starts at the machine with the hinge on the
same prototypes. The bias is free throughout: without it, as in (26) and note 2, ringnorm does not
reach the print.

The printed sizes of AdaBoost, 3000, 2400, 2400 and 2000, look like 200 rounds of networks with 15,
12, 12 and 10 centres, and are taken so. The other two vary, as if some runs had ended early; with
200 rounds for them too, 86 and 8 centres have these sizes.
"""

import math
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from companion.estimators import L1SVC
from companion.kernels import gamma_from_width, gram
from companion.losses import Unbiased
from companion.metrics import Mean
from companion.papers.experiment import held_out_errors, wrong
from companion.papers.summaries import one_of, present, range_text, select
from companion.papers.usvc import boosting
from companion.papers.usvc.cases import PAPER
from companion.papers.usvc.paired_errors import (
    add_cells,
    add_comparison,
    add_protocol,
    by_machine,
    gap_in_words,
    log_ratio,
    most_sets,
    over_sets,
    with_errors,
)
from companion.papers.usvc.splits import (
    BENCHMARK_SETS,
    digest,
    points_of,
    seed_of,
    split,
    split_study,
)
from companion.reproduction import seed_for, study_over
from companion.reproduction.verdicts import MATCHES
from companion.solvers.fscl import fscl
from companion.solvers.wls import Design, wls, wls_path
from companion.tuning import KernelGridSearchCV

#: What is tried, the smaller machines first: of several with the fewest errors the first is taken.
WIDTHS = (16.0, 8.0, 4.0, 2.0, 1.0)
C_VALUES = tuple(10.0**k for k in range(4, -2, -1))
LOSS = Unbiased(2.0)

#: Printed sizes of the unbiased machine; a quarter, a half and the whole of each are tried.
SIZES = {
    "Diabetes": 40,
    "Image": 120,
    "Ringnorm": 90,
    "Thyroid": 40,
    "Twonorm": 12,
    "Waveform": 30,
}
SIZE_FACTORS = (0.25, 0.5, 1.0)

#: Rounds of boosting, and centres of a network: so many that the rounds have the printed size.
N_NETWORKS = 200
PRINTED_KERNELS = {"Diabetes": 3000, "Image": 17116, "Ringnorm": 2400}
PRINTED_KERNELS |= {"Thyroid": 1534, "Twonorm": 2400, "Waveform": 2000}
BOOSTING_WIDTHS = (8.0, 4.0, 2.0, 1.0)

#: Splits that choose, the first ones, and the relative duality gap of the hinge in their folds.
N_CHOOSING = 2
SEARCH_TOL = 1e-3

#: Machines by name, as printed; the one on prototypes stands in our tables alone.
PRINTED = {"SVMlight": "SVMlight", "AdaBoost": "Adaboost", "USVC": "USVC"}
MACHINES = ("SVMlight", "AdaBoost", "SVC on prototypes", "USVC")

#: What is searched for machines of a kind: the axes of their tables of held-out errors.
_ON_SAMPLES = {"sigma": WIDTHS, "C": C_VALUES}
_ON_PROTOTYPES = {"factor": SIZE_FACTORS, **_ON_SAMPLES}
_NETWORKS = {"sigma": BOOSTING_WIDTHS}


def gamma_of(sigma):
    """``gamma`` of the kernel exp(-||x - x'||^2 / (2 sigma^2))."""
    return gamma_from_width(sigma, "2sigma2")


def compute_set(unit):
    """Error and size of the machines of one kind on every split of a set: a row a machine."""
    search, fit, grid, machines = KINDS[unit.params["kind"]]
    dataset = unit.params["dataset"]
    numbers = range(1, unit.params["splits"] + 1)
    found = [search(dataset, number) for number in numbers[:N_CHOOSING]]
    errors, converged = zip(*found, strict=True)
    # by machine, summed over the splits that choose
    chosen = [choose(grid, sum(of)) for of in zip(*errors, strict=True)]
    rows = []
    for number in numbers:
        part = split(dataset, number)
        for machine, (settings, cv_wrong) in zip(machines, chosen, strict=True):
            decision, size, is_solved = fit(part, dataset, number, machine, **settings)
            row = {
                "split": number,
                "machine": machine,
                "C": settings.get("C"),
                "sigma": settings["sigma"],
                "size": size,
                "n_train": len(part.y),
                "n_test": len(part.y_test),
                "cv_wrong": cv_wrong,
                "test_wrong": wrong(decision, part.y_test),
                "converged": is_solved and all(converged),
            }
            rows.append(row)
    return rows


def choose(grid, errors):
    """The first setting of the fewest held-out errors, and their number."""
    settings = [dict(zip(grid, cell, strict=True)) for cell in product(*grid.values())]
    best = errors.argmin()
    return settings[best], errors.flat[best]


def _search_svc(dataset, number):
    part = split(dataset, number)
    grid = {"C": C_VALUES, "gamma": [gamma_of(sigma) for sigma in WIDTHS]}
    found = KernelGridSearchCV(L1SVC(cache_size=2000), grid, cv=part.folds, refit=False)
    rates = 1.0 - found.fit(part.X, part.y).cv_results_["mean_test_score"]
    errors = np.rint(rates * len(part.y)).astype(int)
    return [errors.reshape(len(C_VALUES), len(WIDTHS)).T], True


def _fit_svc(part, _dataset, _number, _machine, *, sigma, C):
    machine = L1SVC(C=C, gamma=gamma_of(sigma), cache_size=2000).fit(part.X, part.y)
    decision = machine.decision_function(part.X_test)
    return decision, len(machine.support_), machine.converged_


def _search_boosting(dataset, number):
    part = split(dataset, number)
    errors = np.zeros(len(BOOSTING_WIDTHS), dtype=int)
    for k, sigma in enumerate(BOOSTING_WIDTHS):
        K = gram(part.X, gamma=gamma_of(sigma))
        for rows, held_out in part.folds:
            _, output = _boost(K, part.y, rows, dataset, number)
            errors[k] += wrong(output[held_out], part.y[held_out])
    return [errors], True


def _fit_boosting(part, dataset, number, _machine="AdaBoost", *, sigma):
    gamma = gamma_of(sigma)
    K = gram(part.X, gamma=gamma)
    networks, _ = _boost(K, part.y, np.arange(len(part.y)), dataset, number)
    decision = boosting.decision(networks, gram(part.X, part.X_test, gamma=gamma))
    return decision, sum(len(centres) for _, (centres, _) in networks), True


def _boost(K, y, rows, dataset, number):
    drawn = _drawing(dataset, number)
    learn = partial(boosting.fixed_network, K, y, **drawn)
    return boosting.boost(learn, y, rows, N_NETWORKS)


def _drawing(dataset, number):
    """The centres of a network, so many that the rounds have the printed size, and their source."""
    rng = np.random.default_rng(seed_for(PAPER, "boosting", dataset, number))
    return {"rng": rng, "n_centres": math.ceil(PRINTED_KERNELS[dataset] / N_NETWORKS)}


def prototypes_seed(dataset, number, size):
    """With this `random_state` :class:`~companion.UnbiasedSVC` has the prototypes of a split."""
    return seed_of("prototypes", dataset, number, size)


def prototypes(dataset, number, X, size):
    """The prototypes of one split, by frequency-sensitive competitive learning."""
    rng = check_random_state(prototypes_seed(dataset, number, size)).randint(2**31 - 1)
    return fscl(X, size, rng=rng)


def _search_on_prototypes(dataset, number):
    """Held-out errors with the hinge and the unbiased loss."""
    part = split(dataset, number)
    axes = [len(values) for values in _ON_PROTOTYPES.values()]
    total = np.zeros((2, *axes), dtype=int)
    converged = True
    sizes = [round(factor * SIZES[dataset]) for factor in SIZE_FACTORS]
    for f, size in enumerate(sizes):
        centres = prototypes(dataset, number, part.X, size)
        for k, sigma in enumerate(WIDTHS):
            design = design_on(part.X, centres, sigma)
            errors, flags = held_out_errors(part, design, _paths_of_search)
            total[:, f, k] = list(errors.values())
            converged &= all(flags.values())
    return total, converged


def _paths_of_search(design, y):
    paths = both_paths(design, y, SEARCH_TOL)
    return {
        name: points_of(path) for name, path in zip(MACHINES[2:], paths, strict=True)
    }


def design_on(X, centres, sigma, bias=True):
    """Design of the machine on prototypes with the kernel exp(-||x - c||^2 / (2 sigma^2))."""
    among, to = (gram(rows, centres, gamma=gamma_of(sigma)) for rows in (centres, X))
    return Design.kernel(to, among, bias=bias)


def both_paths(design, y, tol=1e-6):
    """Machines for each C with the hinge, and with the unbiased loss started from them."""
    upwards = C_VALUES[::-1]
    svc = wls_path(design, y, upwards, tol=tol)
    return svc[::-1], wls_path(design, y, upwards, loss=LOSS, start=svc)[::-1]


def _fit_on_prototypes(part, dataset, number, machine, *, factor, sigma, C):
    centres = prototypes(dataset, number, part.X, round(factor * SIZES[dataset]))
    design = design_on(part.X, centres, sigma)
    found = wls_path(design, part.y, [c for c in C_VALUES[::-1] if c <= C])[-1]
    if machine == "USVC":
        found = wls(design, part.y, C, loss=LOSS, start=found)
    K = gram(part.X_test, centres, gamma=gamma_of(sigma))
    return K @ found.coef + found.intercept, len(centres), found.converged


#: Machines with a search in common: how they are searched and fitted, and on which grid.
KINDS = {
    "support vectors": (_search_svc, _fit_svc, _ON_SAMPLES, MACHINES[:1]),
    "networks": (_search_boosting, _fit_boosting, _NETWORKS, MACHINES[1:2]),
    "prototypes": (
        _search_on_prototypes,
        _fit_on_prototypes,
        _ON_PROTOTYPES,
        MACHINES[2:],
    ),
}

#: (C, s) of the kernel exp(-||x - x'||^2 / s) that the benchmark's authors publish for the SVC. Of
#: Ringnorm C is 10^9; 10^4 is the hard margin too.
PUBLISHED = {
    "Diabetes": (1.0, 20.0),
    "Image": (500.0, 30.0),
    "Ringnorm": (1e4, 10.0),
    "Thyroid": (10.0, 3.0),
    "Twonorm": (3.162, 40.0),
    "Waveform": (1.0, 20.0),
}


def compute_published(unit):
    """Error and size of the SVC at the settings published with the benchmark."""
    dataset = unit.params["dataset"]
    C, width = PUBLISHED[dataset]
    part = split(dataset, unit.params["split"])
    machine = L1SVC(C=C, gamma=1.0 / width, cache_size=2000).fit(part.X, part.y)
    return {
        "size": len(machine.support_),
        "n_test": len(part.y_test),
        "test_wrong": wrong(machine.decision_function(part.X_test), part.y_test),
        "converged": machine.converged_,
    }


def compute_adapted(unit):
    """Error and size of AdaBoost whose networks adapt their centres and widths."""
    dataset = unit.params["dataset"]
    number = unit.params["split"]
    part = split(dataset, number)
    drawn = _drawing(dataset, number)
    learn = partial(boosting.adapted_network, part.X, part.y, **drawn)
    every = np.arange(len(part.y))
    networks, _ = boosting.boost(learn, part.y, every, N_NETWORKS)
    decision = sum(
        factor * network.confidence(part.X_test) for factor, network in networks
    )
    return {
        "size": sum(len(network.centres) for _, network in networks),
        "n_test": len(part.y_test),
        "test_wrong": wrong(decision, part.y_test),
        "converged": True,
    }


# The paper has 10 splits. More are run so that paired differences can be told from chance.
TABLE_3 = study_over(
    PAPER,
    "table_3",
    compute_set,
    digest=digest,
    dataset={
        # the longest first: else one process would work at them while others have no more
        "paper": ("Twonorm", "Ringnorm", "Waveform", "Image", "Diabetes", "Thyroid"),
        "quick": ("Thyroid",),  # the others take minutes
    },
    kind=tuple(KINDS),
    splits={"paper": (60,), "quick": (2,)},
)
TABLE_3_PUBLISHED = split_study(
    "table_3_published",
    compute_published,
    BENCHMARK_SETS,
    paper=5,
    quick={"Diabetes": 2, "Thyroid": 3},
)
#: Splits beyond those on which networks that are not adapted were found to err less than printed.
_OTHER_SPLITS = range(61, 69)
TABLE_3_ADAPTED = study_over(
    PAPER,
    "table_3_adapted",
    compute_adapted,
    digest=digest,
    dataset={"paper": tuple(BENCHMARK_SETS), "quick": ("Thyroid",)},
    split={"paper": _OTHER_SPLITS, "quick": _OTHER_SPLITS[:2]},
)
STUDIES = (TABLE_3, TABLE_3_PUBLISHED, TABLE_3_ADAPTED)


#: Where the text has the unbiased machine better than the SVC.
BETTER = ("Diabetes", "Thyroid", "Waveform")
#: What is printed of a machine.
QUANTITIES = {" CE (%)": "error", " Mach. size": "size"}


def _add_cells(out, frame, reading=""):
    """The printed errors and sizes; the size of the unbiased machine has no spread in print."""
    others = {name: PRINTED[name] for name in PRINTED if name != "USVC"}
    add_cells(out, frame, others, QUANTITIES, reading)
    add_cells(out, frame, {"USVC": PRINTED["USVC"]}, {" CE (%)": "error"}, reading)
    for name, rows in select(frame, machine="USVC").groupby("dataset"):
        out.add_spread(name, "USVC Mach. size", rows["size"])


def _add_table(out, frame):
    """The printed errors and sizes of Table 3, and the claims about them."""
    _add_cells(out, frame)
    add_comparison(out, frame, BETTER, "CE (points)")
    ratios = []
    sizes = []
    names = present(frame, BENCHMARK_SETS)
    for name in names:
        machines = by_machine(frame, name)
        svc, networks, unbiased = (machines[machine]["size"] for machine in PRINTED)
        ratio = log_ratio(svc, unbiased)
        out.add_mean(name, "log of SVMlight size / USVC size", ratio)
        ratios += [ratio, log_ratio(networks, unbiased)]
        sizes.append(unbiased.mean())
    if names == list(BENCHMARK_SETS):
        # the largest by the mean, which is the first of a Mean
        largest, error, n = one_of(max(ratios), len(ratios))
        log10 = Mean(largest / math.log(10), error / math.log(10), n)
        sets = "sets on which Adaboost errs more than USVC, above half of them"
        gap = over_sets(frame, "USVC", "SVMlight")
        out.add_mean("all sets", sets, most_sets(frame, "AdaBoost", "USVC"))
        out.add_mean(
            "all sets", "log10 of the largest ratio of a size to that of USVC", log10
        )
        out.add_mean("all sets", "USVC - SVMlight (points)", gap)
        out.add("all sets", "least size of USVC", min(sizes))
        out.add("all sets", "largest size of USVC", max(sizes))
    out.add("protocol", "splits", frame.groupby("dataset").split.nunique().min())
    add_protocol(out)


def _add_published(out, frame):
    """The SVC at the settings published with the benchmark."""
    svc = frame.assign(machine="SVMlight")
    _add_cells(out, svc, "benchmark-settings")


VALUES = ((_add_table, "table_3"), (_add_published, "table_3_published"))


# -- what the notebook says -----------------------------------------------------------------


def networks_compared(run):
    """Errors of AdaBoost as printed, of fixed and of adapted networks, a row a set."""
    fixed, adapted = (
        with_errors(frame).groupby("dataset").error
        for frame in (
            select(run.records["table_3"], machine="AdaBoost"),
            run.records["table_3_adapted"],
        )
    )
    cells = run.ledger[run.ledger.column == "Adaboost CE (%)"].set_index("row")
    table = {
        "printed": cells.published,
        "fixed": fixed.mean(),
        "SE": fixed.sem(),
        "adapted": adapted.mean(),
        "SE of adapted": adapted.sem(),
    }
    return pd.DataFrame(table).rename_axis("set").reset_index()


def about_sizes(run):
    """On how many sets the published settings have the printed size, and what that shows."""
    sizes = run.ledger[run.ledger.column == "SVMlight Mach. size"]
    alike = sizes[sizes.verdict_as_read == MATCHES].row
    names = ", ".join(alike) or "none"
    return (
        f"The printed size is within chance on {len(alike)} of {len(sizes)} sets ({names})."
        " Settings that fit some sets and not others are no cause, so that a size that differs is"
        " unexplained. Nor would a $C$ and a width that are looked for set by set show anything:"
        " some pair meets any size and error."
    )


def what_came_out(run):
    """Errors and sizes of the unbiased machine beside others, in sentences."""
    frame = run.records["table_3"]
    if not len(frame):
        return "No file of these sets is here, so that nothing was run."
    sizes = frame.groupby(["machine", "dataset"])["size"].mean()
    n_kernels = {name: range_text(of, ".0f") for name, of in sizes.groupby("machine")}
    return (
        f"On the average of the sets ({frame.dataset.nunique()}) the unbiased machine errs"
        f" {gap_in_words(frame, 'SVMlight')} than the SVC, with {n_kernels['USVC']} kernels in the"
        f" place of {n_kernels['SVMlight']}. The hinge on prototypes, which the paper does not"
        f" show, has {n_kernels['SVC on prototypes']}; the unbiased machine errs"
        f" {gap_in_words(frame, 'SVC on prototypes')} than it."
    )
