"""Python, or another program, as a process of its own, and how one is waited for."""

import subprocess
import sys
import time


def python(*words, program=sys.executable, **options):
    """What Python, or the program, given these words, returns and says."""
    return subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, **options
    )


def said(*words, **options):
    """What Python, or the program, given these words, says if all is well."""
    done = python(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wait_for(condition, seconds=60, what="waited in vain"):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)
