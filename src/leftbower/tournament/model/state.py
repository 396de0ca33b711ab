"""State of an event at one version: entrants, rounds, scores, pot."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from leftbower.errors import EventIsClosed, EventIsPaused, NotPlaying, UnknownEntrant, UnknownRound, show
from leftbower.rules import HouseRules, preset
from leftbower.tournament.entry.facts import SignedUp, SignUpChanged
from leftbower.tournament.hall.state import DESK, Hall
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.facts import LedgerEntry, Substituted
from leftbower.tournament.model.plan import EventPlan, Stage
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.table_map import PairMap, TableKey, TableMap
from leftbower.tournament.scoring.scores import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """One side proposed the score; the other has not answered."""

    score: Score
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """The sides disagree; the desk has not ruled yet."""

    score: Score
    side: str
    """The side that proposed it."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The score is final unless the desk corrects it."""

    score: Score


ScoreState = Proposed | Disputed | Settled
"""State of a table's score; a table without one is still playing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event at one version."""

    version: int
    """Number of ledger lines applied."""
    updated_at: float
    """Time of the last ledger line, in seconds since 1970."""
    plan: EventPlan
    stages: tuple[Stage, ...]
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    """By id, in order of entry."""
    signup: SignUpChanged | None = None
    """The sign-up page; None if it was never opened."""
    applicants: Mapping[str, SignedUp] = field(default_factory=dict)
    """Sign-ups that wait for a seat or for the desk, by id, oldest first."""
    former: frozenset[str] = frozenset()
    """Ids of deleted entrants, and of singles who became a team."""
    organizers: tuple[str, ...] = ()
    """The people whose own lists have the event."""
    next_event: str = ""
    """The next evening, cloned from this one."""
    rounds: tuple[Round, ...] = ()
    score_states: TableMap[ScoreState] = field(default_factory=TableMap)
    substitutes: tuple[Substituted, ...] = ()
    tie_draws: tuple[tuple[str, ...], ...] = ()
    """Recorded draws by lot, oldest first."""
    pot: int = 0
    """Cents paid in minus refunds."""
    paid_out: Mapping[str, int] = field(default_factory=dict)
    corrections: tuple[LedgerEntry, ...] = ()
    """Score rulings and corrections, with author, time and reason."""
    paused: bool = False
    closed: bool = False
    hall: Hall = field(default_factory=Hall)
    author_counts: PairMap[int, str, int] = field(default_factory=PairMap)
    """Ledger lines by `author_key`, which quotas limit."""

    @property
    def rules(self) -> HouseRules:
        return self.plan.rules

    @property
    def names(self) -> dict[str, str]:
        """Names by entrant id."""
        return {entrant.id: entrant.name for entrant in self.entrants.values()}

    @property
    def people_entered(self) -> int:
        """Seats taken: two for a team, one for a single player or a bot."""
        alone = self.plan.stage.singles
        return sum(1 if alone or entrant.single else 2 for entrant in self.entrants.values())

    @property
    def stage(self) -> Stage:
        """The current stage."""
        return self.stages[-1]

    def best_of(self, stage: int) -> int:
        """Maximum games in a match of a stage."""
        return self.stages[stage].best_of or self.rules.best_of

    def check_open(self) -> None:
        """Raise if the event is closed."""
        if self.closed:
            raise EventIsClosed("the event is closed")

    def check_running(self) -> None:
        """Raise if the event is closed or paused."""
        if self.closed or self.paused:
            self.check_open()
            raise EventIsPaused("the event is paused")

    def check_unpaid(self) -> None:
        """Raise if a prize was paid."""
        if self.paid_out:
            raise EventIsClosed("a prize is paid, so the results are final")

    def rounds_of(self, stage: int) -> tuple[Round, ...]:
        return tuple(round_ for round_ in self.rounds if round_.stage == stage)

    def is_free_id(self, id: str) -> bool:
        """Can a new entrant or sign-up get this id?"""
        return bool(id) and id not in self.entrants and id not in self.applicants and id not in self.former

    def entrant(self, id: str) -> Entrant:
        if id not in self.entrants:
            raise UnknownEntrant("no entrant is called %(name)s", name=show(id))
        return self.entrants[id]

    def find(self, named: str) -> Entrant:
        """Find an entrant by name, id or drawn number."""
        key = named.strip().casefold()
        for entrant in self.entrants.values():
            if key in (entrant.id.casefold(), entrant.name.casefold()):
                return entrant
        numbered = [entrant for entrant in self.entrants.values() if entrant.number and key == str(entrant.number)]
        among = [
            entrant for entrant in self.entrants.values() if key in (player.casefold() for player in entrant.players)
        ]
        if len(matches := numbered or among) == 1:
            return matches[0]
        raise UnknownEntrant("no entrant is called %(name)s", name=show(named.strip()))

    def round(self, number: int) -> Round:
        if not 1 <= number <= len(self.rounds):
            raise UnknownRound("round %(number)s isn't drawn yet", number=number)
        return self.rounds[number - 1]

    def seating(self, round: int, table: int) -> Seating:
        seating = self.round(round).seating_at(table)
        if seating is None:
            raise NotPlaying(
                "table %(table)s has no match in round %(round)s", path=f"round {round}", table=table, round=round
            )
        return seating

    def settled_score(self, round: int, table: int) -> Score | None:
        """The settled score of a table, or None."""
        sheet = self.score_states.get((round, table))
        return sheet.score if isinstance(sheet, Settled) else None

    def rules_of(self, seating: Seating) -> HouseRules:
        """The rules at a table: the club's three-handed game if three sit there."""
        return self.plan.rules if len(seating.seats) == self.plan.rules.players else preset("club3")

    def best_of_at(self, round: int, seating: Seating) -> int:
        """Maximum games in a match at a table."""
        if len(seating.seats) != self.plan.rules.players:
            return 1
        return self.stages[self.round(round).stage].best_of or self.plan.rules.best_of

    def open_tables(self) -> tuple[TableKey, ...]:
        """Tables without a settled score."""
        return tuple(self._open_tables())

    def _open_tables(self) -> Iterator[TableKey]:
        for drawn in self.rounds:
            sheets = self.score_states.parts.get(drawn.number, {})
            for seating in drawn.tables:
                if not isinstance(sheets.get(seating.table), Settled):
                    yield drawn.number, seating.table

    def is_round_over(self, number: int) -> bool:
        """Do all tables of a round have a settled score?"""
        states = self.score_states.parts.get(number, {})
        return all(isinstance(states.get(seating.table), Settled) for seating in self.round(number).tables)

    def round_started(self, number: int) -> bool:
        """Does a round have a score, a reported hand or an online table?"""
        tallies = self.hall.tallies.parts.get(number, {})
        return (
            number in self.score_states.parts
            or number in self.hall.table_logs.parts
            or any(tally.games for tally in tallies.values())
        )

    @property
    def first_redrawable_round(self) -> int:
        """The first round that can be redrawn: neither it nor any later round has started."""
        rounds = {*self.score_states.parts, *self.hall.tallies.parts, *self.hall.table_logs.parts}
        return max(filter(self.round_started, rounds), default=self._last_round_of_earlier_stages) + 1

    def table_started(self, key: TableKey) -> bool:
        """Does a table have a score, a reported hand or an online table?"""
        tally = self.hall.tallies.get(key)
        return key in self.score_states or key in self.hall.table_logs or bool(tally and tally.games)

    @property
    def current_round(self) -> int:
        """The first round with an open table, or the last round."""
        return next((number for number, _ in self._open_tables()), len(self.rounds))

    def table_version(self, key: TableKey = DESK) -> int:
        """Version of the last change to a table, or to the desk."""
        return self.hall.versions.get(key, 0)

    @property
    def _last_round_of_earlier_stages(self) -> int:
        """Last round of earlier stages, which can't be redrawn."""
        return max((round_.number for round_ in self.rounds if round_.stage < len(self.stages) - 1), default=0)

    def drawable_entrants(self) -> tuple[Entrant, ...]:
        """Entrants who can be drawn now: the finalists best first, or all entrants by number."""
        if self.stage.entrants:
            chosen = (self.entrants[entrant] for entrant in self.stage.entrants)
            return tuple(member for member in chosen if member.drawable)
        drawable = [member for member in self.entrants.values() if member.drawable]
        return tuple(sorted(drawable, key=lambda member: member.number or len(self.entrants) + 1))

    def credited_entrant(self, round: int, entrant: str) -> str:
        """The entrant who gets a chair's results in a round."""
        for substitution in reversed(self.substitutes):
            if substitution.entrant == entrant and substitution.rounds[0] <= round <= substitution.rounds[1]:
                return substitution.credit or entrant
        return entrant

    def player_name(self, round: int, entrant: str, *, second: bool = False) -> str:
        """The name of the player or substitute in a chair."""
        name = self.entrants[entrant].player_name(second)
        for substitution in reversed(self.substitutes):
            if (
                substitution.entrant == entrant
                and substitution.player == name
                and substitution.rounds[0] <= round <= substitution.rounds[1]
            ):
                return substitution.substitute
        return name
