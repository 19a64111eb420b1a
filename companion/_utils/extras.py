"""What an extra of the distribution needs, asked before anything runs."""

import re
from importlib import metadata

_DISTRIBUTION = "svm-companion"


def missing_packages(extra):
    """The distributions that an extra needs and that are not installed, by name."""
    try:
        requirements = metadata.requires(_DISTRIBUTION)
    except metadata.PackageNotFoundError:  # the package is used from its folder
        return []
    absent = []
    for requirement in requirements:
        wanted, _, marker = requirement.partition(";")
        if not re.search(rf"extra == ['\"]{extra}['\"]", marker):
            continue
        name = re.match(r"[\w.-]+", wanted)[0]
        if name == _DISTRIBUTION:
            for other in re.search(r"\[(.*)\]", wanted)[1].split(","):
                absent += missing_packages(other)
        elif not _is_installed(name):
            absent.append(name)
    return absent


def _is_installed(name):
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def advice(extra):
    """How to install an extra, "" if all that it needs is there."""
    absent = missing_packages(extra)
    if not absent:
        return ""
    names = ", ".join(absent)
    return (
        f"{names} must be installed first. In a clone of the repository: "
        f"pip install '.[{extra}]'"
    )
