"""Arguments of `path_samples.cu`, and the constants that it shares with its launcher."""

from ...cpu.common import random
from ...cpu.path_samples.path_samples import EACH, LARGEST, MANY, PER_TRY, SEARCH
from ..common.layout import WARP
from ..runtime.structs import Struct, constants

THREADS = 256  # of a block, a pair to each of its warps

PATH_SAMPLES = Struct("path_samples/path_samples.cu", "State")

HEADERS = {
    "constants": constants("int", THREADS=THREADS, WARPS=THREADS // WARP, SEARCH=SEARCH)
    + constants("int", MANY=MANY, EACH=EACH, PER_TRY=PER_TRY)
    + constants("double", LARGEST=LARGEST, ULP=random.ULP)
    + constants("unsigned long long", GOLDEN=int(random.GOLDEN), FIRST_FACTOR=int(random.FIRST))
    + constants("unsigned long long", SECOND_FACTOR=int(random.SECOND)),
}
