"""Figure 2: the criteria over lambda and sigma, where their minima lie and what shape they have."""

from itertools import product

import numpy as np

from companion.metrics import mean_and_standard_error, paired_difference
from companion.papers.gacv.example import CASES
from companion.papers.gacv.inefficiency import ESTIMATES, INEFFICIENCY, runs
from companion.papers.gacv.minima import MINIMA, minima_of
from companion.papers.gacv.selection import CRITERIA

STUDIES = (INEFFICIENCY, MINIMA)

#: How large a valley is, and its column in the records: a smaller one is more pronounced.
SIZES = {"length": "length", "width": "width", "decades of lambda": "decades"}


def _add_values(out, frame):
    """Where the minima lie and what shape the valleys have."""
    converged = frame.converged.all()
    of = {case: {name: runs(frame, case, name) for name in CRITERIA} for case in CASES}
    for case in CASES:
        out.add_means(case, _claims(of[case]), converged)
    targets = (("misclass", "MISCLASS"), ("gckl", "GCKL"))
    pairs = {
        f"{size} of the valley of {words}": [of[case][name][column] for case in CASES]
        for (name, words), (size, column) in product(targets, SIZES.items())
    }
    for name, label in ESTIMATES.items():
        distances = [_distance(of[case][name], of[case]["misclass"]) for case in CASES]
        pairs[f"distance of {label} from MISCLASS"] = distances
    for words, (standard, nonstandard) in pairs.items():
        difference = paired_difference(nonstandard, standard)
        out.add_mean(
            "both cases", f"{words}: nonstandard - standard", difference, converged
        )


def _add_ends(out, frame):
    """Whether the estimates are least at the end of the valley of GCKL at the larger lambda."""
    for case in CASES:
        own = minima_of(frame, case)
        for name, label in ESTIMATES.items():
            from_end = mean_and_standard_error((own[f"{name}_along_gckl"] - 1).abs())
            out.add_mean(
                case, f"{label} minimum: |place along the valley of GCKL - 1|", from_end
            )


def _claims(of):
    gacv, xa, gckl, target = (of[name] for name in ("gacv", "xa", "gckl", "misclass"))
    claims = {
        "distance of the minima of GACV and XA": mean_and_standard_error(
            _distance(gacv, xa)
        ),
        "log10 lambda: GACV - GCKL": paired_difference(
            gacv.log10_lambda, gckl.log10_lambda
        ),
    }
    for label, own in (("GACV", gacv), ("XA", xa)):
        further = paired_difference(own.log10_lambda, target.log10_lambda)
        claims[f"log10 lambda: {label} - MISCLASS"] = further
        from_end = mean_and_standard_error((own.position - 1).abs())
        claims[f"{label} minimum: |place along the valley - 1|"] = from_end
    for label, own in (("GCKL", gckl), ("MISCLASS", target)):
        slender = own.length / np.maximum(own.width, 0.25)
        shape = {
            "length / width": slender,
            "decades of lambda": own.decades,
            "tilt": own.tilt,
        }
        for words, values in shape.items():
            claims[f"{label} valley: {words}"] = mean_and_standard_error(values)
    return claims


def _distance(one, other):
    """Distance of two choices in (log10 lambda, log10 sigma^2), in decades, sample by sample."""
    du = one.log10_lambda.to_numpy() - other.log10_lambda.to_numpy()
    dv = one.log10_sigma2.to_numpy() - other.log10_sigma2.to_numpy()
    return np.hypot(du, dv)


VALUES = ((_add_values, "inefficiency"), (_add_ends, "minima"))
