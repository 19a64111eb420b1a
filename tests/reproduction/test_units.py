"""Identity, seeds and parameters of the units of work."""

import math

import numpy as np
from _cases import refused
from hypothesis import given
from hypothesis import strategies as st

from companion.reproduction.units import Study, Unit, seed_for

FINITE = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | FINITE | st.text(max_size=8)
PARAMS = st.dictionaries(st.text(min_size=1, max_size=6), SCALARS, max_size=5)


def states(seed):
    return seed.generate_state(4).tolist()


@given(PARAMS, st.randoms())
def test_the_key_and_the_seed_do_not_depend_on_the_order_of_the_parameters(
    params, random
):
    items = list(params.items())
    random.shuffle(items)
    one = Unit("p", "s", params)
    other = Unit("p", "s", dict(items))
    assert one.key == other.key
    assert one == other
    assert hash(one) == hash(other)
    assert states(one.seed_sequence) == states(other.seed_sequence)


def identity(params):
    """Parameters as what tells them apart: the type counts, the sign of a zero does not."""
    return {name: (type(value), value) for name, value in params.items()}


@given(PARAMS, PARAMS)
def test_different_parameters_have_different_keys_and_seeds(first, second):
    one = Unit("p", "s", first)
    other = Unit("p", "s", second)
    same = identity(first) == identity(second)
    assert (one.key == other.key) is same
    assert (states(one.seed_sequence) == states(other.seed_sequence)) is same
    assert len(one.key) == 20
    assert int(one.key, 16) >= 0


def test_paper_study_and_data_change_the_key_and_data_not_the_seed():
    study = Study("p", "s", units=lambda profile: [], compute=lambda unit: {})
    base = study.unit("d", C=1.0)
    assert base == Unit("p", "s", {"C": 1.0}, "d")
    for place in (("q", "s"), ("p", "t")):
        assert Unit(*place, {"C": 1.0}, "d").key != base.key
    for params in ({"C": 1}, {"C": True}, {"C": "1.0"}, {"D": 1.0}):
        assert Unit("p", "s", params, "d").key != base.key
    new = study.unit("e", C=1.0)
    assert new.key != base.key
    assert states(new.seed_sequence) == states(base.seed_sequence)


NUMPY = [np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.str_]


@given(st.sampled_from(NUMPY), st.integers(0, 200))
def test_scalars_of_numpy_count_as_those_of_python(dtype, number):
    scalar = dtype(number)
    plain = scalar.item()
    assert states(seed_for("x", scalar)) == states(seed_for("x", plain))
    assert states(seed_for(np.array(scalar))) == states(seed_for(plain))
    assert Unit("p", "s", {"x": scalar}).key == Unit("p", "s", {"x": plain}).key
    assert type(Unit("p", "s", {"x": scalar}).params["x"]) is type(plain)


def test_parameters_that_are_no_finite_scalars_are_refused_by_name():
    complaint = "parameter 'gamma' of a unit of p/s must be "
    for value in (math.nan, math.inf, -math.inf, np.float32("nan")):
        refused(f"{complaint}finite", Unit, "p", "s", {"gamma": value})
    for value in ([1], {"a": 1}, np.arange(2), object(), 1j, b"x"):
        refused(
            f"{complaint}a string", Unit, "p", "s", {"gamma": value}, error=TypeError
        )
    refused("parameter names must be strings", Unit, "p", "s", {1: 2}, error=TypeError)
