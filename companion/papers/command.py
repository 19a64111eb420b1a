"""The ``companion`` command: reproduce, verify, new and report of the engine, and data."""

import click

from companion._utils.errors import DamagedData
from companion.reproduction import new_command, reproduce_command, verify_command
from companion.reproduction.command import DATA, OK, Group, main, wrapped

__all__ = ["main", "new_command", "reproduce_command", "verify_command"]


class _DataGroup(Group):
    """Commands about data: a damaged file that stops one is named."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except DamagedData as error:
            wrapped(str(error), err=True)
            context.exit(DATA)


@main.group(cls=_DataGroup, short_help="List, fetch and check the data.")
def data():
    """The tables of data/uci, and the few files that are not in the repository.

    Those are looked for in a folder named by COMPANION_DATA, as <key>/<file name>, and else fetched
    when they are first used, into the user's cache. Every file is checked against its SHA-256.
    """


@data.command("list", short_help="List the data sets.")
def data_list():
    """List the tables of the repository and the files from outside."""
    from companion.datasets import OUTSIDE, find_copy
    from companion.datasets.tables import read_table, registered_tables

    for name in registered_tables():
        table = read_table(name)
        click.echo(f"{name:<30}{len(table):>5} rows, {table.shape[1] - 1} attributes")
    for place in OUTSIDE:
        click.echo(f"{place:<30}{'not here' if find_copy(place) is None else 'here'}")


@data.command("fetch", short_help="Bring files from outside here.")
@click.argument("files", nargs=-1, metavar="[KEY/FILE]...")
@click.pass_context
def data_fetch(context, files):
    """Bring these files from outside here; by default all that have an address."""
    from companion.datasets import OUTSIDE, DataUnavailable, fetch_file

    if unknown := [place for place in files if place not in OUTSIDE]:
        raise click.UsageError(
            f"No file is {unknown[0]}; known: {', '.join(OUTSIDE)}.", context
        )
    code = OK
    for place in files or [place for place, file in OUTSIDE.items() if file.url]:
        try:
            wrapped(f"{place}: {fetch_file(place)}")
        except DataUnavailable as error:
            wrapped(str(error))
            code = DATA
    context.exit(code)


@data.command("check", short_help="Check the files that are here.")
@click.pass_context
def data_check(context):
    """Compare the files that are here with their SHA-256; no network."""
    from companion.datasets import OUTSIDE, find_copy
    from companion.datasets.tables import registered_tables, table_path

    checks = [(table_path, name) for name in registered_tables()]
    checks += [(find_copy, place) for place in OUTSIDE]
    faults = []
    for check, name in checks:
        try:
            check(name)
        except DamagedData as error:
            faults.append(str(error))
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(checks)} files, {len(faults)} damaged")
    context.exit(DATA if faults else OK)
