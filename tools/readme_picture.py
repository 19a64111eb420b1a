"""Write docs/picture.png, the picture of the README: machines of the tour, with straight lines.

.venv/bin/python tools/readme_picture.py
"""

import base64
import json

from companion._utils.paths import notebooks_dir, project_root

#: How the text in the place of the figure begins.
ALT = "A figure of 8 panels."


def tour_picture():
    """The first figure of the tour in which all machines stand beside one another, as PNG."""
    notebook = json.loads((notebooks_dir() / "tour.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            about = output.get("metadata", {}).get("image/png", {})
            if about.get("alt", "").startswith(ALT):
                return base64.b64decode(output["data"]["image/png"])
    raise LookupError(
        f"No output of notebooks/tour.ipynb has a text that begins with {ALT!r}: run "
        "`companion reproduce tour --profile paper --in-place` first."
    )


if __name__ == "__main__":
    (project_root() / "docs" / "picture.png").write_bytes(tour_picture())
