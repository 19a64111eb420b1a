"""The digest of code: what it ignores, what it does not, and that no Python version moves it."""

import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.reproduction.codehash import code_digest, normalised_source

SOURCE = '''
"""A module."""
import math


def area(r, unit="cm"):
    """The area."""
    if r > 0:
        value = math.pi * r ** 2
        return f"{value:.2f} {unit}^2"
    return [r,
            "none"]
'''

SAME = {
    "a comment": SOURCE.replace("import math", "import math  # for pi"),
    "a comment on its own line": SOURCE.replace("    if r", "    # positive\n    if r"),
    "another docstring": SOURCE.replace("The area.", "The area of a circle."),
    "no docstring": SOURCE.replace('    """The area."""\n', ""),
    "a docstring of several lines": SOURCE.replace("The area.", "The area.\n\n    In cm.\n    "),
    "blank lines": SOURCE.replace("import math\n", "import math\n\n\n"),
    "spaces inside a line": SOURCE.replace("r ** 2", "r**2"),
    "another indentation": SOURCE.replace("    ", "  "),
    "a broken line": SOURCE.replace("[r,\n            ", "[r, "),
    "a continued line": SOURCE.replace("math.pi *", "math.pi \\\n            *"),
    "line ends of another system": SOURCE.replace("\n", "\r\n"),
}

DIFFERENT = {
    "a number": SOURCE.replace("** 2", "** 3"),
    "an operator": SOURCE.replace("r > 0", "r >= 0"),
    "a name": SOURCE.replace("value", "result"),
    "a default": SOURCE.replace('"cm"', '"m"'),
    "text inside a formatted string": SOURCE.replace("^2", "^3"),
    "spaces inside a formatted string": SOURCE.replace("} {", "}  {"),
    "code inside a formatted string": SOURCE.replace("{value:.2f}", "{value:.3f}"),
    "a string that is used": SOURCE.replace('"none"', '"nothing"'),
    "what belongs to a branch": SOURCE.replace("    return [r", "        return [r"),
}


@pytest.mark.parametrize("change", SAME)
def test_changes_that_cannot_change_results_keep_the_digest(change):
    assert SAME[change] != SOURCE
    assert normalised_source(SAME[change]) == normalised_source(SOURCE)


@pytest.mark.parametrize("change", DIFFERENT)
def test_changes_of_the_code_change_the_digest(change):
    assert DIFFERENT[change] != SOURCE
    assert normalised_source(DIFFERENT[change]) != normalised_source(SOURCE)


def test_the_tokens_are_the_same_under_every_python():
    """Since 3.12 the tokenizer takes formatted strings apart; the digest must not notice."""
    source = textwrap.dedent('''
        def show(x):
            """Text."""
            return f"{x!r:>{4 + 2}} {{}} {'a' + f'{x}'}" "b", rf"\\d{x}"
    ''')
    assert normalised_source(source).split("\n") == [
        "def",
        "show",
        "(",
        "x",
        ")",
        ":",
        "<newline>",
        "<indent>",
        "return",
        """f"{x!r:>{4 + 2}} {{}} {'a' + f'{x}'}\"""",
        '"b"',
        ",",
        'rf"\\d{x}"',
        "<newline>",
        "<dedent>",
    ]


def test_a_formatted_string_over_several_lines_is_kept_whole():
    source = 'x = f"""a {\n1 + 1} é\n  b"""\n'
    assert normalised_source(source).startswith('x\n=\nf"""a {\n1 + 1} é\n  b"""\n<newline>')


@given(st.lists(st.integers(0, 999), min_size=1, max_size=5), st.text("# \n", max_size=6))
def test_blank_lines_and_comments_never_matter_and_numbers_always_do(numbers, filler):
    def module(values, between=""):
        return "".join(f"x{i} = {value}\n{between}\n" for i, value in enumerate(values))

    between = "\n".join("#" + line for line in filler.split("\n"))
    assert normalised_source(module(numbers, between)) == normalised_source(module(numbers))
    changed = [numbers[0] + 1, *numbers[1:]]
    assert normalised_source(module(changed)) != normalised_source(module(numbers))


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "package_of_the_test"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("x = 1\n")
    (folder / "inner" / "two.py").write_text("y = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    sys.modules.pop("package_of_the_test", None)  # looking up its modules imports the package


def test_the_digest_is_twelve_digits_whatever_the_order_of_the_modules(package):
    modules = ["package_of_the_test.one", "companion.reproduction.units"]
    digest = code_digest(modules)
    assert digest == code_digest(reversed(modules)) == code_digest(modules * 2)
    assert len(digest) == 12 and int(digest, 16) >= 0
    assert digest != code_digest(modules[:1])
    assert code_digest(()) == ""


def test_a_package_stands_for_everything_in_it(package):
    before = code_digest(["package_of_the_test"])
    (package / "inner" / "two.py").write_text("y = 22\n")
    after = code_digest(["package_of_the_test"])
    assert after != before
    (package / "inner" / "three.py").write_text("z = 3\n")
    assert code_digest(["package_of_the_test"]) not in (before, after)


def test_the_same_code_under_another_name_is_other_code(package):
    (package / "uno.py").write_text("x = 1\n")
    assert code_digest(["package_of_the_test.one"]) != code_digest(["package_of_the_test.uno"])


def test_a_module_that_is_edited_is_read_again(package):
    before = code_digest(["package_of_the_test.one"])
    (package / "one.py").write_text("x = 1.5\n")
    assert code_digest(["package_of_the_test.one"]) != before


@pytest.mark.parametrize("module", ["companion.no_such", "no_such_package.module"])
def test_a_module_that_is_not_there_is_named(module):
    with pytest.raises(ValueError, match=f"Got '{module}', which is not found"):
        code_digest([module])


def test_a_module_without_source_is_named():
    with pytest.raises(ValueError, match="must be Python source. Got 'sys'"):
        code_digest(["sys"])
