"""The hash chain of a match at its table: match root, binding of each deck, links and final root."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from leftbower import dealing
from leftbower.engine.match import MatchOver
from leftbower.notation import end_to_json, fact_to_json
from leftbower.rules.formats import to_json
from leftbower.table.facts import MatchOpened
from leftbower.table.state import MatchOpening, SeatedPerson, Table


def open_match(table: Table, fact: MatchOpened) -> Table:
    """Return the table with the binding of its match to log, rules and players."""
    players = _players(table, fact.name_commitments, fact.bot_version)
    plain = dealing.opening_of(table=fact.table, number=table.match_number, rules=to_json(table.rules), players=players)
    opening = MatchOpening(binding=plain, root=dealing.match_root(plain), bot_version=fact.bot_version)
    commitments = MappingProxyType({**fact.name_commitments})
    return table.replaced(opening=opening, name_commitments=commitments, bound_players=players)


def bind_deck(table: Table, kind: str) -> tuple[dealing.Binding, Table]:
    """The binding of the next deck, and the table with the players it binds."""
    assert table.opening is not None
    players = _players(table, table.name_commitments, table.opening.bot_version)
    changed = {seat: player for seat, player in players.items() if table.bound_players.get(seat) != player}
    binding = dealing.Binding(link=current_link(table), number=len(table.sealed_decks) + 1, kind=kind, players=changed)
    return binding, table.replaced(bound_players=players)


def current_link(table: Table) -> str:
    """The link after the latest deck that was used; the match root before the first one."""
    assert table.opening is not None
    if not table.sealed_decks:
        return table.opening.root
    sealed, cut = table.sealed_decks[-1]
    facts = [fact_to_json(fact) for fact in table.history[table.deck_start :]]
    packets = table.packets.get(len(table.sealed_decks) - 1, ())
    return dealing.link_after(sealed.root, sealed.bot_secret, cut=cut, packets=packets, facts=facts)


def match_final_root(table: Table, match: MatchOver) -> str:
    """The root over the whole match."""
    return dealing.final_root(current_link(table), end_to_json(match))


def _players(table: Table, names: Mapping[str, str], version: str) -> Mapping[str, Mapping[str, Any]]:
    """The players as roots bind them: bots by level and version, people by commitments to their names."""
    players: dict[str, Mapping[str, Any]] = {}
    for seat in table.rules.seats:
        sitter = table.seats[seat]
        if isinstance(sitter, SeatedPerson):
            players[str(seat)] = {"kind": "human", "commitment": names.get(sitter.id, "")}
        else:
            players[str(seat)] = {"kind": "bot", "name": sitter.level, "version": version}
    return MappingProxyType(players)
