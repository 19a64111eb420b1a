"""CITATION.cff: valid, of this version, and it names every paper."""

import re
import subprocess
import sys
import tomllib

import yaml

from companion._paths import project_root
from companion.reproduction.artefacts import list_papers

ROOT = project_root()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_file_is_valid():
    schema = "vendor.citation-file-format"
    command = ["check_jsonschema", "--builtin-schema", schema, ROOT / "CITATION.cff"]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_version_licence_and_authors_are_those_of_the_project():
    assert CITATION["title"] == PROJECT["name"]
    for name in ("version", "license", "authors"):
        assert CITATION[name] == PROJECT[name]


def test_the_references_are_the_papers_with_their_authors_and_years():
    pairs = zip(CITATION["references"], list_papers().values(), strict=True)
    for reference, paper in pairs:
        assert reference["title"] == paper.title
        assert str(reference["year"]) in paper.citation
        for author in reference["authors"]:
            first = re.split(r"[ -]", author["given-names"])[0][0]
            name = rf"\b{first}\.[^,]*{author['family-names'].split()[0]}"
            assert re.search(name, paper.citation)


def test_the_readme_links_it_and_contributing_fits_a_page():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](CITATION.cff)" in text and "](CONTRIBUTING.md)" in text
    assert f"version {PROJECT['version']}, " in text and "How to cite" in text
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 66  # a printed page
    assert "](docs/adding_a_paper.md)" in text and "make test" in text
