"""What all tests share: the folder of material that is not ours, and a Hypothesis profile for busy machines."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("leftbower", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("leftbower")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout; without it the tests that need it say so and are skipped."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the folder shared/ must lie beside the checkout in CI")
        pytest.skip("the folder shared/ with sheets and recorded games is not beside the checkout")
    return folder
