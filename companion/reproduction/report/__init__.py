"""The static site: notebooks, the ledger of verdicts, deviations, errata, times and the API.

``companion report`` is :func:`build_report`. What the pages show is gathered (`content`) and put
into their templates in ``pages/``; Sphinx, configured in ``conf.py``, makes the site of them.
"""

from companion.reproduction.report.build import ReportError, Site, build_report

__all__ = ["ReportError", "Site", "build_report"]
