"""Temporal walks from 64 sources at once."""
