"""The floor plan of the package, stated in `.importlinter`: which room may import which."""

import subprocess
import sys

from companion._paths import project_root

COMMAND = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def test_no_import_points_back_up():
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "--no-cache"],
        cwd=project_root(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
