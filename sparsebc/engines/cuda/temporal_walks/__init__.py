"""Walks in time, 64 sources at once."""
