"""Hatchling's hook, for a wheel of less than 3 MB: bare notebooks and compressed records.

The outputs of notebooks are two thirds of their bytes. A run executes them anew, and the records
that the wheel carries have the numbers.
"""

import json
import lzma
from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def without_outputs(content):
    """A notebook as it was before it ran."""
    notebook = json.loads(content)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode()


class SmallerWheel(BuildHookInterface):
    """Puts the smaller files into the wheel in place of those of the project."""

    def initialize(self, version, build_data):
        """Write them where they stay until the wheel is made."""
        if version == "editable":
            return
        self.copies = TemporaryDirectory()
        files = {}
        for path in Path(self.root, "notebooks").rglob("*.ipynb"):
            if path.parent.name != ".ipynb_checkpoints":
                files[path] = without_outputs(path.read_bytes())
        for path in Path(self.root, "data", "records").glob("*/*.csv"):
            files[path.with_name(f"{path.name}.xz")] = lzma.compress(path.read_bytes())
        for path, content in sorted(files.items()):
            name = path.relative_to(self.root)
            copy = Path(self.copies.name, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            place = f"companion/_project/{name.as_posix()}"
            build_data["force_include"][str(copy)] = place

    def finalize(self, version, build_data, artifact_path):
        """Remove the copies."""
        if version != "editable":
            self.copies.cleanup()
