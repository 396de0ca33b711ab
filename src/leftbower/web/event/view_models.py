"""View models of an event: tables, clock, a phone's buttons, paper differences, standings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop
from leftbower.tournament.formats.pairing import is_stage_finished, planned_rounds
from leftbower.tournament.hall.facts import DirectorCalled
from leftbower.tournament.hall.score_buttons import HandEnding, ScoreButton, describe_hand, score_buttons
from leftbower.tournament.hall.state import MatchTally, is_game_over, is_match_over
from leftbower.tournament.model.roles import Role
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Disputed, Event, Proposed, Settled
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.scores import game_scores, hand_results, same_score
from leftbower.tournament.scoring.standings import Standing, standings, tie_reasons
from leftbower.tournament.text.display import (
    describe_extra_leaders,
    format_fraction,
    format_score,
    join_opponents,
    school_standings,
    seat_names,
    side_names,
)

PLAYING, REPORTED, DISPUTED, SETTLED = "playing", "reported", "disputed", "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    round: int
    table: int
    sides: tuple[str, ...]
    labels: tuple[str, ...]
    state: str
    """playing, reported, disputed or settled."""
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


def table_rows(event: Event, number: int) -> tuple[TableRow, ...]:
    if not event.rounds:
        return ()
    return tuple(table_row(event, event.round(number), seating) for seating in event.round(number).tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundViewModel:
    number: int
    tables: tuple[TableRow, ...]
    byes: tuple[str, ...]


def round_view_models(event: Event) -> tuple[RoundViewModel, ...]:
    """All drawn rounds."""
    return tuple(
        RoundViewModel(
            number=round_.number,
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
    state, score = PLAYING, running_score(event, table_key, seating)
    if score_state is not None:
        state = {Proposed: REPORTED, Disputed: DISPUTED, Settled: SETTLED}[type(score_state)]
        score = format_score(event, seating, score_state.score)
    return TableRow(
        round=round_.number,
        table=seating.table,
        sides=side_names(event, round_.number, seating),
        labels=seating.labels,
        state=state,
        score=score,
        opponents=join_opponents(side_names(event, round_.number, seating)),
        reported_by="" if score_state is None or isinstance(score_state, Settled) else score_state.side,
        dispute_reason=score_state.why if isinstance(score_state, Disputed) else "",
        director_call=_director_call(call) if call else "",
        version=event.table_version(table_key),
        online_table=event.hall.table_logs.get(table_key, ""),
    )


def _director_call(call: DirectorCalled) -> str:
    if call.why:
        return _("%(side)s called the director: %(reason)s", side=call.side, reason=call.why)
    return _("%(side)s called the director", side=call.side)


def running_score(event: Event, table_key: TableKey, seating: Seating) -> str:
    """The score from reported hands; empty if none is reported."""
    tally = event.hall.tallies.get(table_key)
    if tally is None or not tally.games:
        return ""
    rules = event.rules_of(seating)
    return ", ".join("-".join(map(str, scored)) for scored in game_scores(rules, tally.games))


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
class HandRow:
    """A reported hand, or an entry between hands."""

    text: str
    number: int
    """Number of the hand in its game; 0 for other entries, such as a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameViewModel:
    """The reported part of a game."""

    points: tuple[int, ...]
    hands: tuple[HandRow, ...]
    is_over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneViewModel:
    """The phone page of one side of a table."""

    table: int
    side: str
    round: int
    rounds: int
    version: int
    names: tuple[str, str]
    """Our players, then the opponents."""
    labels: tuple[str, ...]
    side_index: int
    state: str
    keeps_score: bool
    """Is this side the scorer, or may it become the scorer?"""
    scorer: str
    score: str
    games: tuple[GameViewModel, ...] = ()
    points: tuple[int, ...] = ()
    games_won: tuple[int, ...] = ()
    best_of: int = 1
    ours: tuple[ScoreButton, ...] = ()
    theirs: tuple[ScoreButton, ...] = ()
    passed_out: tuple[ScoreButton, ...] = ()
    is_over: bool = False
    """Is the match over, so that its score can be reported?"""
    is_reported_by_us: bool = False
    """Did this side report the score?"""
    dispute_reason: str = ""
    director_called: bool = False
    paused: bool = False
    closed: bool = False
    side_count: int = 2
    """How many sides, so how many numbers in each total."""
    seats: tuple[tuple[str, str], ...] = ()
    previous_result: str = ""
    singles: bool = False

    def button_text(self, button: ScoreButton) -> str:
        """Names who was euchred, in singles the lone maker, and the maker if three play."""
        maker = dict(self.seats)[button.hand[0]]
        if self.side_count > 2:
            # Translators: the maker and how the hand ended, as in "Ann: made it"
            return _("%(maker)s: %(ending)s", maker=maker, ending=button.ending.text)
        if button.euchre:
            return _((THEY_WERE if button.side == self.side_index else WE_WERE)[button.ending])
        if button.seat and self.singles:
            # Translators: how the hand ended and the maker, as in "alone, all five: Ann"
            return _("%(ending)s: %(maker)s", ending=button.ending.text, maker=maker)
        return button.ending.text


THEY_WERE: Final = {
    HandEnding.EUCHRED: gettext_noop("they got euchred"),
    HandEnding.EUCHRED_ALONE: gettext_noop("they got euchred alone"),
    HandEnding.EUCHRED_BY_LONE_DEFENDER: gettext_noop("one of us euchred them alone"),
}
WE_WERE: Final = {
    HandEnding.EUCHRED: gettext_noop("we got euchred"),
    HandEnding.EUCHRED_ALONE: gettext_noop("we got euchred alone"),
    HandEnding.EUCHRED_BY_LONE_DEFENDER: gettext_noop("one of them euchred us alone"),
}


def phone_view_model(event: Event, role: Role) -> PhoneViewModel | None:
    """For this table's first round without a score, or else its last; None before a draw."""
    round_ = _current_round(event, role)
    if round_ is None:
        return None
    seating = round_.seating_at(role.number)
    assert seating is not None
    rules, best_of, table_key = (
        event.rules_of(seating),
        event.best_of_at(round_.number, seating),
        (round_.number, role.number),
    )
    row, tally = table_row(event, round_, seating), event.hall.tallies.get(table_key)
    side_index = seating.labels.index(role.subject)
    is_over = tally is not None and is_match_over(rules, best_of, tally.games)
    buttons = score_buttons(event, seating)
    sitting = seat_names(event, round_.number, seating)
    games = tuple(_game_view_models(event, seating, tally, best_of, sitting))
    previous_result = _previous_result(event, role, round_.number)
    return PhoneViewModel(
        table=role.number,
        side=role.subject,
        round=round_.number,
        rounds=len(event.rounds),
        version=event.table_version(table_key),
        names=(row.sides[side_index], join_opponents([*row.sides[:side_index], *row.sides[side_index + 1 :]])),
        labels=seating.labels,
        side_index=side_index,
        state=row.state,
        keeps_score=tally is None or tally.scorer == role.subject or not tally.games,
        scorer=tally.scorer if tally else "",
        score=row.score,
        games=games,
        points=_points(games, rules.sides, is_over=is_over or row.state != PLAYING),
        games_won=tuple(
            sum(game.is_over and _leading_side(game.points) == side for game in games)
            for side in range(len(seating.sides))
        ),
        best_of=best_of,
        ours=_buttons(buttons, seating, side_index, own=True),
        theirs=_buttons(buttons, seating, side_index, own=False),
        passed_out=tuple(button for button in buttons if button.side == -1),
        is_over=is_over,
        is_reported_by_us=row.reported_by == role.subject,
        dispute_reason=row.dispute_reason,
        director_called=bool(row.director_call),
        paused=event.paused,
        closed=event.closed,
        side_count=len(seating.sides),
        seats=tuple(sitting.items()),
        previous_result=previous_result,
        singles=event.stage.singles,
    )


def _current_round(event: Event, role: Role) -> Round | None:
    """The table's first round without a score, or else its last."""
    rounds = [
        round_
        for round_ in event.rounds
        if (seating := round_.seating_at(role.number)) and role.subject in seating.labels
    ]
    open_rounds = [round_ for round_ in rounds if event.settled_score(round_.number, role.number) is None]
    return open_rounds[0] if open_rounds else rounds[-1] if rounds else None


def _previous_result(event: Event, role: Role, number: int) -> str:
    """The score of the last settled round at this table."""
    for round_ in reversed(event.rounds[: number - 1]):
        seating, score = round_.seating_at(role.number), event.settled_score(round_.number, role.number)
        if seating is not None and score is not None:
            text = format_score(event, seating, score)
            return _("Round %(round)d: %(score)s", round=round_.number, score=text)
    return ""


def _game_view_models(
    event: Event, seating: Seating, tally: MatchTally | None, best_of: int, names: Mapping[str, str]
) -> Iterator[GameViewModel]:
    rules, games = event.rules_of(seating), tally.games if tally else ()
    scores = game_scores(rules, games)
    for index, results in enumerate(hand_results(rules, games)):
        numbers = accumulate(result.counts for result in results)
        hands = tuple(
            HandRow(text=describe_hand(seating, result, names), number=number if result.counts else 0)
            for number, result in zip(numbers, results, strict=True)
        )
        yield GameViewModel(points=scores[index], hands=hands, is_over=is_game_over(rules, best_of, games[: index + 1]))


def _buttons(
    buttons: Sequence[ScoreButton], seating: Seating, side_index: int, *, own: bool
) -> tuple[ScoreButton, ...]:
    """One side's buttons, euchres last; grouped by maker if three play, since then two players may score."""
    is_three_handed = len(seating.sides) > 2
    sides = {
        button: button.side if not is_three_handed else seating.labels.index(button.hand[0])
        for button in buttons
        if button.side >= 0
    }
    chosen = [button for button, side in sides.items() if (side == side_index) is own]
    return tuple(chosen if is_three_handed else sorted(chosen, key=lambda button: button.euchre))


def _points(games: tuple[GameViewModel, ...], sides: Sequence[object], *, is_over: bool) -> tuple[int, ...]:
    """The score of the current game, or of the last game of a finished match."""
    if games and (is_over or not games[-1].is_over):
        return games[-1].points
    return tuple(0 for _ in sides)


def _leading_side(points: tuple[int, ...]) -> int | None:
    best = max(points)
    return points.index(best) if points.count(best) == 1 else None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsViewModel:
    """Standings, tie-break reasons and leaders of the extra categories."""

    rows: tuple[Standing, ...]
    names: dict[str, str]
    reasons: tuple[str, ...]
    counters: tuple[str, ...]
    schools: tuple[tuple[str, str, str, str], ...]


def standings_view_model(event: Event) -> StandingsViewModel:
    rows = standings(event)
    school_rows = school_standings(event) if event.plan.stage.definition.by_school else ()
    return StandingsViewModel(
        rows=rows,
        names=event.names,
        reasons=tie_reasons(event, rows),
        counters=describe_extra_leaders(event),
        schools=tuple(
            (row.school, format_fraction(row.won), format_fraction(row.participation), format_fraction(row.total))
            for row in school_rows
        ),
    )


def is_stage_over(event: Event) -> bool:
    """Are all rounds of the stage drawn and scored? Every page calls this, so it must stay cheap: it draws nothing."""
    rounds = event.rounds_of(len(event.stages) - 1)
    if not rounds or event.open_tables():
        return False
    return is_stage_finished(event) if event.stage.definition.bracket else len(rounds) >= planned_rounds(event)
