"""The name before 0.2 of ``companion._utils.errors``."""

import sys
from importlib import import_module

sys.modules[__name__] = import_module("companion._utils.errors")
