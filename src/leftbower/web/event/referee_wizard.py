"""View model of the referee wizard: the irregularity, the facts its rule depends on, and the ruling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from leftbower.errors import LeftbowerError
from leftbower.i18n import gettext as _
from leftbower.rules.announcements import QUESTIONS, announce, cite
from leftbower.rules.choices import WarningsFor, WarningsLast
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Incident, Irregularity, Ruling, facts_needed
from leftbower.rules.seats import Seat
from leftbower.tournament.hall.score_buttons import IRREGULARITY_NAMES
from leftbower.tournament.hall.state import games_in_play
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.scores import HandResult, earlier_warnings, hand_results, rule_on
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.text.display import seat_names

SEAT_FACTS: Final = frozenset({"offender", "maker", "dealer"})
_WARNINGS_FACT: Final = "earlier_warnings"
"""Counted from the reported hands, so the wizard does not ask."""
_FACTS: Final = ("irregularity", *(fact for fact in QUESTIONS if fact != _WARNINGS_FACT))
_Results = Sequence[Sequence[HandResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingCase:
    """An irregularity, the answers so far and the ruling."""

    round: int
    table: int
    kinds: Mapping[str, str]
    """The name of each irregularity."""
    answers: Mapping[str, str]
    needed: tuple[str, ...]
    """The facts to ask for, once the irregularity is known."""
    seats: tuple[tuple[str, str], ...]
    warnings: str
    """A sentence with the offender's number of warnings; empty if they don't matter."""
    ruling: Ruling | None
    announcement: str
    rule: str
    """The rule that was applied. Without a ruling, this and the announcement are empty."""
    error: str
    affects_score: bool
    """Does the ruling change the score or end the hand? Then it goes into the tally."""


def ruling_case(event: Event, table_key: TableKey, seating: Seating, answers: Mapping[str, str]) -> RulingCase:
    rules = event.rules_of(seating)
    kind = next(
        (irregularity for irregularity in Irregularity if str(irregularity) == answers.get("irregularity")), None
    )
    facts = facts_needed(rules, kind) if kind else ()
    needed = tuple(fact for fact in facts if fact != _WARNINGS_FACT)
    results, names = _hand_results(event, table_key, seating), seat_names(event, table_key[0], seating)
    ruling, error = None, ""
    if kind and all(answers.get(fact) for fact in needed):
        ruling, error = _rule(rules, results, answers)
    return RulingCase(
        round=table_key[0],
        table=table_key[1],
        kinds={str(irregularity): _(name) for irregularity, name in IRREGULARITY_NAMES.items()},
        answers={name: value[:40] for name, value in answers.items() if name in _FACTS},
        needed=needed,
        seats=tuple(names.items()),
        warnings=_warnings_text(rules, results, answers["offender"], names)
        if ruling and _WARNINGS_FACT in facts
        else "",
        ruling=ruling,
        announcement=announce(ruling, rules) if ruling else "",
        rule=cite(ruling, rules) if ruling else "",
        error=error,
        affects_score=ruling is not None and (bool(ruling.points) or ruling.warning or ruling.deal_passes),
    )


def parse_incident(form: Mapping[str, str]) -> dict[str, Any]:
    answers = {name: form[name] for name in _FACTS if form.get(name)}
    as_written = SEAT_FACTS | {"irregularity"}
    return {name: value if name in as_written else value == "yes" for name, value in answers.items()}


def _hand_results(event: Event, table_key: TableKey, seating: Seating) -> _Results:
    """The hands of a table's match so far; the current game is last."""
    rules, tally = event.rules_of(seating), event.hall.tallies.get(table_key)
    return hand_results(
        rules, games_in_play(rules, event.best_of_at(table_key[0], seating), tally.games if tally else ())
    )


def _rule(rules: HouseRules, results: _Results, answers: Mapping[str, str]) -> tuple[Ruling | None, str]:
    try:
        return rule_on(rules, results, Incident.from_json(parse_incident(answers))), ""
    except LeftbowerError as error:
        return None, error.message


def _warnings_text(rules: HouseRules, results: _Results, offender: str, names: Mapping[str, str]) -> str:
    seat = Seat.parse(offender)
    count = earlier_warnings(rules, results, seat)
    warned = rules.side_of(seat) if rules.warnings_for is WarningsFor.SIDE else (seat,)
    offenders = join_names([f"{names[str(seat_)]} ({seat_})" for seat_ in warned])
    if rules.warnings_last is WarningsLast.GAME:
        return _("Earlier warnings this game for %(players)s: %(count)d.", players=offenders, count=count)
    return _("Earlier warnings this match for %(players)s: %(count)d.", players=offenders, count=count)
