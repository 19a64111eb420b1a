"""Write what came out, from the committed records: into README.md, and as docs/numbers.png.

.venv/bin/python tools/readme_section.py
"""

import re

import matplotlib.pyplot as plt
import pandas as pd

from companion._utils.paths import project_root
from companion.papers.across.overview import load_ledgers
from companion.plotting import plot_everything, style
from companion.reproduction.artefacts import list_papers
from companion.reproduction.display import score_line, what_came_out_table
from companion.reproduction.scores import score

BEGIN = "<!-- verdicts: begin -->"
END = "<!-- verdicts: end -->"


def section(ledgers):
    """What came out of each paper, a line each, and the score of all, as Markdown."""
    table = what_came_out_table(ledgers, "notebooks/").to_markdown()
    every = pd.concat(ledgers.values())
    n_coarse = score(every)["numbers"]["coarse"]
    return (
        f"{table}\n\n{score_line(every)}. "
        f"{n_coarse} matches are of a coarse print, which near misses would match too."
    )


def picture_says(ledgers):
    """The score of each paper, which the file of the picture carries."""
    return "; ".join(f"{key}: {score_line(ledger)}" for key, ledger in ledgers.items())


def write_picture(ledgers, path):
    """Every printed number against ours, a panel a paper."""
    papers = list_papers()
    titles = [papers[key].short for key in ledgers]
    with style():
        figure, axes = plt.subplots(1, len(ledgers), figsize=(15, 3.6))
        plot_everything(axes, dict(zip(titles, ledgers.values(), strict=True)))
        says = {"Description": picture_says(ledgers), "Software": None}
        figure.savefig(path, dpi=110, metadata=says)


def replaced(text, section):
    """A text with another section between its markers."""
    parts = re.split(f"({BEGIN}|{END})", text)
    if parts[1::2] != [BEGIN, END]:
        raise ValueError(
            f"There must be the markers {BEGIN} and {END} once, in this order."
        )
    parts[2] = f"\n{section}\n"
    return "".join(parts)


if __name__ == "__main__":
    ledgers = load_ledgers()
    readme = project_root() / "README.md"
    text = replaced(readme.read_text("utf-8"), section(ledgers))
    readme.write_text(text, encoding="utf-8")
    write_picture(ledgers, project_root() / "docs" / "numbers.png")
