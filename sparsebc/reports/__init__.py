"""Reports: a network and its scores as one HTML page, by Bokeh."""

SUFFIXES = (".html",)
