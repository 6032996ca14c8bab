"""Running a sweep: options, memory plan, workers, checkpoints and the ordered sum."""
