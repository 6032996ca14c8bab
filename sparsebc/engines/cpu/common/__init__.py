"""Vectors, counts, sums and rows that kernels share."""
