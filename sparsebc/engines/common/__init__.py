"""What all engines share: tasks and kernels, batches of sources, seeds and sums."""
