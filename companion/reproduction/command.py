"""The commands ``reproduce``, ``verify`` and ``report`` over all registered papers."""

import difflib
import gc
import os
import shlex
import shutil
import sys
import textwrap
from collections import Counter
from contextlib import contextmanager, suppress

import click

OK = 0
DEVIATION = 1
USAGE = 2
DATA = 3
FAILED = 4
INTERRUPTED = 130
BROKEN_PIPE = 141
EXIT_CODES = """\
\b
Exit codes:
    0  all is well (data that cannot be had are named, and are no fault)
    1  an undeclared deviation, or a healed one; of verify, old or missing records
    2  a mistake in the command; nothing was run
    3  a file of data, records or print is damaged, or data could not be fetched
    4  a unit, a comparison, a notebook, a page of the site or a paper's import failed
  130  interrupted; the same command goes on from there
  141  nobody reads on what it writes, as after `| head`
"""
CONTEXT = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "show_default": True,
}
PARAMETER = "A parameter of the notebooks asked for; may be repeated."
#: So many values that are worse than on record are named at the end of a run.
_MOST_NAMED = 6
TARGETS = click.argument("targets", nargs=-1, metavar="[PAPER or PAPER/ARTEFACT]...")


def _choice(flag, words, text):
    """An option that is one of some words, by default the first."""
    return click.option(flag, type=click.Choice(words), default=words[0], help=text)


@contextmanager
def _reader_may_leave():
    """End quietly, as other programs do, if nobody reads on, such as ``head`` in a pipe."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # for what is still buffered
        sys.exit(BROKEN_PIPE)


class _Group(click.Group):
    """A group of commands that say so when they are interrupted."""

    def make_context(self, *words, **options):
        with _reader_may_leave():  # of a help page
            return super().make_context(*words, **options)

    def invoke(self, context):
        try:
            with _reader_may_leave():
                return super().invoke(context)
        except KeyboardInterrupt:
            kept = "What is finished is kept; the same command goes on from there."
            click.echo(f"\nInterrupted. {kept}", err=True)
            context.exit(INTERRUPTED)


@click.group(cls=_Group, context_settings=CONTEXT, epilog=EXIT_CODES)
@click.version_option(package_name="svm-companion")
@click.pass_context
def main(context):
    """Reproduce five support vector machine papers, and compare with what they print."""
    _ask_for("reproduce", context)


def _ask_for(extra, context):
    """Stop before anything runs if something that an extra brings is not installed."""
    from companion._utils.extras import advice

    if lacking := advice(extra):
        raise click.UsageError(lacking, context)


def _targets(context, targets, across=False):
    """The artefacts that are meant, all if none is named; `across` adds those about all papers."""
    from companion.reproduction.artefacts import list_across, list_artefacts

    artefacts = context.obj or list_artefacts() + (list_across() if across else [])
    if not artefacts:
        from companion._utils.paths import project_root

        fault = f"{project_root()} has nothing of any paper: no data/published/<paper>.csv and no"
        raise click.UsageError(f"{fault} notebooks/<paper>.", context)
    papers = dict.fromkeys(filter(None, (artefact.paper for artefact in artefacts)))
    known = [*papers, *(artefact.id for artefact in artefacts)]
    faults = []
    for target in (target for target in targets if target not in known):
        close = difflib.get_close_matches(target.lower(), known, n=1, cutoff=0.5)
        hint = (
            f"did you mean {close[0]!r}?"
            if close
            else f"the papers are {', '.join(papers)};"
        )
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
    fitting = textwrap.wrap(
        text,
        columns(),
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,  # paths, to be copied
    )
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
    checked = []
    faults = []
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
                kind = (
                    "|".join(map(str, p.choices))
                    if p.choices
                    else p.type.__name__.upper()
                )
                wrapped(f"    -p {p.name} {kind}  {p.help} [{p.default}]", 8)


@main.command(epilog=EXIT_CODES, short_help="Compute, run the notebooks, compare.")
@TARGETS
@_choice(
    "--profile",
    ["quick", "paper"],
    "Few repetitions in minutes, or the papers' own sizes.",
)
@click.option(
    "--jobs", type=click.IntRange(-1), default=1, help="Processes; -1 for one a core."
)
@_choice("--backend", ["loky", "dask"], "Who runs the processes.")
@click.option(
    "--fresh", is_flag=True, help="Compute everything anew, whatever is on record."
)
@click.option(
    "--in-place", is_flag=True, help="Write notebooks back, with --fresh times as well."
)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    nargs=2,
    multiple=True,
    metavar="NAME VALUE",
    help=PARAMETER,
)
@click.option(
    "--report", "site", is_flag=True, help="Build the static site at the end."
)
@click.option(
    "--list", "listing", is_flag=True, help="List artefacts and parameters, run none."
)
@click.pass_context
def reproduce(
    context, targets, *, profile, parameters, in_place, site, listing, **options
):
    """Compute tables and figures, run their notebooks, and compare with the print.

    Without a target all artefacts are reproduced. Records that are there are used (profile paper)
    and every finished unit is kept, so that an interrupted run goes on where it stopped. The
    numbers do not depend on the number of processes, nor on who runs them: dask starts a cluster
    on this machine, or uses the scheduler that DASK_SCHEDULER_ADDRESS names.
    """
    if options["jobs"] == 0:
        raise click.UsageError(
            "--jobs must be at least 1, or -1 for one a core. Got 0.", context
        )
    if site:
        _ask_for("docs", context)
    if options["backend"] == "dask":
        _ask_for("distributed", context)
    artefacts = _targets(context, targets, across=True)
    if listing:
        _list_targets(artefacts)
        return
    checked = _checked(artefacts, profile, dict(parameters), in_place)
    from companion.reproduction.errors import ClusterError
    from companion.reproduction.reproduce import Reproduction

    run = Reproduction(profile, **options)
    reports = []
    _check_folders(context, run, in_place)
    _note_code(artefacts)
    try:
        with run.notebooks(in_place=in_place) as (start, finished):
            for number, (artefact, values) in enumerate(
                zip(artefacts, checked, strict=True), 1
            ):
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
    code = _summarise(reports, run, all_papers=not targets)
    if site:
        built = _build_report(context, tell=False, profile=profile)
        code = code or built
    context.exit(code)


def _check_folders(context, run, in_place):
    """Stop before anything is computed that could not be written."""
    from companion._utils.paths import notebooks_dir, unwritable

    for folder in [run.outputs, *[notebooks_dir()] * in_place]:
        if why := unwritable(folder):
            raise click.UsageError(why, context)


def _note_code(artefacts):
    """Take the digests of the sources that are loaded, and not of those that are edited later."""
    from companion.reproduction.codehash import code_digest

    for study in (study for artefact in artefacts for study in artefact.studies):
        with suppress(ValueError):  # told where its turn comes
            code_digest(study.compute)


def _tell(report):
    """What became of the records of one artefact, as soon as it is known."""
    missing = sum(n for records in report.records.values() for _, n in records.missing)
    text = f"{report.computed} units computed" + f"; {missing} units missing" * (
        missing > 0
    )
    if report.failures or report.artefact.studies:
        click.echo(f"      {text}{'; FAILED' if report.failures else ''}")


def _missing(reports):
    """A line for each reason why units could not be computed, with how many these are."""
    stopped = Counter()
    told = {}
    for report in reports:
        for name, records in report.records.items():
            for why, n_units in records.missing:
                told[why, report.artefact.paper, name] = n_units
    for (why, *_), n_units in told.items():
        stopped[why] += n_units
    return [f"{n_units} units: {why}" for why, n_units in stopped.items()]


def _stale(reports):
    """What is told of records that were made by other code."""
    gaps = [records.gaps for report in reports for records in report.records.values()]
    return [*dict.fromkeys(text for found in gaps for text in found["stale"])]


def _summarise(reports, run, all_papers):
    """The end of a run, of a screen at most, and its exit code."""
    from companion.reproduction.artefacts import faults_of_papers
    from companion.reproduction.reproduce import failures_of, read_ledgers
    from companion.reproduction.verdicts import problems

    ledgers = {r.artefact.id: r.ledger for r in reports if r.ledger is not None}
    notebooks = [report.notebook for report in reports if report.notebook is not None]
    failures = failures_of((report.artefact.id, report.failures) for report in reports)
    failures |= {str(book): False for book in notebooks if book.failure}
    if all_papers:
        failures |= dict.fromkeys(faults_of_papers(), False)
    on_record = {}
    if run.profile != "paper" and ledgers:
        artefacts = [
            report.artefact for report in reports if report.artefact.id in ledgers
        ]
        on_record, _, unread = read_ledgers(artefacts)
        failures |= unread
    _show_score(ledgers, on_record, run.profile)
    if missing := _missing(reports):
        _heading("Missing")
    for line in missing:
        click.echo(line)
    for title, texts in {"Old records": _stale(reports), "Failed": failures}.items():
        if texts:
            _heading(title)
        for line in dict.fromkeys("\n".join(texts).splitlines()):
            wrapped(line)
    if any(notebook.output is not None for notebook in notebooks):
        click.echo(f"\nThe notebooks of this run: {run.outputs}")
    return _code(failures, any(len(problems(ledger)) for ledger in ledgers.values()))


def _show_score(ledgers, on_record, profile):
    """The score of a run, beside that on record if it has another profile, and what is worse."""
    from companion.reproduction import display

    if not ledgers:
        return
    _heading(f"Score, {profile} profile")
    if on_record:
        columns_of = {
            "on record (paper profile)": on_record,
            f"this run ({profile})": ledgers,
        }
        table = display.beside_table(columns_of)
    else:
        table = display.summary_table(ledgers)
    click.echo(table.to_text(columns()))
    worse = display.worse_lines(ledgers, on_record)
    click.echo()
    if not worse:
        click.echo("Nothing is worse than expected.")
    for line in worse[:_MOST_NAMED]:
        wrapped(f"Worse than expected: {line}")
    if worse[_MOST_NAMED:]:
        more = len(worse) - _MOST_NAMED
        click.echo(f"... and {more} more: companion verify --profile {profile}")


def _code(failures, differs):
    """The exit code, of what failed (and whether for damage), and of what differs."""
    if failures:
        return DATA if all(failures.values()) else FAILED
    return DEVIATION if differs else OK


# -- verify ---------------------------------------------------------------------------------


@main.command(
    epilog=EXIT_CODES, short_help="Compare the print with the records, by value."
)
@TARGETS
@_choice(
    "--profile",
    ["paper", "quick"],
    "Which records to compare; quick: the last quick run's.",
)
@click.option(
    "--only-problems", is_flag=True, help="Show only the values that make this fail."
)
@_choice(
    "--format",
    ["table", "json", "csv"],
    "Tables for people, or the ledger for machines.",
)
@click.option(
    "--allow-missing", is_flag=True, help="Records that are not there are no fault."
)
@click.pass_context
def verify(context, targets, *, profile, only_problems, format, allow_missing):
    """Compare every published value with the records, one line a value; nothing is computed.

    What differs for a conjecture, or for no reason, comes first. Fails on a value that differs
    without a declaration in data/deviations.yaml, on a declaration whose value no longer differs,
    and on records that are missing, stale or altered.
    """
    gc.disable()  # there are many records, and they stay
    from companion.reproduction import display
    from companion.reproduction.artefacts import faults_of_papers
    from companion.reproduction.reproduce import read_ledgers
    from companion.reproduction.verdicts import problems

    ledgers, gaps, failures = read_ledgers(_targets(context, targets), profile)
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
    if not targets:
        failures |= dict.fromkeys(faults_of_papers(), False)
    for text in [*gaps["missing"], *gaps["stale"], *failures]:
        click.echo(text, err=True)
    differs = any(map(len, faulty.values())) or gaps["stale"]
    gc.freeze()  # nor need they be walked when all ends
    context.exit(_code(failures, differs or (gaps["missing"] and not allow_missing)))


def _unexplained(ledgers):
    """The rows that differ for a reason that is a conjecture, or for none."""
    import pandas as pd

    parts = [
        ledger.assign(row=f"{name}: " + ledger["row"])
        for name, ledger in ledgers.items()
    ]
    whole = pd.concat(parts) if parts else pd.DataFrame({"status": []})
    return whole[whole["status"].isin(("conjecture", "undeclared"))]


@main.command(epilog=EXIT_CODES, short_help="All there is about one value.")
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
    reports = [run.compute(artefact) for artefact in _targets(context, [target])]
    lines = [
        (r, line)
        for r in reports
        if r.ledger is not None
        for line in r.ledger.to_dict("records")
    ]
    if column is None and lines:
        _list_rows([line for _, line in lines if row in (None, line["row"])], context)
        return
    found = [(r, x) for r, x in lines if (x["row"], x["column"]) == (row, column)]
    if not found:
        known = [f"{line['row']!r} {line['column']!r}" for _, line in lines]
        close = (
            difflib.get_close_matches(f"{row!r} {column!r}", known, n=3, cutoff=0.3)
            or known[:3]
        )
        fault = f"{target} has no such value. Did you mean {', '.join(close)}?"
        fault = fault if known else f"{target} has no printed values."
        faults = [text for report in reports for text in report.failures]
        raise click.UsageError("\n".join(faults) or fault, context)
    for report, line in found:
        frames = {name: own.frame for name, own in report.records.items()}
        for name, text in explained(line, report.artefact, frames).items():
            wrapped(f"{name:<16}{text}", 16)


def _list_rows(lines, context):
    """Each row with its columns, quoted as a shell wants them."""
    if not lines:
        raise click.UsageError(
            "There is no such row; without one all rows are listed.", context
        )
    of_rows = {}
    for line in lines:
        place = f"{line['paper']}/{line['artefact']} {shlex.quote(line['row'])}"
        of_rows.setdefault(place, []).append(shlex.quote(line["column"]))
    for place, own in of_rows.items():
        wrapped(f"{place}  {'  '.join(own)}")


# -- report ---------------------------------------------------------------------------------


@main.command(epilog=EXIT_CODES, short_help="Build the static site.")
@click.option(
    "--output", type=click.Path(file_okay=False), help="Its folder: build/report/html."
)
@_choice(
    "--profile",
    ["paper", "quick"],
    "Committed notebooks, or those of the last quick run.",
)
@click.pass_context
def report(context, **options):
    """Build the static site: notebooks, verdicts, errata, times, API. Nothing is computed.

    The site works from its folder, without a server and without network. It needs Sphinx and
    others, the extra `docs`.
    """
    context.exit(_build_report(context, **options))


def _build_report(context, tell=True, **options):
    """The exit code; with `tell` what is missing or old, as a run has said already."""
    _ask_for("docs", context)
    from companion.reproduction.report import ReportError, build_report

    try:
        site = build_report(artefacts=context.obj, **options)
    except ReportError as error:
        raise click.UsageError(str(error), context) from error
    for text in [*(site.remarks if tell else ()), *site.faults]:
        click.echo(text, err=True)
    click.echo(f"{site.pages} pages in {site.seconds:.0f} s, {len(site.faults)} faults")
    click.echo(f"The site: {site.index}")
    return FAILED if site.faults else OK
