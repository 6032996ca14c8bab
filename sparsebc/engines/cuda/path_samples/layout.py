"""Arguments of `path_samples.cu`, and the constant that it shares with its launcher."""

from ..runtime.structs import Struct, constants

(THREADS,) = constants("path_samples/constants.cuh", "THREADS")

PATH_SAMPLES = Struct("path_samples/path_samples.cu", "State")
