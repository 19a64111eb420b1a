"""The guide to adding a paper: its blocks are the files of an example, and its steps work."""

import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from _run import python

from companion._utils.paths import project_root

pytestmark = pytest.mark.slow

ROOT = project_root()
GUIDE = ROOT / "docs" / "adding_a_paper.md"
HEAD = r"(?:^\*\*`(?P<path>[^`]+)`\*\*(?P<how>[^\n]*)\n\n)?^```(?P<language>\w+)\n"
BLOCK = re.compile(HEAD + r"(?P<text>.*?)^```$", re.M | re.S)
#: Commands over all papers: their own tests run them.
NOT_WALKED = {"companion reproduce overview --profile paper --in-place"}
NOT_WALKED |= {"python tools/readme_section.py", "make test"}


def blocks():
    return [
        match.groupdict() for match in BLOCK.finditer(GUIDE.read_text(encoding="utf-8"))
    ]


def commands(text):
    """Command and expected exit code of each line of a block."""
    for line in text.splitlines():
        command, _, remark = line.partition("  # exit code ")
        yield command, int(remark or 0)


def notebook_of(text):
    """The notebook whose cells are written with ``# %%``."""
    cells = []
    for part in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, source = part.partition("\n")
        source = source.strip("\n")
        if "[markdown]" in head:
            lines = [re.sub("^# ?", "", line) for line in source.splitlines()]
            cells.append(nbformat.v4.new_markdown_cell("\n".join(lines)))
        else:
            tags = {"tags": ["parameters"]} if "parameters" in head else {}
            cells.append(nbformat.v4.new_code_cell(source, metadata=tags))
    return nbformat.v4.new_notebook(cells=cells)


def put(project, path, how, text):
    """Do with a block what the guide says: write, append, or make a notebook of it."""
    path = project / path
    path.parent.mkdir(parents=True, exist_ok=True)
    if "at the end" in how:
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    elif "cells of" in how:
        nbformat.write(notebook_of(text), path.with_suffix(".ipynb"))
    else:
        path.write_text(text, encoding="utf-8")


@dataclass
class Walk:
    """The copy of the project after all steps, and what each command did."""

    project: Path
    runs: dict
    environment: dict

    def run(self, *words):
        return python(*words, env=self.environment, cwd=self.project)


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """Every block of the guide, in order, in a copy of the project."""
    project = tmp_path_factory.mktemp("walk") / "project"
    ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("companion", "data", "notebooks", "tests"):
        shutil.copytree(ROOT / name, project / name, ignore=ignored)
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, project)
    environment = os.environ | dict.fromkeys(
        ["PYTHONPATH", "COMPANION_PROJECT"], str(project)
    )
    environment["COMPANION_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    environment["PYTHONDONTWRITEBYTECODE"] = ""  # many runs of one copy
    walk = Walk(project, {}, environment)
    for block in blocks():
        if block["path"]:
            put(project, block["path"], block["how"], block["text"])
            continue
        for command, code in commands(block["text"]):
            if command in NOT_WALKED:
                continue
            words = shlex.split(command)
            start = {"companion": ["-m", "companion"], "python": []}[words[0]]
            done = walk.run(*start, *words[1:])
            assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
            walk.runs[command] = done.stdout
    return walk


# ------------------------------------------------------------------ the page


# ------------------------------------------------------------------ the walk


def test_what_differs_is_named_until_it_is_declared(walk):
    listed = walk.runs["companion reproduce nearest_mean --list"]
    assert "nearest_mean/table_1  Table 1: error of the nearest mean" in listed
    for profile in ("", " --profile paper"):
        command = f"companion reproduce nearest_mean{profile}"
        assert "nearest_mean/table_1: ran in" in walk.runs[command]
        assert (
            "differs and is not declared in data/deviations.yaml" in walk.runs[command]
        )
    verified = walk.runs["companion verify nearest_mean --all"]
    assert "differs: d = 3, best rule\n" in verified
    assert "    demonstrated: the digits stand interchanged in print" in verified
    # all numbers (the setting is none), consistent, agree, undecided, explained, unexplained
    assert re.search(r"(?m)^nearest_mean +9 +8 +8 +0 +1 +0 ", verified)
    assert re.search(r"(?m)^nearest_mean +1 +1 +0 +0 +0 +0 +0$", verified)


def test_the_tests_found_the_paper_by_themselves(walk):
    found = walk.runs["python -m pytest tests/notebooks notebooks -k nearest_mean"]
    # parameters, stamp and title; and nbval's cells
    assert int(re.search(r"(\d+) passed", found)[1]) == 3 + 6
    (errata,) = (
        text for command, text in walk.runs.items() if "test_declared.py" in command
    )
    assert " failed" not in errata
    assert " skipped" not in errata
