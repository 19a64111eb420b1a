"""CITATION.cff: valid, of this version, and it names every paper."""

import datetime
import re
import tomllib

import pytest
import yaml

from companion._paths import project_root
from companion.reproduction.artefacts import list_papers

ROOT = project_root()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
#: Of the schema of version 1.2.0: what must be there, and what may.
REQUIRED = {"authors", "cff-version", "message", "title"}
KNOWN = REQUIRED | {
    "abstract",
    "commit",
    "contact",
    "date-released",
    "doi",
    "identifiers",
    "keywords",
    "license",
    "license-url",
    "preferred-citation",
    "references",
    "repository",
    "repository-artifact",
    "repository-code",
    "type",
    "url",
    "version",
}
REFERENCE_TYPES = {"article", "conference-paper", "report", "thesis"}
REFERENCE_KEYS = {
    "type",
    "title",
    "authors",
    "year",
    "journal",
    "volume",
    "number",
    "start",
    "end",
    "collection-title",
    "institution",
    "thesis-type",
}


def test_the_keys_are_those_of_the_schema():
    assert CITATION["cff-version"] == "1.2.0"
    assert set(CITATION) >= REQUIRED and set(CITATION) <= KNOWN
    assert CITATION["type"] == "software"
    assert all(isinstance(word, str) for word in CITATION["keywords"])


def test_version_licence_and_authors_are_those_of_the_project():
    assert CITATION["title"] == PROJECT["name"]
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"] == [{"name": "The companion developers"}]


def test_the_references_are_the_papers_in_their_order():
    assert [reference["title"] for reference in CITATION["references"]] == [
        paper.title for paper in list_papers().values()
    ]


@pytest.mark.parametrize("number", range(len(list_papers())), ids=list(list_papers()))
def test_a_reference_has_the_authors_and_the_year_of_its_paper(number):
    reference, paper = CITATION["references"][number], list(list_papers().values())[number]
    assert reference["type"] in REFERENCE_TYPES
    assert set(reference) >= {"type", "title", "authors", "year"}
    assert set(reference) <= REFERENCE_KEYS
    assert isinstance(reference["year"], int)
    assert 1950 < reference["year"] <= datetime.date.today().year
    assert str(reference["year"]) in paper.citation
    for author in reference["authors"]:
        assert set(author) == {"family-names", "given-names"}
        first = re.split(r"[ -]", author["given-names"])[0][0]
        assert re.search(rf"\b{first}\.[^,]*{author['family-names'].split()[0]}", paper.citation)


def test_the_readme_links_it_and_cites_this_version():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](CITATION.cff)" in text and "](CONTRIBUTING.md)" in text
    assert f"version {PROJECT['version']}, " in text and "How to cite" in text


def test_contributing_fits_a_page_and_names_the_guide():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 66  # a printed page
    assert "](docs/adding_a_paper.md)" in text and "make test" in text
