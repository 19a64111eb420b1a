"""A line that says how far a fit is, where it is asked for and the fit takes long."""

import re

from _cases import cases
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_moons

from companion import L1SVC, ConformalSVC, UnbiasedSVC, WeightedRobustSVC
from companion._utils import progress as _progress

X, Y = make_moons(60, noise=0.3, random_state=0)
MACHINES = [
    L1SVC(),
    UnbiasedSVC(),
    UnbiasedSVC(loss="hinge"),
    WeightedRobustSVC(),
    ConformalSVC(random_state=0),
]


@cases("machine", *MACHINES, ids=str)
def test_a_long_fit_says_how_far_it_is_and_is_the_same(machine, monkeypatch, capsys):
    silent = clone(machine).fit(X, Y)
    speaking = clone(silent).set_params(verbose=1).fit(X, Y)
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(_progress, "_FIRST", 0.0)
    monkeypatch.setattr(_progress, "_NEXT", 0.0)
    silent.fit(X, Y)
    assert capsys.readouterr().err == ""
    values = speaking.fit(X, Y).decision_function(X)
    said = capsys.readouterr().err
    assert f"\r{type(machine).__name__}: " in said
    assert said.endswith("\n")
    if isinstance(machine, L1SVC):
        assert re.search(r"pair updates, violation [\d.e-]+ \(to be 0.001\)", said)
    assert_array_equal(values, silent.decision_function(X))
