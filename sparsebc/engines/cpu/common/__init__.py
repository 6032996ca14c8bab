"""Shared by the CPU's kernels: SIMD vectors, path counts, sums, rows of a graph."""
