"""Weighted single-source shortest paths (SSSP)."""
