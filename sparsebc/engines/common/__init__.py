"""Base of all engines: tasks and kernels, batches of sources, seeds and sums."""
