"""CPU engine: kernels compiled by Numba."""
