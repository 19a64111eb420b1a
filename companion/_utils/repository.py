"""Where the project is hosted, if it is: its address is asked for here and never invented."""

import os
import re
import subprocess
from typing import NamedTuple

_GITHUB = re.compile(
    r"(?:https://|git@|ssh://git@)github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)


class Repository(NamedTuple):
    """A repository on GitHub at one commit."""

    name: str  #: ``owner/name``
    commit: str

    @property
    def url(self):
        """Its page."""
        return f"https://github.com/{self.name}"

    def file(self, path):
        """The page of a file at this commit."""
        return f"{self.url}/blob/{self.commit}/{path}"

    def on_binder(self, notebook):
        """Where Binder opens a notebook in JupyterLab."""
        at = f"{self.name}/{self.commit}"
        return f"https://mybinder.org/v2/gh/{at}?urlpath=lab/tree/{notebook}"

    def in_colab(self, notebook):
        """Where Colab opens a notebook."""
        at = f"{self.name}/blob/{self.commit}"
        return f"https://colab.research.google.com/github/{at}/{notebook}"


def find_repository(folder):
    """The repository of GitHub that ``folder`` belongs to.

    Parameters
    ----------
    folder : path
        Of a checkout.

    Returns
    -------
    Repository or None
        By the variable ``GITHUB_REPOSITORY``, which workflows set, else by ``git remote get-url
        origin``; None where neither names one.
    """
    name = os.environ.get("GITHUB_REPOSITORY")
    if not name:
        match = _GITHUB.fullmatch(_git(folder, "remote", "get-url", "origin"))
        name = match and match[1]
    if not name:
        return None
    return Repository(name, _git(folder, "rev-parse", "HEAD") or "HEAD")


def _git(folder, *arguments):
    """What git says, or an empty text where it has nothing to say."""
    try:
        run = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return run.stdout.strip()
