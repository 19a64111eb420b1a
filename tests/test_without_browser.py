"""Where no browser is found its tests skip and say so, before a site is built for them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("test_report_browser.py")


def run_one(*, path, before=""):
    """Pytest on one test of the browser, with a PATH of its own; its summary of skips."""
    program = f"{before}\nimport pytest, sys\nsys.exit(pytest.main(sys.argv[1:]))"
    options = ["-q", "-rs", "-o", "addopts=", "-p", "no:cacheprovider", "-k", "dark_mode"]
    done = subprocess.run(
        [sys.executable, "-c", program, *options, str(TESTS)],
        env=os.environ | {"PATH": str(path)},
        capture_output=True,
        text=True,
        cwd=TESTS.parents[1],
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 skipped" in done.stdout and "passed" not in done.stdout
    return done.stdout


def a_program(folder, name):
    """A file that a search for programs finds."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\nexit 1\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("here", "missing"),
    [
        ((), "Chromium, chromedriver"),
        (("chromium",), "chromedriver"),
        (("chromedriver",), "Chromium"),
    ],
)
def test_browser_tests_skip_where_a_program_is_missing(tmp_path, here, missing):
    tmp_path.joinpath("bin").mkdir()
    for name in here:
        a_program(tmp_path / "bin", name)
    skipped = run_one(path=tmp_path / "bin")
    assert f"needs a browser: {missing} not found" in skipped


def test_browser_tests_skip_where_selenium_is_missing(tmp_path):
    for name in ("chromium", "chromedriver"):
        a_program(tmp_path / "bin", name)
    skipped = run_one(path=tmp_path / "bin", before="import sys; sys.modules['selenium'] = None")
    assert "needs a browser: the Python package selenium not found" in skipped
