"""Laws of match equity: chances in game and match from the score, the dealer, and the frequencies of hands."""

import json
import time
from collections import defaultdict
from itertools import product
from math import comb
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.engine import Scores, add_points
from leftbower.errors import BadJson, BadSeat
from leftbower.players.judgment import equity as module
from leftbower.players.judgment.equity import Chances, Equity, Frequencies, default_frequencies, points_from_dealer
from leftbower.rules import HouseRules, Outcome, Seat, points, preset
from leftbower.rules.choices import GameEnds, TieAtTarget
from leftbower.testing import house_rules

NS, EW = (Seat.N, Seat.S), (Seat.E, Seat.W)
BENJAMIN: Final = Frequencies.of({(1, 0): 45, (2, 0): 16, (4, 0): 5, (0, 1): 17, (0, 2): 12, (0, 4): 5})
THREE: Final = Frequencies.of(
    {(1, 0, 0): 3, (0, 1, 0): 2, (0, 0, 2): 2, (2, 2, 0): 1, (0, 2, 2): 2, (2, 0, 2): 1, (0, 0, 0): 1}
)
TWO: Final = Frequencies.of({(1, 0): 5, (0, 1): 3, (2, 0): 1, (0, 2): 2, (0, 0): 2})
FREQUENCIES: Final = {4: BENJAMIN, 3: THREE, 2: TWO}
LENGTHS: Final = [
    {"target": 5},
    {"target": 5, "win_by": 2},
    {"game_ends": GameEnds.AFTER_12_HANDS},
    {"game_ends": GameEnds.AFTER_12_HANDS, "best_of": 3},
]


def of(seats: int, **options: object) -> Equity:
    """Equity at a table of `seats` players; unless four play, some hands are passed out."""
    return Equity(HouseRules(**{"players": seats} | options), FREQUENCIES[seats])  # type: ignore[arg-type]


# An independent oracle: Benjamin's table


@pytest.mark.parametrize(
    ("dealer", "scores", "percent"),
    [
        (Seat.N, (0, 0), 51),
        (Seat.N, (8, 8), 54),
        (Seat.N, (9, 9), 65),
        (Seat.N, (9, 8), 72),
        (Seat.N, (2, 8), 8),
        (Seat.E, (9, 6), 82),
    ],
)
def test_benjamins_frequencies_give_his_winning_chances(dealer: Seat, scores: Scores, percent: float) -> None:
    """Published chances of the first side, in a game to ten."""
    assert 100 * Equity(HouseRules(), BENJAMIN).chance(scores, dealer, NS) == pytest.approx(percent, abs=1.5)


def test_benjamins_frequencies_are_what_four_players_expect() -> None:
    """Without a measurement, his count is used with the usual points."""
    assert default_frequencies(HouseRules()) == BENJAMIN


# A second computation, forward: all games at once, hand by hand


def forwards(equity: Equity, scores: Scores, dealer: int, hands: int = 0) -> Chances:
    """The same chances by following every game until almost all are decided, with our own rules for its end."""
    rules, shares, sides = equity.rules, equity.frequencies.shares, len(scores)
    won = [0.0] * sides
    games: dict[Scores, float] = {scores: 1.0}
    while games:
        later: defaultdict[Scores, float] = defaultdict(float)
        for (now, mass), (scored, share) in product(games.items(), shares.items()):
            then = tuple(score + scored[(side - dealer) % sides] for side, score in enumerate(now))
            later[then] += mass * share
        dealer, hands = dealer + 1, hands + 1
        games = {}
        for now, mass in later.items():
            prizes = ended(rules, now, hands)
            if prizes:
                won = [sum_ + mass * prize for sum_, prize in zip(won, prizes, strict=True)]
            elif mass > 1e-9:
                games[now] = mass
    return tuple(won)


def ended(rules: HouseRules, scores: Scores, hands: int) -> list[float] | None:
    """Each side's share of a finished game, computed from the rules page and not by the engine."""
    *_, second, best = sorted(scores)
    alone = [float(score == best) for score in scores]
    if rules.game_ends is GameEnds.AFTER_12_HANDS:
        if hands < 12 or (second == best and rules.best_of > 1):
            return None
        return [share / sum(alone) for share in alone]
    return alone if best >= rules.target and best - second >= rules.win_by else None


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("seats", [4, 3, 2])
def test_two_reckonings_agree(seats: int, length: dict[str, object]) -> None:
    """Backward from the end with equivalent states merged, or forward game by game: the chances are the same."""
    equity = of(seats, **length)
    sides = len(equity.rules.sides)
    hands = 9 if "game_ends" in length else 0
    spots = [(0,) * sides, (4, 3, 4)[:sides], (1, 4, 2)[:sides], (5, 5, 4)[:sides]]
    for turn, scores in enumerate(spots):
        index = turn % seats
        expected = forwards(equity, scores, index, hands)
        assert equity.chances(scores, equity.rules.seats[index], hands=hands) == pytest.approx(expected, abs=1e-5)


def test_a_side_far_behind_in_a_play_off_keeps_its_small_chance() -> None:
    """Three players, two of them tied far beyond the target: the third can still catch both."""
    equity = of(3, target=5)
    for scores in [(9, 9, 5), (13, 13, 0), (40, 40, 38)]:
        assert equity.chances(scores, Seat.N) == pytest.approx(forwards(equity, scores, 0), abs=1e-5)


def test_games_played_out_by_chance_agree() -> None:
    """In twenty thousand games of random hands, the wins match the chances."""
    equity, rng = Equity(HouseRules(), BENJAMIN), Random(5)
    kinds, counts = zip(*BENJAMIN.counts, strict=True)
    games, won = 20_000, 0
    for _ in range(games):
        scores, dealing = [6, 7], 1
        while max(scores) < 10:
            [(dealers, others)] = rng.choices(kinds, counts)
            scores[dealing] += dealers
            scores[1 - dealing] += others
            dealing = 1 - dealing
        won += scores[0] >= 10
    assert won / games == pytest.approx(equity.chance((6, 7), Seat.W, NS), abs=0.015)


# Laws


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("seats", [4, 3, 2])
def test_chances_are_one_together_and_more_points_never_hurt(seats: int, length: dict[str, object]) -> None:
    """At any score below and beyond the end of a game."""
    equity = of(seats, **length)
    sides, dealer = equity.rules.sides, equity.rules.seats[-1]
    for scores in product(range(-1, 9, 2), repeat=len(sides)):
        chances = equity.chances(scores, dealer, hands=9)
        assert sum(chances) == pytest.approx(1, abs=1e-12)
        for index, side in enumerate(sides):
            more = tuple(score + (index == other) for other, score in enumerate(scores))
            assert equity.chance(more, dealer, side, hands=9) >= chances[index] - 1e-12


@pytest.mark.parametrize("seats", [4, 3, 2])
def test_chances_turn_with_the_table(seats: int) -> None:
    """If scores and deal move one seat to the left, so do the chances."""
    equity = of(seats)
    scores = (3, 8, 5)[: len(equity.rules.sides)]
    chances = equity.chances(scores, equity.rules.seats[0])
    moved = equity.chances(scores[-1:] + scores[:-1], equity.rules.seats[1])
    assert moved == pytest.approx(chances[-1:] + chances[:-1])


def test_partners_deal_alike() -> None:
    """The advantage of the deal belongs to the dealer's side."""
    equity = of(4)
    assert equity.chances((4, 7), Seat.E) == equity.chances((4, 7), Seat.W)
    assert equity.chance((4, 7), Seat.E, EW) == equity.chance((7, 4), Seat.N, NS)


def test_where_the_deal_is_worth_nothing_the_game_is_even() -> None:
    """Without an advantage of the deal no side is ahead at the start, and passed-out hands change nothing."""
    fair: dict[Scores, float] = {(1, 0): 1.0, (0, 1): 1.0, (2, 0): 1.0, (0, 2): 1.0}
    assert Equity(HouseRules(), Frequencies.of(fair)).chances((6, 6), Seat.S) == pytest.approx((0.5, 0.5))
    often = Equity(HouseRules(), Frequencies.of(fair | {(0, 0): 400.0}))
    assert often.chances((3, 8), Seat.S) == pytest.approx(
        Equity(HouseRules(), Frequencies.of(fair)).chances((3, 8), Seat.N)
    )


@pytest.mark.parametrize(("seats", "maker"), [(4, Seat.W), (3, Seat.E), (2, Seat.N)])
def test_after_a_hand_the_next_player_deals_at_the_new_score(seats: int, maker: Seat) -> None:
    """Whatever the hand brought, even if it was passed out."""
    equity = of(seats)
    rules, scores = equity.rules, (5, 6, 4)[: len(equity.rules.sides)]
    dealer = rules.seats[-1]
    for scored in [{}, *(points(rules, Outcome(maker=maker, makers_tricks=tricks)) for tricks in range(6))]:
        then = equity.chances(add_points(rules, scores, scored), rules.seats[0])
        assert equity.after(scores, scored, dealer) == then


def test_a_hand_is_worth_what_the_hands_after_it_are_worth() -> None:
    """Before a hand, the chances are the mean of those after it."""
    equity = of(3, target=9)
    dealer, scores = Seat.S, (8, 2, 8)
    left = equity.rules.left_of(dealer)
    mean = [0.0, 0.0, 0.0]
    for (dealers, lefts, others), share in THREE.shares.items():
        after = equity.after(scores, {dealer: dealers, left: lefts, equity.rules.left_of(left): others}, dealer)
        mean = [so_far + share * chance for so_far, chance in zip(mean, after, strict=True)]
    assert equity.chances(scores, dealer) == pytest.approx(mean, abs=1e-12)


def test_a_game_that_is_won_is_won() -> None:
    """At or beyond the target the result is certain; tied there, the game isn't over."""
    equity = of(4)
    assert equity.chances((10, 9), Seat.N) == (1, 0)
    assert equity.chances((3, 14), Seat.N) == (0, 1)
    assert equity.chances((12, 12), Seat.N) == pytest.approx((0.66, 0.34))


def test_no_score_is_too_low() -> None:
    """A negative score counts as 0."""
    assert of(4).chances((-7, 3), Seat.E) == of(4).chances((0, 3), Seat.E)


# Win by two


def test_a_game_won_by_two_goes_on_at_one_ahead() -> None:
    """At 10-9 the dealer's side wins with any point; the others need three, or one and the play-off."""
    equity = of(4, win_by=2)
    level = equity.chance((10, 10), Seat.E, NS)
    assert 0 < equity.chance((10, 9), Seat.N, NS) < 1
    assert equity.chance((10, 9), Seat.N, NS) == pytest.approx(
        0.66 + 0.17 * level + 0.12 * equity.chance((10, 11), Seat.E, NS)
    )
    assert equity.chances((11, 10), Seat.N) == equity.chances((30, 29), Seat.N)


def test_a_play_off_that_hardly_ever_ends_is_even() -> None:
    """If both sides nearly always score together, the chances still add up to 1."""
    slow = Frequencies.of({(1, 1): 1e7, (1, 0): 2, (0, 1): 1})
    assert Equity(HouseRules(), slow).chances((10, 10), Seat.N) == pytest.approx((0.5, 0.5), abs=1e-6)


# A number of hands


def test_a_tie_after_the_last_hand_is_half_a_game() -> None:
    """One hand before the end, two ahead: the others tie with two and win with four."""
    equity = of(4, game_ends=GameEnds.AFTER_8_HANDS)
    assert equity.chances((7, 7), Seat.N, hands=8) == (0.5, 0.5)
    assert equity.chance((7, 5), Seat.N, NS, hands=7) == pytest.approx(1 - 0.12 / 2 - 0.05)
    assert of(3, game_ends=GameEnds.AFTER_12_HANDS).chances((7, 7, 2), Seat.N, hands=12) == (0.5, 0.5, 0)


def test_in_a_match_of_several_games_a_tie_is_played_off() -> None:
    """One more hand: the side that scores has won."""
    equity = of(4, game_ends=GameEnds.AFTER_8_HANDS, best_of=3)
    assert equity.chances((7, 7), Seat.N, hands=8) == pytest.approx((0.66, 0.34))
    assert equity.chances((7, 7), Seat.E, hands=11) == pytest.approx((0.34, 0.66))
    assert equity.chances((8, 7), Seat.E, hands=9) == (1, 0)


def test_a_lead_that_cannot_be_made_good_has_won() -> None:
    """Two hands bring eight points at most."""
    equity = of(4, game_ends=GameEnds.AFTER_8_HANDS)
    assert equity.chance((9, 0), Seat.N, NS, hands=6) == pytest.approx(1)
    assert equity.chance((8, 0), Seat.N, NS, hands=6) == pytest.approx(1 - 0.05 * 0.05 / 2)
    assert equity.chances((900, 0), Seat.N, hands=1) == pytest.approx((1, 0))


# The match


@pytest.mark.parametrize("best_of", [1, 3, 5, 7])
def test_a_match_between_two_games_is_a_matter_of_counting(best_of: int) -> None:
    """With even games, the textbook formula: enough of the remaining games must be won."""
    equity, need = of(4, best_of=best_of), best_of // 2 + 1
    for mine, theirs in product(range(need), repeat=2):
        left = 2 * need - 1 - mine - theirs
        ways = sum(comb(left, wins) for wins in range(need - mine, left + 1))
        assert equity.match_chance((mine, theirs), NS) == pytest.approx(ways / 2**left)


def test_a_match_hangs_on_the_game_that_is_played() -> None:
    """The deciding game is the match; one game behind, this one and the next must be won."""
    equity = of(4, best_of=3)
    game = equity.chances((9, 6), Seat.E)
    assert equity.match_chances((1, 1), game) == pytest.approx(game)
    assert equity.match_chance((0, 1), NS, game) == pytest.approx(game[0] / 2)
    assert equity.match_chances((2, 0), game) == (1, 0)
    assert of(4).match_chances((0, 0), (0.3, 0.7)) == pytest.approx((0.3, 0.7))


def test_three_players_can_share_the_first_games_of_a_match() -> None:
    """At one win each, the next game decides, with equal chances."""
    equity = of(3, best_of=3)
    assert equity.match_chances((1, 1, 1)) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert equity.match_chance((1, 0, 0), (Seat.E,)) == pytest.approx((1 - equity.match_chances((1, 0, 0))[0]) / 2)


# Frequencies


@pytest.mark.parametrize("name", ["round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2"])
def test_every_sheet_has_usual_frequencies(name: str) -> None:
    """For a hundred hands, with the points of the sheet; dealing is an advantage."""
    rules = preset(name)
    frequencies = default_frequencies(rules)
    assert sum(often for _, often in frequencies.counts) == pytest.approx(100)
    assert sum(frequencies.shares.values()) == pytest.approx(1)
    chances = Equity(rules).chances((0,) * len(rules.sides), rules.seats[0])
    assert max(chances) == chances[0] < 0.6


def test_usual_frequencies_follow_the_points_of_the_rules() -> None:
    """A march worth three and a euchre worth four split Benjamin's twos."""
    shares = default_frequencies(HouseRules(march_points=3, euchre_points=5, euchre_points_alone=3)).shares
    assert (2, 0) not in shares
    assert shares[0, 5] == pytest.approx(0.075)
    assert shares[3, 0] == pytest.approx(0.105)
    euchres = default_frequencies(HouseRules(players=3)).shares
    assert euchres[0, 2, 2] > 0, "three-handed, each defender scores a euchre"


def test_hands_are_counted_as_their_dealers_see_them() -> None:
    """The same hand from two seats is the same kind."""
    rules = HouseRules(players=3)
    hands = [(Seat.N, {Seat.E: 1}), (Seat.S, {Seat.N: 1}), (Seat.E, {Seat.N: 2, Seat.E: 2}), (Seat.N, {})]
    counted = Frequencies.counted(rules, hands)
    assert dict(counted.counts) == {(0, 1, 0): 2, (2, 0, 2): 1, (0, 0, 0): 1}
    assert points_from_dealer(HouseRules(), Seat.W, dict.fromkeys(EW, 4)) == (4, 0)


def test_frequencies_survive_json_exactly() -> None:
    """They are equal after a round trip, so cached results are found again."""
    for frequencies in [BENJAMIN, THREE, TWO, default_frequencies(HouseRules(players=2))]:
        assert Frequencies.from_json(json.loads(json.dumps(frequencies.as_json()))) == frequencies
    assert BENJAMIN.as_json()["2-0"] == 16


def test_frequencies_come_in_any_order() -> None:
    """Points that never occur are left out."""
    assert Frequencies.of({(0, 1): 2, (1, 0): 3, (4, 4): 0}) == Frequencies.of({(1, 0): 3, (0, 1): 2})


@pytest.mark.parametrize(
    "found",
    [
        [],
        None,
        {},
        {"2": 1},
        {"2-0": "often"},
        {"2-0": True},
        {"2-0": -1},
        {"2-0": float("nan")},
        {"2-0": float("inf")},
        {"2-0": 10**400},
        {"2-0": 1, "0-0": 5e-324},
        {"two": 1},
        {"-1-0": 1},
        {"0-0": 1},
        {"1-0": 1, "1-0-0": 1},
        {2: 1},
    ],
)
def test_what_is_no_frequencies_is_refused(found: object) -> None:
    """A broken file is reported in one sentence."""
    with pytest.raises(BadJson):
        Frequencies.from_json(found)


def test_frequencies_belong_to_a_number_of_sides() -> None:
    """Counted for two sides, they don't apply to three; and no hand takes points away."""
    with pytest.raises(ValueError, match="for 2 sides, not 3"):
        Equity(HouseRules(players=3), BENJAMIN)
    with pytest.raises(ValueError, match="takes points away"):
        Frequencies.of({(-1, 1): 1})


def test_only_those_who_play_have_a_chance() -> None:
    """An empty seat neither deals nor wins."""
    with pytest.raises(BadSeat):
        of(2).chances((0, 0), Seat.W)
    with pytest.raises(BadSeat):
        of(2).chance((0, 0), Seat.N, (Seat.W,))


# Any rules


@settings(max_examples=200)
@given(house_rules(), st.data())
def test_any_rules_have_chances(rules: HouseRules, data: st.DataObject) -> None:
    """Under any rules and at any score, chances in game and match add up to 1."""
    sides = len(rules.sides)
    scores = data.draw(st.tuples(*[st.integers(-3, 25)] * sides))
    dealer, hands = data.draw(st.sampled_from(rules.seats)), data.draw(st.integers(7, 14))
    game = Equity(rules).chances(scores, dealer, hands=hands)
    match = Equity(rules).match_chances((0,) * sides, game)
    for chances in (game, match):
        assert len(chances) == sides
        assert sum(chances) == pytest.approx(1, abs=1e-9)
        assert all(-1e-12 <= chance <= 1 + 1e-12 for chance in chances)


def test_players_who_win_together_share_the_win() -> None:
    """Two of three reach the target on one hand, under rules by which both win: chances still add up to 1."""
    rules = HouseRules(players=3, tie_at_target=TieAtTarget.ALL_WIN)
    assert Equity(rules).chances((10, 11, 4), Seat.N) == (0.5, 0.5, 0.0)
    assert sum(Equity(rules).chances((9, 9, 9), Seat.N)) == pytest.approx(1)


def test_ten_points_are_reckoned_at_once() -> None:
    """A four-handed game to ten takes almost no time, and the second question none."""
    took = []
    for _ in range(3):
        module._chain.cache_clear()
        began = time.process_time()
        Equity(HouseRules()).chances((0, 0), Seat.N)
        took.append(time.process_time() - began)
    assert min(took) < 0.05
    assert Equity(HouseRules())._chain is Equity(HouseRules())._chain
