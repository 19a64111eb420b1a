"""Choice of hyper-parameters that knows what kernel machines can share."""

from inspect import ismodule as _is_module

from companion.tuning.criteria import *  # noqa: F403
from companion.tuning.gacv import *  # noqa: F403
from companion.tuning.gacv_search import *  # noqa: F403
from companion.tuning.grid import *  # noqa: F403
from companion.tuning.leave_one_out import *  # noqa: F403
from companion.tuning.span import *  # noqa: F403
from companion.tuning.surface import *  # noqa: F403

# What the modules list, which is all that is here but the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]
