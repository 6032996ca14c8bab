"""A graph becomes an engine's problem: arcs left out, trees folded, blocks apart, numbered."""
