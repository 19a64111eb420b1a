"""Write what came out, from the committed records, between the markers of README.md.

.venv/bin/python tools/readme_section.py
"""

import re

import pandas as pd

from companion._utils.paths import project_root
from companion.papers.across.overview import load_ledgers
from companion.reproduction.cards import what_came_out_table
from companion.reproduction.display import score_line

BEGIN = "<!-- verdicts: begin -->"
END = "<!-- verdicts: end -->"


def section():
    """What came out of each paper, a line each, and the score of all, as Markdown."""
    ledgers = load_ledgers()
    table = what_came_out_table(ledgers, "notebooks/").to_markdown()
    return f"{table}\n\n{score_line(pd.concat(ledgers.values()))}."


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
    readme = project_root() / "README.md"
    readme.write_text(replaced(readme.read_text("utf-8"), section()), encoding="utf-8")
