"""Random graphs of given degrees."""
