"""Due actions of the server at a table: open a match, draw, deal, let a bot act, play a last card, substitute, close.

Times are seconds since the server learned of a version of the table, never the time of day.
"""

from dataclasses import dataclass
from typing import Final

from leftbower.engine.actions import Action, GoTogether, Play, Ready
from leftbower.engine.bidding import unasked_alone
from leftbower.engine.deal import Draw
from leftbower.engine.game import ToDeal
from leftbower.engine.hand import whose_turn
from leftbower.engine.match import InGame, ToDraw
from leftbower.engine.states import DecidingAlone, OpenState, Playing
from leftbower.rules import Card, Seat
from leftbower.rules.choices import Supervision
from leftbower.table.clocks import TIME_ALLOWANCES, TimeControl
from leftbower.table.state import SeatedBot, SeatedPerson, Table

HAND_PAUSE_SECONDS: Final = 6.0
"""Pause after a hand, so that people can look at the result; the next deal comes at once when all are ready."""
_SHORT_PAUSE: Final = 0.4
"""The part of it for the draw for dealer, for "alone?" after the call, and when all were ready before the score."""
_PAUSE_WITH_FRIENDS: Final = 1.6
"""How much longer a hand's result stays if several people look at it."""
TRICK_DISPLAY_SECONDS: Final = 3.0
"""How long pages show a complete trick before it is gathered, so that people see its last card."""
RECONNECT_GRACE_SECONDS: Final = 20.0
"""How long a table waits for a disconnected player before a bot plays."""
EVENT_RECONNECT_GRACE_SECONDS: Final = 60.0
"""The minimum wait in an event, where players can't move to another table."""
IDLE_TIMEOUT_SECONDS: Final = 600.0
"""How long a table stays open while everyone is disconnected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds the server waits before it acts."""

    hand_pause: float = HAND_PAUSE_SECONDS
    reconnect_grace: float = RECONNECT_GRACE_SECONDS
    event_reconnect_grace: float = EVENT_RECONNECT_GRACE_SECONDS
    idle_timeout: float = IDLE_TIMEOUT_SECONDS

    def reconnect_grace_for(self, table: Table) -> float:
        """How long this table waits for a disconnected player."""
        return max(self.reconnect_grace, self.event_reconnect_grace) if table.event else self.reconnect_grace


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A due action: the server performs it `delay` seconds after it learns of `since_version`."""

    since_version: int
    delay: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpeningDue(Due):
    """Bind a new match to its table, rules and players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDue(Due):
    """Shuffle and seal a deck for the draw for first dealer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckDue(Due):
    """Shuffle and seal a deck for the next hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutDue(Due):
    """Let a bot cut, or decline the cut for a person who did not answer."""

    seat: Seat
    declined: bool = False
    """A bot that plays for an absent person does not cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealDue(Due):
    """Let a bot deal at an honor table: it offers the cut if the rules have one, then deals."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class BotActDue(Due):
    """Let a bot act in the hand."""

    seat: Seat
    level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCardDue(Due):
    """Play a person's last card automatically."""

    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerDue(Due):
    """Answer "no" to "alone?" for a person who called without it; they can still go alone until the lead."""

    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstituteDue(Due):
    """Let a bot play for a disconnected person."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeoutDue(Due):
    """End the turn of a person whose time has run out."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseDue(Due):
    """Close a table when everyone is disconnected."""


DueAction = (
    MatchOpeningDue
    | DrawDue
    | DeckDue
    | CutDue
    | DealDue
    | BotActDue
    | LastCardDue
    | PartnerDue
    | SubstituteDue
    | TimeoutDue
    | CloseDue
)
CANCELLABLE: Final = (SubstituteDue, TimeoutDue, CloseDue)
"""Due actions that a person cancels by acting or coming back in time."""


def next_due(table: Table, timeouts: Timeouts | None = None) -> DueAction | None:
    """The next due action; None while the table waits for a person without a clock."""
    timeouts = timeouts or Timeouts()
    if table.closed:
        return None
    # No one connected could go on. In an event bots play for everyone away, because the round waits for the score.
    idle = not table.event and not table.present and not table.latecomers
    if idle and (table.people or not table.gathering):
        return CloseDue(
            since_version=max([table.game_version, *table.away.values()]),
            delay=timeouts.idle_timeout if table.people else 0.0,
        )
    match = table.match
    if match is not None and table.opening is None:
        return MatchOpeningDue(since_version=table.game_version)
    hand = table.hand
    if hand is not None:
        answer = _implied_answer(table, hand) if isinstance(hand, DecidingAlone) else None
        return answer or _decision_due(table, whose_turn(hand), timeouts)
    if isinstance(match, ToDraw) or (isinstance(match, InGame) and isinstance(match.game, ToDeal)):
        seat = table.cutter or table.dealing_seat
        if seat is not None:
            return _decision_due(table, seat, timeouts)
        delay = timeouts.hand_pause * pause_before_deal(table)
        return (DrawDue if isinstance(match, ToDraw) else DeckDue)(since_version=table.game_version, delay=delay)
    return None


def person_to_act(table: Table) -> str | None:
    """The person whose decision the table waits for, if any."""
    seat = whose_turn(table.hand) if table.hand is not None else table.cutter or table.dealing_seat
    occupant = table.seats.get(seat) if seat else None
    return occupant.id if isinstance(occupant, SeatedPerson) else None


def _decision_due(table: Table, seat: Seat, timeouts: Timeouts) -> DueAction | None:
    """The due action for a seat that has to decide: a bot acts, the last card is played, or a timeout runs."""
    occupant = table.seats[seat]
    if isinstance(occupant, SeatedBot):
        return _bot_due(table, seat, occupant.level, timeouts)
    if occupant.id in table.substituted:
        return _bot_due(table, seat, table.bot_level, timeouts)
    hand = table.hand
    if hand is not None and len(hand.cards[seat.index]) == 1 and occupant.id not in table.manual_last_card:
        action = _last_card(hand, seat)
        if action:
            return LastCardDue(since_version=table.game_version, action=action)
    if occupant.id in table.away:
        return SubstituteDue(
            since_version=table.away[occupant.id], delay=timeouts.reconnect_grace_for(table), person=occupant.id
        )
    if table.clock is TimeControl.OFF:
        return None
    delay = TIME_ALLOWANCES[table.clock].per_decision + table.time_bank_of(occupant.id)
    return TimeoutDue(since_version=table.game_version, delay=delay, person=occupant.id)


def _implied_answer(table: Table, hand: DecidingAlone) -> PartnerDue | None:
    """A person who called without going alone isn't asked again, unless they may exchange with a dummy."""
    if table.rules.dummy_size:
        return None
    maker = table.seats.get(hand.to_act)
    is_person = isinstance(maker, SeatedPerson) and maker.id not in table.substituted
    return PartnerDue(since_version=table.game_version, action=GoTogether(hand.to_act)) if is_person else None


def _bot_due(table: Table, seat: Seat, level: str, timeouts: Timeouts) -> DueAction:
    occupant = table.seats[seat]
    since_version = max(
        table.game_version, table.substituted.get(occupant.id, 0) if isinstance(occupant, SeatedPerson) else 0
    )
    if table.hand is None and table.cutter is None:
        return DealDue(since_version=since_version, seat=seat)
    if table.hand is None:
        return CutDue(since_version=since_version, seat=seat, declined=isinstance(occupant, SeatedPerson))
    waits = isinstance(table.hand, Playing) and not table.hand.tricks and _waits_for_alone(table, table.hand)
    delay = timeouts.hand_pause * _SHORT_PAUSE if waits else 0.0
    return BotActDue(since_version=since_version, delay=delay, seat=seat, level=level)


def _waits_for_alone(table: Table, hand: Playing) -> bool:
    """Can a person who made trump still go alone? Then a bot waits with its lead."""
    maker = table.seats.get(hand.contract.maker)
    return isinstance(maker, SeatedPerson) and maker.id not in table.substituted and bool(unasked_alone(hand))


def _last_card(hand: OpenState, seat: Seat) -> Play | None:
    """The last card, if the table is strict: there is no decision to make and nothing to forget."""
    [card] = hand.cards[seat.index]
    strict = hand.hand.rules.supervision is Supervision.STRICT
    if strict and isinstance(hand, Playing) and hand.to_act is seat and isinstance(card, Card):
        return Play(seat, card)
    return None


def pause_before_deal(table: Table) -> float:
    """How many pauses long people look at a hand that is over, or at the draw for the dealer."""
    if not table.people or (table.present and table.pausing and table.present <= table.agreed):
        return 0.0
    if any(isinstance(fact, Draw | Ready) for fact in table.history[-1:]):
        return _SHORT_PAUSE
    if table.last_hand is None:
        return 0.0
    return 1.0 if len(table.people) == 1 else _PAUSE_WITH_FRIENDS
