"""Paths and distances from 64 clustered sources in one order of nodes."""
