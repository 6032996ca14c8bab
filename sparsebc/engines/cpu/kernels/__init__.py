"""Compiled kernels: Numba for the CPU."""
