"""Choice of hyper-parameters that knows what kernel machines can share."""

from inspect import ismodule as _is_module

from companion.tuning.criteria import (
    gacv_values,
    gckl_values,
    misclass_values,
    xi_alpha_values,
)
from companion.tuning.gacv import gacv, gckl, misclass, xi_alpha
from companion.tuning.gacv_search import GACVSearch
from companion.tuning.grid import KernelGridSearchCV
from companion.tuning.leave_one_out import (
    LeftOut,
    leave_one_out,
    leave_one_out_errors,
    leave_one_out_surface,
)
from companion.tuning.span import squared_spans
from companion.tuning.surface import MachineSurface, machine_surface

# What stands above, but for the modules themselves.
__all__ = [
    name for name, value in vars().items() if not (name[0] == "_" or _is_module(value))
]

# The name before 0.3, which is that of a splitter of scikit-learn.
LeaveOneOut = LeftOut
