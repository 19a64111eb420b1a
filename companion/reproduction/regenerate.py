"""One call from an artefact's name to its records and verdicts: what a notebook starts with."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from companion.reproduction.artefacts import Artefact, get_artefact

__all__ = ["Regeneration", "regenerate"]


@dataclass(frozen=True)
class Regeneration:
    """The records of an artefact, and what follows from them.

    Attributes
    ----------
    artefact : Artefact
    profile : {"paper", "quick"}
    records : mapping of str to DataFrame
        The records of each study, by its name; empty where nothing could be computed.
    missing : tuple of (str, int)
        Reasons why units could not be computed, and how many units each one stopped.
    """

    artefact: Artefact
    profile: str
    records: Mapping[str, Any]
    missing: tuple[tuple[str, int], ...] = ()

    @cached_property
    def ledger(self) -> Any:
        """Published against reproduced, one row a printed value, with the verdicts."""
        from companion.reproduction.verdicts import compare_records

        return compare_records(
            self.artefact, self.records, self.profile, gaps=bool(self.missing)
        )

    def rows(self, *names: str) -> Any:
        """The part of the ledger whose rows have these names, in the order of print.

        Parameters
        ----------
        *names : str
            All rows without any.

        Returns
        -------
        pandas.DataFrame
        """
        return self.ledger[self.ledger["row"].isin(names)] if names else self.ledger

    def compare(self, published: Any, reproduced: Any) -> Any:
        """Compare printed values with others than the artefact's own, by the rules of this run.

        A quick run is allowed more standard errors: the run knows which it is.

        Parameters
        ----------
        published : pandas.DataFrame
            Rows of :func:`~companion.reproduction.published.load_published`.
        reproduced : pandas.DataFrame
            As of :func:`~companion.reproduction.verdicts.compare`. What is declared of the artefact
            is about its own values, and is not looked up.

        Returns
        -------
        pandas.DataFrame
            A ledger.
        """
        from companion.reproduction.verdicts import compare

        by_row = self.artefact.judged_by_row
        return compare(published, reproduced, profile=self.profile, by_row=by_row)

    def what_came_out(self) -> Any:
        """What came out: sentences of the artefact, and folded up below them every verdict.

        Returns
        -------
        IPython.display.Markdown
        """
        from IPython.display import Markdown

        from companion.reproduction.display import findings

        opening = self.artefact.what_came_out
        text = opening(self) if opening else ""
        if self.artefact.values is not None:
            text += f"\n\n{findings(self.ledger).data}"
        return Markdown(text)


def regenerate(name, *, profile="paper", jobs=1, fresh=False, **parameters):
    """Read what is on record for an artefact and compute what is missing.

    Parameters
    ----------
    name : str
        For example ``"trees/table_2"``.
    profile : {"paper", "quick"}, default="paper"
        Sizes of the study.
    jobs : int, default=1
        Processes for what has to be computed. Results do not depend on it.
    fresh : bool, default=False
        Compute everything anew.
    **parameters
        The notebook's other parameters; checked, and not used here.

    Returns
    -------
    Regeneration

    Raises
    ------
    ParameterError
        If a parameter is unknown, of the wrong type or out of range.
    """
    from companion.reproduction.parameters import parameters_for
    from companion.reproduction.run import load_records

    artefact = get_artefact(name)
    parameters_for(name, profile=profile, jobs=jobs, fresh=fresh, **parameters)
    loaded = {
        s.name: load_records(s, profile, jobs=jobs, fresh=fresh)
        for s in artefact.studies
    }
    frames = {study: records.frame for study, records in loaded.items()}
    missing = tuple(reason for records in loaded.values() for reason in records.missing)
    return Regeneration(artefact, profile, frames, missing)
