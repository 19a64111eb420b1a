"""The command ``audit``."""

import json
from collections import Counter

import click

from companion.reproduction.command import (
    DATA,
    DEVIATION,
    FAILED,
    JOBS,
    OK,
    TARGETS,
    choice,
    find_targets,
    listed,
    main,
    wrapped,
)

#: So many units that differ are named on the one screen, with as many places each.
_MOST_NAMED = 6


@main.command(short_help="Compute records drawn at random again.")
@TARGETS
@click.option(
    "--units", type=click.IntRange(1), default=200, help="How many are drawn."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Of the draw: choose your own.  [default: by chance]",
)
@JOBS
@choice("--format", ["table", "json"], "For people, or the result for machines.")
@click.pass_obj
def audit(given, targets, *, units, seed, jobs, format):
    """Compute units on record anew, drawn at random, and compare every number with the record.

    Says how many agree, and at most how many of all records can be wrong with 95 % confidence.
    Nothing is written. Studies that rounding may send elsewhere on another processor say so: their
    units are counted apart if they differ, and named.
    """
    import numpy as np

    from companion.reproduction.audit import audit as draw

    if seed is None:
        seed = int(np.random.SeedSequence().entropy % 10**6)
    if format == "table":
        wrapped(f"Computing {units} records again, drawn at random with seed {seed}")
    result = draw(find_targets(given, targets), units, seed, jobs)
    if not result.findings:
        raise click.UsageError("There are no records to draw from.")
    if format == "json":
        click.echo(json.dumps(result.to_dict(), indent=1))
    else:
        _show(result)
    return _exit_code(result)


def _show(result):
    """The result in a sentence, and then what is not as it was."""
    wrapped(result.sentence())
    _show_places("Differing", result.of("differs"))
    _show_places("Chaotic by nature, and elsewhere now", result.of("chaotic"))
    lost = result.of("missing", "damaged", "failed")
    reasons = Counter(found.places[0] for found in lost)
    for reason, number in reasons.items():
        wrapped(f"{number} could not be computed: {reason}")


def _show_places(title, findings):
    if findings:
        click.echo(f"\n{title}: {len(findings)}")
    texts = [
        f"{found.unit}: {'; '.join(found.places[:_MOST_NAMED])}" for found in findings
    ]
    listed(texts, _MOST_NAMED, " units: --format json")


def _exit_code(result):
    if result.of("failed"):
        return FAILED
    if result.of("damaged"):
        return DATA
    return DEVIATION if result.of("differs") else OK
