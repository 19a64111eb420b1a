"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``solvers`` one function a solver, ``yardstick`` what an answer is worth
by itself, ``matrix`` all of them together, ``cases`` where they differ and why, ``tables`` what of
it is printed.
"""

from companion.agreement.cases import biases, damping, identical_points, large_costs, left_out
from companion.agreement.matrix import OBJECTIVE_TOL, agreement, agreement_matrix, compare, solve
from companion.agreement.problems import MACHINES, MINIMUM_MARGIN, Problem, list_problems
from companion.agreement.solvers import FAMILIES, SOLVERS, Task, solvers_of
from companion.agreement.tables import difference_table, order, problem_table, solver_table
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
    "biases",
    "compare",
    "damping",
    "difference_table",
    "identical_points",
    "large_costs",
    "left_out",
    "list_problems",
    "order",
    "problem_table",
    "solve",
    "solver_table",
    "solvers_of",
]
