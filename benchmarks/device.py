"""The GPU that is measured."""

import subprocess


def missing():
    """Reason why there is no GPU to measure, in one line; empty if there is one."""
    try:
        import cupy

        return "" if cupy.cuda.runtime.getDeviceCount() else "CuPy finds no GPU"
    except Exception as error:  # a broken CUDA fails in many ways
        return f"CuPy finds no GPU ({type(error).__name__}: {str(error).strip().splitlines()[0]})"


def describe():
    """Name, memory, driver, CUDA runtime and CuPy versions of the current device."""
    import cupy

    runtime = cupy.cuda.runtime
    properties = runtime.getDeviceProperties(cupy.cuda.Device().id)
    return {
        "name": properties["name"].decode(),
        "memory_bytes": properties["totalGlobalMem"],
        "driver": _driver(),
        "cuda_driver": "{}.{}".format(*divmod(runtime.driverGetVersion() // 10, 100)),
        "cuda_runtime": "{}.{}".format(*divmod(runtime.runtimeGetVersion() // 10, 100)),
        "cupy": cupy.__version__,
    }


def _driver():
    """Version of the display driver, from nvidia-smi."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.check_output(command, text=True).split()[0]
