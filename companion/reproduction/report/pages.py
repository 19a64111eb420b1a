"""The site's own pages, in Markdown: landing page, notebooks, ledger, deviations, errata, times."""

from __future__ import annotations

import posixpath
import re
from html import escape

from companion.reproduction.report.content import paper_citation, paper_title, short_citation, slug
from companion.reproduction.report.markup import counts_line, filter_link, verdict_markup

__all__ = [
    "deviations_page",
    "duration",
    "errata_page",
    "index_page",
    "markdown_text",
    "notebooks_page",
    "project_links",
    "times_page",
    "verdict_page",
]

_MARKED = re.compile(r"(\$[^$\n]+\$|`[^`\n]+`)")
_SPECIAL = re.compile(r"([\\*_\[\]<>#|~{}!&])")
_PATH = re.compile(r"(?:notebooks|tests|data|companion|docs)/[\w./-]+\w(?:::\w+)?")
_CARDS = (
    (
        "notebooks/index.html",
        "Notebooks",
        "Each table and figure: the print, its regeneration and "
        "the verdict, with the code that made it.",
    ),
    ("ledger.html", "Ledger", "Every printed number with its verdict. Search, sort and filter."),
    ("deviations.html", "Deviations", "Why a number differs from its print, and where to see it."),
    ("errata.html", "Errata", "What is wrong in the prints, each with its proof."),
    ("times.html", "Times", "How long each artefact takes to regenerate."),
    ("api/index.html", "API", "Estimators, solvers and searches for your own data."),
    ("adding_a_paper.html", "Add a paper", "From a printed table to a notebook with verdicts."),
)
_EXAMPLE = """\
```python
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from companion import LeastOneNormSVC

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LeastOneNormSVC(C=1.0, gamma=0.01))
print(cross_val_score(model, X, y, cv=5).mean())
```"""


def markdown_text(text):
    """A text of the data files as Markdown: formulas and code stay, nothing else is special."""
    parts = _MARKED.split(str(text))
    return "".join(part if i % 2 else _SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts))


def project_links(text, known, here=""):
    """Markdown of a text that names files of the project: pages are linked, others set as code."""
    parts, end = [], 0
    for match in _PATH.finditer(text):
        parts.append(markdown_text(text[end : match.start()]))
        path, end = match[0], match.end()
        if path in known:
            parts.append(f"[`{path}`]({posixpath.relpath(known[path], here or '.')})")
        else:
            parts.append(f"`{path}`")
    return "".join([*parts, markdown_text(text[end:])])


def _raw(name):
    return f"```{{raw}} html\n:file: {name}\n```"


def _toctree(entries, caption="", hidden=True):
    options = [":hidden:"] if hidden else []
    options += [f":caption: {caption}"] if caption else []
    return "\n".join(["```{toctree}", *options, "", *entries, "```"])


def index_page(content, guide):
    """The landing page.

    Parameters
    ----------
    content : companion.reproduction.report.content.Content
    guide : bool
        Whether there is a page on how to add a paper.

    Returns
    -------
    str
    """
    values = sum(len(ledger) for ledger in content.ledgers.values())
    cards = "".join(
        f'<li><a class="card-link" href="{href}"><strong>{name}</strong>'
        f"<span>{text}</span></a></li>"
        for href, name, text in _CARDS
        if guide or name != "Add a paper"
    )
    first = next((p for p in content.pages if p.artefact.id == "overview"), None)
    start = f' <a href="{first.docname}.html">Start with the overview.</a>' if first else ""
    entries = ["notebooks/index", "ledger", "deviations", "errata", "times", "api/index"]
    entries += ["adding_a_paper"] if guide else []
    return f"""\
# companion

<p class="lead">Every printed number of {len(content.papers)} papers on support vector machines,
beside its regeneration: {values} values, each with a verdict that is computed and not
written.{start}</p>

{_raw("_parts/overview.html")}

<nav aria-label="Parts of this site"><ul class="cards">{cards}</ul></nav>

## Regenerate it

With Python 3.11 or newer, git and make, in a copy of the repository:

```sh
make reproduce    # run every notebook in the quick profile and print the verdicts
make test         # all tests, and every committed notebook checked
```

## Use it

{_EXAMPLE}

The estimators are scikit-learn classifiers that keep the certificate of their fit. The
<a href="api/index.html">API</a> lists them.

{_toctree(entries)}
"""


def notebooks_page(content):
    """The list of notebooks, and the order in which they are read."""
    parts = [
        "# Notebooks",
        "",
        "A notebook shows a table or figure as printed, its regeneration, and the verdict of "
        "each number. They can be read one after the other.",
        "",
    ]
    across = [p for p in content.pages if not p.artefact.paper]
    before = [p for p in across if p.artefact.name == "overview"]
    after = [p for p in across if p.artefact.name != "overview"]

    def listed(pages):
        for page in pages:
            ledger = content.ledgers.get(page.artefact.id)
            counts = (
                ""
                if ledger is None
                else (
                    f'<br><span class="counts">'
                    f"{counts_line(ledger, '../', artefact=page.artefact.id)}</span>"
                )
            )
            target = page.docname.removeprefix("notebooks/")
            title = markdown_text(page.artefact.title)
            parts.append(f"* [{title}]({target}.ipynb){counts}")
        parts.append("")

    def tree(pages, caption):
        entries = [page.docname.removeprefix("notebooks/") for page in pages]
        parts.extend([_toctree(entries, caption), ""])

    if before:
        tree(before, "All papers")
        listed(before)
    for paper in content.papers:
        pages = [p for p in content.pages if p.artefact.paper == paper]
        parts += [
            f"({slug('paper', paper)})=",
            f"## {markdown_text(paper_title(paper))}",
            "",
            f"{markdown_text(paper_citation(paper))}. "
            f'<a href="../{escape(filter_link(paper=paper))}">Its values in the ledger.</a>',
            "",
        ]
        tree(pages, short_citation(paper))
        listed(pages)
    if after:
        parts += ["## Across the papers", ""]
        tree(after, "Across the papers")
        listed(after)
    return "\n".join(parts)


def verdict_page(content):
    """The ledger."""
    quick = ""
    if content.profile != "paper":
        quick = (
            f"These are verdicts of the **{content.profile} profile**: they rest on few "
            "repetitions. The paper profile decides.\n\n"
        )
    remarks = ""
    if content.remarks:
        lines = "".join(f"<li>{escape(remark)}</li>" for remark in content.remarks)
        remarks = (
            f"\n<details><summary>Remarks on the records ({len(content.remarks)})</summary>"
            f"<ul>{lines}</ul></details>\n"
        )
    return f"""\
# Ledger of verdicts

{quick}One line a printed value. The artefact leads to the value in its notebook, a declared
difference to its reason. A filtered view has an address of its own. What the words mean, and how
z is computed, is said under [verdicts](api/companion.reproduction.verdicts.rst).
{remarks}
{_raw("_parts/ledger.html")}
"""


def deviations_page(content, known):
    """Declared reasons with their values.

    Parameters
    ----------
    content : companion.reproduction.report.content.Content
    known : mapping of str to str
        From paths in the project to pages of the site.

    Returns
    -------
    str
    """
    parts = [
        "# Declared deviations",
        "",
        f"{sum(len(r.cells) for r in content.reasons)} values differ from their print for a "
        f"reason that has been found and written down, {len(content.reasons)} reasons in "
        "all. A declaration changes no number. Once a value no longer differs, its "
        "declaration is an error.",
        "",
    ]
    paper = artefact = None
    for reason in content.reasons:
        if reason.paper != paper:
            paper = reason.paper
            parts += [f"## {markdown_text(paper_title(paper))}", ""]
        identifier = f"{reason.paper}/{reason.artefact}"
        if identifier != artefact:
            artefact = identifier
            page = content.page(identifier)
            title = page.artefact.title if page else identifier
            link = f"[Notebook]({page.docname}.ipynb), " if page else ""
            ledger_link = escape(filter_link(artefact=identifier))
            parts += [
                f"### {markdown_text(title)}",
                "",
                f'{link}<a href="{ledger_link}">all its values in the ledger</a>.',
                "",
            ]
        parts += [
            f'<div class="reason-block" id="{reason.anchor}">',
            "",
            f"**{markdown_text(_sentence(reason.reason))}**",
            "",
            f"See {project_links(reason.evidence, known)}.",
            "",
            _cells_markup(reason, content.ledgers.get(identifier), identifier),
            "",
            "</div>",
            "",
        ]
    return "\n".join(parts)


def _sentence(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _cells_markup(reason, ledger, identifier):
    """The values a reason speaks of, as far as the ledger has them, each with its link."""
    lines = {}
    if ledger is not None:
        for number, line in enumerate(ledger.to_dict("records"), start=1):
            lines[line["row"], line["column"]] = (number, line["outcome"])
    items = []
    for row, column in reason.cells:
        text = f"{escape(row)} · {escape(column)}"
        number, outcome = lines.get((row, column), (None, None))
        if number is None:
            items.append(f"<li>{text}</li>")
        else:
            link = f"ledger.html#{slug(identifier, number)}"
            items.append(f'<li><a href="{link}">{text}</a> {verdict_markup(outcome)}</li>')
    return f'<ul class="reason-cells">{"".join(items)}</ul>'


def errata_page(content, known):
    """Errors of the prints, paper by paper.

    Parameters
    ----------
    content, known
        As of :func:`deviations_page`.

    Returns
    -------
    str
    """
    parts = [
        "# Errata",
        "",
        f"{len(content.errata)} errors found in the prints while regenerating them. Each is "
        "proved by a test or a notebook.",
        "",
    ]
    for paper in dict.fromkeys(erratum.paper for erratum in content.errata):
        parts += [
            f"## {markdown_text(paper_title(paper))}",
            "",
            f"{markdown_text(paper_citation(paper))}.",
            "",
        ]
        for number, erratum in enumerate((e for e in content.errata if e.paper == paper), start=1):
            proof = ", ".join(project_links(path, known) for path in erratum.proof)
            parts += [
                f'<div class="erratum" id="{slug("erratum", paper, number)}">',
                "",
                f"**{markdown_text(erratum.where)}** "
                f'<span class="kind">{escape(str(erratum.kind))}</span>',
                "",
                f"Printed\n: {_indented(erratum.printed)}",
                "",
                f"Correct\n: {_indented(erratum.correct)}",
                "",
                f"Proof\n: {proof}",
                "",
                "</div>",
                "",
            ]
    return "\n".join(parts)


def _indented(text):
    return markdown_text(" ".join(str(text).split()))


def duration(seconds):
    """A time in words: seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def times_page(content):
    """How long each artefact takes."""
    times = content.times
    parts = ["# Times", ""]
    if not len(times):
        return "\n".join(
            [
                *parts,
                "No times are on record. `companion reproduce --profile paper "
                "--fresh --in-place` writes them.",
                "",
            ]
        )
    cores = ", ".join(str(n) for n in sorted(set(times["cores"])))
    parts += [
        "Wall-clock times of a regeneration from nothing, in the paper profile, on a machine "
        f"of {cores} cores: {duration(times['seconds'].sum())} in all. A study that several "
        "notebooks use is counted with the first. From the committed records every notebook "
        "runs in seconds.",
        "",
    ]
    rows = []
    for identifier, group in times.groupby("artefact", sort=False):
        page, total = content.page(identifier), duration(group["seconds"].sum())
        name = escape(identifier)
        if page is not None:
            name = f'<a href="{page.docname}.html">{name}</a>'
        anchor = slug("time", identifier)
        rows.append(
            f'<tr class="total" id="{anchor}"><th scope="row">{name}</th>'
            f"<td>{total}</td><td></td><td></td></tr>"
        )
        rows += [
            f"<tr><td>{escape(line['study'])}</td><td>{duration(line['seconds'])}</td>"
            f"<td>{line['units']}</td><td>{line['jobs']}</td></tr>"
            for line in group.to_dict("records")
        ]
    head = "".join(
        f'<th scope="col">{text}</th>' for text in ("artefact, study", "time", "units", "jobs")
    )
    table = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    parts += [f'<div class="table-scroll"><table class="times">{table}</table></div>', ""]
    return "\n".join(parts)
