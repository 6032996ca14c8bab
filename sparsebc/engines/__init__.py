"""Engines: who computes the two products. Nothing above this package names a library."""
