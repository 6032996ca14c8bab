"""Graphs on a device: reading, components and reductions."""
