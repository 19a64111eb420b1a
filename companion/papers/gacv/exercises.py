"""The exercises of the method's notebook, solved."""

import numpy as np

from companion.papers.exercises import shown
from companion.papers.gacv.figures import machine_of, points_of
from companion.tuning import gacv, leave_one_out, misclass, xi_alpha


def solution(number):
    """The solution of an exercise, 1 or 2, folded up."""
    return shown({1: counted_points, 2: tuned_by}[number])


def counted_points():
    """XA and exact leave-one-out for one machine with a small lambda."""
    X, y, _ = points_of()
    machine = machine_of(X, y, -4.0, 1.0)
    by_xa = len(y) * xi_alpha(machine, X, y)
    by_span = len(y) * xi_alpha(machine, X, y, update="span")
    exact = len(y) * leave_one_out(machine, X, y)
    assert by_xa >= exact
    return (
        f"XA counts {by_xa:.0f} points of {len(y)} and leaving out makes {exact:.0f} errors:"
        f" theta is too large. XA by the span counts {by_span:.0f}."
    )


def tuned_by():
    """What three criteria choose along lambda, and what that costs."""
    X, y, p = points_of()
    powers = np.arange(-5.0, 0.0, 0.5)
    machines = [machine_of(X, y, power, 1.0) for power in powers]
    target = np.array([misclass(machine, X, p) for machine in machines])
    choices = {
        "GACV": [gacv(machine, X, y) for machine in machines],
        "GACV by the span": [
            gacv(machine, X, y, update="span") for machine in machines
        ],
        "exact leave-one-out": [leave_one_out(machine, X, y) for machine in machines],
    }
    lines = []
    for name, values in choices.items():
        k = int(np.argmin(values))
        assert target[k] >= target.min()
        lines.append(
            f"* {name}: log10 lambda {powers[k]:+.1f}, MISCLASS {target[k]:.3f}"
        )
    support = [len(machine.support_) for machine in machines]
    return "\n".join(
        [
            f"The least MISCLASS of the ten machines is {target.min():.3f}.\n",
            *lines,
            "\nFor a million points: GACV, by the span where it can be afforded. Exact"
            " leave-one-out takes a fit for each support vector, here"
            f" {min(support)} to {max(support)} for {len(y)} points.",
        ]
    )
