"""Counts of the kernels that ran."""

import hashlib
import importlib
import pkgutil
import re
from collections import Counter
from pathlib import Path

from filelock import FileLock
from numba.core.compiler_lock import global_compiler_lock

import sparsebc
from sparsebc import jit
from sparsebc.engines import devices
from sparsebc.engines.cuda.runtime.source import complete

ROOT = Path(sparsebc.__file__).parent
GLOBAL = re.compile(r"__global__\s+void\s+(\w+)\s*\(")
BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
# Compiled kernels that no question needs, and what needs them.
ELSEWHERE = {
    "engines.cpu.double_edge_swaps": "null models",
    "engines.cpu.path_samples": "estimates",
    "engines.cpu.sssp.near": "streets",
    "engines.cpu.temporal_walks": "temporal walks",
    "graph.events": "temporal walks",
    "graph.timeline": "temporal walks",
    "io.text_kernels": "files",
    "path_samples/path_samples.cu": "estimates",
    "prepare/graph_ops.cu:without": "dismantle",
    "temporal_walks/temporal_walks.cu": "temporal walks",
    "reduce.chains._cut_if_closed": "another kernel",
}
_ran = set()
_locks = Path()


def _alone(*what):
    """Lock of a kernel: one process compiles it, and others find it in the cache."""
    key = hashlib.sha256(repr(what).encode()).hexdigest()
    return FileLock(_locks / key)


class Counted(jit._Kernel):
    """A Numba kernel that records its calls from Python."""

    def __call__(self, *args, **kwargs):
        _ran.add(_name(self))
        return super().__call__(*args, **kwargs)

    def compile(self, sig):
        with global_compiler_lock, _alone(_name(self), sig):
            return super().compile(sig)


class Launched:
    """A CuPy kernel that records its launches."""

    def __init__(self, name, kernel):
        vars(self).update(_name=name, _kernel=kernel)

    def __call__(self, *args, **kwargs):
        _ran.add(self._name)
        return self._kernel(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._kernel, name)

    def __setattr__(self, name, value):
        setattr(self._kernel, name, value)


def _name(dispatcher):
    return f"{dispatcher.__module__.removeprefix('sparsebc.')}.{dispatcher.__name__}"


def start(locks):
    """Make every kernel record that it ran; ``locks`` is the folder of compilation locks."""
    global _locks
    _locks = Path(locks)
    for kernel in _compiled():
        kernel.__class__ = Counted
    if devices.gpus():
        from cupy.cuda import compiler

        from sparsebc.engines.cuda.runtime import kernels as compiled

        compiling = compiler._compile_with_cache_cuda

        def compiled_once(source, options, arch, *args, **kwargs):
            with _alone(source, options, arch, args, kwargs.get("name_expressions")):
                return compiling(source, options, arch, *args, **kwargs)

        compiler._compile_with_cache_cuda = compiled_once
        make = compiled.kernels._function

        def counting(file, names, *parameters):
            return {
                name: Launched(f"{file}:{name.partition('<')[0]}", kernel)
                for name, kernel in make(file, names, *parameters).items()
            }

        compiled.kernels._function = counting
        compiled.kernels.cache_clear()


def _compiled():
    """All Numba kernels that Python calls."""
    found = {}
    for source in jit.SOURCES:
        path = ROOT / source
        module = importlib.import_module("sparsebc." + source.removesuffix(".py").replace("/", "."))
        modules = [module]
        if path.is_dir():
            names = [name for _, name, _ in pkgutil.iter_modules([str(path)])]
            modules = [importlib.import_module(f"{module.__name__}.{name}") for name in names]
        for each in modules:
            for value in vars(each).values():
                if isinstance(value, jit._Kernel) and value.__module__ == each.__name__:
                    found[_name(value)] = value
    return list(found.values())


def kernels(device):
    """All kernels of a device by name, each with the names under which it may run."""
    if device.startswith("reference"):
        return {}
    if not device.startswith("cuda"):
        names = {_name(kernel) for kernel in _compiled()}
        return {name: {name} for name in names if not name.startswith(tuple(ELSEWHERE))}
    folder, found = ROOT / "engines" / "cuda", {}
    whole = {str(file.relative_to(folder)): complete(file) for file in folder.rglob("*.cu")}
    for file in folder.rglob("*.cu*"):
        path = str(file.relative_to(folder))
        for name in _defined(file.read_text()):
            homes = (
                [path]
                if path in whole
                else [home for home, text in whole.items() if name in _defined(text)]
            )
            if not f"{path}:{name}".startswith(tuple(ELSEWHERE)):
                found[f"{path}:{name}"] = {f"{home}:{name}" for home in homes}
    return found


def _defined(text):
    """Names of the kernels of a CUDA source."""
    return GLOBAL.findall(BOUNDS.sub("", text))


class Meter:
    """Numbers of questions and failures, and of questions that ran each kernel."""

    def __init__(self):
        self.questions, self.failures, self.runs = 0, 0, Counter()

    def note(self, device):
        """Count the kernels of the last question, and reset the record."""
        self.questions += 1
        self.runs.update((device, kernel) for kernel in _ran)
        _ran.clear()

    def add(self, other):
        """Add the counts of another process."""
        self.questions += other.questions
        self.failures += other.failures
        self.runs.update(other.runs)

    def never_met(self, device):
        """Kernels of a device that no question ran."""
        ran = {name for one, name in self.runs if one == device}
        return sorted(name for name, any_of in kernels(device).items() if not any_of & ran)

    def table(self):
        """Yield lines: number of questions that ran each kernel, by device."""
        yield f"{'questions':>10}  kernel"
        for (device, kernel), count in sorted(self.runs.items()):
            yield f"{count:>10}  {device}  {kernel}"
