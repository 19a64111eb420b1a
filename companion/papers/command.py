"""The ``companion`` command: reproduce, verify, audit and new of the engine, and data."""

import click

from companion._utils.errors import DamagedData, DataUnavailable
from companion.reproduction import (
    audit_command,
    new_command,
    reproduce_command,
    verify_command,
)
from companion.reproduction.command import DATA, OK, main, wrapped

__all__ = [
    "audit_command",
    "main",
    "new_command",
    "reproduce_command",
    "verify_command",
]


@main.group(short_help="List, fetch and check the data.")
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
def data_fetch(files):
    """Bring these files from outside here; by default all that have an address."""
    from companion.datasets import OUTSIDE, fetch_file

    if unknown := [place for place in files if place not in OUTSIDE]:
        raise click.UsageError(f"No file is {unknown[0]}; known: {', '.join(OUTSIDE)}.")
    code = OK
    for place in files or [place for place, file in OUTSIDE.items() if file.url]:
        try:
            wrapped(f"{place}: {fetch_file(place)}")
        except DataUnavailable as error:
            wrapped(str(error))
            code = DATA
    return code


@data.command("check", short_help="Check the files that are here.")
def data_check():
    """Compare the files that are here with their SHA-256; no network."""
    from companion.datasets import OUTSIDE, find_copy
    from companion.datasets.tables import registered_tables, table_path

    checks = [(table_path, name) for name in registered_tables()]
    checks += [(find_copy, place) for place in OUTSIDE]
    n_damaged = 0
    for check, name in checks:
        try:
            check(name)
        except DamagedData as error:
            click.echo(error)
            n_damaged += 1
    click.echo(f"{len(checks)} files, {n_damaged} damaged")
    return DATA if n_damaged else OK
