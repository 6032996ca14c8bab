"""Shortest paths from single sources, along lengths."""
