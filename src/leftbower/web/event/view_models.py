"""View models of an event: tables, clock, a phone's buttons, paper differences, standings."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from leftbower.i18n import N_, gettext as _, gettext_noop
from leftbower.tournament.formats.pairing import is_stage_finished, planned_rounds
from leftbower.tournament.hall.facts import DirectorCalled
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Disputed, Event, Proposed, Settled
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.scores import game_scores, same_score
from leftbower.tournament.scoring.standings import Standing, standings, tie_reasons
from leftbower.tournament.text.bracket_picture import round_title
from leftbower.tournament.text.display import (
    describe_extra_leaders,
    format_fraction,
    format_games,
    format_score,
    join_opponents,
    school_standings,
    side_names,
)

UPCOMING, PLAYING, REPORTED, DISPUTED, SETTLED = "upcoming", "playing", "reported", "disputed", "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    round: int
    table: int
    sides: tuple[str, ...]
    labels: tuple[str, ...]
    state: str
    """upcoming, playing, reported, disputed or settled."""
    score: str
    """The settled or reported score; during play, the running score if hands are reported."""
    opponents: str
    """All sides: `Ann & Bob vs. Cid & Dot`."""
    reported_by: str
    dispute_reason: str
    director_call: str
    """Which side called the director, and why; empty if none did."""
    version: int
    online_table: str = ""
    """Empty if the match is played in a hall."""

    @property
    def points(self) -> tuple[str, ...]:
        """The points of each side; empty if the score is not that of one game."""
        points = tuple(self.score.split("-"))
        return points if len(points) == len(self.sides) and all(map(str.isdecimal, points)) else ()

    def side_name(self, label: str) -> str:
        """Who plays on the side NS or EW."""
        return self.sides[self.labels.index(label)]


def table_rows(event: Event, number: int) -> tuple[TableRow, ...]:
    if not event.rounds:
        return ()
    return tuple(table_row(event, event.round(number), seating) for seating in event.round(number).tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundViewModel:
    number: int
    title: str
    """`Round 3`, or `Semifinals`."""
    tables: tuple[TableRow, ...]
    byes: tuple[str, ...]


def round_view_models(event: Event) -> tuple[RoundViewModel, ...]:
    """All drawn rounds."""
    return tuple(
        RoundViewModel(
            number=round_.number,
            title=round_title(event, round_.number),
            tables=table_rows(event, round_.number),
            byes=tuple(event.entrants[entrant].name for entrant in round_.byes),
        )
        for round_ in event.rounds
    )


def tables_waiting(event: Event) -> tuple[TableRow, ...]:
    """Tables in any round with an open dispute or director call."""
    disputed = (table_key for table_key, score_state in event.score_states.items() if isinstance(score_state, Disputed))
    table_keys = sorted({*disputed, *event.hall.calls})
    return tuple(table_row(event, event.round(number), event.seating(number, table)) for number, table in table_keys)


def table_row(event: Event, round_: Round, seating: Seating) -> TableRow:
    table_key = round_.number, seating.table
    score_state, call = event.score_states.get(table_key), event.hall.calls.get(table_key)
    names = side_names(event, round_.number, seating)
    is_upcoming = round_.number > event.current_round and not event.table_started(table_key)
    state, score = UPCOMING if is_upcoming else PLAYING, running_score(event, table_key, seating)
    if score_state is not None:
        state = {Proposed: REPORTED, Disputed: DISPUTED, Settled: SETTLED}[type(score_state)]
        score = format_score(event, seating, score_state.score)
    return TableRow(
        round=round_.number,
        table=seating.table,
        sides=names,
        labels=seating.labels,
        state=state,
        score=score,
        opponents=join_opponents(names),
        reported_by="" if score_state is None or isinstance(score_state, Settled) else score_state.side,
        dispute_reason=score_state.why if isinstance(score_state, Disputed) else "",
        director_call=_director_call(call, names[seating.labels.index(call.side)]) if call else "",
        version=event.table_version(table_key),
        online_table=event.hall.table_logs.get(table_key, ""),
    )


def _director_call(call: DirectorCalled, names: str) -> str:
    if call.why:
        return _("%(side)s called the director: %(reason)s", side=names, reason=call.why)
    return _("%(side)s called the director", side=names)


def running_score(event: Event, table_key: TableKey, seating: Seating, first: int = 0) -> str:
    """The score from reported hands, the `first` side's first; empty if none is reported."""
    tally = event.hall.tallies.get(table_key)
    if tally is None or not tally.games:
        return ""
    rules = event.rules_of(seating)
    return format_games(game_scores(rules, tally.games), first)


def rejoin_notices(event: Event, *, since: int = 0) -> tuple[str, ...]:
    """Notices of players allowed to join from another device, since round `since`, latest first."""
    notices = []
    for rejoin in reversed([rejoin for rejoin in event.hall.rejoins if rejoin.round >= since]):
        entrant, chair = rejoin.chair
        name = event.player_name(max(rejoin.round, 1), entrant, second=bool(chair))
        text = _("Round %(round)d: the desk let %(name)s join from another device", round=rejoin.round, name=name)
        notices.append(text)
    return tuple(notices)


CLOCK_CALLS: Final = ((0, gettext_noop("Time! Finish the hand.")), (300, gettext_noop("Last 5 minutes")))
"""Announcements by seconds left, most urgent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockViewModel:
    seconds_left: int
    """Negative once the time is up."""
    is_held: bool

    @property
    def text(self) -> str:
        """Minutes and seconds; a script counts them down."""
        minutes, seconds = divmod(abs(self.seconds_left), 60)
        return f"{'-' if self.seconds_left < 0 else ''}{minutes}:{seconds:02d}"

    @property
    def call(self) -> str:
        if self.is_held:
            return _("paused")
        return next((_(text) for seconds, text in CLOCK_CALLS if self.seconds_left <= seconds), "")

    @property
    def calls(self) -> str:
        """`CLOCK_CALLS` for the script as `0:text|300:text`, most urgent first."""
        return "|".join(f"{seconds}:{_(text)}" for seconds, text in CLOCK_CALLS)


def clock_view_model(event: Event, now: float) -> ClockViewModel | None:
    """None if no clock is set."""
    clock = event.hall.clock
    return (
        ClockViewModel(seconds_left=round(clock.seconds_left_at(now)), is_held=clock.running_since is None)
        if clock
        else None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDifference:
    """A table whose paper score differs from the reported one."""

    round: int
    table: int
    opponents: str
    """Both sides: `Ann & Bob vs. Cid & Dot`."""
    paper: str
    reported: str


def paper_differences(event: Event) -> tuple[PaperDifference, ...]:
    differences = []
    for (number, table), paper in event.hall.paper_scores.items():
        score_state, seating = event.score_states.get((number, table)), event.seating(number, table)
        if score_state is not None and not same_score(event.rules_of(seating), score_state.score, paper):
            differences.append(
                PaperDifference(
                    round=number,
                    table=table,
                    opponents=join_opponents(side_names(event, number, seating)),
                    paper=format_score(event, seating, paper),
                    reported=format_score(event, seating, score_state.score),
                )
            )
    return tuple(differences)


@dataclass(frozen=True, slots=True)
class Amount:
    """Event points: rounded to two decimals, and exact."""

    value: Fraction

    @property
    def text(self) -> str:
        return f"{float(self.value):.2f}".rstrip("0").rstrip(".")

    @property
    def exact(self) -> str:
        """The fraction; empty if the decimals are exact."""
        return "" if Fraction(self.text) == self.value else format_fraction(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchoolRow:
    school: str
    won: Amount
    participation: Amount
    total: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsViewModel:
    """Standings, tie-break reasons and leaders of the extra categories."""

    rows: tuple[Standing, ...]
    names: dict[str, str]
    reasons: tuple[str, ...]
    counters: tuple[str, ...]
    schools: tuple[SchoolRow, ...]
    marks: Mapping[str, str]
    """Entrants who are absent or gone, each with a word for it."""
    per_round: bool
    """Does the plan rank by points per round?"""


def standings_view_model(event: Event) -> StandingsViewModel:
    rows = standings(event)
    school_rows = school_standings(event) if event.plan.stage.definition.by_school else ()
    return StandingsViewModel(
        rows=rows,
        names=event.names,
        reasons=tie_reasons(event, rows),
        counters=describe_extra_leaders(event),
        schools=tuple(
            SchoolRow(
                school=row.school, won=Amount(row.won), participation=Amount(row.participation), total=Amount(row.total)
            )
            for row in school_rows
        ),
        marks={
            entrant.id: _(_MARKS[entrant.presence]) for entrant in event.entrants.values() if entrant.presence in _MARKS
        },
        per_round=TieBreak.POINTS_PER_ROUND in event.plan.tie_breaks,
    )


_MARKS: Final = {EntrantPresence.ABSENT: N_("absent"), EntrantPresence.WITHDRAWN: N_("gone home")}


def is_stage_over(event: Event) -> bool:
    """Are all rounds of the stage drawn and scored? Every page calls this, so it must stay cheap: it draws nothing."""
    rounds = event.rounds_of(len(event.stages) - 1)
    if not rounds or event.open_tables():
        return False
    return is_stage_finished(event) if event.stage.definition.bracket else len(rounds) >= planned_rounds(event)
