"""Imports of other packages that our own processes do without."""

import sys

#: Checks addresses by 38 parsers, which jsonschema builds before nbformat reads a first notebook,
#: in three seconds; and the debugger of kernels, a quarter of one.
_NEEDLESS = ("rfc3987_syntax", "debugpy")


def pass_over_slow_imports():
    """Have packages believe that some modules are not installed: in a process of ours only."""
    for name in _NEEDLESS:
        sys.modules.setdefault(name, None)
