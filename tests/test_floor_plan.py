"""The floor plan of the package, stated in `.importlinter`: which room may import which."""

from _run import python

from companion._paths import project_root

COMMAND = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def test_no_import_points_back_up():
    done = python("-c", COMMAND, "--no-cache", cwd=project_root())
    assert done.returncode == 0, done.stdout + done.stderr
