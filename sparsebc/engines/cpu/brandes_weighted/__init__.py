"""Betweenness by length."""
