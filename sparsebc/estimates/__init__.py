"""Betweenness from samples: to a stated error, within a time, or of the best nodes alone."""
