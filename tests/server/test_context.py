"""The application context is a frozen dataclass of services; every limit of a server is used somewhere."""

import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from leftbower.server.context import AppContext, build_context
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.quotas import Quotas
from leftbower.store.memory import MemoryStore

SOURCE = Path(__file__).parents[2] / "src" / "leftbower"


async def test_the_context_holds_services_and_only_opens_and_closes_them() -> None:
    async with MemoryStore() as store:
        context = build_context(store)
        with pytest.raises(FrozenInstanceError):
            setattr(context, fields(context)[0].name, store)
        methods = {name for name, value in vars(AppContext).items() if callable(value) and not name.startswith("_")}
        assert methods == {"open", "close", "end_feeds"}
        await context.close()


def test_every_limit_is_taken_somewhere() -> None:
    text = "\n".join(
        path.read_text(encoding="utf-8") for layer in ("server", "web") for path in (SOURCE / layer).rglob("*.py")
    )
    unused = [limit.name for limit in fields(Limits) if not re.search(rf"limits\.{limit.name}\b", text)]
    assert unused == []


async def test_guests_and_events_a_day_are_limited_by_the_quotas() -> None:
    """No matter which other limits are set."""
    async with MemoryStore() as store:
        unlimited = RateLimit(burst=10**9, rate=1e9)
        quotas = Quotas(guests_per_address=3, events_per_address=2)
        context = build_context(store, limits=Limits(anonymous=unlimited), quotas=quotas)
        assert context.limits.anonymous is unlimited
        assert (context.limits.new_guests._burst, context.limits.new_events._burst) == (3, 2)
        await context.close()
