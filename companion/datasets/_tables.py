"""Delimited text files as the repositories give them out."""

import csv


def read_rows(path, delimiter=","):
    """Cells of a text file row by row, without blanks; the file has passed its sha256."""
    with open(path, newline="", encoding="ascii") as stream:
        rows = [[cell.strip() for cell in row] for row in csv.reader(stream, delimiter=delimiter)]
    return [[cell for cell in row if cell] for row in rows if any(row)]


def read_only(*arrays):
    """The arrays, closed to accidental writing: they are kept and handed out again."""
    for array in arrays:
        array.setflags(write=False)
    return arrays
