"""What an event is at one version: who takes part, what was drawn, what was scored, and what is in the pot."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from leftbower.errors import NotPlaying, UnknownEntrant, UnknownRound, show
from leftbower.rules.house import HouseRules
from leftbower.tournament.author_counts import AuthorCounts
from leftbower.tournament.entrants import Entrant
from leftbower.tournament.facts import Entry, Substituted
from leftbower.tournament.hall import DESK, Hall
from leftbower.tournament.place_map import Place, PlaceMap
from leftbower.tournament.plan import Plan, Stage
from leftbower.tournament.scores import Score, rules_at
from leftbower.tournament.seating import Round, Seating


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A side told the score, and the other has not said anything yet."""

    score: Score
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """The sides do not agree, and the desk has not decided yet."""

    score: Score
    side: str
    """Who proposed it."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The score stands."""

    score: Score


Sheet = Proposed | Disputed | Settled
"""What is known of a table's score; a table without one is still being played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Everything about an event, up to one version of it."""

    version: int
    """The number of the last fact."""
    at: float
    """When it was written down, in seconds."""
    plan: Plan
    stages: tuple[Stage, ...]
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    """By their id, in the order in which they were entered."""
    rounds: tuple[Round, ...] = ()
    sheets: PlaceMap[Sheet] = field(default_factory=PlaceMap)
    substitutes: tuple[Substituted, ...] = ()
    lots: tuple[tuple[str, ...], ...] = ()
    """Draws by lot that were recorded, the latest last."""
    pot: int = 0
    """Cents that came in and were not given back."""
    paid_out: Mapping[str, int] = field(default_factory=dict)
    corrections: tuple[Entry, ...] = ()
    """Every ruling and correction of a score, with who, when and why."""
    paused: bool = False
    closed: bool = False
    hall: Hall = field(default_factory=Hall)
    """What is going on at the tables."""
    written: AuthorCounts = field(default_factory=AuthorCounts)
    """Lines of the ledger by who wrote them: what quotas limit."""

    @property
    def rules(self) -> HouseRules:
        """What is played."""
        return self.plan.rules

    @property
    def stage(self) -> Stage:
        """The stage that is played now."""
        return self.stages[-1]

    def best_of(self, stage: int) -> int:
        """How many games make a match in a stage."""
        return self.stages[stage].best_of or self.rules.best_of

    def rounds_of(self, stage: int) -> tuple[Round, ...]:
        """What was drawn in a stage."""
        return tuple(one for one in self.rounds if one.stage == stage)

    def entrant(self, id: str) -> Entrant:
        """The entrant of that id."""
        if id not in self.entrants:
            raise UnknownEntrant(f"nobody is entered as {show(id)}")
        return self.entrants[id]

    def find(self, named: str) -> Entrant:
        """The entrant whom a name, an id or a drawn number stands for."""
        word = named.strip().casefold()
        for one in self.entrants.values():
            if word in (one.id.casefold(), one.name.casefold()):
                return one
        numbered = [one for one in self.entrants.values() if one.number and word == str(one.number)]
        among = [one for one in self.entrants.values() if word in (player.casefold() for player in one.players)]
        if len(found := numbered or among) == 1:
            return found[0]
        raise UnknownEntrant(f"nobody is entered as {show(named.strip())}")

    def round(self, number: int) -> Round:
        """The round of that number."""
        if not 1 <= number <= len(self.rounds):
            raise UnknownRound(f"there is no round {number}; {len(self.rounds) or 'none'} of them are drawn")
        return self.rounds[number - 1]

    def seating(self, round: int, table: int) -> Seating:
        """Who sits at a table in a round."""
        found = self.round(round).at(table)
        if found is None:
            raise NotPlaying(f"no match is on at table {table} in round {round}", place=f"round {round}")
        return found

    def settled(self, round: int, table: int) -> Score | None:
        """The score of a table, once it stands."""
        sheet = self.sheets.get((round, table))
        return sheet.score if isinstance(sheet, Settled) else None

    def rules_of(self, seating: Seating) -> HouseRules:
        """What is played at a table: the club's game for three where three sit there."""
        return rules_at(self.rules, len(seating.seats))

    def match_of(self, round: int, seating: Seating) -> int:
        """How many games make a match at a table."""
        return self.best_of(self.round(round).stage) if len(seating.seats) == self.rules.seats else 1

    def open_tables(self) -> tuple[Place, ...]:
        """Every table whose score does not stand yet."""
        return tuple(self._open_tables())

    def _open_tables(self) -> Iterator[Place]:
        for drawn in self.rounds:
            sheets = self.sheets.rounds.get(drawn.number, {})
            for seating in drawn.tables:
                if not isinstance(sheets.get(seating.table), Settled):
                    yield drawn.number, seating.table

    def begun(self, number: int) -> bool:
        """Has a round any score, settled or not, or a hand of one?"""
        tallies = self.hall.tallies.rounds.get(number, {})
        return (
            number in self.sheets.rounds
            or number in self.hall.tables.rounds
            or any(tally.games for tally in tallies.values())
        )

    @property
    def first_free(self) -> int:
        """The first round that can be drawn again: neither it nor any behind it has a score."""
        known = {*self.sheets.rounds, *self.hall.tallies.rounds, *self.hall.tables.rounds}
        return max(filter(self.begun, known), default=self._kept) + 1

    def begun_at(self, place: Place) -> bool:
        """Is anything known of a table: a score, a hand of one, or that it is played online?"""
        tally = self.hall.tallies.get(place)
        return place in self.sheets or place in self.hall.tables or bool(tally and tally.games)

    @property
    def now(self) -> int:
        """The round that is played: the first that misses a score, or the last one there is."""
        return next((number for number, _ in self._open_tables()), len(self.rounds))

    def moved(self, place: Place = DESK) -> int:
        """The version since which all about a table, or at the desk, is as it is."""
        return self.hall.moved.get(place, 0)

    @property
    def _kept(self) -> int:
        """The last round of earlier stages: those are not drawn again."""
        return max((one.number for one in self.rounds if one.stage < len(self.stages) - 1), default=0)

    def field(self) -> tuple[Entrant, ...]:
        """Who can be drawn now: of a final those who came so far, else everybody who is not away, by number."""
        if self.stage.entrants:
            chosen = (self.entrants[entrant] for entrant in self.stage.entrants)
            return tuple(one for one in chosen if one.drawable)
        here = [one for one in self.entrants.values() if one.drawable]
        return tuple(sorted(here, key=lambda one: one.number or len(self.entrants) + 1))

    def credited(self, round: int, entrant: str) -> str:
        """Who gets the results of a chair in a round."""
        for one in reversed(self.substitutes):
            if one.entrant == entrant and one.rounds[0] <= round <= one.rounds[1]:
                return one.credit or entrant
        return entrant

    def sitter(self, round: int, entrant: str, *, second: bool = False) -> str:
        """The name of whoever sits in a chair in a round."""
        name = self.entrants[entrant].at(second)
        for one in reversed(self.substitutes):
            if one.entrant == entrant and one.player == name and one.rounds[0] <= round <= one.rounds[1]:
                return one.by
        return name
