"""What pages show of an event, worked out from it: tables as they stand, the clock, a phone's buttons, differences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from leftbower.tournament import (
    BRACKETS,
    Disputed,
    Event,
    Format,
    Place,
    Proposed,
    Role,
    Round,
    Seating,
    Settled,
    Standing,
    Tap,
    circles,
    counters,
    fraction,
    game_scores,
    hand_results,
    hand_says,
    is_over,
    match_over,
    rounds_planned,
    same_score,
    schools,
    score_in_words,
    seats,
    standings,
    taps,
)
from leftbower.tournament.hall import Tally, game_over

PLAYING, TOLD, DISPUTED, SETTLED = "playing", "told", "disputed", "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    """One table of a round."""

    round: int
    table: int
    sides: tuple[str, ...]
    labels: tuple[str, ...]
    state: str
    """playing, told, disputed or settled."""
    score: str
    """What stands or was told; while it is played, how it stands as far as the hall knows."""
    told_by: str
    why: str
    call: str
    """Who waits for the director, and why."""
    moved: int
    log: str = ""
    """The table online, if it is one."""


def table_lines(event: Event, number: int) -> tuple[TableLine, ...]:
    """The tables of a round."""
    if not event.rounds:
        return ()
    return tuple(table_line(event, event.round(number), seating) for seating in event.round(number).tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundShown:
    """A round with its tables and whoever sits out."""

    number: int
    lines: tuple[TableLine, ...]
    byes: tuple[str, ...]


def rounds_shown(event: Event) -> tuple[RoundShown, ...]:
    """Every round that is drawn."""
    return tuple(
        RoundShown(
            number=one.number,
            lines=table_lines(event, one.number),
            byes=tuple(event.entrants[entrant].name for entrant in one.byes),
        )
        for one in event.rounds
    )


def waiting(event: Event) -> tuple[TableLine, ...]:
    """Tables of any round that wait for the desk: in dispute, or with a call."""
    disputed = (place for place, sheet in event.sheets.items() if isinstance(sheet, Disputed))
    places = sorted({*disputed, *event.hall.calls})
    return tuple(table_line(event, event.round(number), event.seating(number, table)) for number, table in places)


def table_line(event: Event, drawn: Round, seating: Seating) -> TableLine:
    """A table as it stands."""
    place = drawn.number, seating.table
    sheet, call = event.sheets.get(place), event.hall.calls.get(place)
    state, score = PLAYING, running(event, place, seating)
    if sheet is not None:
        state = {Proposed: TOLD, Disputed: DISPUTED, Settled: SETTLED}[type(sheet)]
        score = score_in_words(event, seating, sheet.score)
    return TableLine(
        round=drawn.number,
        table=seating.table,
        sides=side_names(event, drawn.number, seating),
        labels=seating.labels,
        state=state,
        score=score,
        told_by="" if sheet is None or isinstance(sheet, Settled) else sheet.side,
        why=sheet.why if isinstance(sheet, Disputed) else "",
        call=f"{call.side}{f': {call.why}' if call.why else ''}" if call else "",
        moved=event.moved(place),
        log=event.hall.tables.get(place, ""),
    )


def side_names(event: Event, round: int, seating: Seating) -> tuple[str, ...]:
    """Who sits on each side, by name."""
    sitting = seats(event, round, seating)
    return tuple(" & ".join(dict.fromkeys(sitting[seat] for seat in label)) for label in seating.labels)


def running(event: Event, place: Place, seating: Seating) -> str:
    """How a match stands that is told hand by hand; empty where nothing is told."""
    kept = event.hall.tallies.get(place)
    if kept is None or not kept.games:
        return ""
    rules = event.rules_of(seating)
    return ", ".join("-".join(map(str, scored)) for scored in game_scores(rules, kept.games))


def rejoin_lines(event: Event, *, since: int = 0) -> tuple[str, ...]:
    """Whom the desk let join from another device, the latest first; from a round on."""
    lines = []
    for one in reversed([one for one in event.hall.rejoins if one.round >= since]):
        entrant, chair = one.chair
        name = event.sitter(max(one.round, 1), entrant, second=bool(chair))
        lines.append(f"Round {one.round}: the desk let {name} join from another device")
    return tuple(lines)


CALLS: Final = ((0, "Time, finish the hand"), (300, "Less than 5 minutes"))
"""What is called out when so many seconds are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockShown:
    """The clock of a round."""

    left: int
    """Seconds; below nothing, how long the time is up."""
    held: bool

    @property
    def says(self) -> str:
        """As it stands on the page before a script counts on."""
        minutes, seconds = divmod(abs(self.left), 60)
        return f"{'-' if self.left < 0 else ''}{minutes}:{seconds:02d}"

    @property
    def call(self) -> str:
        """What is called out."""
        if self.held:
            return "stopped"
        return next((words for seconds, words in CALLS if self.left <= seconds), "")

    @property
    def calls(self) -> str:
        """The same for a script that counts on: seconds and words, the most urgent first."""
        return "|".join(f"{seconds}:{words}" for seconds, words in CALLS)


def clock_of(event: Event, now: float) -> ClockShown | None:
    """The clock as it stands, if one is set."""
    clock = event.hall.clock
    return ClockShown(left=round(clock.left_at(now)), held=clock.since is None) if clock else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLine:
    """One entry of a game."""

    says: str
    number: int
    """Which hand of the game it is; 0 for what is no hand, such as a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game that a phone has told so far."""

    points: tuple[int, ...]
    hands: tuple[HandLine, ...]
    over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """The page of one side of a table."""

    table: int
    side: str
    round: int
    rounds: int
    moved: int
    names: tuple[str, str]
    """The own side, and the others."""
    labels: tuple[str, ...]
    at: int
    """Which of the sides is the own."""
    state: str
    keeps: bool
    """Does this side keep the score, or may it begin to?"""
    keeper: str
    score: str
    games: tuple[Game, ...] = ()
    points: tuple[int, ...] = ()
    won: tuple[int, ...] = ()
    best_of: int = 1
    ours: tuple[Tap, ...] = ()
    theirs: tuple[Tap, ...] = ()
    nobody: tuple[Tap, ...] = ()
    over: bool = False
    """Is the match over, so that its score can be told?"""
    mine: bool = False
    """Was the score told by this side?"""
    why: str = ""
    call: bool = False
    paused: bool = False
    closed: bool = False
    places: int = 2
    """How many numbers a total has."""
    seats: tuple[tuple[str, str], ...] = ()
    before: str = ""
    """What happened in the round before."""
    singles: bool = False

    def says(self, tap: Tap) -> str:
        """What a button says: who was euchred, whose loner it was, and where three play who made trump."""
        maker = dict(self.seats)[tap.word[0]]
        if self.places > 2:
            return f"{maker}: {tap.says}"
        if tap.euchre:
            return f"{'they' if tap.side == self.at else 'we'} were {tap.says}"
        return f"{tap.says}: {maker}" if tap.seat and self.singles else tap.says


def phone(event: Event, role: Role) -> Phone | None:
    """What the phone of a side shows: the first round at its table that misses a score; None where there is none."""
    drawn = _round_of(event, role)
    if drawn is None:
        return None
    seating = drawn.at(role.number)
    assert seating is not None
    rules, best_of, place = event.rules_of(seating), event.match_of(drawn.number, seating), (drawn.number, role.number)
    line, kept = table_line(event, drawn, seating), event.hall.tallies.get(place)
    at = seating.labels.index(role.whose)
    ended = kept is not None and match_over(rules, best_of, kept.games)
    offered = taps(event, seating)
    sitting = seats(event, drawn.number, seating)
    games = tuple(_games(event, seating, kept, best_of, sitting))
    last = _before(event, role, drawn.number)
    return Phone(
        table=role.number,
        side=role.whose,
        round=drawn.number,
        rounds=len(event.rounds),
        moved=event.moved(place),
        names=(line.sides[at], " v. ".join(name for other, name in enumerate(line.sides) if other != at)),
        labels=seating.labels,
        at=at,
        state=line.state,
        keeps=kept is None or kept.keeper == role.whose or not kept.games,
        keeper=kept.keeper if kept else "",
        score=line.score,
        games=games,
        points=_points(games, rules.sides, over=ended or line.state != PLAYING),
        won=tuple(
            sum(game.over and _best(game.points) == side for game in games) for side in range(len(seating.sides))
        ),
        best_of=best_of,
        ours=_buttons(offered, seating, at, own=True),
        theirs=_buttons(offered, seating, at, own=False),
        nobody=tuple(one for one in offered if one.side == -1),
        over=ended,
        mine=line.told_by == role.whose,
        why=line.why,
        call=bool(line.call),
        paused=event.paused,
        closed=event.closed,
        places=len(seating.sides),
        seats=tuple(sitting.items()),
        before=last,
        singles=event.stage.singles,
    )


def _round_of(event: Event, role: Role) -> Round | None:
    """The first round at a table without a score, or else the last one that was played there."""
    here = [one for one in event.rounds if (at := one.at(role.number)) and role.whose in at.labels]
    still = [one for one in here if event.settled(one.number, role.number) is None]
    return still[0] if still else here[-1] if here else None


def _before(event: Event, role: Role, number: int) -> str:
    """What stands of the last round at this table."""
    for one in reversed(event.rounds[: number - 1]):
        seating, score = one.at(role.number), event.settled(one.number, role.number)
        if seating is not None and score is not None:
            return f"Round {one.number}: {score_in_words(event, seating, score)}"
    return ""


def _games(
    event: Event, seating: Seating, kept: Tally | None, best_of: int, names: Mapping[str, str]
) -> Iterator[Game]:
    rules, games = event.rules_of(seating), kept.games if kept else ()
    scores = game_scores(rules, games)
    for index, results in enumerate(hand_results(rules, games)):
        numbers = accumulate(result.counts for result in results)
        hands = tuple(
            HandLine(says=hand_says(seating, result, names), number=number if result.counts else 0)
            for number, result in zip(numbers, results, strict=True)
        )
        yield Game(points=scores[index], hands=hands, over=game_over(rules, best_of, games[: index + 1]))


def _buttons(offered: Sequence[Tap], seating: Seating, at: int, *, own: bool) -> tuple[Tap, ...]:
    """Those of one side, by who scores, euchres last; where three play, by who made trump, for two may score."""
    three = len(seating.sides) > 2
    sides = {tap: tap.side if not three else seating.labels.index(tap.word[0]) for tap in offered if tap.side >= 0}
    mine = [tap for tap, side in sides.items() if (side == at) is own]
    return tuple(mine if three else sorted(mine, key=lambda tap: tap.euchre))


def _points(games: tuple[Game, ...], sides: Sequence[object], *, over: bool) -> tuple[int, ...]:
    """What the board shows: the game that is played, or the last one of a match that is over."""
    if games and (over or not games[-1].over):
        return games[-1].points
    return tuple(0 for _ in sides)


def _best(points: tuple[int, ...]) -> int | None:
    best = max(points)
    return points.index(best) if points.count(best) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A table whose paper says something else than was told."""

    round: int
    table: int
    sides: tuple[str, ...]
    paper: str
    told: str


def differences(event: Event) -> tuple[Difference, ...]:
    """What was entered both ways and is not the same."""
    found = []
    for (number, table), paper in event.hall.papers.items():
        sheet, seating = event.sheets.get((number, table)), event.seating(number, table)
        if sheet is not None and not same_score(event.rules_of(seating), sheet.score, paper):
            found.append(
                Difference(
                    round=number,
                    table=table,
                    sides=side_names(event, number, seating),
                    paper=score_in_words(event, seating, paper),
                    told=score_in_words(event, seating, sheet.score),
                )
            )
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The standings as a page shows them."""

    lines: tuple[Standing, ...]
    names: dict[str, str]
    reasons: tuple[str, ...]
    counted: tuple[str, ...]
    schools: tuple[tuple[str, str, str, str], ...]


def ranked(event: Event) -> Ranked:
    """Everybody in order, and why."""
    lines = standings(event)
    told = dict.fromkeys(one.because for one in lines if one.because and one.decided_by not in ("matches", "points"))
    found = schools(event) if event.plan.stage.format is Format.SCHOOLS else ()
    return Ranked(
        lines=lines,
        names={entrant: one.name for entrant, one in event.entrants.items()},
        reasons=(*told, *circles(event)),
        counted=counters(event),
        schools=tuple(
            (one.school, fraction(one.won), fraction(one.participation), fraction(one.total)) for one in found
        ),
    )


def over(event: Event) -> bool:
    """Is everything of the stage drawn and scored? Asked for every page, so nothing is drawn to find out."""
    drawn = event.rounds_of(len(event.stages) - 1)
    if not drawn or event.open_tables():
        return False
    return is_over(event) if event.stage.format in BRACKETS else len(drawn) >= rounds_planned(event)
