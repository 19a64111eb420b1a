"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``yardstick`` what is minimised and what an answer is worth.
"""

from companion.agreement import comparison, problems, solvers, yardstick
from companion.agreement.comparison import *  # noqa: F403
from companion.agreement.problems import *  # noqa: F403
from companion.agreement.solvers import *  # noqa: F403
from companion.agreement.yardstick import *  # noqa: F403

__all__ = [*problems.__all__, *yardstick.__all__, *solvers.__all__, *comparison.__all__]
