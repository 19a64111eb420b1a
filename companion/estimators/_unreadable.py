"""A constructor parameter that scikit-learn must not take for a method."""


class UnreadableParameter:
    """A constructor parameter that is not an attribute; the class gives a dataclass its default."""

    def __init__(self, default):
        self._default = default

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self._default
        raise AttributeError(
            f"{self._name!r} is a parameter of a classifier here, not a method: read it by "
            f"get_params()[{self._name!r}]."
        )

    def __set__(self, instance, value):
        vars(instance)[self._name] = value
