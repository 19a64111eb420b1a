"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``yardstick`` what is minimised and what an answer is worth.
"""

from companion.papers.across.agreement.comparison import (
    agreement,
    agreement_matrix,
    compare,
    left_out,
    solve,
)
from companion.papers.across.agreement.problems import (
    MACHINES,
    MINIMUM_MARGIN,
    SharedProblem,
    list_problems,
)
from companion.papers.across.agreement.solvers import (
    REFERENCE,
    SOLVERS,
    solvers_of,
    weighted_least_squares,
)
from companion.papers.across.agreement.yardstick import (
    Answer,
    Judgement,
    Yardstick,
    machine_of,
)

__all__ = [
    "MACHINES",
    "MINIMUM_MARGIN",
    "REFERENCE",
    "SOLVERS",
    "Answer",
    "Judgement",
    "SharedProblem",
    "Yardstick",
    "agreement",
    "agreement_matrix",
    "compare",
    "left_out",
    "list_problems",
    "machine_of",
    "solve",
    "solvers_of",
    "weighted_least_squares",
]
