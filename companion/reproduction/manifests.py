"""What an archive or a referee takes with the site: an RO-Crate and a CODECHECK manifest."""

import json
import tomllib
from datetime import date

from companion._utils.paths import project_root

_CHECKED = """\
# Nobody has checked yet: whoever does adds codechecker, check_time and report.
# `companion reproduce --profile paper --fresh` makes the notebooks again.
"""


def _project():
    """The table [project] of pyproject.toml; empty without one, as in an installed wheel."""
    path = project_root() / "pyproject.toml"
    text = path.read_text("utf-8") if path.is_file() else ""
    return tomllib.loads(text).get("project", {})


def write_manifests(folder, title, files, papers):
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
    """
    import yaml

    project = _project()
    spdx = project.get("license")
    if isinstance(spdx, str):
        licence = {"@id": f"https://spdx.org/licenses/{spdx}", "name": spdx}
    else:
        licence = {"@id": "#licence", "name": "pyproject.toml names no SPDX licence"}
    authors = project.get("authors") or [{"name": f"The authors of {title}"}]
    creators = [
        {"@id": f"#author-{number}", "name": author.get("name", author.get("email"))}
        for number, author in enumerate(authors, 1)
    ]
    cited = [
        {"@id": f"#{paper.key}", "name": paper.title, "description": paper.citation}
        for paper in papers
    ]

    def references(entities):
        return [{"@id": entity["@id"]} for entity in entities]

    parts = [{"@id": name, "description": text} for name, text in files.items()]
    graph = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": title,
            "description": "What papers print beside its regeneration, with verdicts",
            "datePublished": f"{date.today()}",
            "license": {"@id": licence["@id"]},
            "creator": references(creators),
            "citation": references(cited),
            "hasPart": references(parts),
        },
        licence | {"@type": "CreativeWork"},
        *(creator | {"@type": "Organization"} for creator in creators),
        *(paper | {"@type": "ScholarlyArticle"} for paper in cited),
        *(part | {"@type": "File", "name": part["@id"]} for part in parts),
    ]
    context = "https://w3id.org/ro/crate/1.1/context"
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
