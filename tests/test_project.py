"""What a newcomer meets first: the README, the set-up files, the quick profile without any data."""

import os
import re
import runpy
import shutil
import tomllib

import pytest
import yaml
from _run import python, said
from PIL import Image

from companion._utils.paths import data_dir, notebooks_dir, project_root

ROOT = project_root()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_example_of_the_readme_runs_as_printed(capsys):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    exec(compile(code, "README.md", "exec"), {})
    assert 0.95 < float(capsys.readouterr().out) < 1


TOOL = runpy.run_path(str(ROOT / "tools" / "readme_section.py"))


def test_the_verdicts_in_the_readme_are_those_of_the_records():
    ledgers = TOOL["load_ledgers"]()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert TOOL["replaced"](text, TOOL["section"](ledgers)) == text
    with Image.open(ROOT / "docs" / "numbers.png") as picture:
        assert picture.text["Description"] == TOOL["picture_says"](ledgers)


def test_the_lock_file_has_hashes_and_names_no_index():
    text = (ROOT / "requirements.lock").read_text()
    entries = re.findall(r"(?m)^([a-z0-9][a-z0-9._-]*)==(.*(?:\n    .*)*)", text)
    assert [name for name, entry in entries if "--hash=sha256:" not in entry] == []
    assert entries
    assert "://" not in text


def test_this_version_is_in_the_change_log_and_what_comes_next_has_a_place():
    headings = re.findall(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text())
    assert headings[0] == "[Unreleased]"
    assert f"[{PROJECT['version']}] - {CITATION['date-released']}" in headings


def test_version_licence_and_authors_are_those_of_the_project():
    assert CITATION["title"] == PROJECT["name"]
    for name in ("version", "license", "authors"):
        assert CITATION[name] == PROJECT[name]


QUICK = ("beyond",)


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    """`companion reproduce` in a copy of the project, without network and files from outside.

    Of what is quick in a paper, and of a table that cannot be had; `make reproduce` runs all.
    """
    project = tmp_path_factory.mktemp("project")
    shutil.copytree(data_dir(), project / "data")
    shutil.copytree(notebooks_dir(), project / "notebooks")
    environment = {
        name: value for name, value in os.environ.items() if name != "COMPANION_DATA"
    }
    cache = str(tmp_path_factory.mktemp("cache"))
    environment |= {"COMPANION_PROJECT": str(project), "COMPANION_CACHE": cache}
    # Nothing listens there: every download fails at once, on any machine.
    environment |= dict.fromkeys(["HTTPS_PROXY", "HTTP_PROXY"], "http://127.0.0.1:9")
    targets = [*(f"l1nsvm/{name}" for name in QUICK), "wrsvm/table_3"]
    command = "-m companion reproduce --profile quick --jobs 2"
    return project, python(*command.split(), *targets, env=environment, cwd=project)


@pytest.mark.slow
def test_the_quick_profile_runs_without_network_and_says_what_is_missing(quick_run):
    project, run = quick_run
    assert run.returncode == 0, run.stdout + run.stderr
    screen = " ".join(run.stdout.split())
    assert screen.count("pendigits/pendigits.tra is not here") == 1
    folder = project / "build" / "reproduce" / "quick"
    assert f"The notebooks of this run: {folder}\n" in run.stdout
    assert (folder / "wrsvm" / "table_3.ipynb").is_file()
    executed = {path.stem for path in (folder / "l1nsvm").glob("*.ipynb")}
    assert executed == {*QUICK}


@pytest.mark.slow
def test_a_quick_run_leaves_the_committed_records_and_notebooks_alone(quick_run):
    project, _ = quick_run
    for folder in ("data", "notebooks"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and ".ipynb_checkpoints" not in path.parts:
                assert (
                    project / path.relative_to(ROOT)
                ).read_bytes() == path.read_bytes()


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make on the PATH")
def test_make_lab_builds_the_environment_and_opens_the_tour():
    text = said("--no-print-directory", "-n", "lab", "ARGS=", program="make", cwd=ROOT)
    *_, last = text.splitlines()
    program, root, notebook, *as_root = last.split()
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    assert as_root == ["--allow-root"] * is_root
    assert program.endswith("bin/jupyter-lab")
    assert notebook == "notebooks/tour.ipynb"
    assert root.endswith("root_dir=.")  # notebooks link files beside their folder
    assert (ROOT / notebook).is_file()
