"""The command ``reproduce``."""

import textwrap
from contextlib import suppress
from itertools import groupby

import click

from companion._utils.paths import notebooks_dir, unwritable
from companion.reproduction.command import (
    JOBS,
    TARGETS,
    ask_for,
    choice,
    columns,
    exit_code,
    find_targets,
    heading,
    listed,
    main,
    wrapped,
)

PARAMETER = "A parameter of the notebooks asked for; may be repeated."
#: So many values that are worse than on record are named at the end of a run.
_MOST_NAMED = 6
_FEW = (
    "Few repetitions test little: that much is not tested or open is no fault. --profile paper "
    "decides."
)
_BY_CHANCE = (
    "What is not so on record can be chance: a run of few repetitions compares some hundred "
    "numbers and sentences, of which one may fall out wrong. --profile paper decides."
)


def _of_each(artefacts, function):
    """What a function of declared parameters gives, by artefact; stop with the faults of all."""
    from companion.reproduction.artefacts import notebook_path
    from companion.reproduction.parameters import ParameterError, read_parameters

    found = {}
    faults = []
    for artefact in artefacts:
        try:
            declared = read_parameters(notebook_path(artefact))
            found[artefact] = function(artefact, declared)
        except ParameterError as error:
            faults.append(str(error))
    if faults:
        raise click.UsageError("\n".join(faults))
    return found


def _checked(artefacts, profile, given, in_place):
    """Parameters of each artefact, checked before anything is computed."""
    from companion.reproduction.parameters import check_parameters

    def checked(artefact, declared):
        values = {"profile": profile, **given} if "profile" in declared else given
        return check_parameters(artefact.id, declared, values, text=True)

    if "profile" in given:
        raise click.UsageError("The profile is chosen with --profile, not with -p.")
    if in_place and (given or profile != "paper"):
        raise click.UsageError(
            "--in-place needs --profile paper without -p, as committed notebooks have their own "
            "parameters."
        )
    return _of_each(artefacts, checked)


def _list_target(artefact, declared):
    """An artefact with the parameters of its own; those that all have are options."""
    wrapped(f"{artefact.id}  {artefact.title}")
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
@JOBS
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
    "--list", "listing", is_flag=True, help="List artefacts and parameters, run none."
)
@click.pass_obj
def reproduce(given, targets, *, profile, parameters, in_place, listing, **options):
    """Compute tables and figures, run their notebooks, and compare with the print.

    Without a target all artefacts are reproduced. Records that are there are used (profile paper)
    and every finished unit is kept, so that an interrupted run goes on where it stopped. The
    numbers do not depend on the number of processes, nor on who runs them: dask starts a cluster
    on this machine, or uses the scheduler that DASK_SCHEDULER_ADDRESS names.
    """
    if options["backend"] == "dask":
        ask_for("distributed")
    artefacts = find_targets(given, targets, across=True)
    if listing:
        _of_each(artefacts, _list_target)
        return None
    if profile == "paper":
        artefacts = _methods_last(artefacts)
    values = _checked(artefacts, profile, dict(parameters), in_place)
    from companion.reproduction.reproduce import Reproduction, read_ledgers

    run = Reproduction(profile, **options)
    for folder in [run.outputs, *[notebooks_dir()] * in_place]:
        if why := unwritable(folder):
            raise click.UsageError(why)
    _note_code(artefacts)
    if profile != "paper" and any(artefact.values for artefact in artefacts):
        click.echo("Comparing the records of the paper profile with the print")
        read_ledgers(artefacts)  # and keep them, for every notebook and for the score
    with run.notebooks(in_place=in_place) as (start, finished):
        for number, artefact in enumerate(artefacts, 1):
            text = f"[{number}/{len(artefacts)}] {artefact.id}: {artefact.title}"
            click.echo(textwrap.shorten(text, columns(), placeholder=" ..."))
            report = run.compute(artefact)
            _show_units(report)
            start(report, values[artefact])
        heading("Notebooks")
        for report in finished():
            wrapped(str(report.notebook))
    run.finish()
    return _summarise(run, all_papers=not targets)


def _methods_last(artefacts):
    """Artefacts by paper, those without a study after the tables, whose verdicts they show.

    That matters at the papers' sizes: a quick run shows the verdicts on record.
    """
    return [
        artefact
        for _, of_paper in groupby(artefacts, lambda artefact: artefact.paper)
        for artefact in sorted(of_paper, key=lambda artefact: not artefact.studies)
    ]


def _note_code(artefacts):
    """Take the digests of the sources that are loaded, and not of those that are edited later."""
    from companion.reproduction.codehash import code_digest

    for artefact in artefacts:
        for study in artefact.studies:
            with suppress(Exception):  # reported where its turn comes
                code_digest(study.compute)


def _show_units(report):
    """What became of the records of one artefact, as soon as it is known."""
    missing = sum(n for records in report.records.values() for _, n in records.missing)
    text = f"      {report.computed} units computed"
    if missing:
        text += f"; {missing} units missing"
    if report.failures:
        text += "; FAILED"
    if report.failures or report.artefact.studies:
        click.echo(text)


def _missing(reports):
    """A text for each reason why units could not be computed: how many, and what lacks them."""
    import pandas as pd

    rows = [
        {
            "why": why,
            "study": f"{report.artefact.paper}/{name}",
            "units": n_units,
            "artefact": report.artefact.id,
        }
        for report in reports
        for name, records in report.records.items()
        for why, n_units in records.missing
    ]
    stopped = pd.DataFrame(rows).groupby("why", sort=False) if rows else ()
    return [
        f"{lacking.drop_duplicates('study')['units'].sum()} units: {why}. Without them a part is "
        f"not run of {', '.join(lacking['artefact'].unique())}."
        for why, lacking in stopped
    ]


def _summarise(run, all_papers):
    """The end of a run, of a screen at most, and its exit code."""
    from companion.reproduction.artefacts import faults_of_papers
    from companion.reproduction.reproduce import read_ledgers
    from companion.reproduction.verdicts import problems

    ledgers, gaps, failures = run.outcome()
    notebooks = [report.notebook for report in run.reports if report.notebook]
    failures |= {str(book): False for book in notebooks if book.failure}
    if all_papers:
        failures |= dict.fromkeys(faults_of_papers(), False)
    on_record = {}
    if run.profile != "paper" and ledgers:
        judged = [r.artefact for r in run.reports if r.artefact.id in ledgers]
        on_record, _, unread = read_ledgers(judged)
        failures |= unread
    if ledgers:
        _show_score(ledgers, on_record, run.profile)
    sections = {
        "Missing": _missing(run.reports),
        "Old records": gaps["stale"],
        "Failed": failures,
    }
    for title, texts in sections.items():
        if texts:
            heading(title)
        for line in dict.fromkeys("\n".join(texts).splitlines()):
            wrapped(line)
    if any(notebook.output for notebook in notebooks):
        click.echo(f"\nThe notebooks of this run: {run.outputs}")
    return exit_code(failures, any(len(problems(own)) for own in ledgers.values()))


def _show_score(ledgers, on_record, profile):
    """The score of a run, beside that on record if it has another profile, and what is worse."""
    from companion.reproduction import display
    from companion.reproduction.scores import scored_as_on_record

    heading(f"Score, {profile} profile")
    groups = display.by_paper(ledgers)
    if on_record:
        ledgers = scored_as_on_record(ledgers, on_record)
        groups = {
            "on record": display.whole(on_record),
            "this run": display.whole(ledgers),
        }
    click.echo(display.score_table(groups, as_printed=True).to_text())
    worse = display.worse_lines(ledgers, on_record)
    click.echo()
    if not worse:
        click.echo("Nothing is worse than expected.")
        if profile != "paper":
            wrapped(_FEW, 0)
    texts = [f"Worse than expected: {line}" for line in worse]
    listed(texts, _MOST_NAMED, f": companion verify --profile {profile}")
    if worse and on_record:
        wrapped(_BY_CHANCE, 0)
