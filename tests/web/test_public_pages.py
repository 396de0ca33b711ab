"""Public pages are cached: standings are computed once per settled score, not per visitor or hand."""

import pytest

from event_client import event_site, open_event
from leftbower.tournament.model.state import Event
from leftbower.web.event import wall
from leftbower.web.event.view_models import ClockViewModel, StandingsViewModel, standings_view_model


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The versions for which standings were computed."""
    versions: list[int] = []

    def counting(event: Event) -> StandingsViewModel:
        versions.append(event.version)
        return standings_view_model(event)

    monkeypatch.setattr(wall, "standings_view_model", counting)
    return versions


async def test_hands_and_visitors_do_not_recompute_the_standings(counted: list[int]) -> None:
    async with event_site() as site:
        await open_event(site)
        await site.organizer.do("publish", page="yes", standings="yes")
        public = f"/e/{site.event}"
        wall = await site.follow_link((await site.organizer.new_links(command="wall"))["Screen 1"])
        for _ in range(3):
            await site.anonymous().see(public)
            await wall.see(f"{public}/wall")
        north, _ = await site.phones()
        await north.tap(tap="N3")
        before = await site.anonymous().see(public)
        assert len(counted) == 1
        assert "10-6" not in before
        await site.settle(1, 2, "10-6")
        assert "10-6" in await site.anonymous().see(public)
        assert len(counted) == 2


async def test_the_clock_goes_on_while_the_rest_is_cached(counted: list[int]) -> None:
    async with event_site() as site:
        await open_event(site)
        events = site.server.context.events
        events.clock = lambda: 1000.0
        await site.organizer.do("publish", page="yes", standings="yes")
        await site.organizer.do("clock", clock="set", minutes="20")
        assert ">20:00<" in await site.anonymous().see(f"/e/{site.event}")
        events.clock = lambda: 1061.0
        assert ">18:59<" in await site.anonymous().see(f"/e/{site.event}")
        assert len(counted) == 1


@pytest.mark.parametrize(
    ("left", "held", "call"),
    [
        (301, False, ""),
        (300, False, "Last 5 minutes"),
        (1, False, "Last 5 minutes"),
        (0, False, "Time! Finish the hand."),
        (-90, False, "Time! Finish the hand."),
        (0, True, "paused"),
    ],
)
def test_a_clock_calls_out_when_little_time_is_left(left: int, held: bool, call: str) -> None:
    assert ClockViewModel(seconds_left=left, is_held=held).call == call
