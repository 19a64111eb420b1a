"""Write what came out, from the committed records, between the markers of README.md.

.venv/bin/python tools/readme_section.py
"""

import re

import pandas as pd

from companion._utils.paths import project_root
from companion.papers.across.overview import load_ledgers, main_claim, summary
from companion.reproduction.artefacts import list_papers
from companion.reproduction.notebooks import notebook_path
from companion.reproduction.verdicts import score

BEGIN = "<!-- verdicts: begin -->"
END = "<!-- verdicts: end -->"


COLUMNS = {
    "agree": "agree as printed",
    "as read": "agree as read",
    "undecided": "undecided",
}
COLUMNS |= {"explained": "differ, demonstrated", "unexplained": "differ, unexplained"}


def line(name, claim, ledger):
    """A line of the table: the score, and what became of the main claim."""
    counts = score(ledger)
    numbers = " | ".join(str(counts[name]) for name in ("scored", *COLUMNS.values()))
    return f"| {name} | {claim} | {numbers} |"


def section():
    """All papers in a paragraph and a table, with a line each, as Markdown."""
    papers = list_papers()
    ledgers = load_ledgers()
    lines = [
        f"| paper | main claim | scored | {' | '.join(COLUMNS)} |",
        "| --- " * 8 + "|",
    ]
    for key, paper in papers.items():
        first = next(a.id for a in paper.artefacts if notebook_path(a).is_file())
        claim = main_claim(paper, ledgers[key])
        lines.append(
            line(
                f"[{paper.short or paper.title}](notebooks/{first}.ipynb)",
                claim,
                ledgers[key],
            )
        )
    lines.append(line("all", "", pd.concat(ledgers.values())))
    return "\n".join([summary(ledgers).partition("\n\n")[0], "", *lines])


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
