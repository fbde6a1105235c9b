"""CSV: the points of a figure."""

from dml_viz.figure_files.formats._table import TableFile


class CSV(TableFile):
    """A table with commas between cells."""

    label, order = "Data as CSV", 5
    note = "Every point of every trace"
    media_type, separator = "text/csv", ","
