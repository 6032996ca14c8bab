"""Benchmarks of sparsebc beside other libraries: ``python -m benchmarks --help``."""
