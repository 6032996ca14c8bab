"""CUDA engine: CUDA C++ through CuPy."""
