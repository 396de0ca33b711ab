"""OpenSpiel's tree search as an opponent: the same hand in both engines, pairs that add up, and who is better."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from random import Random
from typing import Any

import pytest

from benchmarks import ismcts
from benchmarks.ismcts import Ismcts, game, play_pairs, to_openspiel
from leftbower.engine import Bury, Scored, State, acts, apply, deal_hand, start, view, whose_turn
from leftbower.errors import BadUsage, MissingExtra, UnknownPlayer
from leftbower.notation.openspiel import openspiel_id
from leftbower.players.arena.arena import BoutTally, play_pair
from leftbower.players.driver import sees_all
from leftbower.players.player import RandomPlayer
from leftbower.players.roster import player
from leftbower.rules import Seat, preset
from proofs.openspiel import SpielState


@pytest.fixture
def openspiel() -> None:
    """Tests that play need OpenSpiel; without it they are skipped, but never in CI."""
    if find_spec("pyspiel") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("open_spiel must be installed in CI")
        pytest.skip("open_spiel is not installed")


def shuffled(number: int) -> State:
    rules = game().rules
    deck = list(rules.deck)
    Random(number).shuffle(deck)
    return start(rules, deal_hand(rules, dealer=rules.seats[number % 4], deck=deck))


@pytest.mark.usefixtures("openspiel")
def test_both_engines_stand_at_the_same_point_of_the_same_hand() -> None:
    """The same seat and legal acts after every act, and the same points at the end."""
    for number in range(20):
        state, dice = shuffled(number), Random(number)
        theirs = to_openspiel(state)  # type: ignore[arg-type]
        while not isinstance(state, Scored):
            up_card = state.hand.deal.up_card
            ids = {openspiel_id(action, up_card): action for action in acts(state)}
            for there in (theirs, to_openspiel(state)):
                assert there.current_player() == whose_turn(state).index
                assert {*there.legal_actions()} == {*ids}
            chosen = dice.choice(theirs.legal_actions())
            theirs.apply_action(chosen)
            state = apply(state, ids[chosen])
        assert theirs.is_terminal()
        net = [state.points.get(seat, 0) - state.points.get(seat.left, 0) for seat in Seat]
        assert [int(points) for points in theirs.returns()] == net


@pytest.mark.usefixtures("openspiel")
def test_pairs_add_up_and_are_dealt_alike_in_any_pieces() -> None:
    """Cards and seeds depend on the number of the pair; only the search's choice among equals doesn't."""
    whole = play_pairs("random", 0, 4, seed=3, simulations=20)
    parts = play_pairs("random", 0, 1, seed=3, simulations=20) + play_pairs("random", 1, 3, seed=3, simulations=20)
    for tally in (whole, parts):
        assert (tally.pairs, tally.hands, tally.stints) == (4, 8, 8)
        assert tally.a.points - tally.b.points == tally.total
        assert tally.a.called + tally.b.called == 8
    assert play_pairs("random", 4, 0, seed=3) == BoutTally()


@pytest.mark.usefixtures("openspiel")
def test_rng_and_deck_of_a_pair_are_the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its search replaced, a pair is always played the same way."""

    class First:
        def __init__(self, simulations: int, rng: Random) -> None:
            self.rng = rng

        def step(self, state: SpielState) -> int:
            return self.rng.choice(list(state.legal_actions()))

    monkeypatch.setattr(ismcts, "_search", First)
    assert play_pairs("random", 5, 6, seed=2) == play_pairs("random", 5, 2, seed=2) + play_pairs("random", 7, 4, seed=2)
    assert play_pairs("random", 0, 6, seed=1) != play_pairs("random", 0, 6, seed=2)


@pytest.mark.usefixtures("openspiel")
def test_it_beats_random_play_even_with_few_simulations() -> None:
    """In OpenSpiel's own game, with the sign reversed: A is ours."""
    found = play_pairs("random", 0, 30, seed=1, simulations=20).difference
    assert found.high is not None
    assert found.high < 0


@pytest.mark.usefixtures("openspiel")
def test_its_search_knows_the_kitty_and_what_was_buried() -> None:
    """As our docs say: when OpenSpiel samples hands, these cards never move."""
    pyspiel = pytest.importorskip("pyspiel")
    counts: Counter[str] = Counter()
    for number in range(12):
        state, dice = shuffled(number), Random(number)
        while not isinstance(state, Scored):
            theirs = to_openspiel(state)
            other = theirs.resample_from_infostate(  # type: ignore[attr-defined]
                theirs.current_player(), pyspiel.UniformProbabilitySampler(0.0, 1.0)
            )
            counts["kitty moved"] += {*other.history()[1:22]} != {*theirs.history()[1:22]}
            counts["buried moved"] += other.discard() != theirs.discard()
            counts["buried"] += any(isinstance(action, Bury) for action in state.actions)
            counts["hands moved"] += other.history()[1:21] != theirs.history()[1:21]
            state = apply(state, dice.choice(acts(state)))
    assert counts["kitty moved"] == counts["buried moved"] == 0
    assert min(counts["buried"], counts["hands moved"]) > 50


@pytest.mark.usefixtures("openspiel")
def test_it_plays_no_other_game() -> None:
    """OpenSpiel knows one set of rules; under others it would search in a different game."""
    with pytest.raises(BadUsage, match="no other rules"):
        play_pair(preset("club"), Ismcts(5), RandomPlayer(), seed=1, pair=1)


def test_it_sees_all_says_nothing_and_never_sits_at_a_real_table() -> None:
    who = Ismcts(300)
    assert (who.name, who.simulations, sees_all(who), Ismcts().simulations) == ("ismcts-300", 300, True, 1000)
    rules = preset("club")
    seat_view = view(start(rules, deal_hand(rules, dealer=Seat.N, deck=rules.deck)), Seat.E)
    assert who.remark(seat_view, Random(1)) is None
    with pytest.raises(BadUsage, match="in the bench and nowhere else"):
        who.act(seat_view, Random(1))
    with pytest.raises(UnknownPlayer):
        player("ismcts")


@pytest.mark.usefixtures("openspiel")
def test_the_command_says_what_was_played(run_benchmarks: Callable[..., Any]) -> None:
    words = ("ismcts", "random", "--pairs", "3", "--simulations", "20", "--seed", "2")
    report = json.loads(run_benchmarks(*words, "--json").stdout)
    assert (report["a"], report["simulations"], report["seed"], report["requested"]) == ("random", 20, 2, 3)
    assert (report["tally"]["pairs"], report["tally"]["hands"]) == (3, 6)
    assert report["difference"]["mean"] == report["tally"]["total"] / 6
    text = run_benchmarks(*words).stdout
    assert text.startswith(
        "A random, B OpenSpiel's ISMCTS with 20 simulations; stick the dealer, seed 2.\n3 pairs, 6 hands."
    )
    assert "too few pairs for an interval" in run_benchmarks(*words[:2], "--pairs", "1", "--simulations", "5").stdout


@pytest.mark.usefixtures("openspiel")
def test_an_interrupt_keeps_the_pairs_that_are_finished(
    run_benchmarks: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(spec: str, first: int, count: int, *, seed: int, simulations: int) -> BoutTally:
        if first:
            raise KeyboardInterrupt
        return play_pairs(spec, first, count, seed=seed, simulations=5)

    monkeypatch.setattr(ismcts, "play_pairs", interrupted)
    assert "\n1 of 5 pairs, 2 hands." in run_benchmarks("ismcts", "random", "--pairs", "5", status=130).stdout


def test_without_openspiel_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    game.cache_clear()
    with pytest.raises(MissingExtra):
        play_pairs("random", 0, 1, seed=1)
