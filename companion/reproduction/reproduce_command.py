"""The command ``reproduce``."""

import textwrap
from contextlib import suppress

import click

from companion.reproduction.command import (
    FAILED,
    TARGETS,
    ask_for,
    build_site,
    choice,
    columns,
    exit_code,
    find_targets,
    heading,
    listed,
    main,
    show_score,
    wrapped,
)

PARAMETER = "A parameter of the notebooks asked for; may be repeated."
#: So many values that are worse than on record are named at the end of a run.
_MOST_NAMED = 6
_BY_CHANCE = (
    "What is not so on record can be chance: a run of few repetitions compares some hundred "
    "numbers and sentences, of which one may fall out wrong. --profile paper decides."
)


def _checked(artefacts, profile, given, in_place):
    """Parameters of each artefact, checked before anything is computed."""
    from companion.reproduction.artefacts import notebook_path
    from companion.reproduction.parameters import (
        ParameterError,
        check_parameters,
        read_parameters,
    )

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
        try:
            declared = read_parameters(notebook_path(artefact))
            values = {"profile": profile, **given} if "profile" in declared else given
            checked.append(check_parameters(artefact.id, declared, values, text=True))
        except ParameterError as error:
            faults.append(str(error))
    if faults:
        raise click.UsageError("\n".join(faults))
    return checked


def _list_targets(artefacts):
    """Artefacts with the parameters of their own; those that all have are options."""
    from companion.reproduction.artefacts import notebook_path
    from companion.reproduction.parameters import ParameterError, read_parameters

    for artefact in artefacts:
        wrapped(f"{artefact.id}  {artefact.title}")
        try:
            declared = read_parameters(notebook_path(artefact))
        except ParameterError as error:
            raise click.UsageError(str(error)) from error
        for p in declared.values():
            if p.name not in {"profile", "jobs", "fresh"}:
                kind = "|".join(map(str, p.choices or [p.type.__name__.upper()]))
                wrapped(f"    -p {p.name} {kind}  {p.help} [{p.default}]", 8)


@main.command(short_help="Compute, run the notebooks, compare.")
@TARGETS
@choice(
    "--profile",
    ["quick", "paper"],
    "Few repetitions in minutes, or the papers' own sizes.",
)
@click.option(
    "--jobs", type=click.IntRange(-1), default=1, help="Processes; -1 for one a core."
)
@choice("--backend", ["loky", "dask"], "Who runs the processes.")
@click.option(
    "--fresh",
    is_flag=True,
    help="Compute everything anew, without the committed records.",
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
        ask_for("docs", context)
    if options["backend"] == "dask":
        ask_for("distributed", context)
    artefacts = find_targets(context, targets, across=True)
    if listing:
        _list_targets(artefacts)
        return
    checked = _checked(artefacts, profile, dict(parameters), in_place)
    from companion.reproduction.errors import ClusterError
    from companion.reproduction.reproduce import Reproduction, read_ledgers

    run = Reproduction(profile, **options)
    reports = []
    _check_folders(context, run, in_place)
    _note_code(artefacts)
    if profile != "paper":
        click.echo("Comparing the records of the paper profile with the print")
        read_ledgers(artefacts)  # and keep them, for every notebook and for the score
    pairs = _in_order([*zip(artefacts, checked, strict=True)], profile)
    try:
        with run.notebooks(in_place=in_place) as (start, finished):
            for number, (artefact, values) in enumerate(pairs, 1):
                text = f"[{number}/{len(artefacts)}] {artefact.id}: {artefact.title}"
                click.echo(textwrap.shorten(text, columns(), placeholder=" ..."))
                reports.append(run.compute(artefact))
                _tell(reports[-1])
                start(reports[-1], values)
            heading("Notebooks")
            for report in finished():
                wrapped(str(report.notebook))
        run.finish()
    except ClusterError as error:
        click.echo(error, err=True)
        context.exit(FAILED)
    code = _summarise(reports, run, all_papers=not targets)
    if site:
        built = build_site(context, tell=False, profile=profile)
        code = max(code, built)
    context.exit(code)


def _in_order(pairs, profile):
    """At the papers' sizes methods come after the tables of their paper, whose verdicts they show.

    A quick run shows those on record.
    """
    if profile != "paper":
        return pairs
    papers = [*dict.fromkeys(artefact.paper for artefact, _ in pairs)]

    def place(pair):
        artefact, _ = pair
        return papers.index(artefact.paper), not artefact.studies

    return sorted(pairs, key=place)


def _check_folders(context, run, in_place):
    """Stop before anything is computed that could not be written."""
    from companion._utils.paths import notebooks_dir, unwritable

    for folder in [run.outputs, *[notebooks_dir()] * in_place]:
        if why := unwritable(folder):
            raise click.UsageError(why, context)


def _note_code(artefacts):
    """Take the digests of the sources that are loaded, and not of those that are edited later."""
    from companion._utils.sources import sources_digest
    from companion.reproduction.codehash import code_digest

    sources_digest()
    for study in (study for artefact in artefacts for study in artefact.studies):
        with suppress(ValueError):  # reported where its turn comes
            code_digest(study.compute)


def _tell(report):
    """What became of the records of one artefact, as soon as it is known."""
    missing = sum(n for records in report.records.values() for _, n in records.missing)
    parts = [f"{report.computed} units computed"]
    parts += [f"{missing} units missing"] if missing else []
    parts += ["FAILED"] if report.failures else []
    if report.failures or report.artefact.studies:
        click.echo(f"      {'; '.join(parts)}")


def _missing(reports):
    """A text for each reason why units could not be computed: how many, and what lacks them."""
    stopped = {}
    lacking = {}
    for report in reports:
        for name, records in report.records.items():
            for why, n_units in records.missing:
                studies = stopped.setdefault(why, {})  # which artefacts may share
                studies[report.artefact.paper, name] = n_units
                lacking.setdefault(why, {})[report.artefact.id] = None
    return [
        f"{sum(studies.values())} units: {why}. Without them a part is not run of "
        f"{', '.join(lacking[why])}."
        for why, studies in stopped.items()
    ]


def _summarise(reports, run, all_papers):
    """The end of a run, of a screen at most, and its exit code."""
    from companion.reproduction.artefacts import faults_of_papers
    from companion.reproduction.reproduce import failures_of, read_ledgers, together
    from companion.reproduction.verdicts import problems

    ledgers = {r.artefact.id: r.ledger for r in reports if r.ledger is not None}
    notebooks = [report.notebook for report in reports if report.notebook is not None]
    failures = failures_of({r.artefact.id: r.failures for r in reports})
    failures |= {str(book): False for book in notebooks if book.failure}
    if all_papers:
        failures |= dict.fromkeys(faults_of_papers(), False)
    on_record = {}
    if run.profile != "paper" and ledgers:
        judged = [r.artefact for r in reports if r.artefact.id in ledgers]
        on_record, _, unread = read_ledgers(judged)
        failures |= unread
    _show_score(ledgers, on_record, run.profile)
    sections = {
        "Missing": _missing(reports),
        "Old records": together(report.gaps for report in reports)["stale"],
        "Failed": failures,
    }
    for title, texts in sections.items():
        if texts:
            heading(title)
        for line in dict.fromkeys("\n".join(texts).splitlines()):
            wrapped(line)
    if any(notebook.output is not None for notebook in notebooks):
        click.echo(f"\nThe notebooks of this run: {run.outputs}")
    return exit_code(
        failures, any(len(problems(ledger)) for ledger in ledgers.values())
    )


def _show_score(ledgers, on_record, profile):
    """The score of a run, beside that on record if it has another profile, and what is worse."""
    from companion.reproduction import display
    from companion.reproduction.scores import counted_as_on_record

    if not ledgers:
        return
    heading(f"Score, {profile} profile")
    runs = {}
    if on_record:
        ledgers = counted_as_on_record(ledgers, on_record)
        runs = {"on record": on_record, "this run": ledgers}
    show_score(ledgers, {name: display.whole(run) for name, run in runs.items()})
    worse = display.worse_lines(ledgers, on_record)
    click.echo()
    if not worse:
        click.echo("Nothing is worse than expected.")
    texts = [f"Worse than expected: {line}" for line in worse]
    listed(texts, _MOST_NAMED, f": companion verify --profile {profile}")
    if worse and on_record:
        wrapped(_BY_CHANCE, 0)
