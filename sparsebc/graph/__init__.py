"""Graphs, and the one door through which matrices come in."""
