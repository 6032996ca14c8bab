"""``python -m tests.conformance``: the command of `runner`."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))  # for `oracle`, and this package by its own name

from conformance.runner import main

if __name__ == "__main__":
    sys.exit(main())
