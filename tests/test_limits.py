"""What a container, a batch system or the user allows: memory and threads, from trees of files."""

import pytest

from sparsebc import process as limits
from sparsebc.process import free_memory, usable_cpus
from sparsebc.sweep import options

GIB = 1 << 30


@pytest.fixture
def host(tmp_path):
    """Build a tree: 64 GiB free, and the files that are named."""

    def build(groups="", available=64, **files):
        write = {
            "proc/self/cgroup": groups,
            "proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {available << 20} kB\n",
            **{f"sys/fs/cgroup/{name}": str(text) for name, text in files.items()},
        }
        for name, text in write.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        limits.groups.cache_clear()
        return tmp_path

    return build


def stat(active, inactive, prefix=""):
    return f"anon 5\n{prefix}active_file {active}\n{prefix}inactive_file {inactive}\nshmem 7"


def group(path, most, used, **limits):
    """Files of a group of version 2, in GiB."""
    sizes = {"max": most, "current": used, **limits}
    return {
        f"{path}memory.{name}": size if isinstance(size, str) else int(size * GIB)
        for name, size in sizes.items()
    }


JOB = group("job/", 4, 3, high="max", stat=stat(GIB // 2, GIB // 2))
NESTED = group("a/", 2, 0) | group("a/b/", "max", 0) | group("a/b/c/", 8, 0)
TWO = group("", 8, 0) | group("job/", 3, 1)
OLD = "9:name=systemd:/s\n8:cpu,cpuacct:/slurm\n4:memory:/slurm/job_7\n0::/s"
OF_OLD = {
    "memory/slurm/job_7/memory.limit_in_bytes": 6 * GIB,
    "memory/slurm/job_7/memory.usage_in_bytes": 5 * GIB,
    "memory/slurm/job_7/memory.stat": stat(GIB, 0, "total_"),
    "memory/slurm/memory.limit_in_bytes": 9223372036854771712,  # none
    "memory/slurm/memory.usage_in_bytes": 50 * GIB,
}
CUT_OFF = "inactive_file many\nactive_file"
# Groups of the process, files, GiB available and GiB that may be used.
MEMORY = {
    "no groups": ("", {}, 64, 64),
    "a limit less what is in use, cached files aside": ("0::/job", JOB, 64, 2),
    "another group": ("0::/other", JOB, 64, 64),
    "less available": ("0::/job", JOB, 1, 1),
    "throttled": ("0::/job", JOB | group("job/", 4, 3, high=3), 64, 1),
    "beyond it": ("0::/job", JOB | group("job/", 4, 9, high=3), 64, 0),
    "no numbers": ("0::/job", group("job/", 4, 3, stat=CUT_OFF), 64, 1),
    "the least of nested groups": ("0::/a/b/c", NESTED, 64, 2),
    # In a container its own group lies where the hierarchy is mounted, whatever it is outside.
    **{
        f"mounted {path}": (f"0::{path}", group("", 3, 1), 64, 2)
        for path in ("/docker/x", "/../x", "/")
    },
    # A batch system made one in a container without a name space of groups.
    "below the top of a container": ("0::/docker/x/job", TWO, 64, 2),
    "version 1": (OLD, OF_OLD, 64, 2),
    "both versions": (OLD, OF_OLD | group("unified/s/", 1, 0), 64, 1),
}


@pytest.mark.parametrize(("groups", "files", "available", "want"), MEMORY.values(), ids=MEMORY)
def test_free_memory_is_the_least_that_any_limit_leaves(host, groups, files, available, want):
    assert free_memory(host(groups, available=available, **files)) == want * GIB


def test_memory_of_a_system_that_says_nothing_is_not_zero(host):
    """At least something."""
    assert free_memory(host() / "nowhere") > 0


def quota(text):
    """CPU time of a group of version 2, within one that has no limit."""
    return {"a/cpu.max": text, "a/b/cpu.max": "max 100000"}


def old_quota(time):
    """The same of version 1, in two files."""
    return {"cpu,cpuacct/a/cpu.cfs_quota_us": time, "cpu,cpuacct/a/cpu.cfs_period_us": 100000}


@pytest.mark.parametrize(
    ("groups", "files", "want"),
    [
        ("0::/a/b", quota("200000 100000"), 2),
        ("0::/a/b", quota("150000 100000"), 2),  # rounded up
        ("0::/a/b", quota("1000 100000"), 1),
        ("0::/c", quota("200000 100000"), 64),
        *(("3:cpu,cpuacct:/a", old_quota(q), n) for q, n in ((300000, 3), (-1, 64), (0, 64))),
    ],
)
def test_quotas_of_cpu_time_limit_the_threads(host, groups, files, want, monkeypatch):
    """CPU time of so many CPUs."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert usable_cpus(host(groups, **files), {}) == want


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        ({}, 64),
        ({"OMP_NUM_THREADS": "4"}, 4),
        ({"OMP_NUM_THREADS": "8,2"}, 8),
        ({"NUMBA_NUM_THREADS": "5", "SLURM_CPUS_PER_TASK": "3"}, 3),
        ({"SLURM_CPUS_PER_TASK": "100"}, 64),
        ({"OMP_NUM_THREADS": "0", "NUMBA_NUM_THREADS": "many", "SLURM_CPUS_PER_TASK": ""}, 64),
    ],
    ids=str,
)
def test_the_least_variable_limits_the_threads(host, environment, want, monkeypatch):
    """The least of those that hold a number."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert usable_cpus(host(), environment) == want


def test_limits_hold_for_the_default_number_of_workers_alone(monkeypatch):
    """They limit the default; a number of workers that is given stands."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert options.Run().threads == 1
    assert options.Run(workers=7).threads == 7
