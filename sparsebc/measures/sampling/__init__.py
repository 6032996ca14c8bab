"""Estimates from sampled sources: the sampler, the bounds on its errors, and when to stop."""
