"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``yardstick`` what is minimised and what an answer is worth.
"""

from companion.papers.across.agreement import comparison, problems, solvers, yardstick
from companion.papers.across.agreement.comparison import *  # noqa: F403
from companion.papers.across.agreement.problems import *  # noqa: F403
from companion.papers.across.agreement.solvers import *  # noqa: F403
from companion.papers.across.agreement.yardstick import *  # noqa: F403

__all__ = [*problems.__all__, *yardstick.__all__, *solvers.__all__, *comparison.__all__]
