"""Identity, seeds and parameters of the units of work."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.reproduction.artefacts import Artefact, Paper, Parameter
from companion.reproduction.units import Study, Unit, canonical_json, seed_for, to_scalar

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
PARAMS = st.dictionaries(st.text(min_size=1, max_size=6), SCALARS, max_size=5)


def states(seed):
    return seed.generate_state(4).tolist()


@given(PARAMS, st.randoms())
def test_the_key_and_the_seed_do_not_depend_on_the_order_of_the_parameters(params, random):
    items = list(params.items())
    random.shuffle(items)
    one, other = Unit("p", "s", params), Unit("p", "s", dict(items))
    assert one.key == other.key and one == other and hash(one) == hash(other)
    assert states(one.seed_sequence) == states(other.seed_sequence)


def identity(params):
    """Parameters as what tells them apart: the type counts, the sign of a zero does not."""
    return {name: (type(value), value) for name, value in params.items()}


@given(PARAMS, PARAMS)
def test_different_parameters_have_different_keys_and_seeds(first, second):
    one, other = Unit("p", "s", first), Unit("p", "s", second)
    same = identity(first) == identity(second)
    assert (one.key == other.key) is same
    assert (states(one.seed_sequence) == states(other.seed_sequence)) is same


@pytest.mark.parametrize(
    "other",
    [
        Unit("q", "s", {"C": 1.0}, "d"),
        Unit("p", "t", {"C": 1.0}, "d"),
        Unit("p", "s", {"C": 1}, "d"),
        Unit("p", "s", {"C": True}, "d"),
        Unit("p", "s", {"C": "1.0"}, "d"),
        Unit("p", "s", {"D": 1.0}, "d"),
        Unit("p", "s", {"C": 1.0}, "e"),
    ],
)
def test_every_part_of_the_identity_changes_the_key(other):
    assert other.key != Unit("p", "s", {"C": 1.0}, "d").key


def test_new_data_change_the_key_but_not_the_seed():
    old, new = Unit("p", "s", {"C": 1.0}, "old"), Unit("p", "s", {"C": 1.0}, "new")
    assert old.key != new.key
    assert states(old.seed_sequence) == states(new.seed_sequence)


@given(
    st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.str_]),
    st.integers(0, 200),
)
def test_scalars_of_numpy_count_as_those_of_python(dtype, number):
    scalar = dtype(number)
    plain = scalar.item()
    assert canonical_json({"x": scalar}) == canonical_json({"x": plain})
    assert canonical_json([np.array(scalar)]) == canonical_json([plain])
    assert Unit("p", "s", {"x": scalar}).key == Unit("p", "s", {"x": plain}).key
    assert type(Unit("p", "s", {"x": scalar}).params["x"]) is type(plain)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_parameters_that_are_not_finite_are_refused_by_name(value):
    with pytest.raises(ValueError, match="parameter 'gamma' of a unit of p/s must be finite"):
        Unit("p", "s", {"gamma": value})


@pytest.mark.parametrize("value", [[1], {"a": 1}, np.arange(2), object(), 1j, b"x"])
def test_parameters_that_are_no_scalars_are_refused_by_name(value):
    with pytest.raises(TypeError, match="parameter 'grid' of a unit of p/s must be a string"):
        Unit("p", "s", {"grid": value})


def test_a_parameter_without_a_name_is_refused():
    with pytest.raises(TypeError, match="parameter names must be strings"):
        Unit("p", "s", {1: 2})


def test_results_may_be_nan_and_keep_the_sign_of_a_zero():
    assert math.isnan(to_scalar(np.float64("nan"), "x"))
    assert math.copysign(1, to_scalar(-0.0, "x")) == -1
    assert Unit("p", "s", {"x": -0.0}).key == Unit("p", "s", {"x": 0.0}).key


def test_a_unit_keeps_its_own_copy_of_the_parameters_and_pickles():
    params = {"C": 1.0}
    unit = Unit("p", "s", params)
    params["C"] = 2.0
    copy = pickle.loads(pickle.dumps(unit))
    assert unit.params == {"C": 1.0}
    assert copy == unit and copy.key == unit.key
    assert str(unit) == "p/s(C=1.0)"


def test_a_key_has_twenty_hexadecimal_digits():
    key = Unit("p", "s").key
    assert len(key) == 20 and int(key, 16) >= 0


def test_the_generator_of_a_unit_starts_anew_each_time():
    unit = Unit("p", "s", {"repetition": 3})
    assert unit.rng().normal(size=3).tolist() == unit.rng().normal(size=3).tolist()
    other = Unit("p", "s", {"repetition": 4})
    assert unit.rng().normal() != other.rng().normal()


def test_units_share_a_seed_by_what_they_share():
    assert states(seed_for("split", "heart", 3)) == states(seed_for("split", "heart", np.int64(3)))
    assert states(seed_for("split", "heart", 3)) != states(seed_for("split", "heart", 4))
    assert states(seed_for("a", "b")) != states(seed_for("ab"))
    assert states(seed_for("a", "b")) != states(seed_for("b", "a"))


def test_a_study_makes_its_units():
    study = Study("p", "s", units=lambda profile: [], compute=lambda unit: {})
    unit = study.unit("digest", C=1.0, data="x")
    assert unit == Unit("p", "s", {"C": 1.0, "data": "x"}, "digest")


def test_a_parameter_of_an_unknown_type_is_refused():
    with pytest.raises(TypeError, match="The type of parameter 'widths' must be str, int"):
        Parameter("widths", list, [], "The widths.")


def test_an_artefact_is_named_as_on_the_command_line():
    assert Artefact("l1nsvm", "table_2", "Errors").id == "l1nsvm/table_2"


def test_a_paper_imports_its_artefacts_when_asked(tmp_path, monkeypatch):
    (tmp_path / "paper_of_the_test.py").write_text(
        "from companion.reproduction import Artefact\n"
        "ARTEFACTS = [Artefact('x', 'table_1', 'One')]\n"
    )
    paper = Paper("x", "Title", "Citation", "paper_of_the_test")
    monkeypatch.syspath_prepend(tmp_path)
    assert [artefact.id for artefact in paper.artefacts] == ["x/table_1"]
