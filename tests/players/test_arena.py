"""The arena: exact sums, honest intervals, the same result however it is split; and the census of self-play."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from importlib.util import find_spec
from random import Random

import pytest
from hypothesis import given, strategies as st

from leftbower.engine import Action, GoAlone, Name, Order, Pass, Play, Reason, State, View, acts, apply, start, view
from leftbower.errors import BadRecord, BadUsage, UnknownPlayer
from leftbower.players import RandomPlayer
from leftbower.players.arena import arena, parallel
from leftbower.players.arena.arena import (
    Bout,
    BoutTally,
    Interval,
    PlayerStats,
    numbered_deck,
    play_deal,
    play_game_pair,
    play_pair,
    play_pairs,
    seat_rngs,
    seatings,
    student_quantile,
    tally_from_json,
    tally_to_json,
    wilson_interval,
)
from leftbower.players.arena.census import ENDINGS, Census, Study, take_census
from leftbower.players.arena.parallel import chunks, open_executor, run_chunks
from leftbower.players.roster import PLAYERS, Hybrid, player
from leftbower.rules import Card, HouseRules, Rank, Seat, parse_cards, preset, presets
from leftbower.rules.cards import DECK
from leftbower.rules.choices import FarmersHand, GameEnds, ScoreKeeping, Supervision

NAMES = [listed.name for listed in presets()]
HYBRID = "bid=random,play=random"


class Steady(RandomPlayer):
    """Leaves nothing to chance: its first legal act, and the highest card by rank, in deck order."""

    name = "steady"
    talks = False

    def act(self, view: View, rng: Random) -> Action:
        cards = [action for action in view.legal if isinstance(action, Play)]
        return max(cards, key=lambda action: list(Rank).index(action.card.rank)) if cards else view.legal[0]


class Sober(Steady):
    """Never calls unless stuck; then the opponents' random calls lose for them."""

    name = "sober"

    def act(self, view: View, rng: Random) -> Action:
        passes = [action for action in view.legal if isinstance(action, Pass)]
        return passes[0] if passes else super().act(view, rng)


class Bold(Steady):
    """Orders up any card, alone if possible."""

    name = "bold"

    def act(self, view: View, rng: Random) -> Action:
        calls = [action for action in view.legal if isinstance(action, Order | Name | GoAlone)]
        return calls[-1] if calls else super().act(view, rng)


class Low(Steady):
    """Plays its lowest legal card, in deck order."""

    name = "low"

    def act(self, view: View, rng: Random) -> Action:
        cards = [action for action in view.legal if isinstance(action, Play)]
        return min(cards, key=lambda action: DECK.index(action.card)) if cards else view.legal[0]


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """The players of this file, by name."""
    for bot in (Steady, Sober, Bold, Low):
        monkeypatch.setitem(PLAYERS, bot.name, bot)


# Pairs


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_pair_both_sit_in_every_seat_equally_often(seats: int) -> None:
    rules = preset({2: "club2", 3: "club3", 4: "club"}[seats])
    held = Counter(seat for sitting in seatings(rules) for seat in sitting)
    assert set(held.values()) == {len(seatings(rules)) // 2}
    assert len(set(seatings(rules))) == len(seatings(rules)) == {2: 2, 3: 6, 4: 2}[seats]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("who", [Steady(), player("random")])
def test_a_player_against_itself_is_equal_in_every_pair(name: str, who: RandomPlayer) -> None:
    """Random choices are the same in the same seat, so not even luck differs."""
    for pair in range(3):
        tally = play_pair(preset(name), who, who, seed=7, pair=pair)
        assert (tally.total, tally.squares) == (0, 0)
        assert tally.a == tally.b


def test_who_is_better_is_found_and_the_sign_turns_with_the_names() -> None:
    rules = preset("round-robin")
    found = sum((play_pair(rules, Sober(), player("random"), seed=1, pair=pair) for pair in range(60)), BoutTally())
    turned = sum((play_pair(rules, player("random"), Sober(), seed=1, pair=pair) for pair in range(60)), BoutTally())
    assert found.difference.low is not None
    assert found.difference.low > 0
    assert (turned.total, turned.squares, turned.a, turned.b) == (-found.total, found.squares, found.b, found.a)


@pytest.mark.parametrize("name", ["club", "club3"])
def test_a_pair_counts_what_its_hands_were(name: str) -> None:
    rules, a, b = preset(name), Steady(), player("random")
    hands = []
    for seats in seatings(rules):
        players = {seat: a if seat in seats else b for seat in rules.seats}
        [hand] = play_deal(rules, players, seed=2, number=5)
        assert hand.hand.deal.dealer is rules.seats[5 % rules.players]
        hands.append((hand, seats))
    assert len({hand.hand.deal for hand, _ in hands}) == 1
    tally = play_pair(rules, a, b, seed=2, pair=5)
    ours = sum(hand.points.get(side[0], 0) for hand, seats in hands for side in rules.sides if side[0] in seats)
    theirs = sum(hand.points.get(side[0], 0) for hand, seats in hands for side in rules.sides if side[0] not in seats)
    assert (tally.a.points, tally.b.points, tally.total) == (ours, theirs, ours - theirs)
    assert tally.squares == tally.total**2
    assert tally.hands == len(hands) == tally.a.called + tally.b.called + tally.passed_out
    assert tally.a.euchred + tally.b.euchred == sum(hand.reason is Reason.EUCHRE for hand, _ in hands)
    assert tally.a.called == sum(hand.contract is not None and hand.contract.maker in seats for hand, seats in hands)


def test_chance_depends_on_who_sits_where_and_never_on_the_deck() -> None:
    def drawn(seed: int, number: int, who: RandomPlayer) -> dict[Seat, float]:
        return {
            seat: rng.random() for seat, rng in seat_rngs(dict.fromkeys(Seat, who), seed=seed, number=number).items()
        }

    first_draw = drawn(1, 1, Steady())
    assert first_draw == drawn(1, 1, Steady())
    every = [*first_draw.values(), *drawn(2, 1, Steady()).values(), *drawn(1, 2, Steady()).values()]
    every += drawn(1, 1, Sober()).values()
    assert len(set(every)) == 16
    rules = preset("club")
    decks = [
        numbered_deck(rules, seed=s, number=n, hand=h, again=a)
        for s in (1, 2)
        for n in (1, 2)
        for h in (0, 1)
        for a in (0, 1)
    ]
    assert len(set(map(tuple, decks))) == 16
    assert {frozenset(deck) for deck in decks} == {frozenset(rules.deck)}


def farmers() -> list[Card]:
    """A deck that deals nines and tens to East, on the left of the dealer North."""
    low = parse_cards("9c9d9h9sTc")
    high = [card for card in DECK if card not in low]
    return [*low[:2], *high[:6], *low[2:], *high[6:]]


def test_after_a_redeal_another_deck_of_the_same_pair_is_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who shows the farmer's hand gets other cards than one who keeps it; the pair counts all the same."""
    rules = replace(preset("campus"), farmers_hand=FarmersHand.REDEAL)
    dealt = []

    def deck(rules: HouseRules, *, seed: int, number: int, hand: int = 0, again: int = 0) -> list[Card]:
        dealt.append(again)
        return numbered_deck(rules, seed=seed, number=number, again=again) if again else farmers()

    class Farmer(Steady):
        name = "farmer"

        def act(self, view: View, rng: Random) -> Action:
            return view.legal[-1] if view.phase.value == "farmers" else super().act(view, rng)

    monkeypatch.setattr(arena, "numbered_deck", deck)
    tally = play_pair(rules, Farmer(), Steady(), seed=1, pair=0)
    assert (tally.pairs, tally.hands, tally.redeals, sorted(dealt)) == (1, 2, 1, [0, 0, 1])
    dealt.clear()
    games = play_game_pair(rules, Farmer(), Steady(), seed=1, pair=0)
    assert games.games == 2
    assert games.redeals == sum(again > 0 for again in dealt)
    assert max(dealt) == 1


# Games


@pytest.mark.parametrize("name", ["club", "club3", "club2"])
def test_games_against_itself_are_won_in_halves(name: str) -> None:
    tally = play_game_pair(preset(name), player("random"), player("random"), seed=1, pair=3)
    assert tally.games == len(seatings(preset(name)))
    assert tally.a.games == tally.b.games == tally.games // 2
    assert (tally.total, tally.squares) == (0, 0)


def test_games_of_a_number_of_hands_may_be_tied() -> None:
    rules = replace(
        preset("round-robin"), game_ends=GameEnds.AFTER_8_HANDS, target=10, score_keeping=ScoreKeeping.ANY_WAY
    )
    tally = play_pairs(Bout(a="random", b=HYBRID, rules=rules, pairs=12, games=True), range(12))
    assert (tally.games, tally.hands) == (24, 24 * 8)
    assert tally.ties == tally.games - tally.a.games - tally.b.games > 0


def test_two_games_of_a_pair_have_the_same_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    seat_view: list[tuple[int, tuple[Card, ...]]] = []

    def deck(rules: HouseRules, *, seed: int, number: int, hand: int = 0, again: int = 0) -> list[Card]:
        cards = numbered_deck(rules, seed=seed, number=number, hand=hand, again=again)
        seat_view.append((hand, tuple(cards)))
        return cards

    monkeypatch.setattr(arena, "numbered_deck", deck)
    tally = play_game_pair(preset("club"), Steady(), player("random"), seed=1, pair=0)
    assert len(seat_view) == tally.hands
    assert len(set(seat_view)) == max(hand for hand, _ in seat_view) + 1


# Sums and intervals


def lines() -> st.SearchStrategy[PlayerStats]:
    return st.builds(PlayerStats, **{field.name: st.integers(0, 99) for field in fields(PlayerStats)})


def tallies() -> st.SearchStrategy[BoutTally]:
    counts = {name: st.integers(0, 99) for name in tally_to_json(BoutTally()) if name not in ("a", "b")}
    return st.builds(BoutTally, a=lines(), b=lines(), **counts)


@given(tallies(), tallies(), tallies())
def test_tallies_add_like_numbers_and_travel_as_json(first: BoutTally, two: BoutTally, three: BoutTally) -> None:
    assert (first + two) + three == first + (two + three)
    assert first + two == two + first
    assert first + BoutTally() == first
    assert (first + two).a.points == first.a.points + two.a.points
    assert tally_from_json(json.loads(json.dumps(tally_to_json(first)))) == first


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, [], {}, {"pairs": 1}),
        *(tally_to_json(BoutTally()) | change for change in ({"pairs": 1.5}, {"pairs": True}, {"a": 3}, {"more": 3})),
    ],
)
def test_what_is_no_tally_is_refused(wrong: object) -> None:
    with pytest.raises(BadRecord):
        tally_from_json(wrong)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """2,000 bouts of 20 pairs each, whose differences have the mean 0.6."""
    dice = Random(1)
    hit = 0
    for _ in range(2000):
        drawn = [dice.choice((-4, -1, 0, 0, 2, 2, 3, 4, 0, 0)) for _ in range(20)]
        tally = BoutTally(pairs=20, stints=40, total=sum(drawn), squares=sum(difference**2 for difference in drawn))
        low, high = tally.difference[1:]
        assert low is not None
        assert high is not None
        hit += low <= 0.3 <= high
    assert 0.93 < hit / 2000 < 0.97


def test_the_interval_is_the_textbook_one() -> None:
    """Ten differences 1 … 10 of two hands each: mean 2.75 per hand, standard error √(55/6/10)/2."""
    tally = BoutTally(pairs=10, stints=20, total=55, squares=385)
    assert tally.difference == pytest.approx(Interval(2.75, 2.75 - 2.2622 * 0.47871, 2.75 + 2.2622 * 0.47871), abs=1e-3)
    assert BoutTally(pairs=2, stints=4, total=3, squares=9).difference == (0.75, None, None)
    assert BoutTally().difference == (0, None, None)


@pytest.mark.parametrize(("freedom", "quantile"), [(3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (999, 1.9623)])
def test_students_quantile_is_the_one_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, rel=0.01)


def test_wilsons_interval_is_the_one_of_the_tables() -> None:
    assert wilson_interval(8, 10) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert wilson_interval(0, 10) == pytest.approx((0, 0, 0.2775), abs=1e-4)
    assert wilson_interval(0, 0) == (0.5, None, None)
    assert BoutTally(a=PlayerStats(games=8), b=PlayerStats(games=2)).won == wilson_interval(8, 10)


def test_shares_of_nothing_are_nothing() -> None:
    assert (PlayerStats().points_a_hand, PlayerStats().share(0)) == (0, 0)


# Job runner


@given(st.integers(1, 30_000))
def test_pieces_are_every_number_once(numbers: int) -> None:
    assert [number for piece in chunks(numbers) for number in piece] == list(range(numbers))
    assert max(map(len, chunks(numbers))) <= parallel.MAX_CHUNK_SIZE


BOUT = Bout(a="random", b=HYBRID, rules=preset("club"), pairs=12)


def played(executor: Executor | None = None) -> str:
    """The JSON of a small bout, played with this executor."""
    found = dict(run_chunks(partial(play_pairs, BOUT), chunks(BOUT.pairs), executor))
    assert set(found) == set(chunks(BOUT.pairs))
    return json.dumps(tally_to_json(sum(found.values(), BoutTally())))


def test_the_result_is_the_same_in_any_pieces() -> None:
    whole = play_pairs(BOUT, range(12))
    assert whole == play_pairs(BOUT, range(5)) + play_pairs(BOUT, range(5, 12))
    assert played() == json.dumps(tally_to_json(whole))


def test_one_process_and_two_give_the_same() -> None:
    with open_executor(2) as pool:
        assert played(pool) == played()
    with open_executor(1) as none:
        assert none is None


@contextmanager
def local_cluster() -> Iterator[str]:
    """The address of a Dask scheduler with two workers."""
    if find_spec("distributed") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("dask must be installed in CI")
        pytest.skip("dask is not installed")
    from distributed import LocalCluster  # noqa: PLC0415

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "protocol": "tcp"}
    with LocalCluster(**options, dashboard_address=None) as cluster:  # type: ignore[no-untyped-call]
        yield cluster.scheduler_address


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_gives_the_same() -> None:
    with local_cluster() as address, open_executor(dask=address) as cluster:
        assert played(cluster) == played()


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_does_not_answer_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_CONNECT_TIMEOUT_SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(BadUsage, match="no Dask scheduler answers"), open_executor(dask=address):
            pass


def test_what_waits_is_cancelled_when_the_reader_stops() -> None:
    with open_executor(2) as pool:
        found = run_chunks(partial(play_pairs, BOUT), chunks(BOUT.pairs), pool)
        next(found)
        found.close()  # type: ignore[attr-defined]


# The roster


def test_a_name_that_is_nobodys_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownPlayer, match="did you mean random"):
        player("randon")
    with pytest.raises(UnknownPlayer, match="write random"):
        player("?")
    for wrong in ("bid=random", "bid=,play=random", "play=random,bid=random", "bid=random,play=random,x=1"):
        with pytest.raises(UnknownPlayer):
            player(wrong)


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize("supervision", Supervision)
def test_a_hybrid_bids_like_one_and_plays_like_the_other(supervision: Supervision) -> None:
    who = player("bid=bold,play=low")
    assert isinstance(who, Hybrid)
    assert (who.name, who.talks) == ("bid=bold,play=low", False)
    rules = replace(preset("campus"), supervision=supervision)
    for number in range(6):
        [hand] = play_deal(rules, dict.fromkeys(Seat, who), seed=1, number=number)
        called = next(action for action in hand.actions if not isinstance(action, Pass))
        assert called == Order(rules.left_of(hand.hand.deal.dealer), alone=True)
        state: State = start(rules, hand.hand.deal)
        for action in hand.actions:
            if isinstance(action, Play):
                mine = [act.card for act in acts(state) if isinstance(act, Play) and act.seat is action.seat]
                assert action.card is min(mine, key=DECK.index)
            state = apply(state, action)


def test_a_hybrid_talks_as_its_card_player_does() -> None:
    class Loud(RandomPlayer):
        name = "loud"
        talks = True

        def remark(self, view: View, rng: Random) -> Action | None:
            return Pass(Seat.N)

    rules = preset("club")
    [hand] = play_deal(rules, dict.fromkeys(Seat, player("random")), seed=1, number=1)
    seat_view = view(hand, Seat.N)
    assert Hybrid(player("random"), Loud()).remark(seat_view, Random(1)) == Pass(Seat.N)
    assert Hybrid(Loud(), player("random")).remark(seat_view, Random(1)) is None
    assert Hybrid(player("random"), Loud()).talks
    assert not Hybrid(Loud(), player("random")).talks


# The census


@pytest.mark.parametrize("name", ["club", "club3", "club2"])
def test_the_census_counts_every_hand_once(name: str) -> None:
    study = Study(player="random", rules=preset(name), seed=3, hands=40)
    census = take_census(study, range(40))
    assert census.hands == 40
    assert census == take_census(study, range(11)) + take_census(study, range(11, 40))
    for field in ("up_card", "ending"):
        assert sum(census.where(**{field: value}).hands for value in census.values(field)) == 40
    assert set(census.values("caller")) <= set(range(1, study.rules.players + 1))
    assert set(census.values("ending")) <= set(ENDINGS)


def test_the_census_says_what_the_hands_were() -> None:
    rules = preset("round-robin")
    players = dict.fromkeys(rules.seats, player("random"))
    hands = [play_deal(rules, players, seed=1, number=number)[-1] for number in range(60)]
    census = take_census(Study(player="random", rules=rules, hands=60), range(60))
    dealers = sum(hand.points.get(hand.hand.deal.dealer, 0) for hand in hands)
    others = sum(hand.points.get(hand.hand.deal.dealer.left, 0) for hand in hands)
    assert (census.dealers_points * 60, census.others_points * 60) == pytest.approx((dealers, others))
    euchres = sum(hand.reason is Reason.EUCHRE for hand in hands)
    assert census.where(ending="euchre").hands == euchres
    first = [hand for hand in hands if hand.contract and hand.contract.maker is hand.hand.deal.dealer.left]
    assert census.where(caller=1).hands == len(first)
    assert census.where(caller=1, round=1).hands == sum(bool(hand.contract and hand.contract.ordered) for hand in first)


@pytest.mark.usefixtures("bots")
def test_passing_out_and_lone_sweeps_have_their_endings() -> None:
    rules = preset("round-robin")
    assert "stick" not in rules.nobody_calls.value
    sober = take_census(Study(player="sober", rules=rules, hands=20), range(20))
    assert sober.where(ending="passed-out", caller=None, dealers=0, others=0).hands == 20
    bold = take_census(Study(player="bold", rules=rules, hands=300), range(300))
    swept = bold.where(ending="lone-sweep")
    assert swept.hands > 0
    assert swept.where(others=rules.march_points_alone).hands == swept.hands
    assert bold.where(round=1, caller=1).hands == 300
    assert Census().dealers_points == 0
