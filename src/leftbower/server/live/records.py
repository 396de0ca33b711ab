"""Export of finished games: a record with all seals opened, and hand lines. Never the current hand."""

from collections.abc import Iterator, Mapping
from typing import Any

from leftbower.dealing import seal_to_json
from leftbower.engine.deal import Deal, Draw
from leftbower.engine.game import GameOver, InHand, Scores, ToDeal, advance_game
from leftbower.engine.match import Fact, InGame, Match, advance_match, new_match
from leftbower.engine.states import Scored
from leftbower.notation import Record, RecordChain, RecordedPlayer, dumps, hand_line, player_to_json
from leftbower.rules.seats import Seat
from leftbower.store import BoundName
from leftbower.table import Table, current_link

Names = Mapping[str, BoundName]
"""The names of players by their commitments; erased people are missing."""


def record_of(table: Table, names: Names) -> str | None:
    """The finished games of the match as JSON lines; None until one is finished."""
    facts = table.history[: table.public_until]
    if not facts:
        return None
    assert table.match is not None
    assert table.opening is not None
    rules, opening = table.match.rules, table.opening
    decks = [number for number, fact in enumerate(facts) if isinstance(fact, Deal | Draw)]
    seals = {number: _seal(table, deck, names) for deck, number in enumerate(decks)}
    players = {Seat(seat): _player(bound, names) for seat, bound in opening.binding["players"].items()}
    last = table.final_root or _link_after(table, len(decks))
    chain = RecordChain(table=opening.binding["table"], match=opening.binding["match"], root=opening.root, last=last)
    return dumps(Record(rules=rules, players=players, facts=facts, seals=seals, chain=chain))


def hand_lines(table: Table) -> list[str]:
    """The hands of the finished games."""
    return list(map(hand_line, hands_of(table)))


def hands_of(table: Table) -> list[Scored]:
    """The same as scored hands; all their cards are public."""
    return [hand for hands, _ in games_of(table) for hand in hands]


def games_of(table: Table) -> list[tuple[tuple[Scored, ...], Scores]]:
    """The finished games, each with its hands and its score."""
    if table.match is None:
        return []
    return list(_games(new_match(table.match.rules), table.history[: table.public_until]))


def _seal(table: Table, deck: int, names: Names) -> dict[str, Any]:
    """The proof of one draw or deal, with the names of players who changed before it."""
    sealed, cut = table.sealed_decks[deck]
    players = {seat: player_to_json(_player(bound, names)) for seat, bound in sealed.binding.players.items()}
    return seal_to_json(sealed, cut, packets=table.packets.get(deck, ()), players=players)


def _link_after(table: Table, decks: int) -> str:
    """The link after this number of decks, which the next deck binds if there is one."""
    return current_link(table) if decks == len(table.sealed_decks) else table.sealed_decks[decks][0].binding.link


def _player(bound: Mapping[str, str], names: Names) -> RecordedPlayer:
    """A player as roots bind it, with name and salt unless erased."""
    if "commitment" not in bound:
        return RecordedPlayer(**bound)
    known = names.get(bound["commitment"])
    return RecordedPlayer(name=known.name, salt=known.salt, **bound) if known else RecordedPlayer(name="", **bound)


def _games(match: Match, facts: tuple[Fact, ...]) -> Iterator[tuple[tuple[Scored, ...], Scores]]:
    hands: tuple[Scored, ...] = ()
    for fact in facts:
        game = match.game if isinstance(match, InGame) else None
        if isinstance(game, InHand) and not isinstance(fact, Deal | Draw):
            after = advance_game(game, fact)
            if isinstance(after, ToDeal | GameOver) and after.last is not None:
                hands = (*hands, after.last)
            if isinstance(after, GameOver):
                yield hands, after.scores
                hands = ()
        match = advance_match(match, fact)
