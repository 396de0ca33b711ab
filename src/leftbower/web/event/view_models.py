"""What pages show of an event, worked out from it: tables as they stand, the clock, a phone's buttons, differences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from leftbower.tournament import (
    BRACKET_FORMATS,
    Disputed,
    Event,
    Format,
    Proposed,
    Role,
    Round,
    ScoreButton,
    Seating,
    Settled,
    Standing,
    TableKey,
    describe_extra_leaders,
    describe_hand,
    format_fraction,
    format_score,
    game_scores,
    hand_results,
    head_to_head_cycles,
    is_match_over,
    is_stage_finished,
    planned_rounds,
    same_score,
    school_standings,
    score_buttons,
    seat_names,
    standings,
)
from leftbower.tournament.hall.state import MatchTally, is_game_over

PLAYING, REPORTED, DISPUTED, SETTLED = "playing", "reported", "disputed", "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One table of a round."""

    round: int
    table: int
    sides: tuple[str, ...]
    labels: tuple[str, ...]
    state: str
    """playing, reported, disputed or settled."""
    score: str
    """What stands or was told; while it is played, how it stands as far as the hall knows."""
    reported_by: str
    dispute_reason: str
    director_call: str
    """Who waits for the director, and why."""
    version: int
    online_table: str = ""
    """The table online, if it is one."""


def table_rows(event: Event, number: int) -> tuple[TableRow, ...]:
    """The tables of a round."""
    if not event.rounds:
        return ()
    return tuple(table_row(event, event.round(number), seating) for seating in event.round(number).tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundViewModel:
    """A round with its tables and whoever sits out."""

    number: int
    tables: tuple[TableRow, ...]
    byes: tuple[str, ...]


def round_view_models(event: Event) -> tuple[RoundViewModel, ...]:
    """Every round that is drawn."""
    return tuple(
        RoundViewModel(
            number=round_.number,
            tables=table_rows(event, round_.number),
            byes=tuple(event.entrants[entrant].name for entrant in round_.byes),
        )
        for round_ in event.rounds
    )


def tables_waiting(event: Event) -> tuple[TableRow, ...]:
    """Tables of any round that wait for the desk: in dispute, or with a call."""
    disputed = (table_key for table_key, score_state in event.score_states.items() if isinstance(score_state, Disputed))
    table_keys = sorted({*disputed, *event.hall.calls})
    return tuple(table_row(event, event.round(number), event.seating(number, table)) for number, table in table_keys)


def table_row(event: Event, round_: Round, seating: Seating) -> TableRow:
    """A table as it stands."""
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
        reported_by="" if score_state is None or isinstance(score_state, Settled) else score_state.side,
        dispute_reason=score_state.why if isinstance(score_state, Disputed) else "",
        director_call=f"{call.side}{f': {call.why}' if call.why else ''}" if call else "",
        version=event.table_version(table_key),
        online_table=event.hall.table_logs.get(table_key, ""),
    )


def side_names(event: Event, round: int, seating: Seating) -> tuple[str, ...]:
    """Who sits on each side, by name."""
    sitting = seat_names(event, round, seating)
    return tuple(" & ".join(dict.fromkeys(sitting[seat] for seat in label)) for label in seating.labels)


def running_score(event: Event, table_key: TableKey, seating: Seating) -> str:
    """How a match stands that is told hand by hand; empty where nothing is told."""
    tally = event.hall.tallies.get(table_key)
    if tally is None or not tally.games:
        return ""
    rules = event.rules_of(seating)
    return ", ".join("-".join(map(str, scored)) for scored in game_scores(rules, tally.games))


def rejoin_notices(event: Event, *, since: int = 0) -> tuple[str, ...]:
    """Whom the desk let join from another device, the latest first; from a round on."""
    notices = []
    for rejoin in reversed([rejoin for rejoin in event.hall.rejoins if rejoin.round >= since]):
        entrant, chair = rejoin.chair
        name = event.player_name(max(rejoin.round, 1), entrant, second=bool(chair))
        notices.append(f"Round {rejoin.round}: the desk let {name} join from another device")
    return tuple(notices)


CLOCK_CALLS: Final = ((0, "Time, finish the hand"), (300, "Less than 5 minutes"))
"""What is called out when so many seconds are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockViewModel:
    """The clock of a round."""

    seconds_left: int
    """Seconds; below nothing, how long the time is up."""
    is_held: bool

    @property
    def text(self) -> str:
        """As it stands on the page before a script counts on."""
        minutes, seconds = divmod(abs(self.seconds_left), 60)
        return f"{'-' if self.seconds_left < 0 else ''}{minutes}:{seconds:02d}"

    @property
    def call(self) -> str:
        """What is called out."""
        if self.is_held:
            return "stopped"
        return next((text for seconds, text in CLOCK_CALLS if self.seconds_left <= seconds), "")

    @property
    def calls(self) -> str:
        """The same for a script that counts on: seconds and words, the most urgent first."""
        return "|".join(f"{seconds}:{text}" for seconds, text in CLOCK_CALLS)


def clock_view_model(event: Event, now: float) -> ClockViewModel | None:
    """The clock as it stands, if one is set."""
    clock = event.hall.clock
    return (
        ClockViewModel(seconds_left=round(clock.seconds_left_at(now)), is_held=clock.running_since is None)
        if clock
        else None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRow:
    """One entry of a game."""

    text: str
    number: int
    """Which hand of the game it is; 0 for what is no hand, such as a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameViewModel:
    """A game that a phone has told so far."""

    points: tuple[int, ...]
    hands: tuple[HandRow, ...]
    is_over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneViewModel:
    """The page of one side of a table."""

    table: int
    side: str
    round: int
    rounds: int
    version: int
    names: tuple[str, str]
    """The own side, and the others."""
    labels: tuple[str, ...]
    side_index: int
    """Which of the sides is the own."""
    state: str
    keeps_score: bool
    """Does this side keep the score, or may it begin to?"""
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
    """Is the match over, so that its score can be told?"""
    is_reported_by_us: bool = False
    """Was the score told by this side?"""
    dispute_reason: str = ""
    director_called: bool = False
    paused: bool = False
    closed: bool = False
    side_count: int = 2
    """How many numbers a total has."""
    seats: tuple[tuple[str, str], ...] = ()
    previous_result: str = ""
    """What happened in the round before."""
    singles: bool = False

    def button_text(self, tap: ScoreButton) -> str:
        """What a button says: who was euchred, whose loner it was, and where three play who made trump."""
        maker = dict(self.seats)[tap.hand[0]]
        if self.side_count > 2:
            return f"{maker}: {tap.label}"
        if tap.euchre:
            return f"{'they' if tap.side == self.side_index else 'we'} were {tap.label}"
        return f"{tap.label}: {maker}" if tap.seat and self.singles else tap.label


def phone_view_model(event: Event, role: Role) -> PhoneViewModel | None:
    """What the phone of a side shows: the first round at its table that misses a score; None where there is none."""
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
        names=(row.sides[side_index], " v. ".join(name for other, name in enumerate(row.sides) if other != side_index)),
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
    """The first round at a table without a score, or else the last one that was played there."""
    rounds = [
        round_
        for round_ in event.rounds
        if (seating := round_.seating_at(role.number)) and role.subject in seating.labels
    ]
    open_rounds = [round_ for round_ in rounds if event.settled_score(round_.number, role.number) is None]
    return open_rounds[0] if open_rounds else rounds[-1] if rounds else None


def _previous_result(event: Event, role: Role, number: int) -> str:
    """What stands of the last round at this table."""
    for round_ in reversed(event.rounds[: number - 1]):
        seating, score = round_.seating_at(role.number), event.settled_score(round_.number, role.number)
        if seating is not None and score is not None:
            return f"Round {round_.number}: {format_score(event, seating, score)}"
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
    """Those of one side, by who scores, euchres last; where three play, by who made trump, for two may score."""
    is_three_handed = len(seating.sides) > 2
    sides = {
        tap: tap.side if not is_three_handed else seating.labels.index(tap.hand[0]) for tap in buttons if tap.side >= 0
    }
    chosen = [tap for tap, side in sides.items() if (side == side_index) is own]
    return tuple(chosen if is_three_handed else sorted(chosen, key=lambda tap: tap.euchre))


def _points(games: tuple[GameViewModel, ...], sides: Sequence[object], *, is_over: bool) -> tuple[int, ...]:
    """What the board shows: the game that is played, or the last one of a match that is over."""
    if games and (is_over or not games[-1].is_over):
        return games[-1].points
    return tuple(0 for _ in sides)


def _leading_side(points: tuple[int, ...]) -> int | None:
    best = max(points)
    return points.index(best) if points.count(best) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDifference:
    """A table whose paper says something else than was told."""

    round: int
    table: int
    sides: tuple[str, ...]
    paper: str
    reported: str


def paper_differences(event: Event) -> tuple[PaperDifference, ...]:
    """What was entered both ways and is not the same."""
    differences = []
    for (number, table), paper in event.hall.paper_scores.items():
        score_state, seating = event.score_states.get((number, table)), event.seating(number, table)
        if score_state is not None and not same_score(event.rules_of(seating), score_state.score, paper):
            differences.append(
                PaperDifference(
                    round=number,
                    table=table,
                    sides=side_names(event, number, seating),
                    paper=format_score(event, seating, paper),
                    reported=format_score(event, seating, score_state.score),
                )
            )
    return tuple(differences)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsViewModel:
    """The standings as a page shows them."""

    rows: tuple[Standing, ...]
    names: dict[str, str]
    reasons: tuple[str, ...]
    counters: tuple[str, ...]
    schools: tuple[tuple[str, str, str, str], ...]


def standings_view_model(event: Event) -> StandingsViewModel:
    """Everybody in order, and why."""
    rows = standings(event)
    reasons = dict.fromkeys(
        item.because for item in rows if item.because and item.decided_by not in ("matches", "points")
    )
    school_rows = school_standings(event) if event.plan.stage.format is Format.SCHOOLS else ()
    return StandingsViewModel(
        rows=rows,
        names={entrant_id: item.name for entrant_id, item in event.entrants.items()},
        reasons=(*reasons, *head_to_head_cycles(event)),
        counters=describe_extra_leaders(event),
        schools=tuple(
            (item.school, format_fraction(item.won), format_fraction(item.participation), format_fraction(item.total))
            for item in school_rows
        ),
    )


def is_stage_over(event: Event) -> bool:
    """Is everything of the stage drawn and scored? Asked for every page, so nothing is drawn to find out."""
    rounds = event.rounds_of(len(event.stages) - 1)
    if not rounds or event.open_tables():
        return False
    return is_stage_finished(event) if event.stage.format in BRACKET_FORMATS else len(rounds) >= planned_rounds(event)
