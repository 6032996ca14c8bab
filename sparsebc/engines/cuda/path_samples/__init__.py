"""Paths by edges sampled between two nodes, a warp to a pair."""
