"""The matches of a table: the reducer's index, access to each match, and results as JSON."""

from dataclasses import replace
from typing import Any

from leftbower.engine.match import MatchOver
from leftbower.errors import NotYourMatch, UnknownMatch
from leftbower.rules.formats import to_link
from leftbower.table.state import FinishedMatch, MatchIndex, Table, empty_mapping, occupant_to_json


def with_start(table: Table) -> MatchIndex:
    """Return the index with one more match, which starts with the fact being applied.

    The snapshot leaves out idempotency keys, chat and the index itself, because no record needs them.
    """
    version = table.version + 1
    start = table.replaced(
        version=version, game_version=version, idempotency_keys=empty_mapping(), chat=(), matches=MatchIndex()
    )
    return replace(table.matches, starts=(*table.matches.starts, start), people=table.people)


def with_result(table: Table, match: MatchOver) -> MatchIndex:
    """Return the index with the result of the match that just ended."""
    assert table.opening is not None
    ended = FinishedMatch(
        number=table.match_number,
        version=table.version,
        at=table.at,
        rules=match.rules,
        seats=table.last_seats,
        people=table.matches.people,
        wins=match.wins,
        scores=match.last.scores,
        winner=match.winner,
        root=table.opening.root,
        final_root=table.final_root,
    )
    return replace(table.matches, finished=(*table.matches.finished, ended))


def check_match_access(table: Table, person: str | None, number: int) -> None:
    """Refuse a match this person may not read: the latest is public, the others are for their players."""
    if not 1 <= number <= table.match_number:
        raise UnknownMatch("this table has no match %(number)s", number=number)
    if not _may_read(table, person, number):
        raise NotYourMatch("only its players can read this match")


def readable_matches(table: Table, person: str | None) -> tuple[FinishedMatch, ...]:
    """Finished matches that this person may read, in order."""
    return tuple(match for match in table.matches.finished if _may_read(table, person, match.number))


def match_to_json(match: FinishedMatch) -> dict[str, Any]:
    """The result of a match, without names."""
    return {
        "number": match.number,
        "version": match.version,
        "ended": match.at,
        "sheet": str(match.rules.sheet),
        "link": to_link(match.rules),
        "wins": list(match.wins),
        "scores": list(match.scores),
        "winner": None if match.winner is None else [str(seat) for seat in match.winner],
        "seats": {str(seat): occupant_to_json(sitter) for seat, sitter in match.seats.items()},
        "root": match.root,
        "final_root": match.final_root,
    }


def _may_read(table: Table, person: str | None, number: int) -> bool:
    return number == table.match_number or person in table.matches.finished[number - 1].people
