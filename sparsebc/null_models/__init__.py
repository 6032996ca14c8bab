"""Scores beside those of random networks with the same degrees."""
