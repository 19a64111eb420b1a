"""Write what came out, from the committed records, between the markers of README.md.

.venv/bin/python tools/readme_section.py
"""

import re

from companion._utils.paths import project_root
from companion.papers.across.overview import load_ledgers, summary
from companion.reproduction.artefacts import list_papers, notebook_path
from companion.reproduction.cards import card

BEGIN = "<!-- verdicts: begin -->"
END = "<!-- verdicts: end -->"


def section():
    """A line of the card of each paper, and the score of all in a paragraph, as Markdown."""
    ledgers = load_ledgers()
    lines = []
    for key, paper in list_papers().items():
        first = next(a.id for a in paper.artefacts if notebook_path(a).is_file())
        found = card(paper, ledgers[key]).found[0]
        lines.append(f"* [{paper.short or key}](notebooks/{first}.ipynb): {found}")
    in_words = summary(ledgers).partition("\n\n")[0]
    return "\n".join([*lines, "", in_words])


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
