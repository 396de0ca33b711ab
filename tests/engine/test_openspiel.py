"""The engine against OpenSpiel's euchre, an independent engine: same legal acts, tricks and points in random hands."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from leftbower.engine import (
    Action,
    Bury,
    DefendAlone,
    DefendTogether,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Scored,
    State,
    apply,
    bidding as engine_bidding,
    play as engine_play,
)
from leftbower.errors import MissingExtra, NotNow
from leftbower.notation import parse_hand_line
from leftbower.notation.openspiel import card_from_id, openspiel_id
from leftbower.rules import DECK, UNKNOWN, Card, Seat, Suit, points
from proofs import oracle
from proofs.openspiel import variant, variants
from proofs.oracle import compare

PIECE = 500
OCCUR = {
    "passed-out": 40,
    "ordered-up": 150,
    "named": 150,
    "dealer-named": 60,
    "left-bower-led": 60,
    "made-it": 100,
    "march": 15,
    "euchre": 150,
    "lone-maker": 150,
    "lone-maker-made-it": 40,
    "lone-maker-march": 2,
    "lone-maker-euchre": 100,
    "lone-defender": 100,
    "lone-defender-made-it": 50,
    "lone-defender-march": 10,
    "lone-defender-euchre": 50,
    "both-alone": 50,
}
"""How often each event must occur in 500 hands, so that the comparison proves something."""


@pytest.fixture(autouse=True)
def openspiel() -> None:
    """These tests need OpenSpiel; without it they are skipped, but never in CI."""
    if find_spec("pyspiel") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("open_spiel must be installed in CI")
        pytest.skip("open_spiel is not installed")


@pytest.mark.unmeasured
@pytest.mark.parametrize("piece", range(4))
def test_both_engines_play_the_same_game(piece: int) -> None:
    """2,000 random hands, with and without stick the dealer and lone defenders: the engines never disagree."""
    report = compare(PIECE, seed=2024, first=piece * PIECE)
    assert report.disagreements == ()
    assert report.hands == PIECE
    assert report.decisions > 15 * PIECE
    assert report.occurred.keys() == OCCUR.keys()
    assert {kind: times for kind, times in report.occurred.items() if times < OCCUR[kind]} == {}


def test_the_four_variants_are_four_games() -> None:
    """Each parameter of OpenSpiel's euchre has its option in our rule set."""
    assert len({game.name for game in variants()}) == len({game.rules for game in variants()}) == 4


def test_cards_and_acts_have_openspiels_numbers() -> None:
    """Every act has the name OpenSpiel prints for its id: play wouldn't reveal a swap of suits on both sides."""
    state = variant(stuck=True, lone_defenders=True).game.new_initial_state()
    state.apply_action(0)

    def name(action: Action) -> str:
        number = openspiel_id(action, Card.parse("9h"))
        assert number is not None
        return state.action_to_string(number)

    for card in DECK:
        assert name(Play(Seat.N, card)) == name(Bury(Seat.E, card)) == f"{card.suit.letter.upper()}{card.rank}"
    for number in range(24):
        assert openspiel_id(Play(Seat.N, card_from_id(number)), Card.parse("9h")) == number
    assert name(Pass(Seat.N)) == "Pass"
    assert name(Order(Seat.N)) == "Hearts"
    assert [name(Name(Seat.N, suit)) for suit in Suit] == ["Clubs", "Diamonds", "Hearts", "Spades"]
    assert name(GoAlone(Seat.N)) == name(DefendAlone(Seat.N)) == "Alone"
    assert name(GoTogether(Seat.N)) == name(DefendTogether(Seat.N)) == "Partner"


@pytest.mark.parametrize(
    "action",
    [
        KeepHand(Seat.N),
        Order(Seat.N, alone=True),
        Name(Seat.N, Suit.CLUBS, alone=True),
        Bury(Seat.N, UNKNOWN),
        LayAway(Seat.N, DECK[:3]),
    ],
)
def test_an_act_that_openspiel_does_not_have_has_no_number(action: Action) -> None:
    """Farmer's hands, the dummy and alone with the call aren't in its game."""
    assert openspiel_id(action, Card.parse("9h")) is None


# The oracle works: it finds an engine or a translation that was broken on purpose

deal = oracle._deal
PLANTS: dict[str, tuple[Any, str, Callable[..., Any], set[str]]] = {
    "the first card takes every trick": (engine_play, "winning_card", lambda trick, trump: trick[0], {"to act"}),
    "the left bower belongs to its own suit": (
        engine_play,
        "playable",
        lambda held, led, trump: tuple(card for card in held if led in (None, card.suit)) or tuple(held),
        {"legal acts"},
    ),
    "everything scores double": (
        engine_play,
        "points",
        lambda rules, outcome: {seat: 2 * score for seat, score in points(rules, outcome).items()},
        {"points"},
    ),
    "only one partner scores": (
        engine_play,
        "points",
        lambda rules, outcome: dict([*points(rules, outcome).items()][:1]),
        {"points"},
    ),
    "the dealer leads": (engine_play, "first_leader", lambda rules, dealer, contract: dealer, {"to act"}),
    "a stuck dealer may pass": (engine_bidding, "may_pass", lambda *args, **kwargs: True, {"legal acts"}),
    "defenders are asked from the maker's left": (
        engine_bidding,
        "_defenders",
        lambda hand, contract: (contract.maker.left, contract.maker.right),
        {"to act"},
    ),
    "the dealer deals to the left first": (
        oracle,
        "_deal",
        lambda history: replace(deal(history), dealer=deal(history).dealer.right),
        {"to act"},
    ),
    "trumps have the numbers of other acts": (
        oracle,
        "openspiel_id",
        lambda action, up_card: None if isinstance(action, Order) else openspiel_id(action, up_card),
        {"legal acts"},
    ),
}


@pytest.mark.parametrize("planted", PLANTS)
def test_the_oracle_finds_what_was_broken_on_purpose(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each planted fault is found within 200 hands, in the fact that it changes."""
    where, name, wrong, facts = PLANTS[planted]
    monkeypatch.setattr(where, name, wrong)
    report = compare(200, seed=1)
    assert report.disagreements
    assert {disagreement.differs for disagreement in report.disagreements} == facts


def test_a_legal_act_that_the_engine_refuses_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It isn't enough to list an act; it must also be accepted."""

    def refuse(state: State, action: Action) -> State:
        if isinstance(action, GoAlone):
            raise NotNow("not now", state=state)
        return apply(state, action)

    monkeypatch.setattr(oracle, "apply", refuse)
    [disagreement, *_] = compare(50, seed=1).disagreements
    assert (disagreement.differs, disagreement.ours, disagreement.theirs) == ("applying Alone", "not-now", "legal")


def test_a_disagreement_can_be_seen_again_in_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hand line and OpenSpiel's history lead to the same point of the same hand, and ten are enough."""
    monkeypatch.setattr(engine_play, "points", lambda rules, outcome: {})
    report = compare(200, seed=1)
    assert len(report.disagreements) == oracle.MAX_DISAGREEMENTS
    assert report.hands < 200
    for disagreement in report.disagreements:
        table = next(table for table in variants() if table.name == disagreement.game)
        theirs = table.game.new_initial_state()
        for number in disagreement.history:
            theirs.apply_action(number)
        ours = parse_hand_line(disagreement.hand_line)
        assert isinstance(ours, Scored)
        assert theirs.is_terminal()
        assert len(disagreement.acts) == len(ours.actions)
        assert (disagreement.differs, disagreement.ours, disagreement.theirs) == (
            "points",
            "[0, 0, 0, 0]",
            str([*map(int, theirs.returns())]),
        )


def test_pieces_of_a_comparison_add_up() -> None:
    """Hands depend only on the seed and their number."""
    progress: list[int] = []
    whole = compare(30, seed=5, progress=progress.append)
    assert whole == compare(10, seed=5) + compare(20, seed=5, first=10)
    assert whole != compare(30, seed=6)
    assert progress == list(range(1, 31))


def test_without_openspiel_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtra, match=r"pip install 'leftbower\[test\]'"):
        compare(1, seed=1)
