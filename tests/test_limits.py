"""What a container, a batch system or the user allows: memory and threads, from trees of files."""

import pytest

from sparsebc.engines.common import cgroups
from sparsebc.engines.common.host_memory import free_memory
from sparsebc.run import options
from sparsebc.run.cpus import usable_cpus

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
        cgroups.groups.cache_clear()
        return tmp_path

    return build


def stat(active, inactive, prefix=""):
    return f"anon 5\n{prefix}active_file {active}\n{prefix}inactive_file {inactive}\nshmem 7"


def test_memory_without_groups(host):
    """What the system calls available; where it says nothing, at least something."""
    assert free_memory(host()) == 64 * GIB
    assert free_memory(host() / "nowhere") > 0


def test_memory_of_version_2(host):
    """The limit, less what is in use, cached files aside."""
    files = {
        "job/memory.max": 4 * GIB,
        "job/memory.high": "max",
        "job/memory.current": 3 * GIB,
        "job/memory.stat": stat(GIB // 2, GIB // 2),
    }
    assert free_memory(host("0::/job", **files)) == 2 * GIB
    assert free_memory(host("0::/other", **files)) == 64 * GIB
    assert free_memory(host("0::/job", available=1, **files)) == GIB
    files["job/memory.high"] = 3 * GIB  # from there on the group is throttled
    assert free_memory(host("0::/job", **files)) == GIB
    files["job/memory.current"] = 9 * GIB
    assert free_memory(host("0::/job", **files)) == 0


def test_lines_without_a_number(host):
    """A file that was cut off tells nothing of the cache, and stops no call."""
    files = {
        "job/memory.max": 4 * GIB,
        "job/memory.current": 3 * GIB,
        "job/memory.stat": "inactive_file many\nactive_file",
    }
    assert free_memory(host("0::/job", **files)) == GIB


def test_the_least_of_nested_groups(host):
    """A limit of any group above holds as well."""
    files = {
        "a/memory.max": 2 * GIB,
        "a/memory.current": 0,
        "a/b/memory.max": "max",
        "a/b/memory.current": 0,
        "a/b/c/memory.max": 8 * GIB,
        "a/b/c/memory.current": 0,
    }
    assert free_memory(host("0::/a/b/c", **files)) == 2 * GIB


@pytest.mark.parametrize("group", ["/docker/x", "/../x", "/"])
def test_a_container_that_is_mounted_as_the_top(host, group):
    """Its own group lies where the hierarchy is mounted, whatever it is called outside."""
    files = {"memory.max": 3 * GIB, "memory.current": GIB}
    assert free_memory(host(f"0::{group}", **files)) == 2 * GIB


def test_a_group_below_the_top_of_a_container(host):
    """As a batch system makes one in a container without a name space of groups."""
    files = {"memory.max": 8 * GIB, "job/memory.max": 3 * GIB}
    files |= {"memory.current": 0, "job/memory.current": GIB}
    assert free_memory(host("0::/docker/x/job", **files)) == 2 * GIB


def test_memory_of_version_1(host):
    """A hierarchy of its own, among others; no limit is a very large number."""
    groups = "9:name=systemd:/s\n8:cpu,cpuacct:/slurm\n4:memory:/slurm/job_7\n0::/s"
    files = {
        "memory/slurm/job_7/memory.limit_in_bytes": 6 * GIB,
        "memory/slurm/job_7/memory.usage_in_bytes": 5 * GIB,
        "memory/slurm/job_7/memory.stat": stat(GIB, 0, "total_"),
        "memory/slurm/memory.limit_in_bytes": 9223372036854771712,
        "memory/slurm/memory.usage_in_bytes": 50 * GIB,
    }
    assert free_memory(host(groups, **files)) == 2 * GIB
    files["unified/s/memory.max"], files["unified/s/memory.current"] = GIB, 0  # of both versions
    assert free_memory(host(groups, **files)) == GIB


@pytest.mark.parametrize(
    ("text", "want"), [("200000 100000", 2), ("150000 100000", 2), ("1000 100000", 1)]
)
def test_quota_of_version_2(host, text, want, monkeypatch):
    """CPU time of so many CPUs, rounded up."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    files = {"a/cpu.max": text, "a/b/cpu.max": "max 100000"}
    assert usable_cpus(host("0::/a/b", **files), {}) == want
    assert usable_cpus(host("0::/c", **files), {}) == 64


@pytest.mark.parametrize(("quota", "want"), [(300000, 3), (-1, 64), (0, 64)])
def test_quota_of_version_1(host, quota, want, monkeypatch):
    """In two files."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    files = {
        "cpu,cpuacct/a/cpu.cfs_quota_us": quota,
        "cpu,cpuacct/a/cpu.cfs_period_us": 100000,
    }
    assert usable_cpus(host("3:cpu,cpuacct:/a", **files), {}) == want


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
def test_variables(host, environment, want, monkeypatch):
    """The least of those that hold a number."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert usable_cpus(host(), environment) == want


def test_workers_by_default(monkeypatch):
    """They limit the default; a number of workers that is given stands."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert options.Run().threads == 1
    assert options.Run(workers=7).threads == 7
