"""The commands ``reproduce``, ``verify`` and ``report`` over all registered papers."""

import difflib
import gc
import re
import shutil
import sys
import textwrap
from collections import Counter
from contextlib import suppress

import click

OK, DEVIATION, USAGE, DATA, FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_CODES = """\
\b
Exit codes:
    0  all is well (data that cannot be had are named, and are no fault)
    1  an undeclared deviation, or a healed one; of verify, old or missing records
    2  a mistake in the command; nothing was run
    3  a file of data, records or print is damaged, or data could not be fetched
    4  a unit, a comparison, a notebook or a page of the site failed
  130  interrupted; the same command goes on from there
"""
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}
PARAMETER = "A parameter of the notebooks asked for; may be repeated."
#: What of a reason is of one file alone: its name, and the advice if a command can mend it.
_FILE = re.compile(r"\A\S+(?: of '\S+' is not here and|,) |; set COMPANION_DATA to .*")
_FETCH = re.compile(r"`companion data fetch (\S+)`")
TARGETS = click.argument("targets", nargs=-1, metavar="[PAPER or PAPER/ARTEFACT]...")


def _choice(flag, words, text):
    """An option that is one of some words, by default the first."""
    return click.option(flag, type=click.Choice(words), default=words[0], help=text)


class _Group(click.Group):
    """A group of commands that say so when they are interrupted."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            kept = "What is finished is kept; the same command goes on from there."
            click.echo(f"\nInterrupted. {kept}", err=True)
            context.exit(INTERRUPTED)


@click.group(cls=_Group, context_settings=CONTEXT, epilog=EXIT_CODES)
@click.version_option(package_name="svm-companion")
def main():
    """Reproduce five support vector machine papers, and compare with what they print."""


def _targets(context, targets, across=False):
    """The artefacts that are meant, all if none is named; `across` adds those about all papers."""
    from companion.reproduction.artefacts import list_across, list_artefacts

    artefacts = context.obj or list_artefacts() + (list_across() if across else [])
    papers = dict.fromkeys(filter(None, (artefact.paper for artefact in artefacts)))
    known, faults = [*papers, *(artefact.id for artefact in artefacts)], []
    for target in (target for target in targets if target not in known):
        close = difflib.get_close_matches(target.lower(), known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"the papers are {', '.join(papers)};"
        hint += "" if close else " `companion reproduce --list` names their artefacts."
        faults.append(f"There is no paper or artefact {target!r}: {hint}")
    if faults:
        raise click.UsageError("\n".join(faults), context)
    return [a for a in artefacts if not targets or {a.paper, a.id} & {*targets}]


def columns(elsewhere=80):
    """Those of the terminal, or so many where the output goes elsewhere (any number: None)."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else elsewhere


def wrapped(text, indent=4, err=False):
    """Print a text in lines that fit the terminal."""
    fitting = textwrap.wrap(text, columns(), subsequent_indent=" " * indent, break_on_hyphens=False)
    click.echo("\n".join(fitting), err=err)


def _show_verdicts(ledger, title, width):
    """A table of verdicts or, of some width, a paragraph a value with numbered notes below."""
    from companion.reproduction.display import verdict_lines, verdict_table

    if len(ledger) and width is None:
        click.echo(f"{verdict_table(ledger, title).to_text()}\n")
    elif len(ledger):
        notes = []
        click.echo(title)
        for text in verdict_lines(ledger, notes):
            wrapped(text)
        for number, note in enumerate(notes, 1):
            wrapped(f"[{number}] {note}")
        click.echo()


def _heading(text):
    click.echo(f"\n{text}\n{'=' * len(text)}")


# -- reproduce ------------------------------------------------------------------------------


def _checked(artefacts, profile, given, in_place):
    """Parameters of each artefact, checked before anything is computed."""
    from companion.reproduction.parameters import ParameterError, check_parameters

    if "profile" in given:
        raise click.UsageError("The profile is chosen with --profile, not with -p.")
    if in_place and (given or profile != "paper"):
        raise click.UsageError(
            "--in-place needs --profile paper without -p, as committed notebooks have their own "
            "parameters."
        )
    checked, faults = [], []
    for artefact in artefacts:
        known = any(parameter.name == "profile" for parameter in artefact.parameters)
        values = {"profile": profile, **given} if known else given
        try:
            checked.append(check_parameters(artefact, values, text=True))
        except ParameterError as error:
            faults.append(str(error))
    if faults:
        raise click.UsageError("\n".join(faults))
    return checked


def _list_targets(artefacts):
    """Artefacts with the parameters of their own; those that all have are options."""
    from companion.reproduction.artefacts import RUN_PARAMETERS

    for artefact in artefacts:
        wrapped(f"{artefact.id}  {artefact.title}")
        for p in artefact.parameters:
            if p.name not in {shared.name for shared in RUN_PARAMETERS}:
                kind = "|".join(map(str, p.choices)) if p.choices else p.type.__name__.upper()
                wrapped(f"    -p {p.name} {kind}  {p.help} [{p.default}]", 8)


@main.command(epilog=EXIT_CODES, short_help="Compute, run the notebooks, compare.")
@TARGETS
@_choice("--profile", ["quick", "paper"], "Few repetitions in minutes, or the papers' own sizes.")
@click.option("--jobs", type=click.IntRange(-1), default=1, help="Processes; -1 for one a core.")
@_choice("--backend", ["loky", "dask"], "Who runs the processes.")
@click.option("--fresh", is_flag=True, help="Compute everything anew, whatever is on record.")
@click.option("--in-place", is_flag=True, help="Write notebooks back, with --fresh times as well.")
@click.option(
    "-p", "--parameter", "parameters", nargs=2, multiple=True, metavar="NAME VALUE", help=PARAMETER
)
@click.option("--report", "site", is_flag=True, help="Build the static site at the end.")
@click.option("--list", "listing", is_flag=True, help="List artefacts and parameters, run none.")
@click.pass_context
def reproduce(context, targets, *, profile, parameters, in_place, site, listing, **options):
    """Compute tables and figures, run their notebooks, and compare with the print.

    Without a target all artefacts are reproduced. Records that are there are used (profile paper)
    and every finished unit is kept, so that an interrupted run goes on where it stopped. The
    numbers do not depend on the number of processes, nor on who runs them: dask starts a cluster
    on this machine, or uses the scheduler that DASK_SCHEDULER_ADDRESS names.
    """
    if options["jobs"] == 0:
        raise click.UsageError("--jobs must be at least 1, or -1 for one a core. Got 0.", context)
    artefacts = _targets(context, targets, across=True)
    if listing:
        _list_targets(artefacts)
        return
    checked = _checked(artefacts, profile, dict(parameters), in_place)
    from companion.reproduction.codehash import code_digest
    from companion.reproduction.errors import ClusterError
    from companion.reproduction.reproduce import Reproduction

    if options["backend"] == "dask":  # without which nothing need begin
        from companion.reproduction import _dask  # noqa: F401
    run, reports = Reproduction(profile, **options), []
    for study in (study for artefact in artefacts for study in artefact.studies):
        with suppress(ValueError):  # told where its turn comes
            code_digest(study.compute)  # of the sources that are loaded, and not edited later
    try:
        with run.notebooks(in_place=in_place) as (start, finished):
            for number, (artefact, values) in enumerate(zip(artefacts, checked, strict=True), 1):
                text = f"[{number}/{len(artefacts)}] {artefact.id}: {artefact.title}"
                click.echo(textwrap.shorten(text, columns(), placeholder=" ..."))
                reports.append(run.compute(artefact))
                _tell(reports[-1])
                start(reports[-1], values)
            _heading("Notebooks")
            for report in finished():
                wrapped(str(report.notebook))
        run.finish()
    except ClusterError as error:
        click.echo(error, err=True)
        context.exit(FAILED)
    code = _summarise(reports, run, in_place)
    if site:
        _heading("Report")
        built = _build_report(context, tell=False, profile=profile)
        code = code or built
    context.exit(code)


def _tell(report):
    """What became of the records of one artefact, as soon as it is known."""
    missing = sum(n for records in report.records.values() for _, n in records.missing)
    text = f"{report.computed} units computed" + f"; {missing} units missing" * (missing > 0)
    if report.failures or report.artefact.studies:
        click.echo(f"      {text}{'; FAILED' if report.failures else ''}")


def _lacks(reports):
    """What units and records lack: what each reason stops, and the command that brings the data."""
    stopped, told, stale = {}, {}, []
    for report in reports:
        for name, records in report.records.items():
            stopped |= {(f"{report.artefact.paper}/{name}", why): n for why, n in records.missing}
            stale += records.gaps["stale"]
    for (study, why), n in stopped.items():
        units = told.setdefault(_FILE.sub("", why), Counter())
        units[study] += n
    missing = [
        f"{why}; missing units: {', '.join(f'{n} of {study}' for study, n in units.items())}"
        for why, units in told.items()
    ]
    if fetched := dict.fromkeys(key for _, why in stopped for key in _FETCH.findall(why)):
        missing.append("Name a folder that has them as <key>/<file name> by COMPANION_DATA, or run")
        missing.append(f"companion data fetch {' '.join(fetched)}")
    return {"Missing": missing, "Old records": stale}


def _summarise(reports, run, in_place):
    """The end of a run, and its exit code."""
    from companion.reproduction.display import summary_table
    from companion.reproduction.reproduce import failures_of
    from companion.reproduction.verdicts import DEPARTS, problems

    ledgers = {r.artefact.id: r.ledger for r in reports if r.ledger is not None}
    if ledgers:
        _heading(f"Verdicts, {run.profile} profile")
        click.echo(f"{summary_table(ledgers).to_text(columns())}\n")
        for name, ledger in ledgers.items():
            differs = ledger["outcome"].isin(DEPARTS) | (ledger["problem"] != "")
            _show_verdicts(ledger[differs], f"{name}: what differs", columns())
    notebooks = [report.notebook for report in reports if report.notebook is not None]
    failures = failures_of((report.artefact.id, report.failures) for report in reports)
    failures |= {str(book): False for book in notebooks if book.failure}
    for title, lines in {**_lacks(reports), "Failed": failures}.items():
        if lines:
            _heading(title)
            for line in dict.fromkeys("\n".join(lines).splitlines()):
                # what is to be copied stays in one line
                (click.echo if line.startswith("companion ") else wrapped)(line)
    if any(notebook.output is not None for notebook in notebooks):
        back = ", and those that ran were written back to notebooks/" if in_place else ""
        click.echo(f"\nExecuted notebooks are in {run.outputs}{back}.")
    return _code(failures, any(len(problems(ledger)) for ledger in ledgers.values()))


def _code(failures, differs):
    """The exit code, of what failed (and whether for damage), and of what differs."""
    if failures:
        return DATA if all(failures.values()) else FAILED
    return DEVIATION if differs else OK


# -- verify ---------------------------------------------------------------------------------


@main.command(epilog=EXIT_CODES, short_help="Compare the print with the records, by value.")
@TARGETS
@_choice("--profile", ["paper", "quick"], "Which records to compare; quick: the last quick run's.")
@click.option("--only-problems", is_flag=True, help="Show only the values that make this fail.")
@_choice("--format", ["table", "json", "csv"], "Tables for people, or the ledger for machines.")
@click.option("--allow-missing", is_flag=True, help="Records that are not there are no fault.")
@click.pass_context
def verify(context, targets, *, profile, only_problems, format, allow_missing):
    """Compare every published value with the records, one line a value; nothing is computed.

    What differs for a conjecture, or for no reason, comes first. Fails on a value that differs
    without a declaration in data/deviations.yaml, on a declaration whose value no longer differs,
    and on records that are missing, stale or altered.
    """
    gc.disable()  # there are many records, and they stay
    from companion.reproduction import display
    from companion.reproduction.reproduce import read_ledgers
    from companion.reproduction.verdicts import problems

    ledgers, gaps, failures = read_ledgers(_targets(context, targets), profile, jobs=2)
    faulty = {name: problems(ledger) for name, ledger in ledgers.items()}
    shown = faulty if only_problems else ledgers
    if format == "table":
        _show_verdicts(_unexplained(shown), "Unexplained", columns(None))
        for name, ledger in shown.items():
            _show_verdicts(ledger, name, columns(None))
        if ledgers:
            click.echo(display.summary_table(ledgers).to_text(columns()))
    else:
        click.echo(display.ledger_text(shown, format), nl=False)
    for text in [*gaps["missing"], *gaps["stale"], *failures]:
        click.echo(text, err=True)
    differs = any(map(len, faulty.values())) or gaps["stale"]
    gc.freeze()  # nor need they be walked when all ends
    context.exit(_code(failures, differs or (gaps["missing"] and not allow_missing)))


def _unexplained(ledgers):
    """The rows that differ for a reason that is a conjecture, or for none."""
    import pandas as pd

    parts = [ledger.assign(row=f"{name}: " + ledger["row"]) for name, ledger in ledgers.items()]
    whole = pd.concat(parts) if parts else pd.DataFrame({"status": []})
    return whole[whole["status"].isin(("conjecture", "undeclared"))]


@main.command(epilog=EXIT_CODES, short_help="All there is about one value.")
@click.argument("target", metavar="PAPER/ARTEFACT")
@click.argument("row")
@click.argument("column")
@click.pass_context
def explain(context, target, row, column):
    """Show all there is about one value: print, verdict, records, code, and how to see it again.

    ROW and COLUMN are those that `companion verify PAPER/ARTEFACT` shows.
    """
    from companion.reproduction.display import explained
    from companion.reproduction.reproduce import Reproduction
    from companion.reproduction.run import read_stored

    run = Reproduction("paper", read=read_stored)
    reports = [run.compute(artefact) for artefact in _targets(context, [target])]
    lines = [
        (r, line) for r in reports if r.ledger is not None for line in r.ledger.to_dict("records")
    ]
    found = [(r, x) for r, x in lines if (x["row"], x["column"]) == (row, column)]
    if not found:
        known = [f"{line['row']!r} {line['column']!r}" for _, line in lines]
        close = (
            difflib.get_close_matches(f"{row!r} {column!r}", known, n=3, cutoff=0.3) or known[:3]
        )
        fault = f"{target} has no such value. Did you mean {', '.join(close)}?"
        fault = fault if known else f"{target} has no printed values."
        faults = [text for report in reports for text in report.failures]
        raise click.UsageError("\n".join(faults) or fault, context)
    for report, line in found:
        frames = {name: own.frame for name, own in report.records.items()}
        for name, text in explained(line, report.artefact, frames).items():
            wrapped(f"{name:<16}{text}", 16)


# -- report ---------------------------------------------------------------------------------


@main.command(epilog=EXIT_CODES, short_help="Build the static site.")
@click.option("--output", type=click.Path(file_okay=False), help="Its folder: build/report/html.")
@_choice("--profile", ["paper", "quick"], "Committed notebooks, or those of the last quick run.")
@click.pass_context
def report(context, **options):
    """Build the static site: notebooks, verdicts, errata, times, API. Nothing is computed.

    The site works from its folder, without a server and without network. It needs Sphinx and
    others, the extra `docs`.
    """
    context.exit(_build_report(context, **options))


def _build_report(context, tell=True, **options):
    """The exit code; with `tell` what is missing or old, as a run has said already."""
    from companion.reproduction.report import ReportError, build_report

    try:
        site = build_report(artefacts=context.obj, **options)
    except ReportError as error:
        raise click.UsageError(str(error), context) from error
    for text in [*(site.remarks if tell else ()), *site.faults]:
        click.echo(text, err=True)
    click.echo(f"{site.pages} pages in {site.seconds:.0f} s, {len(site.faults)} faults")
    click.echo(site.index)
    return FAILED if site.faults else OK
