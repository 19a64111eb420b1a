"""What the commands over all registered papers share."""

import difflib
import errno
import shutil
import sys
import textwrap

import click

from companion._utils.errors import DamagedData, DataUnavailable, WrongSetting
from companion._utils.extras import advice
from companion._utils.paths import project_root
from companion.reproduction.errors import StoreError, UnitError

OK = 0
DEVIATION = 1
MISTAKE = 2
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
    4  a unit, a comparison, a notebook or a paper's import failed
  130  interrupted; the same command goes on from there
  141  nobody reads on what it writes, as after `| head`
"""
CONTEXT = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "show_default": True,
}
_LIST = "`companion reproduce --list` names their artefacts"
TARGETS = click.argument("targets", nargs=-1, metavar="[PAPER or PAPER/ARTEFACT]...")


def choice(flag, words, text):
    """An option that is one of some words, by default the first."""
    return click.option(flag, type=click.Choice(words), default=words[0], help=text)


def _not_zero(context, parameter, jobs):
    if jobs == 0:
        raise click.UsageError(
            "--jobs must be at least 1, or -1 for one a core. Got 0."
        )
    return jobs


JOBS = click.option(
    "--jobs",
    type=click.IntRange(-1),
    default=1,
    callback=_not_zero,
    help="Processes; -1 for one a core.",
)

#: What may stop a command, and its exit code.
_CODES = {
    WrongSetting: MISTAKE,
    DamagedData: DATA,
    DataUnavailable: DATA,
    StoreError: FAILED,
    UnitError: FAILED,
}


class ImportFault(click.ClickException):
    """Papers that cannot be imported, where nothing is left to do without them."""

    exit_code = FAILED


class Group(click.Group):
    """A group of commands that give their exit code; what stops one is said here alone."""

    group_class = type

    def add_command(self, cmd, name=None):
        cmd.epilog = EXIT_CODES
        super().add_command(cmd, name)

    def main(self, *words, **options):
        sys.exit(self._exit_code(*words, **options))

    def _exit_code(self, *words, **options):
        try:
            return super().main(*words, **options | {"standalone_mode": False})
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except click.Abort:
            kept = "What is finished is kept; the same command goes on from there."
            click.echo(f"Interrupted. {kept}", err=True)
            return INTERRUPTED
        except tuple(_CODES) as error:
            click.echo(error, err=True)
            return next(
                code for kind, code in _CODES.items() if isinstance(error, kind)
            )
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EROFS):
                raise
            what = f"{error.filename or 'A file'} cannot be written"
            click.echo(f"{what}: {error.strerror}.", err=True)
            return FAILED
        except SystemExit as stop:  # by which click itself ends where nobody reads on
            return BROKEN_PIPE if stop.code else OK


@click.group(cls=Group, context_settings=CONTEXT, epilog=EXIT_CODES)
@click.version_option(package_name="svm-companion")
def main():
    """Reproduce papers, and compare with what they print."""
    ask_for("reproduce")


def ask_for(extra):
    """Stop before anything runs if something that an extra brings is not installed."""
    if lacking := advice(extra):
        raise click.UsageError(lacking)


def find_targets(given, targets, across=False):
    """The artefacts that are meant, of those given or of all; all of these if none is named.

    With `across` all have those about all papers among them.
    """
    from companion.reproduction.artefacts import (
        faults_of_papers,
        list_across,
        list_artefacts,
    )

    artefacts = given or list_artefacts() + (list_across() if across else [])
    broken = "\n".join(faults_of_papers())
    if not artefacts and broken:
        raise ImportFault(broken)
    if not artefacts:
        raise click.UsageError(
            f"{project_root()} has nothing of any paper: no data/published/<paper>.csv and no"
            " notebooks/<paper>."
        )
    papers = list(dict.fromkeys(a.paper for a in artefacts if a.paper))
    known = papers + [artefact.id for artefact in artefacts]
    faults = []
    for target in targets:
        if target not in known:
            hint = f"the papers are {', '.join(papers)}; {_LIST}."
            for name in difflib.get_close_matches(target.lower(), known, 1, 0.5):
                hint = f"did you mean {name!r}?"
            faults.append(f"There is no paper or artefact {target!r}: {hint}")
    if faults and broken:  # perhaps they are of what is broken
        raise ImportFault("\n".join([broken, *faults]))
    if faults:
        raise click.UsageError("\n".join(faults))
    return [a for a in artefacts if not targets or {a.paper, a.id} & {*targets}]


def columns():
    """Those of the terminal, or 80 where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80


def wrapped(text, indent=4):
    """Print a text in lines that fit the terminal; a no-break space ends no line."""
    lines = textwrap.wrap(
        text,
        columns(),
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,  # paths, to be copied
    )
    click.echo("\n".join(lines).replace("\xa0", " "))


def listed(texts, most, rest, show=wrapped):
    """Print some texts, the first ones whole, and how many more there are of what."""
    for text in texts[:most]:
        show(text)
    if texts[most:]:
        click.echo(f"... and {len(texts) - most} more{rest}")


def heading(text):
    """Print a heading, underlined."""
    click.echo(f"\n{text}\n{'=' * len(text)}")


def exit_code(failures, differs):
    """The exit code, of what failed (and whether for damage), and of what differs."""
    if failures:
        return DATA if all(failures.values()) else FAILED
    return DEVIATION if differs else OK
