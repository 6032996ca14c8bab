"""Searches from many sources: MS-BFS, and distances to a fixpoint."""
