"""The address of the project is what a clone or a workflow says, and else there is none."""

import json
import subprocess
from types import SimpleNamespace

import pytest
import yaml

from companion._utils.repository import Repository, find_repository
from companion.reproduction.artefacts import list_papers
from companion.reproduction.manifests import write_manifests
from companion.reproduction.pages import as_source, write_citation


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone of one commit, without a remote, and git to call in it."""
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)

    def git(*arguments):
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init")
    git("commit", "--allow-empty", "--message", "first")
    return tmp_path, git


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/some-body/some.thing",
        "https://github.com/some-body/some.thing.git",
        "git@github.com:some-body/some.thing.git",
        "ssh://git@github.com/some-body/some.thing.git",
    ],
)
def test_a_remote_at_github_gives_the_address(clone, remote):
    folder, git = clone
    git("remote", "add", "origin", remote)
    head = git("rev-parse", "HEAD")
    assert find_repository(folder) == Repository("some-body/some.thing", head)


def test_no_remote_or_another_place_gives_none(clone, tmp_path_factory):
    folder, git = clone
    assert find_repository(folder) is None
    git("remote", "add", "origin", str(folder))
    assert find_repository(folder) is None


def test_a_workflow_gives_the_address(clone, monkeypatch):
    folder, _ = clone
    monkeypatch.setenv("GITHUB_REPOSITORY", "some-body/else")
    assert find_repository(folder).url == "https://github.com/some-body/else"


@pytest.fixture
def notebook():
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Table 1"}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})


def shown(notebook, repository):
    content = [notebook]
    app = SimpleNamespace(companion_repository=repository)
    as_source(app, "notebooks/l1nsvm/table_1", content)
    return "\n".join(cell["source"] for cell in json.loads(content[0])["cells"])


def test_a_known_address_gives_buttons_and_the_code_at_its_commit(clone, notebook):
    folder, git = clone
    git("remote", "add", "origin", "https://github.com/some-body/thing")
    text = shown(notebook, find_repository(folder))
    head = git("rev-parse", "HEAD")
    file = "notebooks/l1nsvm/table_1.ipynb"
    at = f"some-body/thing/{head}"
    assert f"https://mybinder.org/v2/gh/{at}?urlpath=lab/tree/{file}" in text
    at = f"some-body/thing/blob/{head}"
    assert f"https://colab.research.google.com/github/{at}/{file}" in text
    assert f"https://github.com/{at}/companion/papers/l1nsvm/table_1.py" in text


def test_without_an_address_there_is_no_button(notebook):
    assert "http" not in shown(notebook, None)


@pytest.mark.parametrize("repository", [None, Repository("some-body/thing", "abc")])
def test_the_crate_names_the_repository_it_is_made_from(tmp_path, repository):
    (tmp_path / "ledger.csv").write_text("a\n1\n")
    papers = [paper for paper in list_papers().values() if paper.key]
    files = {"ledger.csv": "The ledger"}
    write_manifests(tmp_path, "companion", files, papers, repository)
    crate = json.loads((tmp_path / "ro-crate-metadata.json").read_text())
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    root = entities["./"]
    assert root.get("isBasedOn") == (repository and {"@id": repository.url})
    about = [root[key] for key in ("creator", "publisher", "license", "hasPart")]
    about += [*root["citation"], *([root["isBasedOn"]] if repository else [])]
    assert all(one["@id"] in entities for one in about)
    assert entities["ledger.csv"]["contentSize"] == "4"
    conforms = entities["ro-crate-metadata.json"]["conformsTo"]["@id"]
    assert crate["@context"] == f"{conforms}/context"


def test_the_citation_beside_the_pages_names_the_address_where_it_is_known(tmp_path):
    write_citation(tmp_path, None)
    file = tmp_path / "CITATION.cff"
    plain = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert "repository-code" not in plain
    write_citation(tmp_path, Repository("some-body/thing", "1e5"))
    address = {"repository-code": "https://github.com/some-body/thing", "commit": "1e5"}
    assert yaml.safe_load(file.read_text(encoding="utf-8")) == plain | address
