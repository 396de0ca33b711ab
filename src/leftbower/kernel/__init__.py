"""The exact search: what a hand is worth when every card lies open, from any point of the play, at any table."""

import warnings

from leftbower.errors import Uncompiled
from leftbower.kernel.batch import Batch
from leftbower.kernel.layouts import HiddenLocation, Layouts
from leftbower.kernel.position import Position, chair_seats, position
from leftbower.kernel.search import is_compiled
from leftbower.kernel.solve import Solution, makers_points, solve

__all__ = [
    "Batch",
    "HiddenLocation",
    "Layouts",
    "Position",
    "Solution",
    "chair_seats",
    "is_compiled",
    "makers_points",
    "position",
    "solve",
]

if not is_compiled():
    warnings.warn(
        "the kernel is not compiled, so solving is right but slow; install a C compiler and install leftbower again",
        Uncompiled,
        stacklevel=2,
    )
