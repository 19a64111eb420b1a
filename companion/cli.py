"""The ``companion`` command: reproduce, verify and report of the engine, and data."""

import os
from pathlib import Path

import click

from companion.reproduction.command import DATA, EXIT_CODES, OK, main, wrapped


@main.group(epilog=EXIT_CODES, short_help="List, fetch and check files from outside.")
def data():
    """Files from outside: what is registered, what is here, and fetching it.

    A folder named by COMPANION_DATA is looked at first, as <key>/<file name>; downloads go to the
    user's cache. Every file is checked against its sha256.
    """
    folder = os.environ.get("COMPANION_DATA")
    if folder and not Path(folder).expanduser().is_dir():
        wrapped(f"COMPANION_DATA={folder} is no folder, so that nothing is found there.", err=True)


@data.command("list", epilog=EXIT_CODES, short_help="List the data sets.")
def data_list():
    """List the registered data sets and whether they are here."""
    from companion.datasets import check, list_sources

    for source in list_sources():
        state = ", ".join(dict.fromkeys(report.status for report in check([source.key])))
        state += "" if source.default else " (fetched only by its key)"
        size = f"{sum(file.bytes for file in source.files) / 1024:.0f} kB"
        told = f"{source.title}; {size}, {source.licence}; used by {', '.join(source.used_by)}"
        wrapped(f"{source.key:<24}{state:<8}  {told}", 34)


def _report_files(context, act, keys):
    from companion.errors import UnknownDataset

    try:
        reports = act(list(keys) or None)
    except UnknownDataset as error:
        raise click.UsageError(str(error), context) from error
    for report in reports:
        wrapped(f"{report.status:<10}  {report.message}", 12)
    bad = sum(not report.ok for report in reports)
    click.echo(f"{len(reports)} files, {bad} with a problem")
    if absent := dict.fromkeys(r.key for r in reports if r.status == "missing"):
        click.echo(f"To get what is missing, run\ncompanion data fetch {' '.join(absent)}")
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
