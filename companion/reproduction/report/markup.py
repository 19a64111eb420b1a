"""HTML of the site's own parts: the ledger, the counts of verdicts, the links between them."""

from __future__ import annotations

import math
from collections import Counter
from html import escape
from urllib.parse import urlencode

from companion.reproduction.display import verdict_table
from companion.reproduction.report.content import paper_title, short_citation, slug
from companion.reproduction.verdicts import OUTCOMES, verdict_counts

__all__ = [
    "VERDICT_SIGNS",
    "counts_line",
    "filter_link",
    "ledger_markup",
    "overview_markup",
    "sign_markup",
    "verdict_markup",
]

#: A sign for each outcome, so that colour is never the only one.
VERDICT_SIGNS = dict(zip(OUTCOMES, ("✓", "≈", "≠", "✗", "–"), strict=True))
_HEADER = (
    # name, how it is sorted, heading
    ("artefact", "order", "artefact"),
    ("row", "text", "row"),
    ("column", "text", "column"),
    ("printed", "number", "printed"),
    ("reproduced", "number", "reproduced"),
    ("z", "number", "z"),
    ("n", "number", "n"),
    ("kind", "text", "kind"),
    ("verdict", "order", "verdict"),
)


def filter_link(root="", **state):
    """Address of the ledger with these filters set.

    Parameters
    ----------
    root : str
        Way from the page to the root of the site, ``""`` or ``"../"`` repeated.
    **state : str
        paper, artefact, verdict, kind, q (the text searched for).

    Returns
    -------
    str
    """
    return f"{root}ledger.html#{urlencode(state)}"


def sign_markup(outcome):
    """The sign of a verdict in its colour, for the eye alone."""
    return (
        f'<span class="sign sign-{slug(outcome)}" aria-hidden="true">'
        f"{VERDICT_SIGNS[outcome]}</span>"
    )


def verdict_markup(outcome):
    """A verdict with its sign."""
    return f'<span class="verdict">{sign_markup(outcome)} {escape(outcome)}</span>'


def counts_line(ledger, root, **state):
    """The verdicts of a ledger in one line, each with its link."""
    parts = [
        f'<span class="count">{sign_markup(outcome)} '
        f'<a href="{escape(filter_link(root, **state, verdict=outcome))}">{count} '
        f"{escape(outcome)}</a></span>"
        for outcome, count in verdict_counts(ledger).items()
        if count
    ]
    return ", ".join(parts)


def _bar(counts, label):
    total = sum(counts.values())
    text = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    segments = "".join(
        f'<span class="segment segment-{slug(outcome)}" style="flex-grow:{count}"></span>'
        for outcome, count in counts.items()
        if count
    )
    return (
        f'<div class="bar" role="img" aria-label="{escape(label)}: {total} values, '
        f'{text}">{segments}</div>'
    )


def overview_markup(content):
    """Verdicts by paper: a stacked bar each, with its numbers and links.

    Parameters
    ----------
    content : companion.reproduction.report.content.Content

    Returns
    -------
    str
    """
    rows, total = [], Counter()
    for paper in content.papers:
        counts = Counter()
        for identifier, ledger in content.ledgers.items():
            if identifier.partition("/")[0] == paper:
                counts.update(verdict_counts(ledger))
        total.update(counts)
        counts = {outcome: counts[outcome] for outcome in OUTCOMES}
        if not sum(counts.values()):
            continue
        numbers = "".join(
            f'<td data-label="{escape(outcome)}">'
            + (
                f'<a href="{escape(filter_link(paper=paper, verdict=outcome))}" '
                f'aria-label="{counts[outcome]} {escape(outcome)} of {escape(paper)}">'
                f"{counts[outcome]}</a>"
                if counts[outcome]
                else "0"
            )
            + "</td>"
            for outcome in OUTCOMES
        )
        rows.append(
            f'<tr><th scope="row"><a href="notebooks/index.html#{slug("paper", paper)}">'
            f"{escape(short_citation(paper))}</a> <small>{escape(paper_title(paper))}</small></th>"
            f'<td class="bar-cell">{_bar(counts, paper)}</td>'
            f"{numbers}</tr>"
        )
    heads = "".join(f'<th scope="col">{verdict_markup(outcome)}</th>' for outcome in OUTCOMES)
    sums = "".join(f'<td data-label="{escape(o)}">{total[o]}</td>' for o in OUTCOMES)
    every = {outcome: total[outcome] for outcome in OUTCOMES}
    return (
        '<table class="verdict-counts"><caption>Verdicts of all printed values, '
        f"{content.profile} profile</caption><thead><tr>"
        f'<th scope="col">paper</th><th scope="col">share</th>{heads}</tr></thead><tbody>'
        + "\n".join(rows)
        + f'</tbody><tfoot><tr><th scope="row">all {sum(total.values())} values</th>'
        f'<td class="bar-cell">{_bar(every, "all papers")}</td>{sums}</tr></tfoot></table>'
    )


def _select(name, label, options):
    """A filter; the number of rows follows each choice and is kept up to date by the script."""
    choices = "".join(
        f'<option value="{escape(value)}" data-text="{escape(text)}">{escape(text)} ({count})'
        "</option>"
        for value, text, count in options
    )
    return (
        f'<label for="ledger-{name}">{label}</label><select id="ledger-{name}" '
        f'data-filter="{name}"><option value="">all</option>{choices}</select>'
    )


def _number(value):
    """A number for sorting, as JavaScript reads it, "" for what is none."""
    if not isinstance(value, (int, float)) or math.isnan(value):
        return ""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value:.12g}"


def _cell(name, markup, sort=None):
    order = "" if sort is None else f' data-sort="{escape(str(sort))}"'
    return f'<td role="cell" data-label="{name}"{order}>{markup}</td>'


def _printed_cell(texts, line):
    where = f'<small class="where">{escape(line["where"])}</small>' if line["where"] else ""
    return _cell("printed", f"{escape(texts[2])} {where}", _number(line["published"]))


def _verdict_cell(line, reason):
    parts = [verdict_markup(line["outcome"])]
    if line["outcome"] == "differs (declared)" and reason is not None:
        parts.append(
            f'<a class="reason" href="deviations.html#{reason.anchor}">{escape(reason.reason)}</a>'
        )
    remarks = [text for text in (line["problem"], line["note"]) if text]
    if not line["converged"] and line["outcome"] != "not run":
        remarks.insert(0, "not converged")
    if remarks:
        parts.append(f"<small>{escape('; '.join(remarks))}</small>")
    return _cell("verdict", " ".join(parts), OUTCOMES.index(line["outcome"]))


def ledger_rows(content, anchors):
    """One table row a published value.

    Parameters
    ----------
    content : companion.reproduction.report.content.Content
    anchors : mapping of str to mapping
        By artefact, from (row, column) to the anchor in its notebook.

    Returns
    -------
    list of str
    """
    rows = []
    for place, (identifier, ledger) in enumerate(content.ledgers.items()):
        page, found = content.page(identifier), anchors.get(identifier, {})
        lines = zip(ledger.to_dict("records"), verdict_table(ledger).rows, strict=True)
        for number, (line, texts) in enumerate(lines, start=1):
            name = escape(identifier)
            if page is not None:
                anchor = found.get((line["row"], line["column"]))
                target = f"{page.docname}.html" + (f"#{anchor}" if anchor else "")
                name = f'<a href="{escape(target)}">{name}</a>'
            reason = content.reason_of(line["paper"], line["artefact"], line["row"], line["column"])
            cells = [
                _cell("artefact", name, place),
                _cell("row", escape(line["row"])),
                _cell("column", escape(line["column"])),
                _printed_cell(texts, line),
                _cell("reproduced", escape(texts[3]), _number(line["reproduced"])),
                _cell("z", escape(texts[4]), _number(line["z"])),
                _cell("n", escape(texts[5]), texts[5]),
                _cell("kind", escape(line["kind"])),
                _verdict_cell(line, reason),
            ]
            rows.append(
                f'<tr role="row" id="{slug(identifier, number)}"'
                f' data-paper="{escape(line["paper"])}"'
                f' data-artefact="{escape(identifier)}" data-verdict="{escape(line["outcome"])}"'
                f' data-kind="{escape(line["kind"])}">{"".join(cells)}</tr>'
            )
    return rows


def paper_option(key):
    """A paper in a list of choices: its key, and who wrote it."""
    short = short_citation(key)
    return key if short == key else f"{key}: {short}"


def _options(content):
    papers, artefacts, verdicts, kinds = Counter(), Counter(), Counter(), Counter()
    for identifier, ledger in content.ledgers.items():
        papers[identifier.partition("/")[0]] += len(ledger)
        artefacts[identifier] += len(ledger)
        verdicts.update(ledger["outcome"])
        kinds.update(ledger["kind"])
    return (
        ("paper", "Paper", [(key, paper_option(key), n) for key, n in papers.items()]),
        ("artefact", "Artefact", [(key, key, n) for key, n in artefacts.items()]),
        ("verdict", "Verdict", [(o, f"{VERDICT_SIGNS[o]} {o}", verdicts[o]) for o in OUTCOMES]),
        ("kind", "Kind", [(key, key, n) for key, n in sorted(kinds.items())]),
    )


def ledger_markup(content, anchors):
    """The ledger: a form of filters that the script brings to life, and the whole table.

    Parameters
    ----------
    content, anchors
        As of :func:`ledger_rows`.

    Returns
    -------
    str
    """
    rows = ledger_rows(content, anchors)
    fields = "".join(
        f'<div class="field">{_select(name, label, options)}</div>'
        for name, label, options in _options(content)
    )
    heads = "".join(
        f'<th role="columnheader" scope="col" data-column="{name}" data-how="{how}" '
        f'aria-sort="none">{text}</th>'
        for name, how, text in _HEADER
    )
    return f"""\
<form class="ledger-controls" role="search" aria-label="Filter the ledger" hidden>
<div class="field field-text"><label for="ledger-q">Search</label>
<input id="ledger-q" type="search" autocomplete="off" data-filter="q"
 placeholder="row, column, value, reason"></div>
{fields}
<div class="field"><button type="button" id="ledger-clear">Clear</button></div>
</form>
<p class="ledger-count" id="ledger-count" role="status" aria-live="polite">{len(rows)} values</p>
<table role="table" class="ledger" id="ledger" aria-label="Every printed value and its verdict">
<thead role="rowgroup"><tr role="row">{heads}</tr></thead>
<tbody role="rowgroup">
{chr(10).join(rows)}
</tbody>
</table>
<p class="ledger-empty" id="ledger-empty" hidden>No value matches all of these filters. Remove one,
 or press Clear.</p>
"""
