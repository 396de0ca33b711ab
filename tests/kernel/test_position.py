"""From a hand at the table to its solution: the chairs, hands that can't be solved, and the best play."""

import pytest
from hypothesis import assume, given, settings

from honor_table import (
    FOUR as RENEGE,
    SECOND,
    TRUE,
    E,
    N,
    S,
    W,
    closing,
    dealt,
    honor,
    playing,
    say,
    scored,
    settling,
    small_table,
    table,
)
from leftbower.engine import Answering, Contract, Play, Playing, Scored, State, acts, apply, start
from leftbower.errors import NothingToSolve
from leftbower.kernel import Position, Solution, makers_points, position, solve
from leftbower.kernel.position import chair_seats, chairs_from
from leftbower.notation import parse_hand_line
from leftbower.rules import Seat, Suit, preset
from leftbower.testing import finished_hands, states
from proofs import reference

FOUR = "{club} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs"
THREE = "{club3} S 9h N:JhAhAsAcAd E:9sTs9cTdKh S:KsJsQcJdKd D:QsTcKc"
TWO = "{club2} S Th N:JhAhAsAcAd S:KsJsQcJdKd D:QsTcKc"
ALONE = f"{FOUR} | p p p p h ! | KcTcJc 9c9h9s"


def held(position: Position) -> tuple[str, ...]:
    return tuple("".join(map(str, cards)) for cards in position.hands)


def laid(position: Position) -> tuple[str, ...]:
    return tuple(str(card or "") for card in position.table)


def named(solution: Solution) -> dict[str, int]:
    return {str(card): tricks for card, tricks in solution.cards.items()}


def worth(state: State) -> tuple[int, int, Seat | None, dict[str, int]]:
    solution = solve(state)
    return solution.makers_tricks, solution.makers_points, solution.to_act, named(solution)


# Chairs


def test_the_maker_has_the_first_chair_and_the_others_follow_clockwise() -> None:
    """Four players: East makes hearts, and South, on the dealer's left, leads."""
    current = position(playing(parse_hand_line(f"{FOUR} | p p p p p p p h & |")))
    assert held(current) == ("9sAsJcKdTh", "9cAhKcKsQd", "9hJsKhTcTs", "AcAdQcQhQs")
    assert (current.trump, current.leader, current.makers_tricks, current.to_act) == (Suit.HEARTS, 1, 0, 1)


def test_the_partner_of_a_lone_maker_leaves_the_chair_empty() -> None:
    """South makes hearts alone: North holds five cards and sits out. One trick to each side, and West leads."""
    current = position(playing(parse_hand_line(ALONE)))
    assert (held(current), laid(current)) == (("AhKsQd", "JsKhTs", "", "AsKdTh"), ("", "", "", ""))
    assert (current.leader, current.makers_tricks, current.to_act) == (1, 1, 1)


def test_the_partner_of_a_lone_defender_leaves_the_chair_empty() -> None:
    """South makes hearts, East defends alone, West sits out: the turn passes from South to North."""
    rules = honor("club", supervision="strict", defend_alone="always")
    line = FOUR.removeprefix("{club} ")
    state = say(start(rules, dealt(rules, line)), "p p p p h & W& E! S:Kc")
    current = position(playing(state))
    assert (held(current), laid(current)) == (("9cAhKsQd", "", "AcAdQcQhQs", "9sAsJcKdTh"), ("Kc", "", "", ""))
    assert (current.leader, current.to_act) == (0, 2)


@pytest.mark.parametrize(
    ("line", "hands", "lying", "leader"),
    [
        (f"{THREE} | o -Jd & -KcQsTc | As9s", ("JhAhAcAd", "Ts9cTdKh", "", "KsJsQcKd9h"), ("As", "9s", "", ""), 0),
        (f"{THREE} | p o -Jd & -KcQsTc | As", ("9sTs9cTdKh", "KsJsQcKd9h", "", "JhAhAcAd"), ("", "", "", "As"), 3),
        (f"{TWO} | o -Js & -KcQsTc | As", ("JhAhAcAd", "KsQcJdKdTh", "", ""), ("As", "", "", ""), 0),
        (f"{TWO} | p o -Js & -KcQsTc | As", ("KsQcJdKdTh", "JhAhAcAd", "", ""), ("", "As", "", ""), 1),
    ],
)
def test_three_and_two_players_leave_the_chairs_of_partners_empty(
    line: str, hands: tuple[str, ...], lying: tuple[str, ...], leader: int
) -> None:
    """The maker on the first chair, defenders on the second and fourth, or only on the second."""
    current = position(playing(parse_hand_line(line)))
    assert (held(current), laid(current), current.leader) == (hands, lying, leader)


@pytest.mark.parametrize(
    ("sheet", "maker", "chairs"),
    [
        ("club", N, (N, E, S, W)),
        ("club", W, (W, N, E, S)),
        ("club3", N, (N, E, None, S)),
        ("club3", S, (S, N, None, E)),
        ("club2", N, (N, S, None, None)),
        ("club2", S, (S, N, None, None)),
    ],
)
def test_seats_find_their_chairs(sheet: str, maker: Seat, chairs: tuple[Seat | None, ...]) -> None:
    """Clockwise from the maker; a player who sits out still has a chair."""
    contract = Contract(maker=maker, trump=Suit.CLUBS, ordered=False, alone=True)
    assert chair_seats(preset(sheet), contract) == chairs


def test_chairs_go_round() -> None:
    """All four, starting with any of them."""
    assert [chairs_from(chair) for chair in range(4)] == [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)]


def test_no_seat_is_to_act_when_the_last_card_has_fallen() -> None:
    """No turn, no card to value, and the tricks are final."""
    nothing = (None, None, None, None)
    over = Position(trump=Suit.CLUBS, hands=((), (), (), ()), table=nothing, leader=2, makers_tricks=4)
    assert over.to_act is None
    assert (reference.card_values(over), reference.makers_tricks(over)) == ({}, 4)


# Hands that can't be solved


@pytest.mark.parametrize("calls", ["", " | p", " | o", " | o -9s"])
def test_before_the_first_lead_there_is_nothing_to_solve(calls: str) -> None:
    """Not during the bidding, not while the dealer discards, not while the maker decides."""
    with pytest.raises(NothingToSolve, match="there is nothing to solve before the first lead"):
        solve(parse_hand_line(FOUR + calls))


def test_a_hand_with_an_unknown_card_cannot_be_solved() -> None:
    """The error says who holds it."""
    line = f"{FOUR.replace('9sAs', '9s??')} | p p p p h & |"
    with pytest.raises(NothingToSolve, match="E has unknown cards; a hand can be solved only with all cards known"):
        solve(parse_hand_line(line))


def test_an_unknown_card_of_a_player_who_sits_out_is_ignored() -> None:
    """South plays alone, and North's cards are not in play."""
    hidden = parse_hand_line(ALONE.replace("AcAdQcQhQs", "??????????"))
    assert solve(hidden) == solve(parse_hand_line(ALONE))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "W holds 6 cards instead of 5"),
        ("N:As E:9s S:Qs W:Ks", "W holds 5 cards instead of 4"),
        ("N:As E:9s S:Qs W:Ks N:Ac W:Qc", "W holds 4 cards instead of 3"),
    ],
)
def test_a_dealer_with_a_card_too_many_cannot_be_solved(words: str, sentence: str) -> None:
    """At an honor table West took the up-card and didn't discard."""
    rules = honor("club")
    state = say(start(rules, dealt(rules, RENEGE)), f"o & {words}")
    with pytest.raises(NothingToSolve, match=sentence):
        solve(state)


@pytest.mark.parametrize("words", ["N:As S:Qs", "N:As E:9s W:Ks", f"{TRUE} N:Ac W:Qc"])
def test_a_trick_out_of_turn_cannot_be_solved(words: str) -> None:
    """At an honor table a player played too early."""
    with pytest.raises(NothingToSolve, match="played out of turn"):
        solve(table("club", words))


def test_a_lead_out_of_turn_can_be_solved() -> None:
    """The lead stays, and the others can follow in order."""
    state = playing(table("club", "W:Ks"))
    assert position(state).leader == 3
    assert solve(state).to_act is N


def test_a_hand_that_was_not_decided_by_tricks_cannot_be_solved() -> None:
    """All passed, or a penalty ended it."""
    passed = scored(parse_hand_line(FOUR.replace("{club}", "{round-robin}") + " | p p p p p p p p"))
    rules = honor("club")
    punished = closing(say(start(rules, dealt(rules, RENEGE)), f"o & {TRUE} N^W0failure-to-discard"))
    for state in (passed, punished):
        with pytest.raises(NothingToSolve, match="the hand ended without tricks"):
            solve(state)


# Solutions


def test_a_hand_is_worth_its_tricks_and_points_and_so_is_each_card() -> None:
    """South, alone, can only take the ace of hearts: East covers the king of spades and queen of diamonds."""
    assert worth(parse_hand_line(ALONE)) == (2, -4, W, {"Js": 2, "Kh": 2, "Ts": 2})


def test_the_most_is_best_for_makers_and_the_least_for_defenders() -> None:
    """Two players, hearts: throwing the left bower under the right one loses its trick; only the ten saves it."""
    assert worth(parse_hand_line(f"{TWO} | p o -Js & -KcQsTc | Jh")) == (1, -2, S, {"Jd": 0, "Th": 1})
    assert worth(parse_hand_line(f"{TWO} | o -Js & -KcQsTc | Jh")) == (4, 1, S, {"Jd": 5, "Th": 4})


def test_a_hand_that_is_interrupted_is_worth_what_it_was_before() -> None:
    """While a throw-in is answered or a penalty settled, no card is played."""
    state = table("club", SECOND)
    claimed = say(state, "N*5")
    assert isinstance(claimed, Answering)
    assert solve(claimed) == solve(state)
    called = settling(small_table(2, "o -Js !", "S:Ks N^S1out-of-turn"))
    assert solve(called) == solve(small_table(2, "o -Js !", "S:Ks"))


def test_a_hand_that_is_over_is_worth_what_it_came_to() -> None:
    """At an honor table from the last card on, at a strict one when it is scored."""
    assert worth(scored(parse_hand_line(f"{TWO} | o -Js & -KcQsTc | JhTh AsKs AcQc AdKd AhJd"))) == (4, 1, None, {})
    cards = "N:Jh S:Th N:As S:Ks N:Ac S:Qc N:Ad S:Kd N:Ah S:Jd"
    assert worth(closing(small_table(2, "o -Js & -KcQsTc", cards))) == (4, 1, None, {})


@pytest.mark.parametrize(
    ("sheet", "alone", "defender", "points"),
    [
        ("club", False, None, (-2, -2, -2, 1, 1, 2)),
        ("club", True, None, (-4, -4, -4, 1, 1, 4)),
        ("club", False, E, (-4, -4, -4, 1, 1, 2)),
        ("club3", True, None, (-4, -4, -4, 1, 1, 4)),
        ("club2", False, None, (-2, -2, -2, 1, 1, 2)),
    ],
)
def test_tricks_score_to_the_maker_or_to_the_others(
    sheet: str, alone: bool, defender: Seat | None, points: tuple[int, ...]
) -> None:
    """By sheet: a euchre counts against the maker."""
    contract = Contract(maker=N, trump=Suit.CLUBS, ordered=False, alone=alone, defender=defender)
    assert makers_points(preset(sheet), contract) == points


# Laws of the best play, under any rules and for any number of players


@settings(max_examples=150)
@given(states(phase=Playing))
def test_the_best_card_keeps_the_value_down_to_the_score(state: State) -> None:
    """Every legal card has a value, the hand is worth the best of them, and perfect play gets it."""
    assert isinstance(state, Playing)
    first = solve(state)
    while not isinstance(state, Scored):
        assert isinstance(state, Playing)
        solution, legal = solve(state), {act.card: act for act in acts(state) if isinstance(act, Play)}
        assert solution.cards.keys() == legal.keys()
        assert solution.to_act is state.to_act
        best = max if state.to_act in state.hand.rules.side_of(state.contract.maker) else min
        assert solution.makers_tricks == best(solution.cards.values()) == first.makers_tricks
        state = apply(state, legal[best(solution.cards, key=solution.cards.__getitem__)])
    assert state.makers_tricks == first.makers_tricks
    contract = state.contract
    assert contract is not None
    scores = state.points.get(contract.maker) or -max(state.points.values())
    assert scores == first.makers_points == solve(state).makers_points


@settings(max_examples=60)
@given(states(phase=Playing))
def test_each_card_is_worth_what_the_hand_is_worth_after_it(state: State) -> None:
    """One step of the same law for every card, not only the best."""
    assert isinstance(state, Playing)
    values = solve(state).cards
    assert {card: solve(apply(state, Play(state.to_act, card))).makers_tricks for card in values} == values


@settings(max_examples=60)
@given(finished_hands())
def test_a_finished_hand_is_worth_the_tricks_it_was_scored_for(over: Scored) -> None:
    """Nothing is left to play."""
    assume(over.makers_tricks is not None)
    solution = solve(over)
    assert (solution.makers_tricks, solution.to_act, dict(solution.cards)) == (over.makers_tricks, None, {})
