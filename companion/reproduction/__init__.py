"""Units of work, their records, the published values and the verdicts."""
