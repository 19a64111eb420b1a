"""Figures that move by sliders, without a kernel and without the network."""

import json
import os
from base64 import b64encode
from html import escape
from io import BytesIO
from itertools import product

import numpy as np

__all__ = ["sliders"]

_MOST_BYTES = 900_000  # of HTML, so that a page stays below a megabyte

_BOX = """<div class="companion-sliders" id="{name}">
<img alt="{alt}" src="{picture}" style="max-width: 100%; height: auto" width="{width}">
<div class="knobs"></div>
<script>
(() => {{
  const box = document.getElementById({id});
  box.querySelector(".knobs").innerHTML = {knobs};
  const frames = {frames};
  const texts = {texts};
  const image = box.querySelector("img");
  const about = {about};
  const inputs = [...box.querySelectorAll("input")];
  const shown = [...box.querySelectorAll("output")];
  const names = [...box.querySelectorAll("label > span")].map((name) => name.textContent);
  const move = () => {{
    const at = inputs.map((input) => Number(input.value));
    const frame = at.reduce((number, k, i) => number * texts[i].length + k, 0);
    at.forEach((k, i) => {{
      shown[i].textContent = texts[i][k];
      inputs[i].setAttribute("aria-valuetext", texts[i][k]);
    }});
    image.src = "data:image/png;base64," + frames[frame];
    image.alt = about + names.map((name, i) => name + " " + texts[i][at[i]]).join(", ");
  }};
  inputs.forEach((input) => input.addEventListener("input", move));
  move();
}})();
</script>
</div>"""

_KNOB = """<label style="display: flex; flex-wrap: wrap; gap: 0 0.8em; align-items: center">
<span style="min-width: 11em">{label}</span>
<output style="min-width: 4em; font-weight: 600">{text}</output>
<input type="range" min="0" max="{last}" value="{at}"
  style="flex: 1 1 14em; height: 2.2em"></label>"""


def _text(value):
    return value if isinstance(value, str) else f"{value:g}"


def _frame(draw, values):
    """The picture that a function draws, of 48 colours, in base64, and its width in the page."""
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    with plt.rc_context({"font.size": 12}):  # read on a telephone, too
        draw(**values)
        fig = plt.gcf()
        fig.set_dpi(120)
        canvas = FigureCanvasAgg(fig)
        canvas.draw()  # as `savefig` does, which draws twice to lay out the figure first
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba()))
    width = round(100 * fig.get_figwidth())
    plt.close(fig)
    picture = drawn.convert("RGB").quantize(48, dither=Image.Dither.NONE)
    picture.save(written := BytesIO(), "png", compress_level=8)
    return b64encode(written.getvalue()).decode(), width


def sliders(draw, knobs, *, start, name, alt, labels=None):
    """A figure that moves by sliders, as HTML that needs neither a kernel nor the network.

    Every picture is drawn beforehand. Where scripts do not run, as in GitHub's viewer, there are no
    sliders, and the picture at the start is shown. Where the environment variable
    ``COMPANION_PICTURES`` is ``few``, as in a quick run, a knob has its first value and its start
    alone.

    Parameters
    ----------
    draw : callable
        Draws a figure of pyplot from the values of the knobs, given by name; the same function
        serves ``ipywidgets.interact``.
    knobs : mapping of str to sequence
        The values of each knob, numbers or texts; there is a picture for every combination.
    start : mapping of str to value
        Where each knob stands at first, one of its values.
    name : str
        Of letters and hyphens, unique on the page.
    alt : str
        What the figure shows, for who cannot see it; the values of the knobs are added.
    labels : mapping of str to str, optional
        What stands beside a knob, by default its name.

    Returns
    -------
    IPython.display.HTML

    Raises
    ------
    ValueError
        If a knob does not start at one of its values, or if the pictures are so many, or so large,
        that a page with them would be slow to load.
    """
    from IPython.display import HTML

    for knob, values in knobs.items():
        if start.get(knob) not in [*values]:
            raise ValueError(
                f"The knob {knob!r} must start at one of its values, {[*values]}. Got"
                f" {start.get(knob)!r}."
            )

    labels = {knob: knob.replace("_", " ") for knob in knobs} | (labels or {})
    if os.environ.get("COMPANION_PICTURES") == "few":
        knobs = {
            knob: [value for value in values if value in (values[0], start[knob])]
            for knob, values in knobs.items()
        }
    every = [*product(*knobs.values())]
    drawn = [_frame(draw, dict(zip(knobs, values, strict=True))) for values in every]
    picture, width = drawn[every.index(tuple(start[knob] for knob in knobs))]
    lines = [
        _KNOB.format(
            label=escape(labels[knob]),
            last=len(values) - 1,
            at=[*values].index(start[knob]),
            text=escape(_text(start[knob])),
        )
        for knob, values in knobs.items()
    ]
    where = ", ".join(f"{labels[knob]} {_text(start[knob])}" for knob in knobs)
    html = _BOX.format(
        name=escape(name),
        id=json.dumps(name),
        alt=escape(f"{alt} {where}"),
        about=json.dumps(f"{alt} "),
        picture=f"data:image/png;base64,{picture}",
        width=width,
        knobs=json.dumps("\n".join(lines)).replace("</", "<\\/"),
        frames=json.dumps([frame for frame, _ in drawn]),
        texts=json.dumps([[*map(_text, values)] for values in knobs.values()]),
    )
    if len(html) > _MOST_BYTES:
        raise ValueError(
            f"The {len(drawn)} pictures of {name!r} take {len(html) / 1e6:.1f} MB, more than"
            f" {_MOST_BYTES / 1e6:.1f} MB. Give the knobs fewer values, or draw smaller figures."
        )
    return HTML(html)
