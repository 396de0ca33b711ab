"""Matches dealt from sealed decks, as an honest table would record them."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from leftbower.dealing import Sealed, seal, seal_to_json
from leftbower.engine.deal import deal_hand, draw_dealer
from leftbower.engine.game import InHand
from leftbower.engine.match import Fact, Match, MatchOver, ToDraw, follow, new_match
from leftbower.notation import Record, dumps
from leftbower.rules import HouseRules, preset
from leftbower.rules.choices import Cut
from leftbower.testing.states import choose_action


def played(rules: HouseRules, seed: int) -> Record:
    """A whole match of random players, every hand and draw from a sealed deck, cut wherever the rules offer it."""
    chance = Random(seed)
    match: Match = new_match(rules)
    facts: list[Fact] = []
    seals: dict[int, dict[str, Any]] = {}

    def deck(offered: Cut) -> tuple[Sealed, int]:
        sealed = seal(chance.randbytes(32), rules.deck)
        cut = None if offered is Cut.NONE else chance.randrange(1, len(rules.deck))
        seals[len(facts)] = seal_to_json(sealed, cut)
        return sealed, cut or 0

    while not isinstance(match, MatchOver):
        if isinstance(match, ToDraw):
            sealed, cut = deck(rules.draw_cut)
            facts.append(draw_dealer(rules, shuffler=chance.choice(rules.places), deck=sealed.deck, cut=cut))
        elif isinstance(match.game, InHand):
            facts.append(choose_action(match.game.hand, chance.randrange, passes=chance.randint(0, 3)))
        else:
            sealed, cut = deck(rules.deal_cut)
            facts.append(deal_hand(rules, dealer=match.game.dealer, deck=sealed.deck, cut=cut))
        match = follow(match, facts[-1])
    return Record(rules=rules, facts=tuple(facts), seals=seals)


@pytest.fixture(scope="session")
def sealed_match() -> Callable[[HouseRules, int], Record]:
    """Plays a match at an honest table."""
    return played


@pytest.fixture(scope="session")
def sealed_record() -> str:
    """One match under the club's rules, which offer a cut before each deal."""
    return dumps(played(preset("club"), 8))


@pytest.fixture(scope="session")
def sealed_lines(sealed_record: str) -> tuple[str, ...]:
    """Its lines; the deals among them each begin a hand."""
    lines = tuple(sealed_record.splitlines())
    assert sum(json.loads(line).get("fact") == "deal" for line in lines) > 4
    return lines
