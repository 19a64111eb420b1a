"""Run Python or another program in a process of its own, and wait for a condition."""

import subprocess
import sys
import time


def python(*words, program=sys.executable, **options):
    """Run Python, or another program, with these arguments; return the finished process."""
    return subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, **options
    )


def start(*words, **options):
    """Start Python with these arguments; the process, whose output is kept."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, *map(str, words)], **pipes, **options)


def said(*words, **options):
    """The standard output of a run, which must exit with 0."""
    done = python(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wait_for(condition, seconds=180, what="waited in vain"):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)
