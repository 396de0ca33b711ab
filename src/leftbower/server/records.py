"""Finished games as they leave the house: a record with every seal opened, and hand lines. Live hands never."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version as installed

from leftbower.dealing import seal_to_json
from leftbower.engine import (
    Deal,
    Draw,
    Fact,
    GameOver,
    InGame,
    InHand,
    Match,
    Scored,
    Scores,
    ToDeal,
    advance,
    follow,
    new_match,
)
from leftbower.notation import hand_line
from leftbower.notation.record import Player, Record, dumps
from leftbower.rules.seats import Seat
from leftbower.table import Person, Table


def record_of(table: Table, names: Mapping[str, str]) -> str | None:
    """The games of the match that are over, as JSON lines; None while none is."""
    facts = table.story[: table.told]
    if not facts:
        return None
    assert table.match is not None
    rules = table.match.rules
    decks = [number for number, fact in enumerate(facts) if isinstance(fact, Deal | Draw)]
    seals = {
        number: seal_to_json(*sealed, packets=table.packets.get(deck, ()))
        for deck, (number, sealed) in enumerate(zip(decks, table.seals, strict=False))
    }
    return dumps(Record(rules=rules, players=_players(table, names), facts=facts, seals=seals))


def hand_lines(table: Table) -> list[str]:
    """The hands of the games that are over."""
    return list(map(hand_line, hands_of(table)))


def hands_of(table: Table) -> list[Scored]:
    """The same, as they ended: every card of them is everybody's to see."""
    return [hand for hands, _ in games_of(table) for hand in hands]


def games_of(table: Table) -> list[tuple[tuple[Scored, ...], Scores]]:
    """The games that are over, each with its hands and its score."""
    if table.match is None:
        return []
    return list(_games(new_match(table.match.rules), table.story[: table.told]))


def _players(table: Table, names: Mapping[str, str]) -> dict[Seat, Player]:
    """Who sat where when the last hand ended, wherever they went since."""
    return {
        seat: Player(name=names.get(one.id, ""))
        if isinstance(one, Person)
        else Player(name=one.level, kind="bot", version=installed("leftbower"))
        for seat, one in sorted(table.sat.items(), key=lambda one: one[0].index)
    }


def _games(match: Match, facts: tuple[Fact, ...]) -> Iterator[tuple[tuple[Scored, ...], Scores]]:
    hands: tuple[Scored, ...] = ()
    for fact in facts:
        game = match.game if isinstance(match, InGame) else None
        if isinstance(game, InHand) and not isinstance(fact, Deal | Draw):
            after = advance(game, fact)
            if isinstance(after, ToDeal | GameOver) and after.last is not None:
                hands = (*hands, after.last)
            if isinstance(after, GameOver):
                yield hands, after.scores
                hands = ()
        match = follow(match, fact)
