"""Hatchling's hook: the notebooks of a wheel have no outputs, which are two thirds of its bytes.

A run executes them anew, and the records that the wheel carries have the numbers.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def without_outputs(text):
    """A notebook as it was before it ran."""
    notebook = json.loads(text)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    return json.dumps(notebook, indent=1, ensure_ascii=False)


class NotebooksWithoutOutputs(BuildHookInterface):
    """Puts bare copies of the notebooks into the wheel."""

    def initialize(self, version, build_data):
        """Write the copies where they stay until the wheel is made."""
        if version == "editable":
            return
        self.copies = TemporaryDirectory()
        notebooks = Path(self.root, "notebooks")
        for path in sorted(notebooks.rglob("*.ipynb")):
            if path.parent.name == ".ipynb_checkpoints":
                continue
            name = path.relative_to(notebooks)
            copy = Path(self.copies.name, name)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(without_outputs(path.read_text("utf-8")), "utf-8")
            place = f"companion/_project/notebooks/{name.as_posix()}"
            build_data["force_include"][str(copy)] = place

    def finalize(self, version, build_data, artifact_path):
        """Remove the copies."""
        if version != "editable":
            self.copies.cleanup()
