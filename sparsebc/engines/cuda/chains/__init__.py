"""Paths by edges from the ends of chains."""
