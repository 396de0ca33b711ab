"""State of the hall at one version of an event: tallies, director calls, paper scores, clock, visibility."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from leftbower.rules.house import HouseRules
from leftbower.rules.scoring import winners
from leftbower.tournament.hall import facts
from leftbower.tournament.model.table_map import TableKey, TableMap
from leftbower.tournament.scoring.scores import Hands, ReportedHand, Score, game_scores, games_won, hand_results

MAX_REQUEST_IDS_PER_TABLE: Final = 8
"""Request ids kept per table to detect duplicates."""
DESK: Final[TableKey] = (0, 0)
"""Key for everything that belongs to no table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchTally:
    """A match in progress, reported hand by hand."""

    scorer: str
    games: tuple[Hands, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClock:
    seconds: int
    """The full duration."""
    seconds_left: float
    """Seconds left when it was last set, paused or resumed."""
    running_since: float | None
    """When it last started; None while paused."""

    def seconds_left_at(self, now: float) -> float:
        """Seconds left; negative after the time is up."""
        return self.seconds_left if self.running_since is None else self.seconds_left - (now - self.running_since)

    def paused_at(self, now: float) -> "RoundClock":
        return replace(self, seconds_left=self.seconds_left_at(now), running_since=None)

    def resumed_at(self, now: float) -> "RoundClock":
        return self if self.running_since is not None else replace(self, running_since=now)


Chair = tuple[str, int]
"""Entrant and chair: 0, or 1 for the second player of a team."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoin:
    """Permission for a player to join from another device."""

    chair: Chair
    round: int
    """The current round at that time; 0 before the first."""
    used: bool = False
    """Has another device joined since?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hall:
    """State of the hall besides draws and scores."""

    tallies: TableMap[MatchTally] = field(default_factory=TableMap)
    calls: Mapping[TableKey, facts.DirectorCalled] = field(default_factory=dict)
    """Tables waiting for the director, oldest call first."""
    paper_scores: TableMap[Score] = field(default_factory=TableMap)
    clock: RoundClock | None = None
    clock_paused_by_event: bool = False
    """The clock was paused by pausing the event, so resuming the event resumes it."""
    public_page: bool = False
    show_standings: bool = True
    people: Mapping[Chair, str] = field(default_factory=dict)
    """The person in each chair of an online event."""
    rejoins: tuple[Rejoin, ...] = ()
    """Permissions to join from another device."""
    table_logs: TableMap[str] = field(default_factory=TableMap)
    """Log ids of the online tables, by match."""
    opened_at: TableMap[float] = field(default_factory=TableMap)
    """When each online table was opened."""
    resumed_at: float = 0.0
    """When the event was last resumed; no-show time restarts then."""
    versions: TableMap[int] = field(default_factory=TableMap)
    """Version of the last change to each table, and to everything else under `DESK`."""
    public_version: int = 0
    """Version of the last change to the public pages; single hands and calls do not count."""
    request_ids: TableMap[tuple[str, ...]] = field(default_factory=TableMap)
    """Latest request ids of each table, so no request is applied twice."""

    def hand_count(self, key: TableKey) -> int:
        """How many hands and penalties are reported at a table."""
        tally = self.tallies.get(key)
        return sum(len(game.hands) for game in tally.games) if tally else 0

    def may_rejoin(self, chair: Chair) -> bool:
        """Does this player have an unused permission to join from another device?"""
        return any(rejoin.chair == chair and not rejoin.used for rejoin in self.rejoins)


def apply_to_hall(hall: Hall, fact: facts.HallFact, at: float) -> Hall:
    """Apply a fact to the hall, except to tallies, which need the rules."""
    match fact:
        case facts.DirectorCalled():
            return replace(hall, calls={**hall.calls, fact.key: fact})
        case facts.DirectorArrived():
            return replace(hall, calls={key: call for key, call in hall.calls.items() if key != fact.key})
        case facts.PaperScoreEntered():
            return replace(hall, paper_scores=hall.paper_scores.put(fact.key, fact.score))
        case facts.RoundClockSet():
            clock = (
                RoundClock(seconds=fact.seconds, seconds_left=fact.seconds, running_since=at) if fact.seconds else None
            )
            return replace(hall, clock=clock, clock_paused_by_event=False)
        case facts.RoundClockPaused():
            return replace(hall, clock=_set_clock_paused(hall, at, held=fact.paused), clock_paused_by_event=False)
        case facts.VisibilityChanged():
            return replace(hall, public_page=fact.public_page, show_standings=fact.show_standings)
        case facts.PlayerJoined():
            return _join(hall, fact)
        case facts.TableOpened():
            logs, opened_at = hall.table_logs.put(fact.key, fact.log), hall.opened_at.put(fact.key, at)
            return replace(hall, table_logs=logs, opened_at=opened_at)
        case _:
            return hall


def allow_rejoin(hall: Hall, fact: facts.RejoinAllowed, round: int) -> Hall:
    rejoin = Rejoin(chair=(fact.entrant, fact.chair), round=round)
    return replace(hall, rejoins=(*hall.rejoins, rejoin))


def _join(hall: Hall, fact: facts.PlayerJoined) -> Hall:
    """Seat the person; a new device uses up the permission."""
    chair = fact.entrant, fact.chair
    if hall.people.get(chair) == fact.person:
        return hall
    rejoins = tuple(replace(rejoin, used=True) if rejoin.chair == chair else rejoin for rejoin in hall.rejoins)
    return replace(hall, people={**hall.people, chair: fact.person}, rejoins=rejoins)


def set_paused(hall: Hall, at: float, *, paused: bool) -> Hall:
    """Pause or resume the clock with the event, if it was running."""
    if paused:
        ran = hall.clock is not None and hall.clock.running_since is not None
        return replace(hall, clock=_set_clock_paused(hall, at, held=True), clock_paused_by_event=ran)
    hall = replace(hall, resumed_at=at)
    if not hall.clock_paused_by_event:
        return hall
    return replace(hall, clock=_set_clock_paused(hall, at, held=False), clock_paused_by_event=False)


def _set_clock_paused(hall: Hall, at: float, *, held: bool) -> RoundClock | None:
    if hall.clock is None:
        return None
    return hall.clock.paused_at(at) if held else hall.clock.resumed_at(at)


def add_hand(rules: HouseRules, best_of: int, games: tuple[Hands, ...], hand: ReportedHand) -> tuple[Hands, ...]:
    """Add a hand to the game in progress."""
    *finished, game = games_in_play(rules, best_of, games)
    return (*finished, Hands(hands=(*game.hands, hand)))


def games_in_play(rules: HouseRules, best_of: int, games: tuple[Hands, ...]) -> tuple[Hands, ...]:
    """The games of a match, with an empty one appended if the next hand starts a game."""
    if games and (is_match_over(rules, best_of, games) or not is_game_over(rules, best_of, games)):
        return games
    return (*games, Hands(hands=()))


def drop_last_hand(games: tuple[Hands, ...]) -> tuple[Hands, ...]:
    """Drop the last reported hand, and its game if that leaves it empty."""
    last = games[-1].hands[:-1] if games else ()
    return (*games[:-1], Hands(hands=last)) if last else games[:-1]


def is_game_over(rules: HouseRules, best_of: int, games: tuple[Hands, ...]) -> bool:
    """Is the last of these games over? A single game of fixed length may end in a tie."""
    scored = game_scores(rules, games)[-1]
    if rules.fixed_hands is None:
        return winners(rules, scored) is not None
    more = sum(result.counts for result in hand_results(rules, games)[-1]) - rules.fixed_hands
    return more > 0 or (more == 0 and (best_of == 1 or len(set(scored)) > 1))


def is_match_over(rules: HouseRules, best_of: int, games: tuple[Hands, ...]) -> bool:
    """Is a match reported hand by hand over?"""
    if not games or not is_game_over(rules, best_of, games):
        return False
    return best_of == 1 or max(games_won(rules, games)) > best_of // 2
