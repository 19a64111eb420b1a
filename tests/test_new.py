"""A companion of one's own paper: the skeleton of ``companion new``, in a folder, with a wheel."""

import os
import re
import tomllib

import pytest
from _cases import cases
from _command import invoke
from _pages import faults_of, read_pages
from _run import python, said

WORK = "years of work"
REFUSED = [
    ("Dice", "", "", "lower-case letters, digits and _"),
    ("gacv", "", "", "There is a paper gacv already"),
    ("dice", "data/published/dice.csv", WORK, "would be overwritten"),
    ("dice", "notebooks/dice/table_1.ipynb", WORK, "would be overwritten"),
    ("dice", "pyproject.toml", WORK, "is no TOML file"),
    ("dice", "pyproject.toml", "[tool.ruff]", "has no [project] with a name"),
]


@cases("key, there, text, message", *REFUSED)
def test_nothing_is_written_where_something_would_be_lost(
    tmp_path, key, there, text, message
):
    if there:
        (tmp_path / there).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / there).write_text(text)
    output = invoke(None, "new", key, "--folder", str(tmp_path), code=2)
    assert message in " ".join(output.split())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.read_text() for path in files] == [text] * bool(there)


@pytest.fixture(scope="module")
def surroundings(wheel, tmp_path_factory):
    """An environment in which the wheel is installed, and not the project."""
    target = tmp_path_factory.mktemp("installed")
    options = ("--quiet", "--no-deps", "--target", target)
    said("-m", "pip", "install", *options, wheel)
    environment = {k: v for k, v in os.environ.items() if k != "COMPANION_PROJECT"}
    cache = str(tmp_path_factory.mktemp("cache"))
    return environment | {"PYTHONPATH": str(target), "COMPANION_CACHE": cache}


@pytest.mark.slow
def test_the_skeleton_runs_as_it_stands(surroundings, tmp_path):
    def run(*words, code=0):
        done = python("-m", *words, cwd=tmp_path, env=surroundings)
        assert done.returncode == code, done.stdout + done.stderr
        return " ".join((done.stdout + done.stderr).split())

    run("companion", "new", "dice")
    records = (tmp_path / "data" / "records" / "dice" / "table_1.csv").read_bytes()
    text = (tmp_path / "notebooks" / "dice" / "table_1.ipynb").read_text()
    links = re.findall(r"\]\((\.\.[^)]+|\w+\.ipynb)\)", text)
    assert "../../dice_companion/table_1.py" in links
    for link in links:
        assert (tmp_path / "notebooks" / "dice" / link).is_file(), link
    method = (tmp_path / "notebooks" / "dice" / "method.ipynb").read_text()
    assert '"image/png"' in method, "of pyplot alone"
    score = run("companion", "verify")
    for name, number in {
        "printed": 2,
        "matches": 2,
        "sentences": 1,
        "holds": 1,
    }.items():
        assert f"{name} {number} " in score, name
    assert "Nothing is wrong" in score
    assert "Nothing is worse than expected" in run("companion", "reproduce")
    assert "9 passed" in run("pytest")
    package = tmp_path / "dice_companion" / "__init__.py"
    script = "<script>document.title = 'owned'</script>"
    package.write_text(package.read_text().replace("Example 2026", script))
    assert run("sphinx", "--quiet", "--fail-on-warning", "docs", "build/site") == ""
    site = tmp_path / "build" / "site"
    pages = read_pages(site)
    assert faults_of(site, pages) == []
    assert "support vector" not in pages[site / "index.html"].text
    for name in ("ledger", "errata"):
        assert script in pages[site / f"{name}.html"].text
    for path, page in pages.items():
        assert not any("owned" in tag.text for tag in page("script")), path
    assert "'ten dice'" in run("companion", "explain", "dice/table_1")

    # a second paper in what is now a repository
    (tmp_path / "README.md").write_text(WORK)
    run("companion", "new", "coins")
    assert (tmp_path / "README.md").read_text() == WORK
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["companion.papers"]
    assert points == {name: f"{name}_companion:PAPERS" for name in ("coins", "dice")}
    listed = run("companion", "reproduce", "--list")
    assert "coins/table_1" in listed
    assert "dice/table_1" in listed
    assert (
        tmp_path / "data" / "records" / "dice" / "table_1.csv"
    ).read_bytes() == records

    # one that is broken is named, and the other goes on
    (tmp_path / "coins_companion" / "__init__.py").write_text("PAPERS = [")
    broken = run("companion", "verify", code=4)
    assert "The papers coins_companion:PAPERS of" in broken
    assert "printed 2 matches 2 " in broken

    settings = tmp_path / "pyproject.toml"
    settings.write_text(settings.read_text() + "[tool")
    assert f"{settings} is no TOML file" in run("companion", "verify", code=3)
