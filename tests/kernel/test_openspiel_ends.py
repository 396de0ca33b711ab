"""The kernel against brute force over the states of OpenSpiel, an independent engine: rules and tricks are theirs."""

import os
from importlib.util import find_spec
from random import Random
from typing import Protocol, cast

import pytest

from leftbower.engine import Playing, Scored, State, acts, apply, start
from leftbower.kernel import makers_points, solve
from leftbower.notation.openspiel import card_from_id, openspiel_id
from proofs import oracle
from proofs.openspiel import SpielState, Variant, variant, variants

POSITIONS = 120
SEATS = 4


class Copied(SpielState, Protocol):
    """A state of OpenSpiel that can be copied."""

    def clone(self) -> "Copied": ...


@pytest.fixture(autouse=True)
def openspiel() -> None:
    """These tests need OpenSpiel; without it they are skipped, but never in CI."""
    if find_spec("pyspiel") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("open_spiel must be installed in CI")
        pytest.skip("open_spiel is not installed")


def best(state: Copied) -> int:
    """The makers' tricks in the whole hand, by minimax over every legal act to the end."""
    if state.is_terminal():
        return sum(makes(state, trick.winner()) for trick in state.tricks())
    choose = max if makes(state, state.current_player()) else min
    return choose(best(after(state, act)) for act in state.legal_actions())


def after(state: Copied, act: int) -> Copied:
    following = state.clone()
    following.apply_action(act)
    return following


def makes(state: SpielState, player: int) -> bool:
    """Is this player on the makers' side?"""
    return (player - state.declarer()) % 2 == 0


def ending(game: Variant, rng: Random) -> tuple[Copied, Playing] | None:
    """A random hand in both engines, stopped with two or three tricks left; None if it was passed out."""
    theirs = cast(Copied, game.game.new_initial_state())
    while theirs.is_chance_node():
        theirs.apply_action(rng.choice(theirs.legal_actions()))
    ours: State = start(game.rules, oracle._deal(theirs.history()))
    complete, begun = rng.choice([2, 3]), rng.randrange(SEATS)
    while not isinstance(ours, Scored):
        if isinstance(ours, Playing) and len(ours.tricks) == complete and len(ours.trick) == begun % len(ours.active):
            return theirs, ours
        ids = {openspiel_id(action, ours.hand.deal.up_card): action for action in acts(ours)}
        chosen = rng.choice(theirs.legal_actions())
        ours = apply(ours, ids[chosen])
        theirs.apply_action(chosen)
    return None


def endings(seed: int) -> list[tuple[Copied, Playing]]:
    rng, games = Random(seed), variants()
    ends: list[tuple[Copied, Playing]] = []
    while len(ends) < POSITIONS:
        end = ending(rng.choice(games), rng)
        ends += [end] if end else []
    return ends


def test_brute_force_over_openspiel_gives_the_same_card_values() -> None:
    """Two and three tricks before the end, with lone players on either side and on both."""
    occurred = set()
    for theirs, ours in endings(seed=8):
        solution = solve(ours)
        assert {card_from_id(act): best(after(theirs, act)) for act in theirs.legal_actions()} == solution.cards
        assert best(theirs) == solution.makers_tricks
        occurred.add((5 - len(ours.tricks), ours.contract.alone, ours.contract.defender is not None))
    assert len(occurred) == 8


def test_openspiel_scores_what_we_say_a_number_of_tricks_scores() -> None:
    """In random complete hands, the declarer gets the maker's points."""
    rng, game = Random(3), variant(stuck=True, lone_defenders=True)
    outcomes = set()
    for _ in range(400):
        end = ending(game, rng)
        assert end is not None
        theirs, ours = end
        while not theirs.is_terminal():
            theirs.apply_action(rng.choice(theirs.legal_actions()))
        their_points, tricks = int(theirs.returns()[theirs.declarer()]), best(theirs)
        assert makers_points(game.rules, ours.contract)[tricks] == their_points
        outcomes.add((tricks, ours.contract.alone, ours.contract.defender is not None))
    assert len(outcomes) > 16
