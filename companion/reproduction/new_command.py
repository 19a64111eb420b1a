"""The command ``new``: the skeleton of a companion of one's own paper, which runs at once."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import click

from companion.reproduction.command import FAILED, OK, ask_for, main, wrapped

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_ENTRY_POINTS = '[project.entry-points."companion.papers"]'
_MARK = "[tool.companion]"
#: What a paper has of its own, by its place in the skeleton.
_OF_THE_PAPER = {
    "published.csv": "data/published/{key}.csv",
    "package.py": "{package}/__init__.py",
    "table_1.py": "{package}/table_1.py",
    "method.nb": "notebooks/{key}/method.ipynb",
    "table_1.nb": "notebooks/{key}/table_1.ipynb",
}
#: What a repository has once; a file that is there is left as it is.
_ONCE = {
    "README.md": "README.md",
    "conftest.py": "conftest.py",
    "gitignore": ".gitignore",
    "reproduce.yml": ".github/workflows/reproduce.yml",
}


def notebook_of(text):
    """The notebook of a text in which ``# %%`` begins a cell, of text or of parameters."""
    import nbformat

    cells = []
    for part in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, source = part.partition("\n")
        source = source.strip("\n")
        if "[markdown]" in head:
            lines = [re.sub("^# ?", "", line) for line in source.splitlines()]
            cells.append(nbformat.v4.new_markdown_cell("\n".join(lines)))
            continue
        cell = nbformat.v4.new_code_cell(source)
        if "parameters" in head:
            cell.metadata["tags"] = ["parameters"]
        cells.append(cell)
    return nbformat.v4.new_notebook(cells=cells)


@main.command(short_help="Begin a companion of your own paper.")
@click.argument("key")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="The repository, made if it is not there.",
)
@click.pass_context
def new(context, key, folder):
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
    ask_for("reproduce", context)
    names = {"key": key, "package": f"{key}_companion"}
    places = {
        name: folder / place.format(**names) for name, place in _OF_THE_PAPER.items()
    }
    if there := [str(path) for path in places.values() if path.exists()]:
        raise click.UsageError(
            f"{', '.join(there)} would be overwritten: take another KEY or --folder."
        )
    settings = _with_entry_point(folder / "pyproject.toml", names)
    for name, path in places.items():
        _write(name, path, names)
    for name, place in _ONCE.items():
        if not (folder / place).exists():
            _write(name, folder / place, names)
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "companion", "reproduce", key]
    done = subprocess.run(
        [*command, "--profile", "paper", "--in-place"],
        cwd=folder,
        env=os.environ | {"COMPANION_PROJECT": str(folder.absolute())},
    )
    if done.returncode:
        context.exit(FAILED)
    wrapped(
        f"{key} is in {folder.absolute()}: its records and notebooks can be committed. In there"
        " `companion verify`, `explain`, `reproduce` and `report` speak of it, and `pytest` runs"
        " its notebooks again."
    )
    context.exit(OK)


def _filled(name, names):
    """A file of the skeleton, for this paper."""
    skeleton = files("companion.reproduction") / "skeleton" / f"{name}.in"
    text = skeleton.read_text(encoding="utf-8")
    return text.replace("@key@", names["key"]).replace("@package@", names["package"])


def _write(name, path, names):
    text = _filled(name, names)
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".nb"):
        import nbformat

        nbformat.write(notebook_of(text), path)
    else:
        path.write_text(text, encoding="utf-8")


def _with_entry_point(path, names):
    """A pyproject.toml that names the papers, a new one or that of a repository."""
    if not path.exists():
        return _filled("pyproject.toml", names)
    text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    if _ENTRY_POINTS not in text:
        text += f"\n{_ENTRY_POINTS}\n"
    point = f'{names["key"]} = "{names["package"]}:PAPERS"'
    text = text.replace(_ENTRY_POINTS, f"{_ENTRY_POINTS}\n{point}")
    if _MARK not in text:
        text += f"\n{_MARK}\n"
    try:
        project = tomllib.loads(text)["project"]
    except tomllib.TOMLDecodeError as error:
        raise click.UsageError(
            f"{path} is no TOML file, or would be none with {_ENTRY_POINTS}: {error}."
        ) from None
    if "name" not in project:
        raise click.UsageError(
            f"{path} has no [project] with a name, to which the entry point of the papers"
            " could be added: give it one, or take another --folder."
        )
    return text
