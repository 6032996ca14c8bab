"""Distances and shortest paths by length."""
