"""What a referee or an archive takes: a CODECHECK manifest and an RO-Crate of the site's folder."""

import mimetypes
from datetime import date

import companion

_LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
_KINDS = {".ipynb": "application/x-ipynb+json", ".yml": "application/yaml"}
_UNCHECKED = (
    "# Nobody has checked yet: whoever does adds codechecker, check_time and report.\n"
)
_SUMMARY = """companion reproduce regenerates every file named here in the quick profile; with
--profile paper --fresh it does so at the size of the papers. companion verify compares with the
print."""


def _name_and_developers(context):
    """What the site is called, and who made it, of which nothing is known of others' papers."""
    if context["ours"]:
        return f"svm-companion {companion.__version__}", "The companion developers"
    return context["title"], "The authors of this companion"


def codecheck(context):
    """A CODECHECK manifest of the notebooks and of the ledger, as YAML."""
    import yaml

    name, developers = _name_and_developers(context)
    shown = [entry.artefact for entry in context["entries"] if entry.path]
    files = {f"notebooks/{a.id}.ipynb": f"{a.paper or 'all'}: {a.title}" for a in shown}
    files["ledger.csv"] = "Each printed value with its verdict, paper profile"
    content = {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "paper": {"title": name, "authors": [{"name": developers}]},
        "summary": " ".join(_SUMMARY.split()),
        "manifest": [{"file": file, "comment": files[file]} for file in files],
    }
    return _UNCHECKED + yaml.safe_dump(content, explicit_start=True, sort_keys=False)


def write_crate(folder, context):
    """Describe all files of a folder in it, as an RO-Crate with the papers and the licence."""
    from rocrate.model import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")

    def added(place, kind, **properties):
        return crate.add(ContextEntity(crate, place, {"@type": kind, **properties}))

    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        kind = _KINDS.get(path.suffix) or mimetypes.guess_type(name)[0] or "text/plain"
        crate.add_file(path, name, properties={"name": name, "encodingFormat": kind})
    crate.name, developers = _name_and_developers(context)
    papers = [group.paper for group in context["groups"] if group.paper.key]
    crate.datePublished = date.today()
    crate.description = (
        f"What {len(papers)} papers print beside its regeneration, with verdicts."
    )
    if context["ours"]:
        crate.license = added(_LICENCE, "CreativeWork", name="BSD 3-Clause License")
    crate.creator = added("#developers", "Organization", name=developers)
    crate.mainEntity = crate.get("ledger.csv")
    crate.root_dataset["citation"] = [
        added(f"#{p.key}", "ScholarlyArticle", name=p.title, description=p.citation)
        for p in papers
    ]
    crate.metadata.write(folder)
