"""Reports: a network and its scores as one page that a browser opens, by Bokeh."""

SUFFIXES = (".html",)
