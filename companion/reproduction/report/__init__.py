"""The static site: every notebook, the ledger of verdicts, errata, deviations, times and the API.

``companion report`` is :func:`build_report`. The content is gathered from the notebooks, records
and data files (`content`), written as Sphinx source (`source`), built by Sphinx (`build`), and the
built pages are checked (`check`): no broken link, nothing loaded from elsewhere, no image without
a text alternative.
"""

from companion.reproduction.report.build import ReportError, Site, build_report

__all__ = ["ReportError", "Site", "build_report"]
