"""Betweenness from the ends of chains."""
