"""From a problem to its sums: options, memory, workers, and the one ordered sum."""
