"""Bots: their judgment, on both paths of calling; the baseline, which never changes; skill and temper."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from leftbower.engine import (
    Action,
    Bidding,
    Bury,
    GoTogether,
    LayAway,
    Name,
    Order,
    Pass,
    Playing,
    Scored,
    State,
    View,
    apply,
    deal_hand,
    start,
    view,
)
from leftbower.kernel import Batch
from leftbower.kernel.position import position
from leftbower.notation import hand_line, parse_hand_line
from leftbower.players import bot as bot_module
from leftbower.players.arena.arena import play_deal
from leftbower.players.bot import Bot
from leftbower.players.judgment import rollouts
from leftbower.players.judgment.bidding import contract_of_call
from leftbower.players.judgment.call_values import applies_to, with_mean
from leftbower.players.judgment.layouts import layouts
from leftbower.players.judgment.stakes import stakes
from leftbower.players.levels import BASELINE, EXPERT, NOVICE, QUICK, REGULAR, Skill, Temper
from leftbower.rules import Card, Seat, preset
from leftbower.rules.choices import NobodyCalls
from leftbower.rules.house import HouseRules


def bidding_view(rules: HouseRules, seed: int, passes: int = 0) -> View:
    """The view of the player who bids after `passes` passes."""
    deck = Random(seed).sample(rules.deck, len(rules.deck))
    state: State = start(rules, deal_hand(rules, dealer=rules.seats[seed % rules.players], deck=deck))
    for _ in range(passes):
        assert isinstance(state, Bidding)
        state = apply(state, Pass(state.to_act))
    assert isinstance(state, Bidding)
    return view(state, state.to_act)


# The baseline


def test_the_baseline_is_frozen() -> None:
    """A hundred layouts, plain thresholds on solved values, and always the same hands: the yardstick for others."""
    assert Skill(name="baseline", layouts=100, threshold=0.2) == BASELINE
    played = []
    for name in ("campus", "round-robin", "club3", "club2"):
        rules = preset(name)
        players = dict.fromkeys(rules.seats, Bot(BASELINE))
        for number in range(6):
            played += [hand_line(hand) for hand in play_deal(rules, players, seed=11, number=number)]
    assert sha256("\n".join(played).encode()).hexdigest()[:16] == "0faa34ddc154aaab"


# Calling, on both paths


class Reached(Exception):
    """A path was taken."""


def reach(*_: object, **__: object) -> None:
    raise Reached


@pytest.mark.parametrize("name", ["campus", "club", "prize-night", "school-cup"])
@pytest.mark.parametrize("skill", [REGULAR, EXPERT], ids=lambda skill: skill.name)
def test_where_values_were_fitted_calls_are_looked_up(name: str, skill: Skill, monkeypatch: pytest.MonkeyPatch) -> None:
    """No layout is sampled and no hand played out: the table knows every hand."""
    rules = preset(name)
    assert applies_to(rules)
    monkeypatch.setattr(bot_module, "layouts", reach)
    monkeypatch.setattr(bot_module, "pass_gain", reach)
    for passes in range(8):
        seat_view = bidding_view(rules, seed=passes, passes=passes)
        assert Bot(skill).act(seat_view, Random(1)) in seat_view.legal


@pytest.mark.parametrize("name", ["round-robin", "club2", "club3"])
@pytest.mark.parametrize("skill", [REGULAR, EXPERT], ids=lambda skill: skill.name)
def test_where_nothing_was_fitted_hands_are_played_out(
    name: str, skill: Skill, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = preset(name)
    assert not applies_to(rules)
    monkeypatch.setattr(bot_module, "solved_means", lambda *_: pytest.fail("the table is of another game"))
    seat_view = bidding_view(rules, seed=1)
    judged = Bot(replace(skill, rollouts=2, layouts=5)).judge(seat_view, seat_view.legal, Random(1))
    assert {valued.action for valued in judged} == set(seat_view.legal)
    monkeypatch.setattr(bot_module, "pass_gain", reach)
    with pytest.raises(Reached):
        Bot(replace(skill, layouts=5)).act(seat_view, Random(1))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_made_in_thought_is_solved_as_at_the_table(seed: int) -> None:
    """A suit named in the second round, with partner and alone: the same outcome as from the engine's own state."""
    rules = preset("round-robin")
    deck = Random(seed).sample(rules.deck, len(rules.deck))
    deal = deal_hand(rules, dealer=rules.seats[seed], deck=deck)
    for alone in (False, True):
        state: State = start(rules, deal)
        for _ in range(4):
            assert isinstance(state, Bidding)
            state = apply(state, Pass(state.to_act))
        assert isinstance(state, Bidding)
        state = apply(state, Name(state.to_act, deal.up_card.suit.sister, alone=alone))
        assert isinstance(state, Playing)
        thought = rollouts.contract_layouts(rules, state.contract, [deal, deal])
        assert [*thought.outcomes()] == [*Batch([position(state)] * 2).outcomes()]


def test_a_pass_is_between_a_losing_and_a_winning_call() -> None:
    """The dealer with every high trump, and with none."""
    strong = view(parse_hand_line("{campus} S 9c N:KhQh9hQdAd E:TcTdQsThAs S:JcJsAcKcQc W:JdTsKdAh9d | p p p"), Seat.S)
    weak = view(parse_hand_line("{campus} S 9c N:KhQcKcQdAc E:TcTdQsJcAs S:9sQh9hTh9d W:JdTsKdAhJs | p p p"), Seat.S)
    for seat_view, sign in ((strong, -1), (weak, 1)):
        call = contract_of_call(seat_view, Order(Seat.S))
        at_stake = stakes(seat_view, in_points=True)
        gained = rollouts.pass_gain(seat_view, call, at_stake, Bot(QUICK), count=12, rng=Random(2))
        assert gained * sign > 0.5


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("nobody_calls", NobodyCalls.PASS_OUT),
        ("march_points", 3),
        ("euchre_points", 3),
        ("made_points_alone", 2),
        ("partner_orders_alone", True),
    ],
)
def test_values_of_other_games_are_not_used(option: str, value: Any) -> None:
    assert not applies_to(replace(preset("campus"), **{option: value}))


def judged(line: str, seat: Seat, skill: Skill = EXPERT) -> dict[Action, float]:
    seat_view = view(parse_hand_line(line), seat)
    return {valued.action: valued.worth for valued in Bot(skill).judge(seat_view, seat_view.legal, Random(1))}


def test_the_score_changes_what_a_call_is_worth() -> None:
    """Two points from winning, a lone hand is worth no more than a march; far behind it is worth everything."""
    hand = "N:KhQh9hQdAc E:TcTdQsAdAs S:JcJsAhKcQc W:JdTsKdTh9d | p p p"
    alone, together = Order(Seat.S, alone=True), Order(Seat.S)
    ahead, behind = (judged(f"{{campus {score}}} S 9c {hand}", Seat.S) for score in ("8-8", "6-9"))
    assert behind[alone] - behind[together] > ahead[alone] - ahead[together]


def test_tilting_keeps_every_result_possible() -> None:
    for mean in (-1.9, -0.5, 0.4, 1.7):
        found = with_mean({-2: 0.4, 1: 0.6, 2: 0.0}, mean)
        assert sum(found.values()) == pytest.approx(1)
        assert min(found.values()) > 0
        assert sum(points * chance for points, chance in found.items()) == pytest.approx(mean, abs=0.01)


# Skill and temper


def calls(bot: Bot, hands: Sequence[int]) -> int:
    """How often it calls in first, third or last position."""
    views = [bidding_view(preset("campus"), seed=number, passes=number % 4) for number in hands]
    return sum(isinstance(bot.act(seat_view, Random(1)), Order | Name) for seat_view in views)


def test_the_bold_call_more_often_than_the_cautious() -> None:
    cautious, even, bold = (calls(Bot(EXPERT, temper), range(200)) for temper in Temper)
    assert cautious < even < bold


def test_levels_differ_in_skill_alone() -> None:
    """More layouts, steadier hands, sharper eyes; and every level has its name."""
    levels = (NOVICE, REGULAR, EXPERT)
    assert [level.name for level in levels] == ["novice", "regular", "expert"]
    for worse, better in pairwise(levels):
        assert worse.layouts < better.layouts
        assert worse.slips > better.slips
        assert worse.notice_probability < better.notice_probability
    assert Bot(EXPERT, Temper.BOLD).name == "expert+bold"


def test_who_buried_the_up_card_no_longer_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dealer at a table of two who lays cards away after discarding the up-card."""
    rules = preset("club2")
    deck = Random(4).sample(rules.deck, len(rules.deck))
    state: State = start(rules, deal_hand(rules, dealer=Seat.S, deck=deck))
    for kind in (Pass, Order, Bury, GoTogether):
        acts = [act for act in view(state, Seat.S if kind is not Pass else Seat.N).legal if isinstance(act, kind)]
        state = apply(state, next((act for act in acts if getattr(act, "card", None) is deck_up(state)), acts[0]))
    seat_view, held = view(state, Seat.S), []

    def watched(*words: object, mine: tuple[Card, ...], **more: object) -> object:
        held.append(mine)
        return layouts(*words, mine=mine, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(bot_module, "layouts", watched)
    laid = [act for act in seat_view.legal if isinstance(act, LayAway)]
    assert len(Bot(replace(EXPERT, layouts=5)).judge(seat_view, laid, Random(1))) == len(laid) == len(held)
    assert all(len(mine) == 5 and seat_view.up_card not in mine for mine in held)


def deck_up(state: State) -> Card | None:
    """The up-card, which is the discard."""
    return None if isinstance(state, Scored) else state.hand.deal.up_card
