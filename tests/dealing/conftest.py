"""Matches dealt from sealed decks, as an honest table would record them."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from leftbower.dealing import (
    DRAW,
    HAND,
    Binding,
    Sealed,
    final_root,
    link_after,
    match_root,
    name_commitment,
    opening_of,
    seal,
    seal_to_json,
)
from leftbower.engine.deal import deal_hand, draw_dealer
from leftbower.engine.game import InHand
from leftbower.engine.match import Fact, Match, MatchOver, ToDraw, advance_match, new_match
from leftbower.notation import Record, RecordChain, RecordedPlayer, dumps, end_to_json, fact_to_json, player_to_json
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Cut
from leftbower.rules.formats import to_json
from leftbower.testing.states import choose_action

NAMES = ("Ann", "Bob: the builder", "Čapek", "")
"""The names of people at a table; the empty one was erased."""


def player(seat: Seat, rng: Random) -> RecordedPlayer:
    """A person bound by name, or a bot."""
    if rng.random() < 0.3:
        return RecordedPlayer(name="regular", kind="bot", version="1.2")
    salt, name = rng.randbytes(16).hex(), NAMES[seat.index]
    commitment = name_commitment(salt, name or "Dan")
    return RecordedPlayer(name=name, commitment=commitment, salt=salt if name else "")


def played(rules: HouseRules, seed: int) -> Record:
    """A whole match of random players, every hand and draw from a sealed deck, cut whenever the rules allow it."""
    rng, player_rng, table = Random(seed), Random(f"{seed}:players"), f"table-{seed}"
    match: Match = new_match(rules)
    facts: list[Fact] = []
    seals: dict[int, dict[str, Any]] = {}
    players = {seat: player(seat, player_rng) for seat in rules.seats}
    bound = {str(seat): player_to_json(recorded) for seat, recorded in players.items()}
    root = match_root(opening_of(table=table, number=seed, rules=to_json(rules), players=bound))
    latest: list[tuple[int, Sealed, int | None]] = []

    def link() -> str:
        if not latest:
            return root
        first, sealed, cut = latest[-1]
        plain = [fact_to_json(fact) for fact in facts[first:]]
        return link_after(sealed.root, sealed.bot_secret, cut=cut, packets=(), facts=plain)

    def deck(kind: str, offered: Cut) -> tuple[Sealed, int]:
        binding = Binding(link=link(), number=len(latest) + 1, kind=kind)
        sealed = seal(rng.randbytes(32), rules.deck, binding)
        cut = None if offered is Cut.NONE else rng.randrange(1, len(rules.deck))
        seals[len(facts)] = seal_to_json(sealed, cut)
        latest.append((len(facts), sealed, cut))
        return sealed, cut or 0

    while not isinstance(match, MatchOver):
        if isinstance(match, ToDraw):
            sealed, cut = deck(DRAW, rules.draw_cut)
            facts.append(draw_dealer(rules, shuffler=rng.choice(rules.seats), deck=sealed.deck, cut=cut))
        elif isinstance(match.game, InHand):
            facts.append(choose_action(match.game.hand, rng.randrange, passes=rng.randint(0, 3)))
        else:
            sealed, cut = deck(HAND, rules.deal_cut)
            facts.append(deal_hand(rules, dealer=match.game.dealer, deck=sealed.deck, cut=cut))
        match = advance_match(match, facts[-1])
    chain = RecordChain(table=table, match=seed, root=root, last=final_root(link(), end_to_json(match)))
    return Record(rules=rules, players=players, facts=tuple(facts), seals=seals, chain=chain)


@pytest.fixture(scope="session")
def sealed_match() -> Callable[[HouseRules, int], Record]:
    return played


@pytest.fixture(scope="session")
def sealed_record() -> str:
    """One match under the club's rules, which have a cut before each deal."""
    return dumps(played(preset("club"), 8))


@pytest.fixture(scope="session")
def sealed_lines(sealed_record: str) -> tuple[str, ...]:
    """Its lines; each deal begins a hand."""
    lines = tuple(sealed_record.splitlines())
    assert sum(json.loads(line).get("fact") == "deal" for line in lines) > 4
    return lines
