"""Python as a process of its own, for what a process must be asked."""

import subprocess
import sys


def python(*words, **options):
    """What Python, given these words, returns and says."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, **options)
