"""Paths by length, a block of threads to a source."""
