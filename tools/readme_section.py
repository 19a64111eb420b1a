"""Write what came out, from the committed records, between the markers of README.md.

.venv/bin/python tools/readme_section.py
"""

import re

import pandas as pd

from companion._utils.paths import project_root
from companion.papers.across.overview import load_ledgers, summary
from companion.reproduction.artefacts import list_papers, notebook_path
from companion.reproduction.cards import card
from companion.reproduction.display import score_tables

BEGIN = "<!-- verdicts: begin -->"
END = "<!-- verdicts: end -->"


def section():
    """The card of each paper, and the score of all in a paragraph and two tables, as Markdown."""
    papers = list_papers()
    ledgers = load_ledgers()
    groups = {}
    cards = []
    for key, paper in papers.items():
        first = next(a.id for a in paper.artefacts if notebook_path(a).is_file())
        title = f"[{paper.short or key}](notebooks/{first}.ipynb)"
        groups[title] = ledgers[key]
        cards.append(f"### {title}\n\n{card(paper, ledgers[key]).to_markdown()}")
    groups["all"] = pd.concat(ledgers.values())
    tables = [table.to_markdown() for table in score_tables(groups)]
    in_words = summary(ledgers).partition("\n\n")[0]
    return "\n\n".join([*cards, "### The score", in_words, *tables])


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
