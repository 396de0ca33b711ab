"""Results of a table's finished matches as text."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.i18n import gettext
from leftbower.notation.describe import join_names
from leftbower.rules.seats import Seat
from leftbower.table import FinishedMatch, SeatedPerson, Table, readable_matches
from leftbower.web.table.seat_names import SeatNames


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    number: int
    result: str
    """`You and Bob won 10–7.`"""


def match_results(
    table: Table, person: str | None, names: Mapping[str, str], *, exclude: int
) -> tuple[MatchResult, ...]:
    """The finished matches that a person may see, latest first, except match `exclude`."""
    return tuple(
        MatchResult(number=match.number, result=_result_text(match, person, names))
        for match in reversed(readable_matches(table, person))
        if match.number != exclude
    )


def _result_text(match: FinishedMatch, person: str | None, names: Mapping[str, str]) -> str:
    several = match.rules.best_of > 1
    score = "–".join(map(str, sorted(match.wins if several else match.scores, reverse=True)))
    if match.winner is None:
        return gettext("A tie, %(score)s.", score=score)
    seat = _seat_in(match, person)
    winners = join_names(match.winner, SeatNames(match.seats, names, seat))
    if several:
        return gettext("%(winners)s won %(score)s in games.", winners=winners, score=score)
    return gettext("%(winners)s won %(score)s.", winners=winners, score=score)


def _seat_in(match: FinishedMatch, person: str | None) -> Seat | None:
    seats = (seat for seat, sitter in match.seats.items() if isinstance(sitter, SeatedPerson) and sitter.id == person)
    return next(seats, None)
