"""The root of the checkout, and an environment in which child processes can import from it."""

import os
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def child_environment() -> dict[str, str]:
    """This process's environment with the root first in PYTHONPATH, so that `-m proofs.…` works from any folder."""
    paths = (str(ROOT), os.environ.get("PYTHONPATH", ""))
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
