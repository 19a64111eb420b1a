"""Where no browser is found its tests skip and say so, before a site is built for them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("test_report_browser.py")
HIDE_SELENIUM = "import sys; sys.modules['selenium'] = None\n"


@pytest.mark.parametrize(
    ("here", "before", "missing"),
    [
        (("chromedriver",), "", "Chromium"),
        (("chromium", "chromedriver"), HIDE_SELENIUM, "the Python package selenium"),
    ],
)
def test_browser_tests_skip_where_something_is_missing(tmp_path, here, before, missing):
    for name in here:
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    program = f"{before}import pytest, sys\nsys.exit(pytest.main(sys.argv[1:]))"
    options = ["-q", "-rs", "-o", "addopts=", "-p", "no:cacheprovider", "-k", "dark_mode"]
    done = subprocess.run(
        [sys.executable, "-c", program, *options, str(TESTS)],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        cwd=TESTS.parents[1],
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 skipped" in done.stdout and "passed" not in done.stdout
    assert f"needs a browser: {missing} not found" in done.stdout
