"""What an archive or a referee takes with the site: an RO-Crate and a CODECHECK manifest."""

import json
import tomllib
from datetime import date
from pathlib import Path

from companion._utils.paths import project_root

_CHECKED = """\
# Nobody has checked yet: whoever does adds codechecker, check_time and report.
# `companion reproduce --profile paper --fresh` makes the notebooks again.
"""


_FORMATS = {
    ".cff": "application/yaml",
    ".csv": "text/csv",
    ".json": "application/json",
    ".ipynb": "application/x-ipynb+json",
}


def _project():
    """The table [project] of pyproject.toml; empty without one, as in an installed wheel."""
    path = project_root() / "pyproject.toml"
    text = path.read_text("utf-8") if path.is_file() else ""
    return tomllib.loads(text).get("project", {})


def write_manifests(folder, title, files, papers, repository=None):
    """Write ``ro-crate-metadata.json`` and ``codecheck.yml``.

    Parameters
    ----------
    folder : pathlib.Path
        Of the site.
    title : str
        What the site is called.
    files : mapping of str to str
        What each file of the folder holds, by its name.
    papers : list of companion.reproduction.Paper
    repository : companion._utils.repository.Repository, optional
        From which the site was made.
    """
    import yaml

    project = _project()
    spdx = project.get("license")
    if isinstance(spdx, str):
        licence = {"@id": f"https://spdx.org/licenses/{spdx}", "name": spdx}
        licence["description"] = f"The licence of {title}"
    else:
        licence = {"@id": "#licence", "name": "pyproject.toml names no SPDX licence"}
    authors = project.get("authors") or [{"name": f"The authors of {title}"}]
    creators = [
        {"@id": f"#author-{number}", "name": author.get("name", author.get("email"))}
        for number, author in enumerate(authors, 1)
    ]
    cited = [
        {
            "@id": paper.address or f"#{paper.key}",
            "name": paper.title,
            "description": paper.citation,
        }
        for paper in papers
    ]
    made_from = {"isBasedOn": {"@id": repository.url}} if repository else {}

    def references(entities):
        found = [{"@id": entity["@id"]} for entity in entities]
        return found[0] if len(found) == 1 else found

    parts = [
        {
            "@id": name,
            "@type": "File",
            "name": name,
            "description": text,
            "encodingFormat": _FORMATS[Path(name).suffix],
            "contentSize": str((folder / name).stat().st_size),
        }
        for name, text in files.items()
    ]
    graph = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.2"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": title,
            "description": "What papers print beside its regeneration, with verdicts",
            "datePublished": f"{date.today()}",
            "license": {"@id": licence["@id"]},
            "creator": references(creators),
            "publisher": references(creators[:1]),
            "citation": references(cited),
            "hasPart": references(parts),
            **made_from,
        },
        licence | {"@type": "CreativeWork"},
        *(creator | {"@type": "Organization"} for creator in creators),
        *(paper | {"@type": "ScholarlyArticle"} for paper in cited),
        *parts,
    ]
    if repository:
        code = {"@id": repository.url, "@type": "CreativeWork"}
        graph.append(code | {"name": repository.name, "version": repository.commit})
    context = "https://w3id.org/ro/crate/1.2/context"
    crate = json.dumps({"@context": context, "@graph": graph}, indent=1)
    (folder / "ro-crate-metadata.json").write_text(crate, encoding="utf-8")
    manifest = {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "paper": {
            "title": title,
            "authors": [{"name": one["name"]} for one in creators],
        },
        "manifest": [{"file": name, "comment": text} for name, text in files.items()],
    }
    text = _CHECKED + yaml.safe_dump(manifest, explicit_start=True, sort_keys=False)
    (folder / "codecheck.yml").write_text(text, encoding="utf-8")
