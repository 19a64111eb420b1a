"""The tree is as ruff writes it and keeps to its floor plan; hooks and workflow are valid."""

import re

from _cases import cases
from _run import said

from companion._utils.paths import project_root

ROOT = project_root()
#: Files, by the schema that they must obey.
SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/*.yml",
    "citation-file-format": "CITATION.cff",
}


@cases("words", "format --check", "check --output-format concise")
def test_every_file_is_as_ruff_writes_it_and_the_linter_finds_nothing(words):
    said("-m", "ruff", *words.split(), cwd=ROOT)


def test_no_import_points_back_up():
    """The floor plan of the package, stated in `.importlinter`: which room may import which."""
    command = (
        "from importlinter.cli import lint_imports_command; lint_imports_command()"
    )
    said("-c", command, "--no-cache", cwd=ROOT)


def test_the_hooks_are_valid_and_use_the_locked_formatter():
    path = ROOT / ".pre-commit-config.yaml"
    said("-m", "pre_commit", "validate-config", path)
    locked = re.search(r"(?m)^ruff==(\S+)", (ROOT / "requirements.lock").read_text())[1]
    assert f"ruff-pre-commit\n    rev: v{locked}\n" in path.read_text()


@cases("schema", *SCHEMAS)
def test_files_for_other_services_are_valid(schema):
    paths = sorted(ROOT.glob(SCHEMAS[schema]))
    assert paths
    said("-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths)
