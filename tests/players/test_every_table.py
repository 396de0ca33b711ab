"""Every level finishes every game: any rules, any number of players, strict and honor; no illegal answers."""

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from honor_table import ALL_FIVE, FIFTH, FOUR, FOURTH, READY, SECOND, TRUE, dealt as deal_of, honor, say, scored, table
from leftbower.engine import (
    Bury,
    CallOut,
    Correct,
    GameOver,
    Play,
    Scored,
    ToDeal,
    active_seats,
    deal_hand,
    first_leader,
    new_game,
    replay,
    start,
)
from leftbower.players.bot import Bot
from leftbower.players.driver import play_game, play_hand
from leftbower.players.levels import BASELINE, EXPERT, NOVICE, REGULAR, Skill
from leftbower.players.player import Player
from leftbower.rules import Card, HouseRules, Rank, Seat, Suit, presets
from leftbower.rules.choices import Supervision
from proofs.information_leak import draw_rules

SKILLS = (NOVICE, REGULAR, EXPERT, BASELINE)
SISTER = {
    Suit.CLUBS: Suit.SPADES,
    Suit.SPADES: Suit.CLUBS,
    Suit.HEARTS: Suit.DIAMONDS,
    Suit.DIAMONDS: Suit.HEARTS,
}


def quick(skill: Skill) -> Player:
    """With little work; it counts points, because chances under ever-changing rules take longer than anything else."""
    return Bot(replace(skill, layouts=3, rollouts=min(1, skill.rollouts), in_points=True))


def dealt(rules: HouseRules, rng: Random) -> list[Card]:
    return rng.sample(rules.deck, len(rules.deck))


def seat_rngs(number: int) -> dict[Seat, Random]:
    return {seat: Random(f"{number} {seat}") for seat in Seat}


def suit_of(card: Card, trump: Suit) -> Suit:
    """The left bower is a trump."""
    return trump if card.rank is Rank.JACK and card.suit is SISTER[trump] else card.suit


def offenses(hand: Scored) -> list[str]:
    """Every offense in the record, recounted only from the deal and the actions."""
    rules, deal, contract = hand.hand.rules, hand.hand.deal, hand.contract
    if contract is None:
        return []
    played = [act for act in hand.actions if isinstance(act, Play)]
    laid = {seat: [act.card for act in played if act.seat is seat] for seat in Seat}
    found = []
    if contract.ordered and not any(isinstance(act, Bury) for act in hand.actions):
        found.append("nothing buried")
    active, due = active_seats(rules, contract), first_leader(rules, deal.dealer, contract)
    for number, first in enumerate(range(0, len(played), len(active))):
        trick = played[first : first + len(active)]
        index = active.index(due)
        turns = (active[index:] + active[:index])[: len(trick)]
        found += ["out of turn"] if tuple(act.seat for act in trick) != turns else []
        led = suit_of(trick[0].card, contract.trump)
        for act in trick:
            later = {suit_of(card, contract.trump) for card in laid[act.seat][number + 1 :]}
            found += ["renege"] if suit_of(act.card, contract.trump) is not led and led in later else []
        due = hand.tricks[number].winner if number < len(hand.tricks) else due
    return found


def test_every_level_plays_a_hand_under_200_rule_sets() -> None:
    """All numbers of players, strict and honor: the hand ends and replays; at honor tables no bot commits an offense.

    `driver` refuses an illegal answer with the name of the bot that gave it.
    """
    kinds: Counter[object] = Counter()
    for number in range(200):
        rng = Random(f"table {number}")
        rules = draw_rules(rng, players=(2, 3, 4)[number % 3], supervision=tuple(Supervision)[number % 2])
        players = {seat: quick(SKILLS[(number + index) % 4]) for index, seat in enumerate(rules.seats)}
        scores = tuple(rng.randrange(rules.target) for _ in rules.sides)
        begun = start(rules, deal_hand(rules, dealer=rng.choice(rules.seats), deck=dealt(rules, rng)), scores)
        ended = play_hand(begun, players, seat_rngs(number))
        assert replay(begun, ended.actions) == ended
        assert offenses(ended) == []
        assert not any(isinstance(act, CallOut | Correct) for act in ended.actions)
        kinds.update([rules.players, rules.supervision, ended.reason, ended.contract is not None])
    assert min(kinds[kind] for kind in (2, 3, 4)) > 60
    assert kinds[True] > 150


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_every_level_plays_games_to_their_end(skill: Skill) -> None:
    """A game at a table of each size, strict and honor, among bots of one level."""
    for number, supervision in enumerate(Supervision):
        for seats in (2, 3, 4):
            rng = Random(f"game {skill.name} {number} {seats}")
            rules = draw_rules(rng, players=seats, supervision=supervision)

            def decks(game: ToDeal, rng: Random = rng) -> list[Card]:
                return dealt(game.rules, rng)

            hands: list[Scored] = []
            game = new_game(rules, rng.choice(rules.seats))
            over = play_game(
                game, dict.fromkeys(rules.seats, quick(skill)), seat_rngs(number), decks, scored=hands.append
            )
            assert isinstance(over, GameOver)
            assert hands
            assert [fault for hand in hands for fault in offenses(hand)] == []


def test_every_level_plays_every_sheet_as_it_is() -> None:
    """With everything except layouts and rollouts: an expert computes chances at the score, fitted values or not."""
    for number, (sheet, skill) in enumerate(product(presets(), SKILLS)):
        rules, few = sheet.rules, replace(skill, layouts=3, rollouts=min(1, skill.rollouts))
        rng = Random(number)
        scores = tuple(rng.randrange(rules.target) for _ in rules.sides)
        begun = start(rules, deal_hand(rules, dealer=rng.choice(rules.seats), deck=dealt(rules, rng)), scores)
        ended = play_hand(begun, dict.fromkeys(rules.seats, Bot(few)), seat_rngs(number))
        assert replay(begun, ended.actions) == ended


def test_the_recount_sees_every_kind_of_offense() -> None:
    """Otherwise the laws above would be empty: East reneges or plays out of turn, West forgets to discard."""
    early = f"E:9s N:As S:Qs W:Ks {SECOND} N:Ad E:Td S:9d W:Kd {FOURTH} {FIFTH}"
    assert offenses(scored(table("club", f"{ALL_FIVE} {READY}"))) == ["renege"]
    assert offenses(scored(table("club", f"{early} {READY}"))) == ["out of turn"]
    rules = honor("club", failure_to_discard="penalty")
    forgot = say(
        start(rules, deal_of(rules, FOUR)), f"o & {TRUE} {SECOND} N:Ad E:Td S:9d W:Kd {FOURTH} {FIFTH} {READY}"
    )
    assert offenses(scored(forgot)) == ["nothing buried"]
