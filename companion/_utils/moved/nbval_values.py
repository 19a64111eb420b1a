"""The name before 0.2 of ``companion.reproduction.nbval_values``."""

import sys
from importlib import import_module

sys.modules[__name__] = import_module("companion.reproduction.nbval_values")
