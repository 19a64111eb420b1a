"""Solutions of the exercises in the notebooks: they run, assert, and are shown folded up."""

from inspect import getsource
from textwrap import dedent

__all__ = ["shown"]


def shown(solve):
    """What a solution says when it runs and, below, its code: folded up, as IPython's Markdown.

    Parameters
    ----------
    solve : callable
        Without arguments; it asserts what it says and returns the text.

    Returns
    -------
    IPython.display.Markdown
    """
    from IPython.display import Markdown

    code = dedent(getsource(solve)).strip()
    return Markdown(
        "<details><summary>The solution</summary>\n\n"
        f"{solve()}\n\n```python\n{code}\n```\n\n</details>"
    )
