"""Delays reveal nothing about the cards held: for bots, automatic last cards, and substituted seats."""

from bisect import bisect_right
from collections import defaultdict
from itertools import combinations, pairwise
from math import exp, sqrt

import pytest

from leftbower.engine import Play, view, whose_turn
from leftbower.rules import Seat
from leftbower.server.live import due_actions
from leftbower.table import RematchRequested, SeatedPerson, Table, next_due, person_to_act
from virtual_time import VirtualTable, in_virtual_time

PEOPLE = type(None)
"""Due actions of the server while a person is to act."""


def kolmogorov_smirnov_p(first: list[float], other: list[float]) -> float:
    """The p-value of a Kolmogorov-Smirnov test of two samples."""
    first, other = sorted(first), sorted(other)
    gap = max(
        abs(bisect_right(first, at) / len(first) - bisect_right(other, at) / len(other)) for at in (*first, *other)
    )
    size = sqrt(len(first) * len(other) / (len(first) + len(other)))
    scaled = (size + 0.12 + 0.11 / size) * gap
    return min(1.0, 2 * sum((1 if k % 2 else -1) * exp(-2 * (scaled * k) ** 2) for k in range(1, 101)))


def kind_of(before: Table, seat: Seat) -> str:
    """How many cards could have been played, or whose last card it was."""
    assert before.hand is not None
    player_view = view(before.hand, seat)
    plays = [action for action in player_view.legal if isinstance(action, Play)]
    if not plays:
        return "call"
    forced = isinstance(before.seats[seat], SeatedPerson)
    return "forced" if forced else f"{len(plays)} legal"


async def delays(*, acts: int) -> dict[str, list[float]]:
    """Seconds before actions of the server, by kind."""
    found: dict[str, list[float]] = defaultdict(list)
    async with VirtualTable({"N": "ann", "S": "bob"}, bot_delay=0.7) as hall:
        await hall.begin()
        while sum(map(len, found.values())) < acts:
            if hall.table.gathering:
                for person in ("ann", "bob"):
                    await hall.tables.execute("t", person, RematchRequested(person=person))
            table = await hall.until(lambda table: table.gathering or isinstance(next_due(table), PEOPLE))
            if person_to_act(table):
                await hall.act(after=0.01)
            _read(hall, found)
    return found


def _read(hall: VirtualTable, found: dict[str, list[float]]) -> None:
    published = hall.published
    for (at, before), (then, after) in pairwise(published):
        if (
            len(after.history) == len(before.history) + 1
            and before.hand is not None
            and after.idempotency_keys == before.idempotency_keys
        ):
            seat = after.history[-1].seat  # type: ignore[union-attr]
            found[kind_of(before, seat)].append(then - at)
    del published[:-1]


def test_delays_do_not_depend_on_how_many_cards_were_legal() -> None:
    found = in_virtual_time(lambda: delays(acts=2000))
    assert sum(map(len, found.values())) >= 2000
    common = {kind: times for kind, times in found.items() if len(times) >= 50}
    assert {"call", "forced", "1 legal", "5 legal"} <= common.keys()
    for first, other in combinations(common, 2):
        assert kolmogorov_smirnov_p(common[first], common[other]) > 0.01, (first, other)


def test_a_bot_that_answers_faster_when_it_has_no_choice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same test, with a planted leak."""
    original = due_actions.hesitation

    def leaking(name: str, table: Table) -> float:
        assert table.hand is not None
        seat = whose_turn(table.hand)
        return original(name, table) * (0.6 if kind_of(table, seat) == "1 legal" else 1.0)

    monkeypatch.setattr(due_actions, "hesitation", leaking)
    found = in_virtual_time(lambda: delays(acts=600))
    assert kolmogorov_smirnov_p(found["1 legal"], found["5 legal"]) < 0.01


def test_no_delay_is_shorter_than_thinking_or_longer_than_patience() -> None:
    """Half to one and a half times the delay, no matter what is being decided."""
    found = in_virtual_time(lambda: delays(acts=100))
    assert all(0.34 <= seconds <= 1.06 for times in found.values() for seconds in times)
