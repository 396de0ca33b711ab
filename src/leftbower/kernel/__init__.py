"""Exact solver: the value of a hand with all cards face up, from any point of the play, for two to four players."""

import warnings

from leftbower.errors import Uncompiled
from leftbower.kernel.batch import Batch as Batch
from leftbower.kernel.layouts import HiddenLocation as HiddenLocation, Layouts as Layouts
from leftbower.kernel.position import Position as Position, chair_seats as chair_seats, position as position
from leftbower.kernel.search import is_compiled as is_compiled
from leftbower.kernel.solve import Solution as Solution, makers_points as makers_points, solve as solve

if not is_compiled():
    warnings.warn(
        "the kernel is not compiled, so solving is right but slow; install a C compiler and install leftbower again",
        Uncompiled,
        stacklevel=2,
    )
