"""Every Python that CI starts imports this: it has the packages of CI's own environments alone.

A test that starts another interpreter finds there what a fresh machine has, whatever the machine
that runs the tests has got. The environments lie in the copy of the tree that this file is part of.
"""

import os
import sys

OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))) + os.sep
sys.path[:] = [
    path for path in sys.path if "-packages" not in path or os.path.realpath(path).startswith(OWN)
]
