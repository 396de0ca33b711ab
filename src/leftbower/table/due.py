"""What the house owes a table, and when: a draw, a deck, a bot's act, a last card that plays itself."""

from dataclasses import dataclass
from typing import Final

from leftbower.engine import Action, InGame, Open, Play, ToDeal, ToDraw, asked, view
from leftbower.rules.choices import Supervision
from leftbower.rules.seats import Seat
from leftbower.table.state import Bot, Table

PAUSE: Final = 2.5
"""Seconds in which people can look at a hand that is over before the next is dealt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDue:
    """The first dealer is to be drawn."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckDue:
    """A deck is to be shuffled and sealed."""

    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CutDue:
    """A bot is offered the cut."""

    at: float
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ActDue:
    """A bot is asked."""

    at: float
    seat: Seat
    level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCardDue:
    """A person has one card left, which is laid without asking."""

    at: float
    action: Action


Due = DrawDue | DeckDue | CutDue | ActDue | LastCardDue


def due(table: Table, *, pause: float = PAUSE) -> Due | None:
    """What the house owes next, with the time from which on it does; None while people are asked."""
    now = table.at
    match = table.match
    rested = now + (pause if _looked_at(table) else 0.0)
    if isinstance(match, ToDraw):
        return DrawDue(at=rested)
    if isinstance(match, InGame) and isinstance(match.game, ToDeal):
        if table.sealed is None or table.dealt:
            return DeckDue(at=rested)
        sitter = table.seats[table.cutter] if table.cutter else None
        return CutDue(at=now, seat=table.cutter) if table.cutter and isinstance(sitter, Bot) else None
    hand = table.hand
    return _in_hand(table, hand, now) if hand is not None else None


def _in_hand(table: Table, hand: Open, now: float) -> Due | None:
    seat = asked(hand)
    sitter = table.seats[seat]
    if isinstance(sitter, Bot):
        return ActDue(at=now, seat=seat, level=sitter.level)
    if sitter.id not in table.keeps_last_card:
        last = _last_card(hand, seat)
        return LastCardDue(at=now, action=last) if last else None
    return None


def _last_card(hand: Open, seat: Seat) -> Play | None:
    """The only card that is left, at a strict table: there is nothing to think about, and nothing to forget."""
    if hand.hand.rules.supervision is not Supervision.STRICT or len(hand.cards[seat.index]) != 1:
        return None
    seen = view(hand, seat)
    plays = [action for action in seen.legal if isinstance(action, Play)]
    return plays[0] if len(seen.cards) == 1 and len(plays) == 1 else None


def _looked_at(table: Table) -> bool:
    """Does anybody look at a hand that is over? Bots do not, and before the first hand there is none."""
    return bool(table.people) and table.last is not None
