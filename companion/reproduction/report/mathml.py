"""Formulas as MathML, made when the site is built.

Browsers draw MathML themselves, so that a page needs no script and no font from elsewhere.
"""

import html
import re

__all__ = ["to_mathml"]

_TAG = re.compile(r"\\tag\{([^{}]*)\}")
_FRACTION = re.compile(r"\\([td]?frac)\s*(\w)\s*(\w)")
_SIZE = re.compile(r"\\[bB]igg?[lrm]?(?![A-Za-z])")


def to_mathml(latex, *, block=False):
    r"""MathML of a formula.

    Parameters
    ----------
    latex : str
        Without dollars. One ``\tag{...}`` is set beside the formula.
    block : bool, default=False
        Whether the formula stands on lines of its own.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a command is unknown.
    """
    from docutils.utils.math import MathError
    from docutils.utils.math.latex2mathml import tex2mathml

    tags = _TAG.findall(latex)
    # MathML stretches its brackets by itself
    plain = _SIZE.sub("", _TAG.sub("", latex)).strip()
    plain = _FRACTION.sub(r"\\\1{\2}{\3}", plain)
    plain = re.sub(r"\\dots(?![A-Za-z])", r"\\ldots", plain)
    try:
        markup = tex2mathml(plain, as_block=block)
    except MathError as error:
        raise ValueError(f"cannot write {latex!r} as MathML: {error}") from error
    # what is read aloud or copied, where a browser has no MathML
    markup = markup.replace("<math ", f'<math alttext="{html.escape(plain)}" ', 1)
    if not block:
        return markup
    tag = f'<span class="math-tag">({html.escape(tags[0])})</span>' if tags else ""
    return f'<div class="math-block"><div class="math-scroll">{markup}</div>{tag}</div>'
