"""From a graph to the problem an engine is given: arcs left out, trees folded, nodes numbered."""
