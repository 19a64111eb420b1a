"""What an extra of the distribution needs, asked before anything runs."""

import re
from importlib import metadata

_DISTRIBUTION = "svm-companion"


def advice(extra):
    """How to install an extra, "" if all that it needs is there."""
    try:
        requirements = metadata.requires(_DISTRIBUTION)
    except metadata.PackageNotFoundError:  # the package is used from its folder
        return ""
    absent = []
    for requirement in requirements:
        wanted, _, marker = requirement.partition(";")
        name = re.match(r"[\w.-]+", wanted)[0]
        is_wanted = re.search(rf"extra == ['\"]{extra}['\"]", marker)
        if is_wanted and not any(metadata.distributions(name=name)):
            absent.append(name)
    if not absent:
        return ""
    return (
        f"{', '.join(absent)} must be installed first. In a clone of the repository: "
        f"pip install '.[{extra}]'"
    )
