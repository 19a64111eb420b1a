"""A progress bar that knows when to keep quiet."""

from __future__ import annotations

import os
import sys
from types import TracebackType

__all__ = ["Progress", "in_jupyter", "wants_progress"]

ENVIRONMENT = "COMPANION_PROGRESS"


def in_jupyter() -> bool:
    """Whether this process is the kernel of a notebook.

    Returns
    -------
    bool
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def wants_progress(total: int, show: bool | None = None) -> bool:
    """Whether a bar over ``total`` steps should be seen.

    Parameters
    ----------
    total : int
        Number of steps.
    show : bool, optional
        What the caller asked for; None leaves it to the surroundings.

    Returns
    -------
    bool
        False when there is nothing to do and where the environment variable
        ``COMPANION_PROGRESS`` is 0 (cells whose output is checked). Otherwise what was asked for,
        by ``show`` or by ``COMPANION_PROGRESS=1``; otherwise whether someone watches: a notebook,
        or a terminal on the standard error.
    """
    setting = os.environ.get(ENVIRONMENT, "").strip().lower()
    if total <= 0 or setting in ("0", "false", "no", "off"):
        return False
    if show is not None:
        return show
    if setting:
        return True
    return in_jupyter() or bool(getattr(sys.stderr, "isatty", lambda: False)())


def _bar_class():
    """The widget where Jupyter can show it, the text bar everywhere else."""
    if in_jupyter():
        try:
            import ipywidgets  # noqa: F401  (without it the widget bar warns and fails)
            from tqdm.notebook import tqdm

            return tqdm
        except ImportError:
            pass
    from tqdm import tqdm

    return tqdm


class Progress:
    """Counts finished units on the standard error; a context manager.

    Parameters
    ----------
    total : int
        Number of units to be computed.
    description : str
        What is computed, shown before the bar.
    show : bool, optional
        Ask for the bar (True) or for silence (False); see `wants_progress`.
    """

    def __init__(self, total: int, description: str, show: bool | None = None):
        self.visible = wants_progress(total, show)
        self._bar = None
        if self.visible:
            self._bar = _bar_class()(
                total=total,
                desc=description,
                unit="unit",
                leave=not in_jupyter(),
                dynamic_ncols=True,
                file=None if in_jupyter() else sys.stderr,
            )

    def update(self, n: int = 1) -> None:
        """Count more finished units.

        Parameters
        ----------
        n : int, default=1
        """
        if self._bar is not None:
            self._bar.update(n)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
