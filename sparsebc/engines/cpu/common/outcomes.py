"""Return codes of the kernels that sweep a batch."""

# ALONE + k: the first k sources are swept; the others are left to the kernel of single sources.
DONE, STOPPED, TOO_FAR, ALONE = range(4)
