"""No peeking: hidden cards never change a decision, and a bot that looks at them is caught."""

import sys
from dataclasses import replace
from random import Random

import pytest

from leftbower.engine import Action, Phase, Playing, view
from leftbower.engine.knowledge import hidden_cards
from leftbower.notation import parse_hand_line
from leftbower.players import RandomPlayer
from leftbower.players.player import proper_actions
from leftbower.players.roster import PLAYERS
from leftbower.rules import DECK, Seat
from leftbower.rules.choices import Supervision
from proofs.information_leak import (
    BOTS,
    MAX_DIFFERENCES,
    LeakReport,
    card_locations,
    compare,
    draw,
    draw_rules,
    find_twin,
)


def test_hidden_cards_change_no_decision() -> None:
    """300 decisions of every level, in every phase with a choice, at every table."""
    report = compare(0, 300, seed=1)
    assert report.positions == 300
    assert report.differences == ()
    assert {"novice", "regular", "expert", "baseline"} == set(BOTS) <= set(PLAYERS)
    tables = [f"{seats} seats" for seats in (2, 3, 4)]
    assert min(report.occurred[kind] for kind in (*BOTS, *tables, "strict", "honor")) >= 70
    often = (Phase.BIDDING, Phase.DISCARDING, Phase.DECIDING_ALONE, Phase.EXCHANGING_DUMMY, Phase.DEFENDING_ALONE)
    assert min(report.occurred[phase.value] for phase in (*often, Phase.PLAYING)) >= 10


def test_twins_look_alike_and_are_not_the_same() -> None:
    """The seat sees the same, there is a choice, and some hidden card is in another location."""
    for number in range(60):
        pair = draw(number, seed=2)
        seat_view = view(pair.state, pair.seat)
        assert view(pair.twin, pair.seat) == seat_view
        assert len(proper_actions(seat_view)) > 1
        unseen = hidden_cards(seat_view)
        assert card_locations(pair.state, unseen) != card_locations(pair.twin, unseen)


class Peeker(RandomPlayer):
    """Looks for the state in the caller's memory, and acts by the location of a hidden card."""

    name = "peeker"

    def act(self, view: object, rng: Random) -> Action:
        state = sys._getframe(1).f_locals["state"]
        choices = proper_actions(view)  # type: ignore[arg-type]
        hidden_number = sum(index * DECK.index(card) for index, held in enumerate(state.cards, 1) for card in held)
        return choices[hidden_number % len(choices)]


class Cautious(RandomPlayer):
    """Depends only on its view and on random numbers."""

    name = "cautious"


def test_a_peeking_bot_is_caught() -> None:
    """And named, with both positions as hand lines that can be replayed; the comparison stops when there are enough."""
    report = compare(0, 100, seed=3, bots={"cautious": Cautious(), "peeker": Peeker()})
    assert len(report.differences) == MAX_DIFFERENCES
    assert report.positions < 100
    for difference in report.differences:
        assert difference.bot == "peeker"
        assert difference.number % 2 == 1
        assert difference.decided != difference.decided_in_the_twin
        position, there = (parse_hand_line(line) for line in (difference.position, difference.twin))
        assert position != there
        assert view(position, difference.seat) == view(there, difference.seat)


def test_reports_add_up_however_the_work_is_cut() -> None:
    """A position depends only on the seed and its number."""
    bots = {"cautious": Cautious(), "peeker": Peeker()}
    whole, parts = compare(0, 8, 4, bots), compare(0, 3, 4, bots) + compare(3, 5, 4, bots)
    assert replace(whole, occurred={}) == replace(parts, occurred={})
    assert dict(whole.occurred) == dict(parts.occurred)
    assert LeakReport(seed=4) + whole == whole


def test_without_movable_hidden_cards_there_is_no_twin() -> None:
    """Two players, one alone and face up after a failed claim: the other sees everything but the kitty."""
    opened = parse_hand_line("{club2} S Th N:JhAhAsAcAd S:KsJsQcJdKd D:QsTcKc | o -Js ! N* S-")
    assert isinstance(opened, Playing)
    assert find_twin(opened, Seat.N, Random(1)) is not None
    assert find_twin(opened, Seat.S, Random(1)) is None


@pytest.mark.parametrize("supervision", Supervision)
def test_rules_are_drawn_with_what_is_fixed(supervision: Supervision) -> None:
    """Every number of players comes up, and every rule set is valid."""
    drawn = [draw_rules(Random(number), supervision=supervision) for number in range(40)]
    assert {rules.players for rules in drawn} == {2, 3, 4}
    assert {rules.supervision for rules in drawn} == {supervision}
