"""Graphs, how matrices are read into them, and algorithms on their patterns."""
