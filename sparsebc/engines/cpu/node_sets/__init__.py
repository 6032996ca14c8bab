"""Group betweenness, of sets of nodes."""
