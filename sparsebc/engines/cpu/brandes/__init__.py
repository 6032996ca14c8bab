"""Betweenness by edges."""
