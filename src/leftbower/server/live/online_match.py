"""A match of an event online and its table: under which name it is opened, who sits where, who has come, what is owed.

Nothing is written here. What the house writes at such a table is not asked for by anybody, so nobody allows it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from leftbower.engine import MatchOver
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.server.live.match_score import score_of
from leftbower.table import (
    Agreed,
    BotRemoved,
    BotSeated,
    BotSubstituted,
    Created,
    Disconnected,
    RejoinAnnounced,
    Sat,
    SeatedPerson,
    Table,
    TableClosed,
    TableFact,
    TimeControl,
)
from leftbower.tournament import Entrant, Event, NoShow, Played, Role, RoleKind, Score, Seating, TableKey

LEVEL: Final = "regular"
"""How well the house's bots play in events, and whoever covers for people there."""
CLOCK: Final = TimeControl.RELAXED
"""A whole round waits for its last table: whoever thinks for minutes has that one decision made by a bot."""
Here = Callable[[str], bool]
"""Does a person listen to the table?"""


def match_name(name: str, place: TableKey) -> str:
    """By which a table says which match is played at it."""
    return f"{name}/{place[0]}/{place[1]}"


def match_at(table: Table) -> tuple[str, TableKey]:
    """The event, round and table of that name."""
    name, number, at = table.event.split("/")
    return name, (int(number), int(at))


def log_of(name: str, place: TableKey) -> str:
    """The table of a match: always the same, so that nobody opens it twice, and none that anybody could have chosen."""
    return f"t{sha256(f'leftbower table {match_name(name, place)}'.encode()).hexdigest()[:16]}"


def chairs(event: Event, entrant: Entrant) -> range:
    """The chairs that people have for an entrant: one, two of a team, none of a bot."""
    return range(0 if entrant.house_player or entrant.single else 1 if event.plan.stage.singles else 2)


def player_roles(event: Event) -> list[Role]:
    """Everybody who can come to play online, in the order of entry: each has a link of their own."""
    everybody = ((one, chair) for one in event.entrants.values() for chair in chairs(event, one))
    return [Role(kind=RoleKind.PLAYER, number=chair, subject=one.id) for one, chair in everybody]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineMatch:
    """A match as it was drawn."""

    name: str
    """Of the event."""
    event: Event
    round: int
    seating: Seating

    @property
    def place(self) -> TableKey:
        """Where it is played, for the ledger."""
        return self.round, self.seating.table

    @property
    def log(self) -> str:
        """Where it is played, for the house."""
        return log_of(self.name, self.place)

    @property
    def rules(self) -> HouseRules:
        """What is played, and how many games of it."""
        return replace(self.event.rules_of(self.seating), best_of=self._best_of)

    @property
    def _best_of(self) -> int:
        return self.event.best_of_at(self.round, self.seating)

    def opening(self) -> Created:
        """The first fact of its table; nobody is the host."""
        title = f"{self.event.plan.title}: round {self.round}, table {self.seating.table}"
        event = match_name(self.name, self.place)
        return Created(person="", rules=self.rules, bot_level=LEVEL, clock=CLOCK, title=title, event=event)

    def chair(self, seat: Seat) -> tuple[Entrant, int]:
        """Whose seat it is: of a team the second player faces the first."""
        teams = len(self.seating.seats) == 4 and len(self.seating.entrants) == 2
        return self.event.entrants[self.seating.seats[seat]], int(teams and seat in (Seat.S, Seat.W))

    def seat_of(self, entrant: str, chair: int) -> Seat | None:
        """The seat of a chair, if it is drawn here."""
        mine = (seat for seat in self.seating.seats if self.seating.seats[seat] == entrant)
        return next((seat for seat in mine if self.chair(seat)[1] == chair), None)

    def step(self, table: Table, here: Here, *, late: bool) -> TableFact | Score | None:
        """What is owed next: something that the house writes at the table, or the score; nothing while people play.

        Whoever has joined has the seat, at once or, where a bot has begun to play, with the next hand. A seat that a
        person has in a match is theirs until it is over: no other device gets it. Whoever comes to the table agrees
        by coming. When it is late, a side of which nobody came has lost the match. Where every side
        has somebody the match begins, and a bot plays for whoever is missing: nobody loses for a partner who did not
        come, and the seat stays theirs.
        """
        if isinstance(table.match, MatchOver):
            return self._score(table)
        if (rejoin := next(self._announced(table), None)) is not None:
            return rejoin
        if late and table.match is None and (absent := self._absent(table, here)):
            return next(self._given_up(table, absent), NoShow(absent=absent))
        sitting, coming = self._sitting(table), self._coming(table, here, late=late)
        return next(sitting, None) or next(coming, None)

    def _score(self, table: Table) -> Played:
        return score_of(table, self.event.rules_of(self.seating), self._best_of, self.seating.labels)

    def _absent(self, table: Table, here: Here) -> tuple[str, ...]:
        """The sides of which nobody has come."""
        sides = zip(self.seating.labels, self.seating.sides, strict=True)
        return tuple(label for label, side in sides if not any(self._has_come(table, seat, here) for seat in side))

    def _has_come(self, table: Table, seat: Seat, here: Here) -> bool:
        entrant, chair = self.chair(seat)
        person = self.event.hall.people.get((entrant.id, chair), "")
        return entrant.house_player or (bool(person) and (person in table.agreed or here(person)))

    def _given_up(self, table: Table, absent: tuple[str, ...]) -> Iterator[TableFact]:
        """Whoever comes too late finds no match that could begin."""
        for label, side in zip(self.seating.labels, self.seating.sides, strict=True):
            yield from (BotRemoved(seat=seat) for seat in side if label in absent and seat in table.seats)
        if not table.closed:
            yield TableClosed()

    def _announced(self, table: Table) -> Iterator[TableFact]:
        """What the table is told of players whom the desk let join from another device."""
        for seat in self.seating.seats:
            entrant, chair = self.chair(seat)
            times = self._rejoins(entrant.id, chair)
            if times > table.rejoins.get(seat, (0, 0))[0]:
                yield RejoinAnnounced(seat=seat, count=times)

    def _rejoins(self, entrant: str, chair: int) -> int:
        """How often the desk let a player rejoin, at the match that was played then, and at the player's next one."""
        allowed = [one.round for one in self.event.hall.rejoins if one.chair == (entrant, chair)]
        if not allowed:
            return 0
        later = (one.number for one in self.event.rounds if one.number > allowed[-1] and one.seating_of(entrant))
        return len(allowed) if self.round in (allowed[-1], next(later, 0)) else 0

    def _sitting(self, table: Table) -> Iterator[TableFact]:
        for seat in self.seating.seats:
            entrant, chair = self.chair(seat)
            if entrant.house_player:
                if seat not in table.seats:
                    yield BotSeated(seat=seat, level=LEVEL)
                continue
            person = self.event.hall.people.get((entrant.id, chair), "")
            if person and is_free(table, seat, person):
                yield Sat(person=person, seat=seat)

    def _coming(self, table: Table, here: Here, *, late: bool) -> Iterator[TableFact]:
        for seat in self.seating.seats if table.match is None else ():
            sitter = table.seats.get(seat)
            if sitter is None and late:
                yield BotSeated(seat=seat, level=LEVEL)
            elif isinstance(sitter, SeatedPerson) and sitter.id not in table.agreed:
                if late and not here(sitter.id):
                    yield from _covered(table, sitter.id)
                if late or here(sitter.id):
                    yield Agreed(person=sitter.id)


def is_free(table: Table, seat: Seat, person: str) -> bool:
    """Can a person be seated there? Not where they are, and in a match only in a bot's seat that nobody waits for."""
    sitter = table.seats.get(seat)
    if table.match is None:
        return sitter != SeatedPerson(person)
    return not isinstance(sitter, SeatedPerson) and seat not in table.latecomers


def _covered(table: Table, person: str) -> Iterator[TableFact]:
    """Nobody waits any more for somebody who has not come yet."""
    if person not in table.away:
        yield Disconnected(person=person)
    if person not in table.substituted:
        yield BotSubstituted(person=person)
