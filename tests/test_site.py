"""The site: every link holds, nothing is fetched, and the ledger's page is the ledger."""

import json
from importlib import import_module

import jsonschema
import nbformat
import pytest
import yaml
from _pages import faults_of, read_pages

import companion
from companion.reproduction.artefacts import list_across, list_artefacts, notebook_path
from companion.reproduction.declared import load_deviations, load_errata
from companion.reproduction.reproduce import read_ledgers

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(site):
    """The parsed pages by name, such as ``ledger``."""
    found = read_pages(site.folder)
    return {
        path.relative_to(site.folder).as_posix()[:-5]: page
        for path, page in found.items()
    }


@pytest.fixture(scope="module")
def ledgers():
    return read_ledgers(list_artefacts())[0]


def test_the_site_builds_without_a_warning(site):
    assert (site.code, site.err) == (0, "")


def test_every_link_holds_and_nothing_comes_from_elsewhere(site, pages):
    paths = {site.folder / f"{name}.html": page for name, page in pages.items()}
    assert faults_of(site.folder, paths) == []
    scripts = [tag for page in pages.values() for tag in page("script", src=False)]
    assert not any("http" in tag.get("src", "") for tag in scripts)
    assert sum(len(page.find_all("math")) for page in pages.values()) > 1000


def test_every_notebook_is_a_page_with_its_figures_and_their_texts(pages):
    for artefact in [*list_across(), *list_artefacts()]:
        if not notebook_path(artefact).is_file():
            continue
        notebook = nbformat.read(notebook_path(artefact), as_version=4)
        outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
        alts = [
            out.metadata["image/png"]["alt"]
            for out in outputs
            if "image/png" in out.get("data", {})
        ]
        shown = pages[f"notebooks/{artefact.id}"].select(".cell_output img")
        shown = [
            image["alt"]
            for image in shown
            if not image.find_parent(class_="companion-sliders")
        ]
        assert shown == alts, artefact.id


def test_the_rows_of_the_page_are_those_of_the_ledger(pages, ledgers):
    lines = pages["ledger"].select("#values tbody tr")
    found = []
    for line in lines:
        row, column = (cell.get_text() for cell in line("td")[2:4])
        place = line("td")[1].a["href"]
        assert line("td")[2].a["href"] == f"#{line['id']}"
        verdict = line("td")[6].get_text()
        found.append((place, row, column, verdict))
    expected = [
        (f"notebooks/{name}.html", line.row, line.column, line.verdict)
        for name, ledger in ledgers.items()
        for line in ledger.itertuples()
    ]
    words = {"no verdict": ""}
    found = [(*rest, words.get(verdict, verdict)) for *rest, verdict in found]
    assert sorted(found) == sorted(expected)
    assert len({line["id"] for line in lines}) == len(lines)


def test_every_reason_leads_to_its_rows_and_back(pages):
    rows = {line["id"]: line for line in pages["ledger"].select("#values tbody tr")}
    links = pages["reasons"].select("a[href^='ledger.html#']")
    assert len(links) == len(load_deviations())
    for link in links:
        place = link["href"].partition("#")[2]
        back = rows[place].select_one("a[href^='reasons.html#']")["href"]
        assert pages["reasons"].find(id=back.partition("#")[2])
    proofs = [line for line in pages["errata"]("dt") if line.get_text() == "Proof"]
    assert len(proofs) == len(load_errata())


def test_the_ledger_for_programs_follows_its_schema(site, ledgers):
    schema = json.loads(site.read("ledger.schema.json"))
    written = json.loads(site.read("ledger.json"))
    jsonschema.validate(written, schema)
    assert len(written) == sum(map(len, ledgers.values()))


def test_the_reference_describes_every_public_name(pages):
    apis = {name: page for name, page in pages.items() if name.startswith("generated/")}
    ids = {tag["id"] for page in apis.values() for tag in page.find_all(id=True)}
    for name in set(companion.__all__) - {"__version__"}:
        assert f"companion.{name}" in ids
        assert f"companion.{name}.fit" in ids
    modules = [name.partition("/")[2] for name in apis]
    for name in (name for name in modules if name[len("companion.") :].islower()):
        public = import_module(name).__all__
        assert {f"{name}.{of}" for of in public if of.islower()} <= ids


def test_the_manifests_name_files_that_are_here_and_a_licence(site):
    crate = json.loads(site.read("ro-crate-metadata.json"))["@graph"]
    entities = {entity["@id"]: entity for entity in crate}
    root = entities["./"]
    assert root["license"]["@id"] == "https://spdx.org/licenses/BSD-3-Clause"
    files = [part["@id"] for part in root["hasPart"]]
    manifest = yaml.safe_load(site.read("codecheck.yml"))["manifest"]
    assert [entry["file"] for entry in manifest] == files
    assert "_sources/notebooks/usvc/table_1.ipynb" in files
    for name in files:
        assert (site.folder / name).is_file(), name
    references = [root["creator"], root["publisher"], *root["citation"]]
    assert {reference["@id"] for reference in references} <= set(entities)
