"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``solvers`` one function a solver, ``yardstick`` what an answer is worth
by itself, ``matrix`` the table of all, ``cases`` the places where they differ, and why.
"""

from companion.agreement.cases import identical_points, large_costs, left_out
from companion.agreement.matrix import OBJECTIVE_TOL, agreement, agreement_matrix, compare, solve
from companion.agreement.problems import MACHINES, MINIMUM_MARGIN, Problem, list_problems
from companion.agreement.solvers import FAMILIES, SOLVERS, Task, solvers_of
from companion.agreement.yardstick import Answer, Judgement, Yardstick

__all__ = [
    "FAMILIES",
    "MACHINES",
    "MINIMUM_MARGIN",
    "OBJECTIVE_TOL",
    "SOLVERS",
    "Answer",
    "Judgement",
    "Problem",
    "Task",
    "Yardstick",
    "agreement",
    "agreement_matrix",
    "compare",
    "identical_points",
    "large_costs",
    "left_out",
    "list_problems",
    "solve",
    "solvers_of",
]
