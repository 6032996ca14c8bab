"""How a call goes back to NetworkX: where it chose this backend, it computes itself.

Who asked for the backend by name gets the error, below one of NetworkX's own: it has the way out.
"""

from __future__ import annotations


def handed_back(reason: str) -> NotImplementedError:
    """What to raise where NetworkX is to compute, and why."""
    return NotImplementedError(
        f"{reason}; for NetworkX's own function, leave backend='sparsebc' out"
    )
