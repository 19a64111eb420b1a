"""Formulas as MathML, which browsers draw themselves."""

import html
import re

_TAG = re.compile(r"\\tag\{([^{}]*)\}")
_LEAF = r"(<m[ino]\b[^>]*>[^<]*</m[ino]>)"
_PRIME = r"<mi>(&#x0203[2-4];|&#x02057;|[′″‴⁗])</mi>"
_UNKNOWN = re.compile(r">\s*(\\[A-Za-z]+|&(?=<))")
# what latex2mathml does not know: space between lines, the name arg, aligned, limits below a name
_BEFORE = (
    (r"(\\(?:begin|end)\{)aligned\}", r"\1split}"),
    (r"(\\\\)\s*\[[^\]]*\]", r"\1"),
    (r"\\arg(?![A-Za-z])", r"\\operatorname{arg}"),
)
_LIMITS = (r"\\(min|max)(?=\s*_)", r"\\\1\\limits")
# a prime is drawn raised by the font itself: as a superscript it nearly vanishes in many
_RAISED = '<mo lspace="0" rspace="0">'
_AFTER = (
    (rf"<msup>{_LEAF}{_PRIME}</msup>", rf"<mrow>\1{_RAISED}\2</mo></mrow>"),
    (
        rf"<msubsup>{_LEAF}{_LEAF}{_PRIME}</msubsup>",
        rf"<msub><mrow>\1{_RAISED}\3</mo></mrow>\2</msub>",
    ),
)


def _replaced(text, rules):
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def to_mathml(latex, *, block=False):
    r"""MathML of a formula without dollars; one ``\tag{...}`` is set beside it."""
    from latex2mathml.converter import convert

    tags = _TAG.findall(latex)
    plain = _TAG.sub("", latex).strip()
    source = _replaced(plain, (*_BEFORE, _LIMITS) if block else _BEFORE)
    try:
        markup = convert(source, display="block" if block else "inline")
    except Exception as error:  # its errors have no common base but this
        fault = f"{type(error).__name__} {error}".strip()
        raise ValueError(f"cannot write {latex!r} as MathML: {fault}") from error
    unknown = _UNKNOWN.findall(markup)
    if unknown:
        raise ValueError(
            f"cannot write {latex!r} as MathML: {', '.join(unknown)} is unknown"
        )
    # the LaTeX is what is read aloud or copied, where a browser has no MathML
    markup = _replaced(markup, _AFTER)
    markup = markup.replace("<math ", f'<math alttext="{html.escape(plain)}" ', 1)
    if not block:
        return f'<span class="math">{markup}</span>'
    tag = f'<span class="math-tag">({html.escape(tags[0])})</span>' if tags else ""
    return f'<div class="math-block"><div class="math-scroll">{markup}</div>{tag}</div>'
