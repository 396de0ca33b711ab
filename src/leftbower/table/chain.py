"""The chain of a match as its table folds it: the match root, the binding of each deck, links and the final root."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from leftbower import dealing
from leftbower.engine import MatchOver
from leftbower.notation import end_to_json, fact_to_json
from leftbower.rules.forms import to_json
from leftbower.table.facts import MatchOpened
from leftbower.table.model import MatchOpening, Person, Table


def with_opening(table: Table, fact: MatchOpened) -> Table:
    """The table with its match bound to log, rules and players."""
    players = _players(table, fact.names, fact.version)
    plain = dealing.opening_of(table=fact.table, number=table.match_number, rules=to_json(table.rules), players=players)
    opening = MatchOpening(plain=plain, root=dealing.match_root(plain), version=fact.version)
    return table.but(opening=opening, names=MappingProxyType({**fact.names}), bound_players=players)


def bind_deck(table: Table, kind: str) -> tuple[dealing.Binding, Table]:
    """The binding of the next deck, and the table with the players that it binds."""
    assert table.opening is not None
    players = _players(table, table.names, table.opening.version)
    changed = {seat: player for seat, player in players.items() if table.bound_players.get(seat) != player}
    binding = dealing.Binding(link=link_of(table), number=len(table.seals) + 1, kind=kind, players=changed)
    return binding, table.but(bound_players=players)


def link_of(table: Table) -> str:
    """The link after the latest deck that was dealt or drawn from; before the first one the match root."""
    assert table.opening is not None
    if not table.seals:
        return table.opening.root
    sealed, cut = table.seals[-1]
    facts = [fact_to_json(fact) for fact in table.story[table.deck_start :]]
    packets = table.packets.get(len(table.seals) - 1, ())
    return dealing.link_after(sealed.root, sealed.bot_secret, cut=cut, packets=packets, facts=facts)


def final_root_of(table: Table, match: MatchOver) -> str:
    """The root over the whole match."""
    return dealing.final_root(link_of(table), end_to_json(match))


def _players(table: Table, names: Mapping[str, str], version: str) -> Mapping[str, Mapping[str, Any]]:
    """Who sits where, as roots bind it: bots by level and version, people by the commitments to their names."""
    players: dict[str, Mapping[str, Any]] = {}
    for seat in table.rules.places:
        sitter = table.seats[seat]
        if isinstance(sitter, Person):
            players[str(seat)] = {"kind": "human", "commitment": names.get(sitter.id, "")}
        else:
            players[str(seat)] = {"kind": "bot", "name": sitter.level, "version": version}
    return MappingProxyType(players)
