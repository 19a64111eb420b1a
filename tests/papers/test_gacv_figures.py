"""Looks of the figures of the GACV report."""

from companion.papers.gacv.selection import NAMES
from companion.plotting.common import style_of


def test_every_criterion_has_a_look_by_the_start_of_its_name():
    drawn = ("gacv", "xa", "misclass", "gckl", "cv_10", "loo")
    for names in NAMES.values():
        assert len({tuple(style_of(names[key]).values()) for key in drawn}) == len(drawn)
    assert style_of("BRXA")["color"] == style_of("XA")["color"]
