"""Paths by edges, a block of threads to a source."""
