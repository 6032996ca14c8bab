"""What the contracts of imports in pyproject.toml cannot say."""

import re

from sources import PACKAGE


def test_no_rule_asks_how_much_memory_there_is():
    """Those of kernels and reductions fix the bits: engines alone ask, for the plan of workers."""
    asks = r"[.'\"](memGetInfo|totalGlobalMem|free_memory|cpu_count|sched_getaffinity)"
    files = [
        path for name in ("engines", "reduce", "matrix") for path in (PACKAGE / name).rglob("*.py")
    ]
    asking = {str(path.relative_to(PACKAGE)) for path in files if re.search(asks, path.read_text())}
    known = {f"engines/{name}/engine.py" for name in ("cpu", "cuda", "reference")}
    assert asking <= known | {f"engines/reference/{name}.py" for name in ("elementwise", "updates")}
