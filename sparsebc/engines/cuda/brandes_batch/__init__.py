"""Brandes' two phases on many groups of sources in step."""
