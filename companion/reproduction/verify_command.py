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
    wrapped,
)

#: What a list may be narrowed down to: a word of the verdicts, or what is wrong.
ONLY = (
    "matches",
    "differs, explained",
    "differs, unexplained",
    "not tested",
    "holds",
    "fails",
    "open",
    "problems",
)
#: So many things that are wrong are named on the one screen.
_MOST_NAMED = 6


@main.command(short_help="Compare the print with the records.")
@TARGETS
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
@click.option(
    "--print",
    "texts",
    type=click.Path(exists=True, file_okay=False),
    metavar="FOLDER",
    help="Hold quotations and printed numbers against <paper>.txt in it, instead.",
)
@click.pass_obj
def verify(given, targets, *, whole, only, format, profile, allow_missing, texts):
    """Compare every published value with the records; nothing is computed.

    Shows the score by paper, and what is wrong: a value that differs without a declaration in
    data/deviations.yaml, a declaration whose value no longer differs, and records that are
    missing, stale or altered. The list of --all and --only fits a pager, as in `companion verify
    --all | less`.
    """
    if texts is not None:
        return _verify_print(texts)
    gc.disable()  # there are many records, and they stay
    from companion.reproduction.display import by_paper, ledger_text, score_table
    from companion.reproduction.reproduce import read_ledgers, read_project
    from companion.reproduction.scores import scored_as_on_record
    from companion.reproduction.verdicts import problems

    def read(profile):
        if targets or given:
            return read_ledgers(find_targets(given, targets), profile)
        return read_project(partial(find_targets, None, ()), profile)

    ledgers, gaps, failures = read(profile)
    if profile != "paper":
        ledgers = scored_as_on_record(ledgers, read("paper")[0])
    missing = [] if allow_missing else gaps["missing"]
    faults = [*failures, *gaps["stale"], *missing]
    wrong = {name: problems(ledger) for name, ledger in ledgers.items()}
    shown = {name: _only(ledger, only) for name, ledger in ledgers.items()}
    if format != "table":
        click.echo(ledger_text(shown, format), nl=False)
    else:
        if whole or only:
            _list_values(shown, ledgers)
        if ledgers:
            click.echo(score_table(by_paper(ledgers)).to_text())
        _show_problems(wrong, len(faults))
    most = len(faults) if whole or format != "table" else _MOST_NAMED
    rest = " such files: companion verify --all"
    listed(faults, most, rest, partial(click.echo, err=True))
    differs = any(map(len, wrong.values()))
    gc.freeze()  # nor need they be walked when all ends
    return exit_code(failures, differs or gaps["stale"] or missing)


def _verify_print(folder):
    """Compare what is quoted with the papers' texts, and name what is not there."""
    from companion.reproduction.quotations import check_print

    try:
        checks = check_print(folder)
    except FileNotFoundError as error:
        raise click.UsageError(str(error)) from None
    for check in checks:
        click.echo(
            f"{check.paper}: {check.n_quotations} quotations and {check.n_numbers} numbers"
            f" looked for, {len(check.faults)} not in the text, {len(check.formulas)} in formulas"
        )
        for fault in check.faults:
            wrapped(fault)
        for formula in check.formulas:
            wrapped(f"to be read by eye: {formula}")
    return exit_code({}, any(check.faults for check in checks))


def _only(ledger, word):
    """The rows of a ledger that are of some word, all of them without one."""
    from companion.reproduction.verdicts import problems

    if word is None:
        return ledger
    return problems(ledger) if word == "problems" else ledger[ledger["verdict"] == word]


def _list_values(shown, ledgers):
    """The values of each artefact, what departs first, under what they come to together."""
    from companion.reproduction.display import departures_first, joint_lines, sentence

    for name, ledger in shown.items():
        if not len(ledger):
            continue
        heading(name)
        for text in joint_lines(ledgers[name]):
            wrapped(f"{text}.")
        for line in departures_first(ledger).to_dict("records"):
            wrapped(sentence(line))


def _show_problems(wrong, n_faults):
    """What is wrong, with file, row and advice."""
    texts = [
        f"data/published/{line['paper']}.csv, {name}: {line['row']}, {line['column']}: "
        f"{line['problem']} (companion explain "
        f"{shlex.join([name, line['row'], line['column']])})"
        for name, ledger in wrong.items()
        for line in ledger.to_dict("records")
    ]
    if n_wrong := len(texts) + n_faults:
        heading(f"Wrong: {n_wrong}")
        listed(texts, _MOST_NAMED, " values: companion verify --only problems")
    else:
        click.echo("\nNothing is wrong. The list of all values: companion verify --all")


@main.command(short_help="All there is about one value.")
@click.argument("target", metavar="PAPER/ARTEFACT")
@click.argument("row", required=False)
@click.argument("column", required=False)
@click.pass_obj
def explain(given, target, row, column):
    """Show all there is about one value: print, verdict, records, code, and how to see it again.

    Without ROW and COLUMN the rows to choose from are listed, each with its columns.
    """
    from companion.reproduction.display import explained
    from companion.reproduction.reproduce import Reproduction
    from companion.reproduction.run import read_stored

    run = Reproduction("paper", read=read_stored)
    reports = {a.id: run.compute(a) for a in find_targets(given, [target])}
    ledgers = run.outcome()[0]
    lines = [line for own in ledgers.values() for line in own.to_dict("records")]
    if not lines:
        faults = [text for report in run.reports for text in report.failures]
        none = f"{target} has no printed values."
        raise click.UsageError("\n".join(faults) or none)
    lines = _narrowed(lines, "row", row, target)
    lines = _narrowed(lines, "column", column, f"Row {_quoted(row)} of {target}")
    if column is None:
        _list_rows(lines)
        return
    for number, line in enumerate(lines):
        if number:
            click.echo()
        report = reports[f"{line['paper']}/{line['artefact']}"]
        for name, text in explained(line, report.artefact).items():
            wrapped(f"{name:<16}{text}", 16)


def _quoted(name):
    return shlex.quote(name or "")


def _narrowed(lines, name, asked, owner):
    """The lines with the row or column asked for; stop with the nearest there are, if none has."""
    if asked is None:
        return lines
    known = list(dict.fromkeys(line[name] for line in lines))
    if asked not in known:
        close = difflib.get_close_matches(asked, known, n=3, cutoff=0.3) or known[:3]
        raise click.UsageError(
            f"{owner} has no {name} {_quoted(asked)}. "
            f"Did you mean {', '.join(map(_quoted, close))}?"
        )
    return [line for line in lines if line[name] == asked]


def _list_rows(lines):
    """Each row with its columns, quoted as a shell wants them, each in one line to be copied."""
    columns = {}
    for line in lines:
        place = f"{line['paper']}/{line['artefact']} {_quoted(line['row'])}"
        name = _quoted(line["column"]).replace(" ", "\xa0")
        columns.setdefault(place, []).append(name)
    for place, names in columns.items():
        wrapped("  ".join([place, *names]))
