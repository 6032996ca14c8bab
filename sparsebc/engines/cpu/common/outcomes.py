"""Outcomes of a batch, as kernels return them."""

# From ALONE on, so many sources are swept, and the others left to the kernel of single ones.
DONE, STOPPED, TOO_FAR, TOO_SHORT, ALONE = range(5)
