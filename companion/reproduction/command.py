"""The commands ``reproduce``, ``verify`` and ``report`` over all registered papers."""

import difflib
import gc
import re
import shutil
import sys
import textwrap

import click

OK, DEVIATION, USAGE, DATA, FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_CODES = """\
\b
Exit codes:
    0  all is well (data that cannot be had are named, and are no fault)
    1  an undeclared deviation, or one that has healed; of verify, records missing or stale
    2  a mistake in the command; nothing was run
    3  a file of data, records or printed values is damaged, or data could not be fetched
    4  a unit, a comparison, a notebook or a page of the site failed
  130  interrupted; the same command goes on from there
"""
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}
PARAMETER = "A parameter of the notebooks asked for; may be repeated."
#: The advice with which a reason ends that a command can mend.
_FETCH = re.compile(r"; set COMPANION_DATA to .* or run `companion data fetch (\S+)`(?: later)?")
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
    papers = dict.fromkeys(artefact.paper for artefact in artefacts)
    known, faults = [*filter(None, papers), *(artefact.id for artefact in artefacts)], []
    for target in (target for target in targets if target not in known):
        close = difflib.get_close_matches(target, known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}."
        faults.append(f"There is no paper or artefact {target!r}: {hint}")
    if faults:
        raise click.UsageError("\n".join(faults), context)
    return [a for a in artefacts if not targets or {a.paper, a.id} & {*targets}]


def columns(elsewhere=80):
    """Those of the terminal, or so many where the output goes elsewhere (any number: None)."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else elsewhere


def _wrapped(text, indent=4):
    click.echo(textwrap.fill(text, columns(), subsequent_indent=" " * indent))


def _show_verdicts(ledger, title, width):
    """A table of verdicts or, of some width, a paragraph a value with numbered notes below."""
    from companion.reproduction.display import verdict_lines, verdict_table

    if len(ledger) and width is None:
        click.echo(f"{verdict_table(ledger, title).to_text()}\n")
    elif len(ledger):
        notes = []
        click.echo(title)
        for text in verdict_lines(ledger, notes):
            _wrapped(text)
        for number, note in enumerate(notes, 1):
            _wrapped(f"[{number}] {note}")
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
        _wrapped(f"{artefact.id}  {artefact.title}")
        for p in artefact.parameters:
            if p.name not in {shared.name for shared in RUN_PARAMETERS}:
                _wrapped(f"    -p {p.name} {p.type.__name__.upper()}  {p.help} [{p.default}]", 8)


@main.command(epilog=EXIT_CODES, short_help="Compute, run the notebooks, compare.")
@TARGETS
@_choice("--profile", ["quick", "paper"], "Few repetitions in minutes, or the papers' own sizes.")
@click.option("--jobs", type=click.IntRange(-1), default=1, help="Processes; -1 for one a core.")
@_choice("--backend", ["loky", "dask"], "Who runs the processes.")
@click.option("--scheduler", metavar="ADDRESS", help="A running Dask scheduler of this version.")
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
    on this machine, or uses that of a scheduler.
    """
    if options["jobs"] == 0:
        raise click.UsageError("--jobs must be at least 1, or -1 for one a core. Got 0.", context)
    artefacts = _targets(context, targets, across=True)
    if listing:
        _list_targets(artefacts)
        return
    checked = _checked(artefacts, profile, dict(parameters), in_place)
    from companion.reproduction.errors import ClusterError
    from companion.reproduction.reproduce import Reproduction
    from companion.reproduction.workers import check_backend

    try:
        check_backend(options["backend"], options["scheduler"])
    except (ClusterError, ValueError) as error:
        raise click.UsageError(str(error), context) from error
    run, reports = Reproduction(profile, **options), []
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
                _wrapped(str(report.notebook))
        run.finish()
    except ClusterError as error:
        click.echo(error, err=True)
        context.exit(FAILED)
    code = _summarise(reports, run, in_place)
    if in_place and (others := _also_read(_targets(context, ()), reports)):
        command = f"companion reproduce {' '.join(others)} --profile paper --in-place"
        _wrapped(f"Other notebooks read what was computed: `{command}` brings them up to date.")
    if site:
        _heading("Report")
        code = code or _build_report(context, tell=False, profile=profile)
    context.exit(code)


def _also_read(artefacts, reports):
    """Those that were not reproduced and read records that were computed now."""
    new = {study for report in reports if report.computed for study in report.artefact.studies}
    done = {report.artefact.id for report in reports}
    return [a.id for a in artefacts if a.id not in done and new.intersection(a.studies)]


def _tell(report):
    """What became of the records of one artefact, as soon as it is known."""
    missing = sum(n for records in report.records.values() for _, n in records.missing)
    text = f"{report.computed} units computed" + f"; {missing} units missing" * (missing > 0)
    if report.failures or report.artefact.studies:
        click.echo(f"      {text}{'; FAILED' if report.failures else ''}")


def _lacks(reports):
    """What units and records lack: one line a reason, one a study, and what brings the data."""
    stopped, stale = {}, []
    for report in reports:
        for name, records in report.records.items():
            study = f"{report.artefact.paper}/{name}"
            for reason, n in records.missing:
                stopped.setdefault(reason, {})[study] = f"{n} units of {study}"
            stale += records.gaps["stale"]
    fetched = dict.fromkeys(key for reason in stopped for key in _FETCH.findall(reason))
    missing = [
        f"{_FETCH.sub('', reason)} ({', '.join(units.values())})"
        for reason, units in stopped.items()
    ]
    if fetched:
        missing.append(f"Run `companion data fetch {' '.join(fetched)}`, or name a folder that has")
        missing[-1] += " <key>/<file name> of them by COMPANION_DATA."
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
            click.echo("\n".join(dict.fromkeys(lines)))
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
    from companion.reproduction.reproduce import read_ledgers

    artefacts = _targets(context, [target])
    ledgers, _, failures = read_ledgers(artefacts)
    lines = {a: ledgers[a.id].to_dict("records") for a in artefacts if a.id in ledgers}
    told = [explained(line, artefact) for artefact, own in lines.items() for line in own]
    found = [value for value in told if (value["row"], value["column"]) == (row, column)]
    if not found:
        known = [f"{value['row']!r} {value['column']!r}" for value in told]
        close = difflib.get_close_matches(f"{row!r} {column!r}", known, n=3, cutoff=0.0)
        fault = f"{target} has no such value. Did you mean {', '.join(close)}?"
        raise click.UsageError("\n".join(failures) or fault, context)
    for name, text in (pair for value in found for pair in value.items()):
        _wrapped(f"{name:<16}{text}", 16)


# -- report ---------------------------------------------------------------------------------


@main.command(epilog=EXIT_CODES, short_help="Build the static site.")
@click.option("--output", type=click.Path(file_okay=False), help="Its folder: build/report/html.")
@_choice("--profile", ["paper", "quick"], "Committed notebooks, or those of the last quick run.")
@click.pass_context
def report(context, **options):
    """Build the static site: notebooks, verdicts, errata, times, API. Nothing is computed.

    The site works from its folder, without a server and without network. It needs Sphinx: `pip
    install svm-companion[docs]`.
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
