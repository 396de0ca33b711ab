"""What the house owes a table, and when: an opening, a draw, a deck, what a bot does, a last card, a cover, an end.

Times are seconds since some version of the table was known to the house, and never the time of day.
"""

from dataclasses import dataclass
from typing import Final

from leftbower.engine import (
    Action,
    DecidingAlone,
    Draw,
    GoTogether,
    InGame,
    Open,
    Play,
    Playing,
    ToDeal,
    ToDraw,
    acts,
    asked,
    spoken_alone,
)
from leftbower.rules.choices import Supervision
from leftbower.rules.seats import Seat
from leftbower.table.clocks import ALLOWANCES, Clock
from leftbower.table.model import Bot, Person, Table

PAUSE: Final = 2.5
"""Seconds in which people can look at a hand that is over, or at the draw, before the next is dealt."""
TRICK_SHOWN_SECONDS: Final = 3.0
"""Seconds for which pages show a complete trick to everyone, so that people see its last card; then it is gathered."""
GRACE: Final = 20.0
"""Seconds for which others wait for somebody who has dropped out."""
EVENT_GRACE: Final = 60.0
"""The same in an event, at least: nobody there can choose another table."""
DESERTED: Final = 600.0
"""Seconds for which the house waits at a table where nobody is heard of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How patient a house is, in seconds."""

    pause: float = PAUSE
    grace: float = GRACE
    event_grace: float = EVENT_GRACE
    deserted: float = DESERTED

    def waits(self, table: Table) -> float:
        """For how long others wait for somebody who has dropped out."""
        return max(self.grace, self.event_grace) if table.event else self.grace


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """Something the house owes, so many seconds after it knew a version of the table."""

    since: int
    after: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningDue(Owed):
    """A match that begins is to be bound to its table, rules and players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDue(Owed):
    """A deck is to be shuffled and sealed for the draw for the first dealer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckDue(Owed):
    """A deck is to be shuffled and sealed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutDue(Owed):
    """A bot is offered the cut, or a person who was offered it gave no answer."""

    seat: Seat
    declined: bool = False
    """No answer means no cut: a bot that covers for a person does not cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealDue(Owed):
    """A bot deals at an honor table: it offers the cut where one is due, and then deals."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ActDue(Owed):
    """A bot is asked."""

    seat: Seat
    level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCardDue(Owed):
    """A person has one card left, which is laid without asking."""

    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerDue(Owed):
    """A person called without going alone: the question about it is answered, and alone can be said until the lead."""

    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverDue(Owed):
    """Others wait for a person who has dropped out: a bot is to play on."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeDue(Owed):
    """A person's time runs out."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseDue(Owed):
    """Nobody is heard of any more."""


Due = (
    OpeningDue
    | DrawDue
    | DeckDue
    | CutDue
    | DealDue
    | ActDue
    | LastCardDue
    | PartnerDue
    | CoverDue
    | TimeDue
    | CloseDue
)
PATIENT: Final = (CoverDue, TimeDue, CloseDue)
"""What people can prevent as long as it is only owed."""


def due(table: Table, terms: Terms | None = None) -> Due | None:
    """What the house owes next; None while people are asked who have all the time they want."""
    terms = terms or Terms()
    if table.closed:
        return None
    if _deserted(table):
        return CloseDue(since=max([table.moved, *table.away.values()]), after=terms.deserted if table.people else 0.0)
    match = table.match
    if match is not None and table.opening is None:
        return OpeningDue(since=table.moved)
    rested = terms.pause if _looked_at(table) else 0.0
    if isinstance(match, ToDraw) or (isinstance(match, InGame) and isinstance(match.game, ToDeal)):
        asked_now = table.cutter or table.deals
        if asked_now is not None:
            return _asked_for(table, asked_now, terms)
        return (DrawDue if isinstance(match, ToDraw) else DeckDue)(since=table.moved, after=rested)
    if table.hand is None:
        return None
    return _answer_known(table, table.hand) or _asked_for(table, asked(table.hand), terms)


def _deserted(table: Table) -> bool:
    """Is nobody heard of who could go on?

    Never in an event: there a whole round waits for the score, so bots cover for all who have gone, and the match ends.
    Whoever goes gains nothing by it, as what the bots score counts, and loses nothing but the play until they are back.
    """
    return not table.event and not table.present and not table.waiting and bool(table.people or not table.gathering)


def asked_person(table: Table) -> str | None:
    """The person whose decision the table waits for, if it waits for one."""
    seat = asked(table.hand) if table.hand is not None else table.cutter or table.deals
    sitter = table.seats.get(seat) if seat else None
    return sitter.id if isinstance(sitter, Person) else None


def _asked_for(table: Table, seat: Seat, terms: Terms) -> Due | None:
    """A seat is asked for a decision: who makes it?"""
    sitter = table.seats[seat]
    if isinstance(sitter, Bot):
        return _bots(table, seat, sitter.level, terms)
    if sitter.id in table.covered:
        return _bots(table, seat, table.level, terms)
    if table.hand is not None and sitter.id not in table.keeps_last_card:
        last = _last_card(table.hand, seat)
        if last:
            return LastCardDue(since=table.moved, action=last)
    return _patient(table, sitter, terms)


def _answer_known(table: Table, hand: Open) -> PartnerDue | None:
    """A person who called without alone is not asked about it again, unless a dummy is to be touched."""
    if not isinstance(hand, DecidingAlone) or table.rules.dummy_size:
        return None
    maker = table.seats.get(hand.to_act)
    asks = isinstance(maker, Person) and maker.id not in table.covered
    return PartnerDue(since=table.moved, action=GoTogether(hand.to_act)) if asks else None


def _bots(table: Table, seat: Seat, level: str, terms: Terms) -> Due:
    sitter = table.seats[seat]
    since = max(table.moved, table.covered.get(sitter.id, 0) if isinstance(sitter, Person) else 0)
    if table.hand is None and table.cutter is None:
        return DealDue(since=since, seat=seat)
    if table.hand is None:
        return CutDue(since=since, seat=seat, declined=isinstance(sitter, Person))
    after = terms.pause if _waits_for_alone(table, table.hand) else 0.0
    return ActDue(since=since, after=after, seat=seat, level=level)


def _waits_for_alone(table: Table, hand: Open) -> bool:
    """Can a person who made trump still say alone? Then a bot does not lead at once."""
    if not isinstance(hand, Playing) or not spoken_alone(hand):
        return False
    maker = table.seats.get(hand.contract.maker)
    return isinstance(maker, Person) and maker.id not in table.covered


def _patient(table: Table, sitter: Person, terms: Terms) -> Due | None:
    """Whoever has gone is waited for a while, and whoever is there as long as the clock allows."""
    if sitter.id in table.away:
        return CoverDue(since=table.away[sitter.id], after=terms.waits(table), person=sitter.id)
    if table.clock is Clock.OFF:
        return None
    allowed = ALLOWANCES[table.clock].each + table.bank_of(sitter.id)
    return TimeDue(since=table.moved, after=allowed, person=sitter.id)


def _last_card(hand: Open, seat: Seat) -> Play | None:
    """The only card that is left, at a strict table: there is nothing to think about, and nothing to forget."""
    if hand.hand.rules.supervision is not Supervision.STRICT or len(hand.cards[seat.index]) != 1:
        return None
    plays = [action for action in acts(hand) if isinstance(action, Play) and action.seat is seat]
    return plays[0] if len(plays) == 1 else None


def _looked_at(table: Table) -> bool:
    """Does anybody look at a hand that is over, or at the draw for the dealer? Bots do not."""
    return bool(table.people) and (table.last is not None or any(isinstance(fact, Draw) for fact in table.story[-1:]))
