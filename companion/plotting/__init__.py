"""Figure functions: data and an ``Axes`` in, the ``Axes`` out, nothing computed.

Colours are told apart in grey as well (they differ in lightness), and every series has its own
marker or line style.
"""

from companion.plotting import agreement, common, described, sliding, verdicts
from companion.plotting.agreement import *  # noqa: F403
from companion.plotting.common import *  # noqa: F403
from companion.plotting.described import *  # noqa: F403
from companion.plotting.sliding import *  # noqa: F403
from companion.plotting.verdicts import *  # noqa: F403

__all__ = [
    *agreement.__all__,
    *common.__all__,
    *described.__all__,
    *sliding.__all__,
    *verdicts.__all__,
]
