"""The commands ``verify`` and ``explain``."""

import difflib
import gc
import shlex
from functools import partial

import click

from companion.reproduction.command import (
    TARGETS,
    choice,
    exit_code,
    find_targets,
    heading,
    listed,
    main,
    show_score,
    wrapped,
)

#: What a list may be narrowed down to: a word of the verdicts, a cause, or what is wrong.
ONLY = (
    "agrees",
    "compatible",
    "holds",
    "undecided",
    "differs",
    "fails",
    "refuted",
    "explained",
    "unexplained",
    "not run",
    "listed",
    "problems",
)
#: So many things that are wrong are named on the one screen.
_MOST_NAMED = 6


@main.command(short_help="Compare the print with the records.")
@TARGETS
@click.option(
    "--paper", "papers", multiple=True, metavar="KEY", help="Of this paper alone."
)
@click.option("--all", "whole", is_flag=True, help="List every value, too.")
@click.option("--only", type=click.Choice(ONLY), help="List these values alone.")
@choice("--format", ["table", "json", "csv"], "For people, or the ledger for machines.")
@choice(
    "--profile",
    ["paper", "quick"],
    "Which records to compare; quick: the last quick run's.",
)
@click.option(
    "--allow-missing", is_flag=True, help="Records that are not there are no fault."
)
@click.pass_context
def verify(context, targets, *, papers, whole, only, format, profile, allow_missing):
    """Compare every published value with the records; nothing is computed.

    Shows the score by paper, and what is wrong: a value that differs without a declaration in
    data/deviations.yaml, a declaration whose value no longer differs, and records that are
    missing, stale or altered. The list of --all and --only fits a pager, as in `companion verify
    --all | less`.
    """
    gc.disable()  # there are many records, and they stay
    from companion.reproduction.artefacts import faults_of_papers
    from companion.reproduction.display import ledger_text
    from companion.reproduction.reproduce import read_kept_ledgers, read_ledgers
    from companion.reproduction.verdicts import problems

    chosen = [*targets, *papers]
    found = None if chosen or context.obj else read_kept_ledgers(profile)
    if found is None:
        found = read_ledgers(find_targets(context, chosen), profile)
    ledgers, gaps, failures = found
    shown = {name: _only(ledger, only) for name, ledger in ledgers.items()}
    faulty = {name: problems(ledger) for name, ledger in ledgers.items()}
    if not chosen:
        failures |= dict.fromkeys(faults_of_papers(), False)
    missing = [] if allow_missing else gaps["missing"]
    faults = [*failures, *gaps["stale"], *missing]
    if format != "table":
        click.echo(ledger_text(shown, format), nl=False)
    else:
        if whole or only:
            _list_values(shown, ledgers)
        if ledgers:
            show_score(ledgers)
        _tell_problems(faulty, len(faults))
    most = len(faults) if whole or format != "table" else _MOST_NAMED
    rest = " such files: companion verify --all"
    listed(faults, most, rest, partial(click.echo, err=True))
    differs = any(map(len, faulty.values())) or gaps["stale"]
    gc.freeze()  # nor need they be walked when all ends
    context.exit(exit_code(failures, differs or missing))


def _only(ledger, word):
    """The rows of a ledger that are of some word, all of them without one."""
    from companion.reproduction.scores import EXPLAINED, REFUTED
    from companion.reproduction.verdicts import problems

    statuses = {
        "explained": EXPLAINED,
        "unexplained": ("conjecture", "undeclared"),
        "refuted": (REFUTED,),
    }
    if word is None:
        return ledger
    if word == "problems":
        return problems(ledger)
    if word in statuses:
        return ledger[ledger["status"].isin(statuses[word])]
    return ledger[ledger["outcome"] == word]


def _list_values(shown, ledgers):
    """The values of each artefact, what departs first, under what they come to together."""
    from companion.reproduction.display import value_lines
    from companion.reproduction.scores import joint_lines

    for name, ledger in shown.items():
        if not len(ledger):
            continue
        heading(name)
        for text in joint_lines(ledgers[name]):
            wrapped(f"{text}.")
        for first, *details in value_lines(ledger):
            wrapped(first)
            for text in details:
                wrapped(f"    {text}", 6)


def _tell_problems(faulty, n_faults):
    """What is wrong, with file, row and advice."""
    texts = []
    for name, ledger in faulty.items():
        for line in ledger.to_dict("records"):
            place = f"data/published/{line['paper']}.csv, {name}: {line['row']}, {line['column']}"
            cell = f"{shlex.quote(line['row'])} {shlex.quote(line['column'])}"
            advice = f"companion explain {name} {cell}"
            texts.append(f"{place}: {line['problem']} ({advice})")
    if n_wrong := len(texts) + n_faults:
        heading(f"Wrong: {n_wrong}")
        listed(texts, _MOST_NAMED, " values: companion verify --only problems")
    else:
        click.echo("\nNothing is wrong. The list of all values: companion verify --all")


@main.command(short_help="All there is about one value.")
@click.argument("target", metavar="PAPER/ARTEFACT")
@click.argument("row", required=False)
@click.argument("column", required=False)
@click.pass_context
def explain(context, target, row, column):
    """Show all there is about one value: print, verdict, records, code, and how to see it again.

    Without ROW and COLUMN the rows to choose from are listed, each with its columns.
    """
    from companion.reproduction.display import explained
    from companion.reproduction.reproduce import Reproduction
    from companion.reproduction.run import read_stored

    run = Reproduction("paper", read=read_stored)
    reports = [run.compute(artefact) for artefact in find_targets(context, [target])]
    lines = [
        (report, line)
        for report in reports
        if report.ledger is not None
        for line in report.ledger.to_dict("records")
    ]
    if not lines:
        faults = [text for report in reports for text in report.failures]
        none = f"{target} has no printed values."
        raise click.UsageError("\n".join(faults) or none, context)
    faults = {
        "row": (row, f"{target} has no row"),
        "column": (column, f"Row {shlex.quote(row or '')} of {target} has no column"),
    }
    for name, (asked, fault) in faults.items():
        if asked is not None:
            _check_known(context, fault, asked, [line[name] for _, line in lines])
            lines = [(r, line) for r, line in lines if line[name] == asked]
    if column is None:
        _list_rows([line for _, line in lines])
        return
    for number, (report, line) in enumerate(lines):
        if number:
            click.echo()
        frames = {name: records.frame for name, records in report.records.items()}
        for name, text in explained(line, report.artefact, frames).items():
            wrapped(f"{name:<16}{text}", 16)


def _check_known(context, fault, name, known):
    """Stop at a name that is not known, with the nearest that are, as a shell wants them."""
    if name in known:
        return
    known = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known[:3]
    nearest = ", ".join(map(shlex.quote, close))
    raise click.UsageError(
        f"{fault} {shlex.quote(name)}. Did you mean {nearest}?", context
    )


def _list_rows(lines):
    """Each row with its columns, quoted as a shell wants them."""
    of_rows = {}
    for line in lines:
        place = f"{line['paper']}/{line['artefact']} {shlex.quote(line['row'])}"
        of_rows.setdefault(place, []).append(shlex.quote(line["column"]))
    for place, column_names in of_rows.items():
        whole_names = [
            name.replace(" ", "\xa0") for name in column_names
        ]  # to be copied
        wrapped(f"{place}  {'  '.join(whole_names)}")
