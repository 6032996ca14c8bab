"""Simulate Windows on Linux, as far as a process can remove its own POSIX functions.

Python imports this file when it starts, in every process with this folder on PYTHONPATH. POSIX
modules, functions, signals and flags are removed, directories cannot be opened as files, and files
that this process has open or mapped cannot be removed or replaced.
"""

import os
import signal
import sys

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
FUNCTIONS = (
    *("chown", "chroot", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid"),
    *("getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority", "getresuid", "getsid"),
    *("getuid", "killpg", "lchown", "lockf", "mkfifo", "mknod", "nice", "openpty", "pathconf"),
    *("posix_fadvise", "posix_fallocate", "posix_spawn", "posix_spawnp", "pread", "pwrite"),
    *("register_at_fork", "sched_getaffinity", "sched_setaffinity", "sched_yield", "sendfile"),
    *("setegid", "seteuid", "setgid", "setpgid", "setpriority", "setsid", "setuid", "statvfs"),
    *("sync", "sysconf", "sysconf_names", "wait", "wait3", "wait4"),
)
FLAGS = ("O_CLOEXEC", "O_DIRECTORY", "O_DSYNC", "O_NOATIME", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK")
SIGNALS = (
    *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP"),
    *("SIGTSTP", "SIGUSR1", "SIGUSR2", "alarm", "pause", "pthread_kill", "pthread_sigmask"),
    *("setitimer", "sigpending", "sigwait", "sigwaitinfo", "sigtimedwait"),
)
# Modules of Python that handle files the POSIX way here, and are exempt.
PYTHON = ("subprocess", "tempfile")

for name in MODULES:
    sys.modules[name] = None
for module, names in ((os, (*FUNCTIONS, *FLAGS)), (signal, SIGNALS)):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
for name in ("supports_dir_fd", "supports_fd", "supports_follow_symlinks"):
    setattr(os, name, set())


def is_open(path):
    """Whether this process has a file open, or mapped to its memory."""
    path = os.path.realpath(path)
    for number in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{number}") == path:
                return True
        except OSError:  # that of the list itself
            continue
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return any(line.rstrip("\n").endswith(f" {path}") for line in maps)


def guarded(function):
    """The file function, with Windows' error for open files."""

    def of_closed_files(*paths, **options):
        caller = sys._getframe(1).f_globals["__name__"]
        for path in paths:
            if caller not in PYTHON and is_open(path):
                raise PermissionError(13, "The process cannot access the file", os.fspath(path))
        return function(*paths, **options)

    return of_closed_files


for name in ("remove", "rename", "replace", "unlink"):
    setattr(os, name, guarded(getattr(os, name)))
_open = os.open


def _open_file(path, flags, *mode, **options):
    if os.path.isdir(path) and not flags & getattr(os, "O_TMPFILE", 0):
        raise PermissionError(13, "Permission denied", os.fspath(path))
    return _open(path, flags, *mode, **options)


os.open = _open_file
