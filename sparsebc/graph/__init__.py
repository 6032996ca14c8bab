"""What a graph is, and the one door through which matrices come in."""
