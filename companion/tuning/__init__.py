"""Choice of hyper-parameters that knows what kernel machines can share."""

from companion.tuning.grid import KernelGridSearchCV

__all__ = ["KernelGridSearchCV"]
