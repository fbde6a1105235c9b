"""CSV: the points of a figure."""

from dml_viz.figure_files.formats._table import Table


class CSV(Table):
    """A table with commas between cells."""

    label, place = "Data as CSV", 5
    note = "Every point of every trace"
    media_type, separator = "text/csv", ","
