"""The matches of a table: the index that the fold keeps of them, who may read which, and their results as JSON."""

from dataclasses import replace
from typing import Any

from leftbower.engine import MatchOver
from leftbower.errors import NotYourMatch, UnknownMatch
from leftbower.rules.forms import to_link
from leftbower.table.model import FinishedMatch, MatchIndex, Person, Sitter, Table, nobody


def with_start(table: Table) -> MatchIndex:
    """The index with one more match, which begins with the fact that is being folded.

    The snapshot leaves out what no record needs and would take room: known acts, talk, and the index itself.
    """
    version = table.version + 1
    start = table.but(version=version, moved=version, acts=nobody(), said=(), matches=MatchIndex())
    return replace(table.matches, starts=(*table.matches.starts, start), people=table.people)


def with_result(table: Table, match: MatchOver) -> MatchIndex:
    """The index after the last fact of a match."""
    assert table.opening is not None
    ended = FinishedMatch(
        number=table.match_number,
        version=table.version,
        at=table.at,
        rules=match.rules,
        seats=table.sat,
        people=table.matches.people,
        wins=match.wins,
        scores=match.last.scores,
        winner=match.winner,
        root=table.opening.root,
        final_root=table.final_root,
    )
    return replace(table.matches, finished=(*table.matches.finished, ended))


def as_stored(table: Table, at: float, hash: bytes) -> Table:
    """The same version with the store's time and hash of its last fact, which may be folded before it is written."""
    stored, index = table.but(at=at, hash=hash), table.matches
    if index.starts and index.starts[-1].version == table.version:
        start = index.starts[-1].but(at=at, hash=hash)
        return stored.but(matches=replace(index, starts=(*index.starts[:-1], start)))
    if index.finished and index.finished[-1].version == table.version:
        ended = replace(index.finished[-1], at=at)
        return stored.but(matches=replace(index, finished=(*index.finished[:-1], ended)))
    return stored


def check_match(table: Table, person: str | None, number: int) -> None:
    """Refuse a match that this person may not read: the latest is everyone's, others are for those who played them."""
    if not 1 <= number <= table.match_number:
        raise UnknownMatch("this table has no match of that number")
    if not _may_read(table, person, number):
        raise NotYourMatch("only those who played this match can read it")


def finished_matches(table: Table, person: str | None) -> tuple[FinishedMatch, ...]:
    """The matches that are over and that this person may read, in the order they were played."""
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
        "seats": {str(seat): _sitter_to_json(sitter) for seat, sitter in match.seats.items()},
        "root": match.root,
        "final_root": match.final_root,
    }


def _may_read(table: Table, person: str | None, number: int) -> bool:
    return number == table.match_number or person in table.matches.finished[number - 1].people


def _sitter_to_json(sitter: Sitter) -> dict[str, str]:
    return {"person": sitter.id} if isinstance(sitter, Person) else {"bot": sitter.level}
