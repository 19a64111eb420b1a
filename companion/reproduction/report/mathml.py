"""Formulas as MathML, made when the site is built.

Browsers draw MathML themselves, so that a page needs no script and no font from elsewhere.
"""

import html
import re

__all__ = ["to_mathml"]

_TAG = re.compile(r"\\tag\{([^{}]*)\}")
_LINE_SKIP = re.compile(r"(\\\\)\s*\[[^\]]*\]")
_ARG = re.compile(r"\\arg(?![A-Za-z])")
_LIMITS = re.compile(r"\\(min|max)(?=\s*_)")
_LEAF = r"(<m[ino]\b[^>]*>[^<]*</m[ino]>)"
_PRIME = r"<mi>(&#x0203[2-4];|&#x02057;|[′″‴⁗])</mi>"
_PRIMED = re.compile(rf"<msup>{_LEAF}{_PRIME}</msup>")
_PRIMED_INDEX = re.compile(rf"<msubsup>{_LEAF}{_LEAF}{_PRIME}</msubsup>")
_UNKNOWN = re.compile(r">\s*(\\[A-Za-z]+)")


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
    from latex2mathml.converter import convert

    tags = _TAG.findall(latex)
    plain = _TAG.sub("", latex).strip()
    # what latex2mathml does not know: space between lines, the name arg, limits below a name
    source = _LINE_SKIP.sub(r"\1", plain)
    source = _ARG.sub(r"\\operatorname{arg}", source)
    if block:
        source = _LIMITS.sub(r"\\\1\\limits", source)
    try:
        markup = convert(source, display="block" if block else "inline")
    except Exception as error:  # its errors have no common base but this
        fault = f"{type(error).__name__} {error}".strip()
        raise ValueError(f"cannot write {latex!r} as MathML: {fault}") from error
    unknown = _UNKNOWN.findall(markup)
    if unknown:
        raise ValueError(f"cannot write {latex!r} as MathML: {', '.join(unknown)} is unknown")
    # A prime is drawn raised by the font itself: as a superscript it nearly vanishes in many.
    prime = r'<mo lspace="0" rspace="0">'
    markup = _PRIMED.sub(rf"<mrow>\1{prime}\2</mo></mrow>", markup)
    markup = _PRIMED_INDEX.sub(rf"<msub><mrow>\1{prime}\3</mo></mrow>\2</msub>", markup)
    # what is read aloud or copied, where a browser has no MathML
    markup = markup.replace("<math ", f'<math alttext="{html.escape(plain)}" ', 1)
    if not block:
        return markup
    tag = f'<span class="math-tag">({html.escape(tags[0])})</span>' if tags else ""
    return f'<div class="math-block"><div class="math-scroll">{markup}</div>{tag}</div>'
