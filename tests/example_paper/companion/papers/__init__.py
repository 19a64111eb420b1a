    Paper(
        "nearest_mean",
        "How Near Is the Nearest Mean?",
        "A. Example, an invented paper, 2026",
        "companion.papers.nearest_mean",
    ),
