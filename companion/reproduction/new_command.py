"""The command ``new``: the skeleton of a companion of one's own paper, which runs at once."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import click

from companion.reproduction.artefacts import list_papers
from companion.reproduction.command import FAILED, OK, ask_for, main, wrapped

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_ENTRY_POINTS = '[project.entry-points."companion.papers"]'
_MARK = "[tool.companion]"
#: The files of the skeleton that a paper has of its own, by their places in its repository.
_OF_THE_PAPER = {
    "data/published/@key@.csv": "published.csv",
    "@package@/__init__.py": "package.py",
    "@package@/table_1.py": "table_1.py",
    "notebooks/@key@/method.ipynb": "method.ipynb",
    "notebooks/@key@/table_1.ipynb": "table_1.ipynb",
}
#: Those that a repository has once; a file that is there is left as it is.
_ONCE = {
    "README.md": "README.md",
    "data/cards.yaml": "cards.yaml",
    "docs/conf.py": "conf.py",
    "docs/index.md": "index.md",
    "conftest.py": "conftest.py",
    ".gitignore": "gitignore",
    ".github/workflows/reproduce.yml": "reproduce.yml",
}


@main.command(short_help="Begin a companion of your own paper.")
@click.argument("key")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="The repository, made if it is not there.",
)
def new(key, folder):
    """Write the skeleton of a companion of a paper of your own, and run it.

    KEY is the short name of the paper. The folder may be empty or a repository: what is there is
    left as it is, but for pyproject.toml, in which the entry point is added. The skeleton has three
    printed things of an invented paper, the study behind them, and two notebooks; put your paper in
    their place. docs/adding_a_paper.md says how.
    """
    if not _KEY.fullmatch(key):
        raise click.UsageError(
            f"KEY must be lower-case letters, digits and _, and begin with a letter. Got {key!r}."
        )
    if key in list_papers():
        raise click.UsageError(f"There is a paper {key} already: take another KEY.")
    ask_for("reproduce")
    own = {folder / _named(place, key): name for place, name in _OF_THE_PAPER.items()}
    if there := [str(path) for path in own if path.exists()]:
        raise click.UsageError(
            f"{', '.join(there)} would be overwritten: take another KEY or --folder."
        )
    settings = folder / "pyproject.toml"
    texts = {settings: _with_entry_point(settings, key)}
    once = {folder / place: name for place, name in _ONCE.items()}
    for path, name in (own | once).items():
        if not path.exists():
            texts[path] = _filled(name, key)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    options = ["--profile", "paper", "--in-place"]
    done = subprocess.run(
        [sys.executable, "-m", "companion", "reproduce", key, *options],
        cwd=folder,
        env=os.environ | {"COMPANION_PROJECT": str(folder.absolute())},
    )
    if done.returncode:
        return FAILED
    wrapped(
        f"{key} is in {folder.absolute()}: its records and notebooks can be committed. In there"
        " `companion verify`, `explain` and `reproduce` speak of it, `pytest` runs its notebooks"
        " again, and `sphinx-build docs build/site` makes pages of it."
    )
    return OK


def _named(text, key):
    """A text of the skeleton with the names of this paper."""
    return text.replace("@key@", key).replace("@package@", f"{key}_companion")


def _filled(name, key):
    """A file of the skeleton, for this paper."""
    skeleton = files("companion.reproduction") / "skeleton" / f"{name}.in"
    return _named(skeleton.read_text(encoding="utf-8"), key)


def _with_entry_point(path, key):
    """A pyproject.toml that names the papers, a new one or that of a repository."""
    if not path.exists():
        return _filled("pyproject.toml", key)
    text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    lines = text.splitlines()
    for table in (_ENTRY_POINTS, _MARK):
        if table not in lines:
            text += f"\n{table}\n"
    point = _named('@key@ = "@package@:PAPERS"', key)
    text = text.replace(_ENTRY_POINTS, f"{_ENTRY_POINTS}\n{point}")
    try:
        named = "name" in tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError as error:
        raise click.UsageError(
            f"{path} is no TOML file, or would be none with {_ENTRY_POINTS}: {error}."
        ) from None
    if not named:
        raise click.UsageError(
            f"{path} has no [project] with a name, to which the entry point of the papers"
            " could be added: give it one, or take another --folder."
        )
    return text
