"""What a process of a pool runs first, to die in the midst of a result."""

import os
import signal
import sys


def speaking():
    """Begin a result of 256 bytes where the pool reads it, and be killed."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    os.write(frame.f_locals["result_queue"]._writer.fileno(), b"\0\0\1\0half")
    os.kill(os.getpid(), signal.SIGKILL)
