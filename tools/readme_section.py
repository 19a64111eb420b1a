"""Write what came out, from the committed records, between the markers of README.md.

.venv/bin/python tools/readme_section.py
"""

import re

from companion._paths import project_root
from companion.reproduction.artefacts import list_papers
from companion.reproduction.overview import load_ledgers, summary, what_holds

BEGIN, END = "<!-- verdicts: begin -->", "<!-- verdicts: end -->"


def section():
    """All papers in a paragraph, and each in a line, as Markdown."""
    papers, ledgers = list_papers(), load_ledgers()
    lines = [
        f"* *{paper.title}*, {paper.citation}. **[The method](notebooks/{key}/method.ipynb).** "
        + what_holds(paper, ledgers[key])
        for key, paper in papers.items()
    ]
    return "\n".join([summary(ledgers).partition("\n\n")[0], "", *lines])


def replaced(text, section):
    """A text with another section between its markers."""
    parts = re.split(f"({BEGIN}|{END})", text)
    if parts[1::2] != [BEGIN, END]:
        raise ValueError(f"There must be the markers {BEGIN} and {END} once, in this order.")
    parts[2] = f"\n{section}\n"
    return "".join(parts)


if __name__ == "__main__":
    readme = project_root() / "README.md"
    readme.write_text(replaced(readme.read_text("utf-8"), section()), encoding="utf-8")
