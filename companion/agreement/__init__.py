"""Do the solvers agree? All of them on the same problems from every paper, by one yardstick.

``problems`` has the data, ``machines`` what is minimised, ``yardstick`` what an answer is worth.
"""

from companion.agreement.comparison import agreement, agreement_matrix, compare, solve
from companion.agreement.differences import biases, damping, identical_points, large_costs, left_out
from companion.agreement.machines import machine_of
from companion.agreement.problems import MACHINES, MINIMUM_MARGIN, Problem, list_problems
from companion.agreement.solvers import FAMILIES, SOLVERS, solvers_of
from companion.agreement.tables import difference_table, order, problem_table, solver_table
from companion.agreement.yardstick import OBJECTIVE_TOL, Answer, Judgement, Yardstick

__all__ = [
    "FAMILIES",
    "MACHINES",
    "MINIMUM_MARGIN",
    "OBJECTIVE_TOL",
    "SOLVERS",
    "Answer",
    "Judgement",
    "Problem",
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
    "machine_of",
    "order",
    "problem_table",
    "solve",
    "solver_table",
    "solvers_of",
]
