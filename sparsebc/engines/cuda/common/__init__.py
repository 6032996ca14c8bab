"""CUDA headers that several kernels include."""
