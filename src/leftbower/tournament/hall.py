"""The hall at one version of an event: tallies that are kept, calls, papers, the clock, and what is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from leftbower.rules.house import HouseRules
from leftbower.tournament.hall_facts import (
    ClockHeld,
    ClockSet,
    DirectorCalled,
    DirectorCame,
    HandTold,
    Joined,
    KeeperChanged,
    PaperRead,
    Published,
    RejoinAllowed,
    TableOpened,
    TakenBack,
)
from leftbower.tournament.place_map import Place, PlaceMap
from leftbower.tournament.reachable import over
from leftbower.tournament.scores import Hand, Hands, Score, game_scores, games_won, hand_results

HallFact = (
    HandTold
    | TakenBack
    | KeeperChanged
    | DirectorCalled
    | DirectorCame
    | PaperRead
    | ClockSet
    | ClockHeld
    | Published
    | Joined
    | RejoinAllowed
    | TableOpened
)
REMEMBERED: Final = 8
"""So many acts of each table are known again."""
DESK: Final[Place] = (0, 0)
"""Where everything happens that happens at no table."""
K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A match as it is told, hand by hand."""

    keeper: str
    """The side that keeps it."""
    games: tuple[Hands, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The clock of a round."""

    seconds: int
    """How long it was set to."""
    left: float
    """How long was left when it was last set, stopped or started."""
    since: float | None
    """Since when it runs; None while it is stopped."""

    def left_at(self, now: float) -> float:
        """Seconds that are left; below nothing, how long ago the time was up."""
        return self.left if self.since is None else self.left - (now - self.since)

    def held_at(self, now: float) -> "Clock":
        """The clock, stopped."""
        return self if self.since is None else replace(self, left=self.left_at(now), since=None)

    def going_at(self, now: float) -> "Clock":
        """The clock, running."""
        return self if self.since is not None else replace(self, since=now)


Chair = tuple[str, int]
"""An entrant, and 0, or 1 for the second player of a team."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoin:
    """A player whom the desk let join from another device."""

    chair: Chair
    round: int
    """The round that was played then; 0 before the first."""
    joined: bool = False
    """Has another device joined since?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hall:
    """What is going on in a hall, beside draws and scores."""

    tallies: PlaceMap[Tally] = field(default_factory=PlaceMap)
    calls: Mapping[Place, DirectorCalled] = field(default_factory=dict)
    """Tables that wait for the director, in the order in which they called."""
    papers: PlaceMap[Score] = field(default_factory=PlaceMap)
    clock: Clock | None = None
    stopped_with_event: bool = False
    """Was the clock stopped because the event was paused?"""
    page: bool = False
    standings: bool = True
    people: Mapping[Chair, str] = field(default_factory=dict)
    """Who plays online."""
    rejoins: tuple[Rejoin, ...] = ()
    """Every time the desk let a player join from another device."""
    tables: PlaceMap[str] = field(default_factory=PlaceMap)
    """Tables online, by the match that is played at them."""
    opened: PlaceMap[float] = field(default_factory=PlaceMap)
    """When they were opened."""
    resumed: float = 0.0
    """When the event went on after a pause: nobody was waited for before that."""
    moved: PlaceMap[int] = field(default_factory=PlaceMap)
    """The version since which everything about a table is as it is; of the desk, everything else."""
    shown: int = 0
    """The version since which everything is as it is that everybody may see: single hands and calls are not."""
    acts: PlaceMap[tuple[str, ...]] = field(default_factory=PlaceMap)
    """The latest acts at each table that had a name of their own, so that none is done twice."""

    def may_rejoin(self, chair: Chair) -> bool:
        """Has the desk let this player join from another device, and none has joined since?"""
        return any(one.chair == chair and not one.joined for one in self.rejoins)


def after_in_hall(hall: Hall, fact: HallFact, at: float) -> Hall:
    """The hall after one more fact, but for tallies: those need to know what is played."""
    match fact:
        case DirectorCalled():
            return replace(hall, calls=also(hall.calls, (fact.round, fact.table), fact))
        case DirectorCame():
            return replace(hall, calls=without(hall.calls, (fact.round, fact.table)))
        case PaperRead():
            return replace(hall, papers=hall.papers.put((fact.round, fact.table), fact.score))
        case ClockSet():
            clock = Clock(seconds=fact.seconds, left=fact.seconds, since=at) if fact.seconds else None
            return replace(hall, clock=clock, stopped_with_event=False)
        case ClockHeld():
            return replace(hall, clock=_clock(hall, at, held=fact.held), stopped_with_event=False)
        case Published():
            return replace(hall, page=fact.page, standings=fact.standings)
        case Joined():
            return _joined(hall, fact)
        case TableOpened():
            place = fact.round, fact.table
            return replace(hall, tables=hall.tables.put(place, fact.log), opened=hall.opened.put(place, at))
        case _:
            return hall


def with_rejoin(hall: Hall, fact: RejoinAllowed, round: int) -> Hall:
    """The hall after the desk, in a round, let a player join from another device."""
    rejoin = Rejoin(chair=(fact.entrant, fact.chair), round=round)
    return replace(hall, rejoins=(*hall.rejoins, rejoin))


def _joined(hall: Hall, fact: Joined) -> Hall:
    """Another device than before uses up the desk's permission."""
    chair = fact.entrant, fact.chair
    if hall.people.get(chair) == fact.person:
        return hall
    rejoins = tuple(replace(one, joined=True) if one.chair == chair else one for one in hall.rejoins)
    return replace(hall, people=also(hall.people, chair, fact.person), rejoins=rejoins)


def paused_or_not(hall: Hall, at: float, *, paused: bool) -> Hall:
    """A pause stops the clock, and it goes on with the event if it ran before."""
    if paused:
        ran = hall.clock is not None and hall.clock.since is not None
        return replace(hall, clock=_clock(hall, at, held=True), stopped_with_event=ran)
    hall = replace(hall, resumed=at)
    if not hall.stopped_with_event:
        return hall
    return replace(hall, clock=_clock(hall, at, held=False), stopped_with_event=False)


def _clock(hall: Hall, at: float, *, held: bool) -> Clock | None:
    if hall.clock is None:
        return None
    return hall.clock.held_at(at) if held else hall.clock.going_at(at)


def tally_after(
    kept: Tally | None, fact: HandTold | TakenBack | KeeperChanged, rules: HouseRules, best_of: int
) -> Tally:
    """The tally of a table after one more word about it."""
    kept = kept or Tally(keeper=fact.side)
    match fact:
        case KeeperChanged():
            return replace(kept, keeper=fact.side)
        case TakenBack():
            return replace(kept, games=_shorter(kept.games))
        case HandTold():
            return replace(kept, games=with_hand(rules, best_of, kept.games, fact.hand))


def with_hand(rules: HouseRules, best_of: int, games: tuple[Hands, ...], hand: Hand) -> tuple[Hands, ...]:
    """The games of a match with one more hand, in the game that is in play."""
    *before, game = games_in_play(rules, best_of, games)
    return (*before, Hands(hands=(*game.hands, hand)))


def games_in_play(rules: HouseRules, best_of: int, games: tuple[Hands, ...]) -> tuple[Hands, ...]:
    """The games of a match with an empty one behind them where the next hand begins a game."""
    if games and (match_over(rules, best_of, games) or not game_over(rules, best_of, games)):
        return games
    return (*games, Hands(hands=()))


def _shorter(games: tuple[Hands, ...]) -> tuple[Hands, ...]:
    last = games[-1].hands[:-1] if games else ()
    return (*games[:-1], Hands(hands=last)) if last else games[:-1]


def game_over(rules: HouseRules, best_of: int, games: tuple[Hands, ...]) -> bool:
    """Is the last of these games over? A single game of so many hands may end level."""
    scored = game_scores(rules, games)[-1]
    if rules.fixed_hands is None:
        return over(rules, scored)
    more = sum(result.counts for result in hand_results(rules, games)[-1]) - rules.fixed_hands
    return more > 0 or (more == 0 and (best_of == 1 or len(set(scored)) > 1))


def match_over(rules: HouseRules, best_of: int, games: tuple[Hands, ...]) -> bool:
    """Has somebody won the match that is told hand by hand?"""
    if not games or not game_over(rules, best_of, games):
        return False
    return best_of == 1 or max(games_won(rules, games)) > best_of // 2


def also(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    """The mapping, and this."""
    return {**mapping, key: value}


def without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    """The mapping, but not this."""
    return {name: value for name, value in mapping.items() if name != key}
