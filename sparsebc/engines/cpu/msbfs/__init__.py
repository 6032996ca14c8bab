"""Multi-source breadth-first search."""
