"""Devices: streams, memory, copies and compiled kernels."""
