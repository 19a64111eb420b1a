"""Choice of hyper-parameters that knows what kernel machines can share."""

from companion.tuning.gacv import (
    gacv,
    gacv_values,
    gckl,
    gckl_values,
    misclass,
    misclass_values,
    xi_alpha,
    xi_alpha_values,
)
from companion.tuning.grid import KernelGridSearchCV
from companion.tuning.surface import MachineSurface, machine_surface

__all__ = [
    "KernelGridSearchCV",
    "MachineSurface",
    "gacv",
    "gacv_values",
    "gckl",
    "gckl_values",
    "machine_surface",
    "misclass",
    "misclass_values",
    "xi_alpha",
    "xi_alpha_values",
]
