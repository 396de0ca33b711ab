"""The exact search: what a hand is worth when every card lies open, from any point of the play, at any table."""

import warnings

from leftbower.errors import Uncompiled
from leftbower.kernel.position import Position, position
from leftbower.kernel.search import is_compiled
from leftbower.kernel.solving import Batch, Solution, makers_points, solve

__all__ = ["Batch", "Position", "Solution", "is_compiled", "makers_points", "position", "solve"]

if not is_compiled():
    warnings.warn(
        "the kernel is not compiled, so solving is right but slow; install a C compiler and install leftbower again",
        Uncompiled,
        stacklevel=2,
    )
