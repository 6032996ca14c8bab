"""Networks from the columns of data frames; also `sparsebc.io.frames`."""

from .io.frames import read

__all__ = ["read"]
