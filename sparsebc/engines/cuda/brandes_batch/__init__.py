"""Brandes' two phases on many batches of sources in step."""
