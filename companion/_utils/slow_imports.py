"""Imports of other packages that our own processes and notebooks do without."""

import sys


def pass_over_slow_imports(*others):
    """Have packages believe that checks of addresses are not installed, nor what else is named.

    jsonschema builds 38 parsers for them, in three seconds, before nbformat reads a first notebook.
    """
    for name in ("rfc3987_syntax", *others):
        sys.modules.setdefault(name, None)
