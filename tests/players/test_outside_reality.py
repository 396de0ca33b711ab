"""Outside reality: hands our bots play among themselves end like hands at real tables.

Under stick the dealer, the dealer's side scores in about two hands of three, and in four of five when a jack is turned
up. Neither number is ours; a wrong rule or a bot that calls wildly would change both. The bot is a fast `regular`: few
layouts and no rollouts.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import pytest

from leftbower.engine import Scored
from leftbower.players.arena.arena import play_deal
from leftbower.players.bot import Bot
from leftbower.players.levels import REGULAR
from leftbower.rules import HouseRules, Rank, Seat
from leftbower.rules.choices import NobodyCalls

pytestmark = pytest.mark.xdist_group("outside reality")

HANDS: Final = 600
RULES: Final = HouseRules(nobody_calls=NobodyCalls.STICK_THE_DEALER)


@pytest.fixture(scope="module")
def hands() -> list[Scored]:
    """Hands of one bot against itself; always the same."""
    players = dict.fromkeys(Seat, Bot(replace(REGULAR, layouts=12, rollouts=0)))
    return [play_deal(RULES, players, seed=1, number=number)[-1] for number in range(HANDS)]


def share_of_the_dealer(hands: Iterable[Scored]) -> float:
    """The share of these hands in which the dealer's side scores."""
    scored = [hand.hand.deal.dealer in hand.points for hand in hands]
    return sum(scored) / len(scored)


def test_the_dealers_side_scores_in_two_hands_of_three(hands: list[Scored]) -> None:
    assert all(hand.points for hand in hands)
    assert share_of_the_dealer(hands) == pytest.approx(0.66, abs=0.06)


def test_the_dealers_side_scores_in_four_of_five_with_a_jack_up(hands: list[Scored]) -> None:
    jacks = [hand for hand in hands if hand.hand.deal.up_card.rank is Rank.JACK]
    assert len(jacks) > HANDS / 8
    assert share_of_the_dealer(jacks) == pytest.approx(0.80, abs=0.08)
    assert share_of_the_dealer(jacks) > share_of_the_dealer(hands)
