"""The sums of `engines/sums.py` as flags of a kernel's template parameter, and their header."""

from __future__ import annotations

from ...sums import SUMS

FLAGS = {row.name: row.bit for row in SUMS.values() if row.bit}
# Sums kept once for all groups: a source is in one of them.
WHOLE = ("departures",)
# Sums of which every group in flight has its own, added up in the order of the groups.
BY_NODE = tuple(name for name in FLAGS if not SUMS[name].by_arc and name not in WHOLE)

HEADERS = {
    "sums": "enum Sums {\n"
    + "".join(
        f"    {name.upper()} = {bit},  // {SUMS[name].meaning}\n" for name, bit in FLAGS.items()
    )
    + "};\n\n// Of these, the sums of which every group in flight has its own, by node.\n"
    + f"constexpr int BY_NODE = {' | '.join(map(str.upper, BY_NODE))};\n",
}
