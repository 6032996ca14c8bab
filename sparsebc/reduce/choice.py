"""Choice of the reductions of a call: those that are allowed and fit, and why others do not.

A rule is a condition that leaves a reduction out, with its reason. Rules decide here and nowhere
else, so that `explain` gives the reasons of the call itself.
"""

from collections.abc import Iterable, Set

from ..engines.common.base import Engine

# Names of the reductions, in the order in which they are used.
ORDER = ("prune", "trees", "blocks", "chains", "twins")
IN_VAIN = "finds nothing, or would take longer than it saves"


class Choice:
    """A set of reductions, from which rules remove some."""

    def __init__(self, allowed: Set[str]) -> None:
        self.left_out = {name: "left out by reduce" for name in ORDER if name not in allowed}

    def __contains__(self, name: str) -> bool:
        return name not in self.left_out

    @property
    def names(self) -> frozenset[str]:
        """Names of the reductions that are left."""
        return frozenset(ORDER) - self.left_out.keys()

    def leave_out(self, names: Iterable[str], rules: Iterable[tuple[object, str]]) -> None:
        """Remove the reductions among ``names`` if a rule holds; its reason is the first such.

        Rules are read only if one of the names is in the set, and up to the first that holds: cheap
        ones come first, and later ones may presume the earlier ones.
        """
        left = [name for name in names if name in self]
        reason = next((reason for holds, reason in rules if holds), None) if left else None
        if reason is not None:
            self.left_out |= dict.fromkeys(left, reason)


def chosen_from(allowed: Set[str], engine: Engine) -> Choice:
    """The reductions among those allowed; none on an engine that reduces nothing."""
    choice = Choice(allowed)
    literal = engine.profile.literal, f"device {engine.name!r} reduces nothing"
    choice.leave_out(ORDER, [literal])
    return choice
