"""Choice of hyper-parameters that knows what kernel machines can share."""

from companion.tuning.criteria import gacv_values, gckl_values, misclass_values, xi_alpha_values
from companion.tuning.gacv import gacv, gckl, misclass, xi_alpha
from companion.tuning.gacv_search import GACVSearch
from companion.tuning.grid import KernelGridSearchCV
from companion.tuning.leave_one_out import (
    LeaveOneOut,
    leave_one_out,
    leave_one_out_errors,
    leave_one_out_surface,
)
from companion.tuning.pvgs import ParameterVectorGridSearchCV
from companion.tuning.surface import MachineSurface, machine_surface

__all__ = [
    "GACVSearch",
    "KernelGridSearchCV",
    "LeaveOneOut",
    "MachineSurface",
    "ParameterVectorGridSearchCV",
    "gacv",
    "gacv_values",
    "gckl",
    "gckl_values",
    "leave_one_out",
    "leave_one_out_errors",
    "leave_one_out_surface",
    "machine_surface",
    "misclass",
    "misclass_values",
    "xi_alpha",
    "xi_alpha_values",
]
