"""What an extra of the distribution needs, asked before anything runs."""

from importlib import metadata

from companion._utils.paths import is_checkout

_DISTRIBUTION = "svm-companion"


def advice(extra):
    """How to install an extra, "" if all that it needs is there."""
    from packaging.requirements import Requirement

    try:
        requirements = metadata.requires(_DISTRIBUTION) or ()
    except metadata.PackageNotFoundError:  # the package is used from its folder
        return ""
    absent = [
        requirement.name
        for requirement in map(Requirement, requirements)
        if requirement.marker
        and requirement.marker.evaluate({"extra": extra})
        and not requirement.marker.evaluate({"extra": ""})
        and not any(metadata.distributions(name=requirement.name))
    ]
    if not absent:
        return ""
    return f"{', '.join(absent)} must be installed first. {way_to_install(extra)}"


def way_to_install(extra):
    """The command that installs an extra, of a clone or of a wheel."""
    if is_checkout():
        return f"In a clone of the repository: pip install '.[{extra}]'"
    return (
        f"Install the extra from where {_DISTRIBUTION} came: "
        f"pip install '<wheel or repository>[{extra}]'"
    )
