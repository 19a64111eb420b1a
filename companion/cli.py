"""The ``companion`` command: reproduce, verify, report, data."""

from __future__ import annotations

import shutil
import sys

import click

PROFILES = ("quick", "paper")
OK, DEVIATION, USAGE, DATA, FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_CODES = """\
\b
Exit codes:
    0  all is well (data that cannot be had are named, and are no fault)
    1  an undeclared deviation, or a declared one that has healed
    2  a mistake in the command; nothing was run
    3  a data file is damaged or could not be fetched
    4  a unit, a comparison, a notebook or a page of the site failed
  130  interrupted; the same command goes on from there
"""
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=CONTEXT, epilog=EXIT_CODES)
@click.version_option(package_name="svm-companion")
def main():
    """Reproduce five support vector machine papers, and compare with what they print."""


def _artefacts(context, across=False):
    """All artefacts: those of the papers, or those a test hands over as the context's object.

    With `across`, the notebooks about all papers follow, which have nothing to verify.
    """
    if context.obj is not None:
        return list(context.obj)
    from companion.reproduction.artefacts import list_across, list_artefacts

    return list_artefacts() + (list_across() if across else [])


def _targets(context, targets, across=False):
    from companion.reproduction.reproduce import resolve_targets

    try:
        return resolve_targets(targets, _artefacts(context, across))
    except LookupError as error:
        raise click.UsageError(str(error), context) from error


def _width():
    """Width of the terminal, None where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _heading(text):
    click.echo(f"\n{text}\n{'=' * len(text)}")


# -- reproduce ------------------------------------------------------------------------------


def _check_all(context, artefacts, profile, given, in_place):
    """Parameters of each artefact, checked before anything is computed."""
    from companion.reproduction.parameters import ParameterError, check_parameters

    given = dict(given)
    if "profile" in given:
        raise click.UsageError("The profile is chosen with --profile, not with -p.", context)
    checked, faults = [], []
    for artefact in artefacts:
        known = any(parameter.name == "profile" for parameter in artefact.parameters)
        values = {**({"profile": profile} if known else {}), **given}
        try:
            checked.append(check_parameters(artefact, values, text=True))
        except ParameterError as error:
            faults.append(str(error))
            continue
        changed = [p.name for p in artefact.parameters if checked[-1][p.name] != p.default]
        if in_place and changed:
            faults.append(
                f"{artefact.id} cannot run in place: committed notebooks have their own "
                f"parameters, and {', '.join(changed)} would differ. Use --profile paper "
                "without -p."
            )
    if faults:
        raise click.UsageError("\n".join(faults), context)
    return checked


def _list_targets(artefacts):
    for artefact in artefacts:
        click.echo(f"{artefact.id}  {artefact.title}")
        for p in artefact.parameters:
            click.echo(f"    -p {p.name} {p.type.__name__.upper()}  {p.help} [{p.default}]")


@main.command(epilog=EXIT_CODES, short_help="Compute, run the notebooks, compare.")
@click.argument("targets", nargs=-1, metavar="[PAPER or PAPER/ARTEFACT]...")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="quick",
    show_default=True,
    help="Few repetitions in minutes, or the papers' own sizes.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=-1),
    default=1,
    show_default=True,
    metavar="N",
    help="Worker processes; -1 for one a core. The numbers do not depend on it.",
)
@click.option(
    "--backend",
    type=click.Choice(["loky", "dask"]),
    default="loky",
    show_default=True,
    help="Who runs the workers; dask starts a cluster on this machine.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="A running Dask scheduler to use instead; its workers need this version.",
)
@click.option("--fresh", is_flag=True, help="Compute everything anew, whatever is on record.")
@click.option(
    "--in-place",
    is_flag=True,
    help="Write the executed notebooks back to notebooks/ (needs --profile paper), and "
    "with --fresh the times to data/times.csv.",
)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    nargs=2,
    multiple=True,
    metavar="NAME VALUE",
    help="A parameter of the notebooks asked for; may be repeated.",
)
@click.option(
    "--report", "with_report", is_flag=True, help="Build the static site of this run at the end."
)
@click.option("--list", "show_list", is_flag=True, help="List artefacts and parameters, run none.")
@click.pass_context
def reproduce(
    context,
    targets,
    profile,
    jobs,
    backend,
    scheduler,
    fresh,
    in_place,
    parameters,
    with_report,
    show_list,
):
    """Compute tables and figures, run their notebooks, and compare with the print.

    Without a target all artefacts are reproduced. Records that are there are used (profile paper)
    and every finished unit is kept, so that an interrupted run goes on where it stopped.
    """
    if jobs == 0:
        raise click.UsageError("--jobs must be at least 1, or -1 for one a core. Got 0.", context)
    if scheduler and backend != "dask":
        raise click.UsageError("--scheduler needs --backend dask.", context)
    artefacts = _targets(context, targets, across=True)
    if show_list:
        _list_targets(artefacts)
        return
    checked = _check_all(context, artefacts, profile, parameters, in_place)
    from companion.reproduction.errors import ClusterError
    from companion.reproduction.reproduce import Reproduction
    from companion.reproduction.workers import check_backend

    try:
        check_backend(backend, scheduler)
    except (ClusterError, ValueError) as error:
        raise click.UsageError(str(error), context) from error
    run = Reproduction(profile, jobs=jobs, backend=backend, scheduler=scheduler, fresh=fresh)
    reports = []
    try:
        for number, artefact in enumerate(artefacts, 1):
            click.echo(f"[{number}/{len(artefacts)}] {artefact.id}: {artefact.title}")
            reports.append(run.compute(artefact))
            _tell(reports[-1])
        _heading("Notebooks")
        for report in run.run_notebooks(reports, checked, in_place=in_place):
            click.echo(str(report.notebook))
        run.finish()
    except KeyboardInterrupt:
        click.echo(
            "\nInterrupted. Every finished unit is kept; the same command goes on from there.",
            err=True,
        )
        context.exit(INTERRUPTED)
    code = _summarise(reports, run, in_place)
    if with_report:
        _heading("Report")
        report_code, _ = _build_report(context, tell=False, profile=profile)
        code = code or report_code
    context.exit(code)


def _tell(report):
    """What became of the records of one artefact, as soon as it is known."""
    parts = [f"{report.computed} units computed"]
    unavailable = sum(n for _, _, n in report.missing)
    if unavailable:
        parts.append(f"{unavailable} units missing")
    if report.failures:
        parts.append("FAILED")
    if len(parts) > 1 or report.artefact.studies:
        click.echo("      " + "; ".join(parts))


def _list_unless_empty(title, lines):
    lines = list(dict.fromkeys(lines))
    if lines:
        _heading(title)
        for line in lines:
            click.echo(line)


def _missing_lines(reports):
    """One line a reason, with the units that it stopped."""
    stopped = {}
    for report in reports:
        for study, reason, n in report.missing:
            stopped.setdefault(reason, {})[study] = n
    return [
        f"{reason} ({', '.join(f'{n} units of {study}' for study, n in studies.items())})"
        for reason, studies in stopped.items()
    ]


def _summarise(reports, run, in_place):
    """The end of a run, and its exit code."""
    from companion.reproduction.display import summary_table, verdict_table
    from companion.reproduction.verdicts import problems, repetitions

    ledgers = {r.artefact.id: r.ledger for r in reports if r.ledger is not None}
    bad = {name: problems(ledger) for name, ledger in ledgers.items()}
    if ledgers:
        _heading(f"Verdicts, {run.profile} profile")
        click.echo(summary_table(ledgers).to_text(_width()))
        if rests_on := repetitions(ledgers.values(), run.profile):
            click.echo(rests_on)
        for name, ledger in ledgers.items():
            shown = ledger[ledger["outcome"].str.startswith("differs") | (ledger["problem"] != "")]
            if len(shown):
                click.echo("\n" + verdict_table(shown, f"{name}: what differs").to_text(_width()))
    _list_unless_empty("Missing", _missing_lines(reports))
    _list_unless_empty(
        "Old records",
        (
            f"{study}: {n} records were made by other code; --fresh computes them again"
            for r in reports
            for study, n in r.stale
        ),
    )
    failures = [text for r in reports for text in r.failures]
    failures += [str(r.notebook) for r in reports if r.notebook is not None and not r.notebook.ok]
    _list_unless_empty("Failed", failures)
    if any(r.notebook is not None and r.notebook.output is not None for r in reports):
        back = ", and those that ran were written back to notebooks/" if in_place else ""
        click.echo(f"\nExecuted notebooks are in {run.outputs}{back}.")
    if failures:
        return FAILED
    return DEVIATION if any(len(found) for found in bad.values()) else OK


# -- verify ---------------------------------------------------------------------------------


@main.command(epilog=EXIT_CODES, short_help="Compare the print with the records, by value.")
@click.argument("targets", nargs=-1, metavar="[PAPER or PAPER/ARTEFACT]...")
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="paper",
    show_default=True,
    help="Which records to compare; quick ones are those of the last quick run.",
)
@click.option("--only-problems", is_flag=True, help="Show only the values that make this fail.")
@click.option("--markdown", is_flag=True, help="Print the section of the README instead.")
@click.option(
    "--readme",
    type=click.Path(exists=True, dir_okay=False),
    help="Write that section between the verdict markers of this file.",
)
@click.pass_context
def verify(context, targets, profile, only_problems, markdown, readme):
    """Compare every published value with the records, one line a value; nothing is computed.

    Fails on a value that differs without a declaration in data/deviations.yaml, and on a
    declaration whose value no longer differs.
    """
    from companion.reproduction.display import readme_section, update_between_markers
    from companion.reproduction.reproduce import read_ledgers
    from companion.reproduction.verdicts import problems

    ledgers, stale, failures = read_ledgers(_targets(context, targets), profile)
    if readme:
        try:
            changed = update_between_markers(readme, readme_section(ledgers))
        except (OSError, ValueError) as error:
            raise click.UsageError(str(error), context) from error
        click.echo(f"{readme}: {'updated' if changed else 'unchanged'}")
    elif markdown:
        click.echo(readme_section(ledgers))
    else:
        _print_ledgers(ledgers, only_problems)
    for text in stale + failures:
        click.echo(text, err=True)
    bad = any(len(problems(ledger)) for ledger in ledgers.values())
    context.exit(FAILED if failures else DEVIATION if bad else OK)


def _print_ledgers(ledgers, only_problems):
    from companion.reproduction.display import summary_table, verdict_table
    from companion.reproduction.verdicts import problems

    for name, ledger in ledgers.items():
        shown = problems(ledger) if only_problems else ledger
        if len(shown):
            click.echo(verdict_table(shown, name).to_text(_width()) + "\n")
    if ledgers:
        click.echo(summary_table(ledgers).to_text(_width()))


# -- report ---------------------------------------------------------------------------------


@main.command(epilog=EXIT_CODES, short_help="Build the static site.")
@click.option(
    "--output",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder of the site.  [default: build/report/html]",
)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="paper",
    show_default=True,
    help="Committed notebooks and records, or those of the last quick run.",
)
@click.option(
    "--executed",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Show the executed notebooks in this folder, <paper>/<artefact>.ipynb.",
)
@click.option("--open", "open_it", is_flag=True, help="Open the site in the browser.")
@click.pass_context
def report(context, output, profile, executed, open_it):
    """Build the static site: notebooks, verdicts, errata, times, API. Nothing is computed.

    The site works from its folder, without a server and without network. It needs Sphinx: `pip
    install svm-companion[docs]`.
    """
    code, site = _build_report(context, output=output, profile=profile, executed=executed)
    if open_it:
        click.launch(str(site.index))
    context.exit(code)


def _build_report(context, tell=True, **options):
    """Build the site and say where it is; the exit code and the site.

    With `tell`, also what is missing or old, which a run has said already.
    """
    from companion.reproduction.report import ReportError, build_report

    try:
        site = build_report(artefacts=context.obj, **options)
    except ReportError as error:
        raise click.UsageError(str(error), context) from error
    for text in [*(site.remarks if tell else ()), *site.faults]:
        click.echo(text, err=True)
    click.echo(f"{site.pages} pages in {site.seconds:.0f} s, {len(site.faults)} faults")
    click.echo(site.index)
    return FAILED if site.faults else OK, site


# -- data -----------------------------------------------------------------------------------


@main.group(epilog=EXIT_CODES, short_help="List, fetch and check files from outside.")
def data():
    """Files from outside: what is registered, what is here, and fetching it.

    A folder named by COMPANION_DATA is looked at first, as <key>/<file name>; downloads go to the
    user's cache. Every file is checked against its sha256.
    """


@data.command("list", epilog=EXIT_CODES, short_help="List the data sets.")
def data_list():
    """List the registered data sets and whether they are here."""
    from companion.datasets import check, list_sources
    from companion.reproduction.display import Table

    rows = []
    for source in list_sources():
        states = dict.fromkeys(report.status for report in check([source.key]))
        size = sum(file.bytes for file in source.files)
        state = ", ".join(states) + ("" if source.default else " (fetched only by its key)")
        rows.append(
            [
                source.key,
                source.title,
                ", ".join(source.used_by),
                f"{len(source.files)}",
                f"{size / 1024:.0f} kB",
                source.licence,
                state,
            ]
        )
    header = ["key", "title", "used by", "files", "size", "licence", "state"]
    click.echo(Table(header, rows, []).to_text(_width()))


def _report_files(context, act, keys):
    from companion.datasets import UnknownDataset

    try:
        reports = act(list(keys) or None)
    except UnknownDataset as error:
        raise click.UsageError(str(error), context) from error
    except KeyboardInterrupt:
        click.echo(
            "\nInterrupted. Files that are complete are kept; the same command goes on from there.",
            err=True,
        )
        context.exit(INTERRUPTED)
    for report in reports:
        click.echo(f"{report.status:<10}  {report.message}")
    bad = sum(not report.ok for report in reports)
    click.echo(f"{len(reports)} files, {bad} with a problem")
    context.exit(DATA if bad else OK)


@data.command("fetch", epilog=EXIT_CODES, short_help="Bring files here.")
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@click.pass_context
def data_fetch(context, keys):
    """Bring the files of these data sets here; by default of all that are needed."""
    from companion.datasets import fetch

    _report_files(context, fetch, keys)


@data.command("check", epilog=EXIT_CODES, short_help="Check the files that are here.")
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@click.pass_context
def data_check(context, keys):
    """Compare the files that are here with their sha256; no network. A missing file is no fault."""
    from companion.datasets import check

    _report_files(context, check, keys)


if __name__ == "__main__":
    main()
