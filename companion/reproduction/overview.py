"""All papers at once: what they claim, how much of it holds, their errata, and the time it takes.

Everything is read from data: the committed records (or those of the last quick run), the published
values, the declared deviations, ``data/errata.yaml`` and ``data/times.csv``. Nothing is computed
anew and no number is typed; the notebook ``notebooks/overview.ipynb`` shows what this module makes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.reproduction.artefacts import list_papers
from companion.reproduction.declared import KINDS as ERRATUM_KINDS
from companion.reproduction.declared import load_deviations, load_errata
from companion.reproduction.display import Table, summary_table
from companion.reproduction.published import KINDS
from companion.reproduction.reproduce import read_ledgers
from companion.reproduction.times import NOTEBOOK, load_times
from companion.reproduction.verdicts import (
    DECLARED,
    DIFFERS,
    NOT_RUN,
    REPRODUCED,
    WITHIN,
    verdict_counts,
)

__all__ = [
    "CLAIM_WORDS",
    "Overview",
    "claims_table",
    "counts_by_kind",
    "errata_markdown",
    "errata_table",
    "kinds_table",
    "load_overview",
    "papers_table",
    "reasons_table",
    "summary",
    "times_table",
]

#: What a verdict says of a claim.
CLAIM_WORDS = {
    REPRODUCED: "holds",
    WITHIN: "undecided",
    DECLARED: "fails",
    DIFFERS: "fails",
    NOT_RUN: "not run",
}
_CLAIM_COUNTS = ("holds", "undecided", "fails", "not run")
_ALL = "all"


@dataclass(frozen=True)
class Overview:
    """What :func:`load_overview` found.

    Attributes
    ----------
    profile : str
    papers : dict of str to companion.papers.Paper
    artefacts : dict of str to int
        Number of artefacts of each paper.
    ledger : pandas.DataFrame
        The verdicts on all published values, as of
        :func:`~companion.reproduction.verdicts.compare`.
    errata : list of companion.reproduction.errata.Erratum
    times : pandas.DataFrame
        As of :func:`~companion.reproduction.times.load_times`.
    """

    profile: str
    papers: dict
    artefacts: dict
    ledger: object
    errata: list
    times: object

    def of(self, paper):
        """The part of the ledger of one paper.

        Parameters
        ----------
        paper : str
            Its key.

        Returns
        -------
        pandas.DataFrame
        """
        return self.ledger[self.ledger["paper"] == paper]


def load_overview(profile="paper"):
    """Read all there is about all papers.

    Parameters
    ----------
    profile : {"paper", "quick"}, default="paper"
        Which records; quick ones are those of the last quick run.

    Returns
    -------
    Overview

    Raises
    ------
    RuntimeError
        If an artefact cannot be compared; all are named. An overview without it would be wrong.
    """
    import pandas as pd

    from companion.reproduction.artefacts import list_artefacts

    artefacts = list_artefacts()
    ledgers, _, failures = read_ledgers(artefacts, profile)
    if failures:
        raise RuntimeError("There is no overview of all papers:\n" + "\n".join(failures))
    counts = Counter(artefact.paper for artefact in artefacts)
    ledger = pd.concat(ledgers.values(), ignore_index=True)
    return Overview(profile, dict(list_papers()), dict(counts), ledger, load_errata(), load_times())


# ------------------------------------------------------------------ counts


def _table(rows, title, columns=None, formats=None):
    import pandas as pd

    return Table.from_frame(pd.DataFrame(rows, columns=columns), formats, title=title)


def _claims(ledger):
    """How many claims of a ledger hold, are undecided, fail and are not run."""
    outcomes = ledger[ledger["kind"] == "ordinal"]["outcome"]
    counted = Counter(CLAIM_WORDS[outcome] for outcome in outcomes)
    return {word: counted[word] for word in _CLAIM_COUNTS}


def papers_table(overview, title=""):
    """One line a paper: artefacts, values by verdict, and claims that hold, or do not.

    Parameters
    ----------
    overview : Overview
    title : str, optional

    Returns
    -------
    Table
        The claims are among the values.
    """
    ledgers = {paper: overview.of(paper) for paper in overview.papers}
    rows = []
    for counts in summary_table(ledgers, what="paper").values:
        whole = counts["paper"] == _ALL and _ALL not in ledgers
        part = overview.ledger if whole else ledgers[counts["paper"]]
        n = sum(overview.artefacts.values()) if whole else overview.artefacts[counts["paper"]]
        claims = {
            f"claim {word}" if word == "not run" else word: count
            for word, count in _claims(part).items()
        }
        own = {"paper": counts["paper"], "artefacts": n}
        rows.append({**own, **counts, "claims": sum(claims.values()), **claims})
    return _table(rows, title)


def counts_by_kind(ledger):
    """Verdicts by the kind of the value.

    Parameters
    ----------
    ledger : pandas.DataFrame

    Returns
    -------
    dict of str to dict of str to int
        Kinds that the ledger has, in the order of :data:`~companion.reproduction.published.KINDS`.
    """
    parts = {kind: ledger[ledger["kind"] == kind] for kind in KINDS}
    return {kind: verdict_counts(part) for kind, part in parts.items() if len(part)}


def kinds_table(overview, title=""):
    """One line a paper and kind of value.

    Parameters
    ----------
    overview : Overview
    title : str, optional

    Returns
    -------
    Table
        A last block sums up over the papers.
    """
    blocks = {**{paper: overview.of(paper) for paper in overview.papers}, _ALL: overview.ledger}
    rows = [
        {"paper": name, "kind": kind, "values": sum(counts.values()), **counts}
        for name, ledger in blocks.items()
        for kind, counts in counts_by_kind(ledger).items()
    ]
    return _table(rows, title)


def summary(overview):
    """The most important numbers in sentences.

    Parameters
    ----------
    overview : Overview

    Returns
    -------
    str
        Markdown.
    """
    values, claims = verdict_counts(overview.ledger), _claims(overview.ledger)
    n, n_claims = len(overview.ledger), sum(claims.values())
    lines = [
        f"* **{len(overview.papers)} papers, {sum(overview.artefacts.values())} tables, figures and"
        f" chapters, {n} printed values and claims.** {values[REPRODUCED]} are reproduced,"
        f" {values[WITHIN]} are within spread, {values[DECLARED]} differ for a reason that is"
        f" written down, {values[DIFFERS]} differ without one, {values[NOT_RUN]} are not run.",
        f"* **{n_claims} of them test what the papers say in words**, each a signed quantity with"
        f" its standard error: {claims['holds']} hold, {claims['undecided']} are undecided,"
        f" {claims['fails']} fail, {claims['not run']} are not run.",
        f"* **{len(overview.errata)} errors in the print** were found and proved:"
        f" {_enumerate(Counter(erratum.kind for erratum in overview.errata))}.",
    ]
    return "\n".join(lines)


def _enumerate(counts):
    """A line such as ``misprint 3, gap 1`` in the order of the kinds."""
    return ", ".join(f"{kind} {counts[kind]}" for kind in ERRATUM_KINDS if counts[kind])


# ------------------------------------------------------------------ claims and reasons


def _verdict_of(counts):
    """One word for several tests of a claim."""
    told = [word for word in _CLAIM_COUNTS if counts[word]]
    return told[0] if len(told) == 1 else "in part"


def claims_table(overview, paper, title=""):
    """What a paper claims, in its own words, and what became of it.

    Parameters
    ----------
    overview : Overview
    paper : str
        Its key.
    title : str, optional

    Returns
    -------
    Table
        One line a claim of an artefact: its words; where they stand; the first quantity that tests
        it, and how many more there are; how many tests hold, are undecided and fail; and a verdict,
        ``in part`` where they do not all end alike.
    """
    ledger = overview.of(paper)
    claims = ledger[ledger["kind"] == "ordinal"]
    rows = []
    for (artefact, printed), tests in claims.groupby(["artefact", "printed"], sort=False):
        first, counts = tests.iloc[0], _claims(tests)
        others = f" (and {len(tests) - 1} more)" if len(tests) > 1 else ""
        quantity = f"{first['row']}: {first['column']} {first['relation']}{others}"
        rows.append(
            {
                "claim": printed,
                "where": "; ".join(dict.fromkeys(tests["where"])),
                "tested by": quantity,
                "artefact": artefact,
                **counts,
                "verdict": _verdict_of(counts),
            }
        )
    columns = ["claim", "where", "tested by", "artefact", *_CLAIM_COUNTS, "verdict"]
    return _table(rows, title, columns)


def reasons_table(overview, paper, title=""):
    """Why values of a paper differ from the print, and where that can be seen.

    Parameters
    ----------
    overview : Overview
    paper : str
        Its key.
    title : str, optional

    Returns
    -------
    Table
        Columns artefact, values, reason, evidence.
    """
    deviations = load_deviations()
    counts = Counter()
    for line in overview.of(paper).to_dict("records"):
        if line["outcome"] in (DECLARED, DIFFERS):
            cell = tuple(line[name] for name in ("paper", "artefact", "row", "column"))
            found = deviations.get(cell)
            why = ("not declared", "") if found is None else (found.reason, found.evidence)
            counts[line["artefact"], *why] += 1
    rows = [(artefact, n, reason, evidence) for (artefact, reason, evidence), n in counts.items()]
    columns = ["artefact", "values", "reason", "evidence"]
    return _table(rows, title, columns)


# ------------------------------------------------------------------ errata and times


def errata_table(overview, title=""):
    """How many errata of each kind each paper has.

    Parameters
    ----------
    overview : Overview
    title : str, optional

    Returns
    -------
    Table
    """
    groups = {paper: [e for e in overview.errata if e.paper == paper] for paper in overview.papers}
    rows = []
    for name, errata in {**groups, _ALL: overview.errata}.items():
        counts = Counter(erratum.kind for erratum in errata)
        rows.append(
            {"paper": name, "errata": len(errata), **{kind: counts[kind] for kind in ERRATUM_KINDS}}
        )
    return _table(rows, title)


def _link(proof, root):
    """A Markdown link to a proof, called by what its test says or by its notebook."""
    path, _, test = proof.partition("::")
    if test:
        return f"[{test.removeprefix('test_').replace('_', ' ')}]({root}/{path})"
    return f"[`{path.removeprefix('notebooks/')}`]({root}/{path})"


def errata_markdown(overview, paper, root=".."):
    """The errata of a paper with links to their proofs.

    Parameters
    ----------
    overview : Overview
    paper : str
        Its key.
    root : str, default=".."
        The project's folder, seen from the file that the text stands in.

    Returns
    -------
    str
        A Markdown table, or a sentence if there are none.
    """
    rows = [
        [
            erratum.where,
            erratum.kind,
            erratum.printed,
            erratum.correct,
            ", ".join(_link(proof, root) for proof in erratum.proof),
        ]
        for erratum in overview.errata
        if erratum.paper == paper
    ]
    if not rows:
        return "No error in the print was found."
    return Table(["where", "kind", "printed", "correct", "proof"], rows, []).to_markdown()


def times_table(overview, title=""):
    """How long a regeneration from nothing takes, one line a paper.

    Parameters
    ----------
    overview : Overview
    title : str, optional

    Returns
    -------
    Table
        Studies and units timed, jobs and cores, minutes of the studies and of the notebooks; no
        rows if nothing was timed.
    """
    times = overview.times
    names = times["artefact"].str.partition("/")[0] if len(times) else times["artefact"]
    rows = []
    for paper in [*overview.papers, _ALL]:
        part = times if paper == _ALL else times[names == paper]
        if part.empty:
            continue
        notebooks = part["study"] == NOTEBOOK
        studies = part[~notebooks]
        rows.append(
            {
                "paper": paper,
                "studies": len(studies),
                "units": int(studies["units"].sum()),
                "jobs": _span(studies["jobs"]),
                "cores": _span(part["cores"]),
                "minutes to compute": float(studies["seconds"].sum()) / 60,
                "notebooks": int(notebooks.sum()),
                "minutes to run them": float(part[notebooks]["seconds"].sum()) / 60,
            }
        )
    columns = [
        "paper",
        "studies",
        "units",
        "jobs",
        "cores",
        "minutes to compute",
        "notebooks",
        "minutes to run them",
    ]
    formats = {"minutes to compute": ".1f", "minutes to run them": ".1f"}
    return _table(rows, title, columns, formats)


def _span(counts):
    """Different counts in order, such as ``1, 2``."""
    return ", ".join(f"{count:g}" for count in sorted(set(counts)))
