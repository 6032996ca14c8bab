"""Children of tests, forked from an interpreter that has imported the package.

``[*warm.python(), "-m", ...]``, or ``-c``, replaces ``[sys.executable, "-m", ...]`` without the
second that imports take: a small process asks a server for a child with its own descriptors,
environment and folder, forwards signals, exits with the child's status, and when killed takes the
child with it. Settings that Python, Numba and the C library read at start are those of the tests.
"""

import functools
import marshal
import os
import select
import signal
import socket
import sys

MOST = 64  # descriptors
HANDED_ON = signal.SIGINT, signal.SIGTERM, signal.SIGUSR1


@functools.cache
def python():
    """Command that starts Python."""
    if not hasattr(os, "pidfd_open"):  # of Linux
        return (sys.executable,)
    import atexit
    import subprocess

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")  # to any free abstract name
        listener.listen()
        server = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno())], pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        atexit.register(server.communicate)
        return sys.executable, "-IS", __file__, listener.getsockname()[1:].decode()


def ask(name, *words):
    """Client: let the server run a child, and exit with its status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON)  # until there is a child
    numbers = [one for one in range(MOST) if os.path.lexists(f"/proc/self/fd/{one}")]
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"\0{name}")
    socket.send_fds(server, [b"."], numbers)
    stream = server.makefile("rwb")
    is_deaf = signal.getsignal(signal.SIGINT) == signal.SIG_IGN  # as jobs in the background are
    marshal.dump((words, os.getcwd(), dict(os.environ), is_deaf, numbers), stream)
    stream.flush()
    child = marshal.load(stream)
    for number in HANDED_ON:
        signal.signal(number, lambda number, _: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDED_ON)
    for number in numbers:
        os.close(number)
    status = marshal.load(stream)
    if status < 0:
        if status != -signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def serve(listener):
    """Server loop; returns the request in the forked child that is to run it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # reap the processes that wait for a child
    while select.select([listener, sys.stdin], [], [])[0] == [listener]:  # until stdin is closed
        client, _ = listener.accept()
        if os.fork() == 0:
            break
        client.close()
    else:
        os._exit(0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, received, *_ = socket.recv_fds(client, 1, MOST)
    stream = client.makefile("rwb")
    asked = marshal.load(stream)
    if child := os.fork():
        for number in received:
            os.close(number)
        with contextlib.suppress(OSError):
            marshal.dump(child, stream)
            stream.flush()
            if client in select.select([client, os.pidfd_open(child)], [], [])[0]:
                os.kill(child, signal.SIGKILL)
            marshal.dump(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), stream)
            stream.flush()
        os._exit(0)
    for one in (stream, client, listener):
        one.close()
    copies = [fcntl.fcntl(one, fcntl.F_DUPFD, 2 * MOST) for one in received]
    os.closerange(0, 2 * MOST)
    for number, one in zip(asked[-1], copies, strict=True):
        os.dup2(one, number)
        os.close(one)
    return asked


def run(words, folder, environment, is_deaf, numbers):
    """Act as a Python started with these arguments."""
    if is_deaf:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    multiprocessing.process.ORIGINAL_DIR = folder
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old, new = getattr(sys, name), None
        if number in numbers:
            ways = 1 if number == 2 else -1, old.encoding, old.errors
            new = open(number, old.mode, *ways, closefd=False)
        setattr(sys, name, new)
    kind, what, *rest = words
    if kind == "-m":
        sys.argv, sys.path[0] = [what, *rest], folder
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = [kind, *rest], ""
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(what, vars(main))


if __name__ == "__main__":
    if sys.flags.isolated:
        ask(*sys.argv[1:])
    import contextlib
    import fcntl
    import gc
    import multiprocessing.process
    import runpy
    import types

    import imported  # noqa: F401

    gc.freeze()
    run(*serve(socket.socket(fileno=int(sys.argv[1]))))
