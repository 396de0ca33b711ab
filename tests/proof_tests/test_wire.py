"""Nothing sent to a client depends on cards it can't see; and if it did, the comparison would notice."""

import logging
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from leftbower import table
from leftbower.engine import view
from leftbower.errors import LeftbowerError
from leftbower.rules.seats import Seat
from leftbower.server.http import errors
from leftbower.server.live import tables
from leftbower.table import Table, projection
from leftbower.table.projection import viewer_fields
from proofs import played_tables
from proofs.noninterference import HANDS, draw
from proofs.wire import WireReport, compare, neutral


def test_sixty_hands_and_their_twins_are_the_same_bytes() -> None:
    """Responses, errors, headers, feeds, feeds after reconnects, and logs; for seats and for spectators.

    `python -m proofs wire` compares any number of hands.
    """
    report = WireReport(seed=1)
    while report.hands < 60 and not report.differences:
        report += compare(report.tables, 5, 1)
    assert report.differences == ()
    kinds = report.occurred
    assert min(kinds[f"hands for {seats}"] for seats in (2, 3, 4)) > 0
    assert kinds["finished hands"] > 10
    assert kinds["unfinished hands"] > 10
    assert kinds["hands on honor"] > 0
    assert kinds["strict hands"] > 0
    assert kinds["hands looked on"] > 0
    assert kinds["feed"] > 3 * report.tables
    assert min(kinds[f"mistake {status}"] for status in (401, 409, 422)) > 0


def test_twins_are_the_same_deal_only_to_the_watcher() -> None:
    """Different decks of the same cards; all hands but the last are played out, unless the end would differ."""
    plans = [draw(number, seed=2) for number in range(12)]
    for plan in plans:
        assert 1 <= len(plan.hands) <= HANDS
        assert [hand.finished for hand in plan.hands] == [True] * (len(plan.hands) - 1) + [False]
        for hand in plan.hands:
            assert hand.decks[0] != hand.decks[1]
            assert Counter(hand.decks[0]) == Counter(hand.decks[1])
            assert len(hand.acts[0]) == len(hand.acts[1])
    assert draw(3, seed=2) == plans[3]
    assert draw(3, seed=3) != plans[3]


def test_fillers_have_the_length_of_what_they_stand_for() -> None:
    """Roots, leaves, salts and times are hidden; cards, numbers and ids are not."""
    sent = b'{"root":"%s","salt":"%s","at":"2026-01-02T03:04:05Z","card":"Jd"}' % (b"0f" * 32, b"a1" * 16)
    assert len(neutral(sent)) == len(sent)
    assert neutral(sent) == b'{"root":"%s","salt":"%s","at":"%s","card":"Jd"}' % (b"#" * 64, b"#" * 32, b"#" * 20)


# Planted leaks


def held_by_others(table_state: Table, person: str | None) -> int:
    """The number of red cards that others hold, which is secret."""
    seat = table_state.seat_of(person) if person else None
    state = table_state.hand
    if state is None:
        return 0
    hidden = (card for other in Seat if other is not seat for card in state.cards[other.index])
    return sum(card in view(state, seat).rules.deck and str(card)[1] in "dh" for card in hidden)


def leaks(what: str) -> WireReport:
    """The comparison up to the first difference, which must be in this kind of response."""
    report = WireReport(seed=1)
    while report.tables < 40 and not report.differences:
        report += compare(report.tables, 2, 1)
    [first, *_] = report.differences
    assert first.source.startswith(what), first
    assert first.sent != first.sent_in_the_twin
    return report


def test_a_view_that_tells_a_little_of_others_cards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bit in a field that looks harmless."""

    def leaking(table_state: Table, person: str | None) -> dict[str, Any]:
        return viewer_fields(table_state, person) | {"auto_last_card": held_by_others(table_state, person) % 2 == 0}

    monkeypatch.setattr(projection, "viewer_fields", leaking)
    leaks("")


def test_an_answer_whose_length_depends_on_others_cards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if none of it is readable."""

    def leaking(table_state: Table, person: str | None) -> dict[str, Any]:
        return viewer_fields(table_state, person) | {"level": "0" * (32 + held_by_others(table_state, person))}

    monkeypatch.setattr(projection, "viewer_fields", leaking)
    leaks("")


def test_a_refusal_that_tells_of_others_cards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors hold the state, and no response may print it."""
    error_response = errors.error_response

    def leaking(error: LeftbowerError, *, version: int | None = None) -> Any:
        cards = getattr(getattr(error, "state", None), "cards", None)
        if cards is not None:
            error.message += f" ({sum(str(card)[1] in 'dh' for card in cards[0])})"
        return error_response(error, version=version)

    monkeypatch.setattr(errors, "error_response", leaking)
    monkeypatch.setattr(played_tables, "_PROBE_PROBABILITY", 1.0)
    leaks("mistake 409")


def test_a_log_line_that_tells_of_cards_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operators play, too."""

    def leaking(table_state: Table | None, fact: Any, at: float) -> Table:
        after = table.apply_fact(table_state, fact, at)
        if after.hand is not None:
            logging.getLogger("leftbower").info("%d red cards", held_by_others(after, None))
        return after

    monkeypatch.setattr(tables, "TABLE_LOG", replace(tables.TABLE_LOG, apply=leaking))
    leaks("logs")
