"""A match of an online event and its table: the table's name, its seats, who is there, and the next due fact.

This module writes nothing. The facts that the server appends to such a table answer no command, so they are not
validated.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from leftbower.engine.match import MatchOver
from leftbower.rules import HouseRules, Seat
from leftbower.server.live.match_score import score_of
from leftbower.table import SeatedPerson, Table, TimeControl, facts
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.scores import NoShow, Played, Score

BOT_LEVEL: Final = "regular"
"""Level of house players in events, and of bots that substitute for people in them."""
EVENT_CLOCK: Final = TimeControl.RELAXED
"""The round waits for its last table: if a player's time runs out, a bot makes that one decision."""
IsPresent = Callable[[str], bool]
"""Does a person have the table open?"""


def match_name(name: str, key: TableKey) -> str:
    """The name of a match, stored with its table."""
    return f"{name}/{key[0]}/{key[1]}"


def match_at(table: Table) -> tuple[str, TableKey]:
    """The event, round and table number in the name of a table's match."""
    name, round_number, table_number = table.event.split("/")
    return name, (int(round_number), int(table_number))


def log_of(name: str, key: TableKey) -> str:
    """The log of a match's table: a hash of its name, so that it is created only once and no client can choose it."""
    return f"t{sha256(f'leftbower table {match_name(name, key)}'.encode()).hexdigest()[:16]}"


def chairs(event: Event, entrant: Entrant) -> range:
    """The chairs of an entrant: one, two for a team, none for a house player."""
    return range(0 if entrant.house_player or entrant.single else 1 if event.plan.stage.singles else 2)


def player_roles(event: Event) -> list[Role]:
    """The roles of all players of an online event, in order of entry; each has a link."""
    players = ((entrant, chair) for entrant in event.entrants.values() for chair in chairs(event, entrant))
    return [Role(kind=RoleKind.PLAYER, number=chair, subject=entrant.id) for entrant, chair in players]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineMatch:
    """A match as it was drawn."""

    name: str
    """Of the event."""
    event: Event
    round: int
    seating: Seating

    @property
    def key(self) -> TableKey:
        """Round and table number, as in the ledger."""
        return self.round, self.seating.table

    @property
    def log(self) -> str:
        """The log of its table."""
        return log_of(self.name, self.key)

    @property
    def rules(self) -> HouseRules:
        """The rules, with the number of games."""
        return replace(self.event.rules_of(self.seating), best_of=self._best_of)

    @property
    def _best_of(self) -> int:
        return self.event.best_of_at(self.round, self.seating)

    def opening(self) -> facts.Created:
        """The first fact of its table, which has no host."""
        title = f"{self.event.plan.title}: round {self.round}, table {self.seating.table}"
        event = match_name(self.name, self.key)
        return facts.Created(
            person="", rules=self.rules, bot_level=BOT_LEVEL, clock=EVENT_CLOCK, title=title, event=event
        )

    def chair(self, seat: Seat) -> tuple[Entrant, int]:
        """The entrant and chair of a seat; the second player of a team sits across from the first."""
        teams = len(self.seating.seats) == 4 and len(self.seating.entrants) == 2
        return self.event.entrants[self.seating.seats[seat]], int(teams and seat in (Seat.S, Seat.W))

    def seat_of(self, entrant: str, chair: int) -> Seat | None:
        """The seat of a chair, if it is in this match."""
        mine = (seat for seat in self.seating.seats if self.seating.seats[seat] == entrant)
        return next((seat for seat in mine if self.chair(seat)[1] == chair), None)

    def step(self, table: Table, is_present: IsPresent, *, late: bool) -> facts.TableFact | Score | None:
        """The next due step: a fact for the table, or the score; None while people play.

        A player who has joined is seated at once, or with the next hand if a bot is already playing there. During a
        match a person keeps the seat: no other device gets it. Opening the table counts as agreeing. When it is late, a
        side without any player forfeits. If every side has a player, the match starts with a bot for each missing
        player: no one loses because a partner is absent, and the seat stays reserved.
        """
        if isinstance(table.match, MatchOver):
            return self._score(table)
        if (rejoin := next(self._due_rejoins(table), None)) is not None:
            return rejoin
        if late and table.match is None and (absent := self._absent(table, is_present)):
            return next(self._due_closing(table, absent), NoShow(absent=absent))
        seatings, agreements = self._due_seatings(table), self._due_agreements(table, is_present, late=late)
        return next(seatings, None) or next(agreements, None)

    def _score(self, table: Table) -> Played:
        return score_of(table, self.event.rules_of(self.seating), self._best_of, self.seating.labels)

    def _absent(self, table: Table, is_present: IsPresent) -> tuple[str, ...]:
        """The sides without any player."""
        sides = zip(self.seating.labels, self.seating.sides, strict=True)
        return tuple(
            label for label, side in sides if not any(self._is_present(table, seat, is_present) for seat in side)
        )

    def _is_present(self, table: Table, seat: Seat, is_present: IsPresent) -> bool:
        entrant, chair = self.chair(seat)
        person = self.event.hall.people.get((entrant.id, chair), "")
        return entrant.house_player or (bool(person) and (person in table.agreed or is_present(person)))

    def _due_closing(self, table: Table, absent: tuple[str, ...]) -> Iterator[facts.TableFact]:
        """Close the table of a forfeited match, so that a late player can't start it."""
        for label, side in zip(self.seating.labels, self.seating.sides, strict=True):
            yield from (facts.BotRemoved(seat=seat) for seat in side if label in absent and seat in table.seats)
        if not table.closed:
            yield facts.TableClosed()

    def _due_rejoins(self, table: Table) -> Iterator[facts.TableFact]:
        """Announce players whom the desk allowed to join from another device."""
        for seat in self.seating.seats:
            entrant, chair = self.chair(seat)
            count = self._rejoins(entrant.id, chair)
            if count > table.rejoins.get(seat, (0, 0))[0]:
                yield facts.RejoinAnnounced(seat=seat, count=count)

    def _rejoins(self, entrant: str, chair: int) -> int:
        """How often the desk let a player rejoin; counts for that round's match and the player's next one."""
        allowed = [rejoin.round for rejoin in self.event.hall.rejoins if rejoin.chair == (entrant, chair)]
        if not allowed:
            return 0
        later = (
            drawn.number for drawn in self.event.rounds if drawn.number > allowed[-1] and drawn.seating_of(entrant)
        )
        return len(allowed) if self.round in (allowed[-1], next(later, 0)) else 0

    def _due_seatings(self, table: Table) -> Iterator[facts.TableFact]:
        for seat in self.seating.seats:
            entrant, chair = self.chair(seat)
            if entrant.house_player:
                if seat not in table.seats:
                    yield facts.BotSeated(seat=seat, level=BOT_LEVEL)
                continue
            person = self.event.hall.people.get((entrant.id, chair), "")
            if person and is_free(table, seat, person):
                yield facts.Sat(person=person, seat=seat)

    def _due_agreements(self, table: Table, is_present: IsPresent, *, late: bool) -> Iterator[facts.TableFact]:
        for seat in self.seating.seats if table.match is None else ():
            sitter = table.seats.get(seat)
            if sitter is None and late:
                entrant, chair = self.chair(seat)
                player = self.event.player_name(self.round, entrant.id, second=bool(chair))
                yield facts.BotSeated(seat=seat, level=BOT_LEVEL, stands_for=player)
            elif isinstance(sitter, SeatedPerson) and sitter.id not in table.agreed:
                if late and not is_present(sitter.id):
                    yield from _due_substitution(table, sitter.id)
                if late or is_present(sitter.id):
                    yield facts.Agreed(person=sitter.id)


def is_free(table: Table, seat: Seat, person: str) -> bool:
    """Can a person be seated there? Not in their own seat; during a match only for a bot without a latecomer."""
    sitter = table.seats.get(seat)
    if table.match is None:
        return sitter != SeatedPerson(person)
    return not isinstance(sitter, SeatedPerson) and seat not in table.latecomers


def _due_substitution(table: Table, person: str) -> Iterator[facts.TableFact]:
    """Let a bot play for a missing person."""
    if person not in table.away:
        yield facts.Disconnected(person=person)
    if person not in table.substituted:
        yield facts.BotSubstituted(person=person)
