"""Liu, Wu and He, "Utility-Based Weighted Multicategory Robust Support Vector Machines".

``theory``, ``beyond`` and ``exact`` are what is computed, ``claims`` turns records into sentences.
"""

from companion.papers.base import RUN_PARAMETERS, Artefact
from companion.papers.wrsvm import beyond, claims, exact, theory

ARTEFACTS = (
    Artefact("wrsvm", "theory", "Theorem 3.1, (9), the cost form (4) and the DC algorithm",
             (theory.THEOREM, theory.EQUALITY, theory.FORMS), RUN_PARAMETERS,
             claims.theory_values),
    Artefact("wrsvm", "beyond", "Why truncation helps, global minima, baselines, more classes",
             (beyond.TRUNCATION, beyond.BASELINES, beyond.KERNEL, beyond.LEVELS,
              beyond.TABLE_3_BY_UTILITY, beyond.FIVE, exact.EXACT), RUN_PARAMETERS,
             claims.beyond_values),
)
