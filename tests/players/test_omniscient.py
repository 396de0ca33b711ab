"""The omniscient player: it sees every card and plays best; other players never get a hidden card."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from leftbower.engine import (
    Action,
    Agree,
    Answering,
    Claim,
    Disagree,
    OpenState,
    Play,
    Playing,
    Scored,
    State,
    View,
    apply,
    deal_hand,
    start,
    talk,
    view,
)
from leftbower.errors import BadUsage, NothingToSolve, UnknownPlayer
from leftbower.kernel import makers_points, solve
from leftbower.players import RandomPlayer
from leftbower.players.arena.arena import BoutTally, play_pair
from leftbower.players.driver import next_action, play_hand, sees_all
from leftbower.players.omniscient import Omniscient, outcome
from leftbower.players.player import Player, proper_actions
from leftbower.players.roster import PLAYERS, Hybrid, player
from leftbower.rules import HouseRules, Seat, preset, presets
from leftbower.rules.choices import FarmersHand, GoingAlone, LoneDefense as Defense, Supervision

NAMES = [listed.name for listed in presets()]
ALL = Omniscient()


class Spy(RandomPlayer):
    """Keeps everything it was passed."""

    name = "spy"
    talks = True

    def __init__(self) -> None:
        self.handed: list[object] = []

    def act(self, view: View, rng: Random, *more: object) -> Action:
        self.handed += [view, rng, *more]
        return super().act(view, rng)

    def act_seeing(self, state: OpenState, view: View, rng: Random) -> Action:
        self.handed.append(state)
        return super().act(view, rng)

    def remark(self, view: View, rng: Random, *more: object) -> Action | None:
        self.handed += [view, rng, *more]
        return None


class Liar(Spy):
    """Has a `sees_all` that isn't quite True."""

    sees_all = "yes"


def seat_rngs(seed: int = 1) -> dict[Seat, Random]:
    return {seat: Random(f"{seed}{seat}") for seat in Seat}


def shuffled(rules: HouseRules, seed: int) -> State:
    deck = list(rules.deck)
    Random(seed).shuffle(deck)
    return start(rules, deal_hand(rules, dealer=Seat.N, deck=deck))


# Who sees the cards


@pytest.mark.parametrize("kind", [Spy, Liar])
@pytest.mark.parametrize("supervision", Supervision)
def test_who_does_not_see_all_is_never_handed_a_state(kind: type[Spy], supervision: Supervision) -> None:
    """Not even one that would accept it, and not with omniscient players at the same table."""
    spies = {Seat.N: kind(), Seat.E: kind()}
    rules = replace(preset("club"), supervision=supervision)
    players: dict[Seat, Player] = {**spies, Seat.S: ALL, Seat.W: player("bid=omniscient,play=random")}
    for seed in range(4):
        play_hand(shuffled(rules, seed), players, seat_rngs(seed))
    for seat, spy in spies.items():
        assert {type(argument) for argument in spy.handed} == {View, Random}
        assert {argument.seat for argument in spy.handed if isinstance(argument, View)} == {seat}


@pytest.mark.parametrize(("bidder", "cardplayer"), [(ALL, Spy()), (Spy(), ALL)])
def test_a_hybrid_shows_the_cards_only_to_the_part_that_sees_all(bidder: Player, cardplayer: Player) -> None:
    hybrid = Hybrid(bidder, cardplayer)
    assert sees_all(hybrid)
    play_hand(shuffled(preset("club"), 1), dict.fromkeys(Seat, hybrid), seat_rngs())
    [spy] = [part for part in (bidder, cardplayer) if isinstance(part, Spy)]
    assert {type(argument) for argument in spy.handed} == {View, Random}


def test_of_the_roster_only_the_omniscient_sees_all() -> None:
    assert [name for name in PLAYERS if sees_all(player(name))] == ["omniscient"]
    assert not sees_all(player("bid=baseline,play=expert"))


def test_it_never_sits_at_a_real_table() -> None:
    seat_view = view(shuffled(preset("club"), 1), Seat.E)
    with pytest.raises(BadUsage, match="only in the arena"):
        ALL.act(seat_view, Random(1))
    assert ALL.remark(seat_view, Random(1)) is None


def test_a_name_nearly_its_own_is_answered_with_a_hint() -> None:
    assert isinstance(player("omniscient"), Omniscient)
    with pytest.raises(UnknownPlayer, match="did you mean omniscient"):
        player("omnicient")
    with pytest.raises(UnknownPlayer, match=r"write random, .*omniscient, or bid=X,play=Y"):
        player("?")


# How it plays


def table(**changed: Any) -> HouseRules:
    return replace(preset("round-robin"), **changed)


TABLES = {
    **{name: preset(name) for name in NAMES},
    "alone before the lead": table(going_alone=GoingAlone.BEFORE_THE_LEAD),
    "lone defenders": table(defend_alone=Defense.ALWAYS),
    "farmers redeal": table(farmers_hand=FarmersHand.REDEAL),
    "farmers swap": table(farmers_hand=FarmersHand.SWAP),
}


@pytest.mark.parametrize("supervision", Supervision)
@pytest.mark.parametrize("name", TABLES)
def test_among_themselves_the_hand_ends_as_foreseen(name: str, supervision: Supervision) -> None:
    """From the first call on, the outcome is the predicted one."""
    rules = replace(TABLES[name], supervision=supervision)
    for seed in range(3):
        state = shuffled(rules, seed)
        foreseen = outcome(state)
        while not isinstance(state, Scored):
            state = apply(state, next_action(state, dict.fromkeys(Seat, ALL), seat_rngs()))
            assert outcome(state) == foreseen
        assert state.points == foreseen


@pytest.mark.parametrize("name", ["round-robin", "club3", "club2"])
def test_no_choice_before_the_lead_is_better_by_plain_search(name: str) -> None:
    """The same by trying everything, without a cache, from the end of the bidding on."""
    rules = preset(name)

    def plain(state: State) -> dict[Seat, int]:
        if isinstance(state, Scored):
            return dict(state.points)
        if isinstance(state, Playing):
            contract = solve(state).makers_points
            makers = rules.side_of(state.contract.maker)
            side = makers if contract > 0 else [seat for seat in rules.seats if seat not in makers]
            return dict.fromkeys(side, abs(contract))
        seat = state.to_act
        ends = [plain(apply(state, action)) for action in proper_actions(view(state, seat))]
        return max(ends, key=lambda end: net(end, seat))

    def net(end: dict[Seat, int], seat: Seat) -> int:
        return end.get(seat, 0) - max(end.get(other, 0) for other in rules.opponents_of(seat))

    state = shuffled(rules, 5)
    passes = 2 * rules.players - 1 if name == "round-robin" else 2 * rules.players - 2
    for _ in range(passes):
        assert not isinstance(state, Scored)
        state = apply(state, next(iter(proper_actions(view(state, state.to_act)))))
    assert outcome(state) == plain(state)


def test_it_beats_the_baseline_clearly() -> None:
    found = sum(
        (play_pair(preset("club"), ALL, player("baseline"), seed=1, pair=pair) for pair in range(60)), BoutTally()
    )
    assert found.difference.low is not None
    assert found.difference.low > 0.1
    assert found.a.euchred < found.b.euchred


def test_of_equals_it_takes_the_first() -> None:
    rules = preset("round-robin")
    state, equals = shuffled(rules, 2), 0
    while not isinstance(state, Scored):
        action = next_action(state, dict.fromkeys(Seat, ALL), seat_rngs())
        if isinstance(state, Playing):
            scored, cards = makers_points(rules, state.contract), solve(state).cards
            worth = {Play(state.to_act, card): scored[tricks] for card, tricks in cards.items()}
            equal = [other for other in proper_actions(view(state, state.to_act)) if worth[other] == worth[action]]  # type: ignore[index]
            equals += len(equal) > 1
            assert action == equal[0]
        state = apply(state, action)
    assert equals


# What is said across the table


def claimed(seed: int) -> Answering:
    """A claim before the fourth trick of a random hand, true or too bold."""
    state, dice = shuffled(preset("club"), seed), Random(seed)
    while True:
        assert not isinstance(state, Scored)
        claims = [action for action in talk(state) if isinstance(action, Claim)]
        if isinstance(state, Playing) and len(state.tricks) == 3 and claims:
            answering = apply(state, dice.choice(claims))
            assert isinstance(answering, Answering)
            return answering
        state = apply(state, dice.choice(proper_actions(view(state, state.to_act))))


def test_it_agrees_to_a_claim_only_if_that_costs_nothing() -> None:
    said = []
    for seed in range(40):
        state = claimed(seed)
        seat = state.to_act
        answer = ALL.act_seeing(state, view(state, seat), Random(1))
        agreed, played = (outcome(apply(state, answer(seat))) for answer in (Agree, Disagree))
        gain = [sum(end.values()) * (1 if seat in end else -1) for end in (agreed, played)]
        assert isinstance(answer, Agree if gain[0] >= gain[1] else Disagree)
        said.append(type(answer))
    assert {*said} == {Agree, Disagree}


def test_where_nothing_can_be_solved_it_still_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(state: State) -> None:
        raise NothingToSolve("a trick out of order")

    monkeypatch.setattr("leftbower.players.omniscient.solve", nothing)
    rules = replace(preset("club"), supervision=Supervision.HONOR)
    ended = play_hand(shuffled(rules, 99), dict.fromkeys(Seat, ALL), seat_rngs())
    assert isinstance(ended, Scored)
