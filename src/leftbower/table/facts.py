"""The facts of a table and their JSON: what people and the server did, without anything that follows from it.

People are opaque ids, so that a person can be erased without changing a log. The entropy of a deal is a fact, so a log
never leaves the server; clients get views and opened cards.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from leftbower.codec import Codec, Scalar, kinds_by_name
from leftbower.engine.actions import Action
from leftbower.errors import BadRecord
from leftbower.i18n import gettext_noop
from leftbower.notation.codec import ACTIONS
from leftbower.rules import HouseRules, Seat, from_json, to_json
from leftbower.table.clocks import Tempo, TimeControl

FACT_VERSION: Final = 1
"""Version of all kinds of facts. A kind whose meaning changes gets a higher one, and an upcaster for the old one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A person opened the table and is its host, or an event opened it, without a host."""

    person: str
    rules: HouseRules
    bot_level: str
    """Level of the bots that take the seats of people who leave."""
    clock: TimeControl = TimeControl.OFF
    title: str = ""
    """The host's name for the table."""
    event: str = ""
    """Opaque id of the event match played here; empty at most tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sat:
    """A person took a seat or moved to another; a bot gives up its seat at the next deal."""

    person: str
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSeated:
    """The host gave an empty seat to a bot."""

    seat: Seat
    level: str
    stands_for: str = ""
    """Name of the absent player of an event in whose chair it sits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRemoved:
    """The host removed a bot."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsSwapped:
    """The host swapped the occupants of two seats."""

    seat: Seat
    other: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A person left the table. In a match a bot plays on."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRemoved:
    """The host removed a person from the table."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChanged:
    """The host made another person the host."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesChanged:
    """The host changed the rules; people who had agreed are asked again."""

    rules: HouseRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """A person agreed to the current rules, or after a hand to go on."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpened:
    """The server bound a match to its table, rules and players before its first deck. This gives the match root.

    Names are bound by commitments; names and salts are stored with the people, so that they can be erased.
    """

    table: str
    """The name of this log."""
    name_commitments: Mapping[str, str]
    """Commitments to the names of the people at the table, by person id."""
    bot_version: str
    """The version of leftbower whose bots play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDeckSealed:
    """The server shuffled and sealed a deck for the draw for first dealer.

    The draw follows at once, or after the cut if the rules have one.
    """

    entropy: str
    """In hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckSealed:
    """The server shuffled and sealed a deck for the next hand."""

    entropy: str
    """In hexadecimal."""
    name_commitments: Mapping[str, str] = field(default_factory=dict)
    """Commitments to the names of latecomers, who get their seats with this deck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffered:
    """The dealer at an honor table offered the cut."""

    seat: Seat
    thinking_seconds: float = 0.0
    """Seconds a person took to decide, if there is a clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandDealt:
    """The dealer at an honor table dealt the sealed deck; the up-card is still face down."""

    seat: Seat
    packets: tuple[int, ...] = ()
    """The size of every packet in dealing order; empty for the usual ones."""
    thinking_seconds: float = 0.0
    """Seconds a person took to decide, if there is a clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckCut:
    """A player cut the sealed deck, or declined the cut."""

    seat: Seat
    lifted: int
    """Number of cards lifted off the deck; 0 for none."""
    thinking_seconds: float = 0.0
    """Seconds a person took to decide, if there is a clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """A seat acted in the hand."""

    action: Action
    action_id: str = ""
    """The client's id of the act, its idempotency key; empty if the server acted."""
    thinking_seconds: float = 0.0
    """Seconds a person took to decide, if there is a clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCardModeChanged:
    """A person chose to play the last card themselves, or to have it played automatically."""

    person: str
    manual: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRequested:
    """A person asked to undo their last act; the others must agree."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoAnswered:
    """Another person accepted or refused the undo."""

    person: str
    agreed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchRequested:
    """A person asked for another match."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControlChanged:
    """The host changed the time control; people who had agreed are asked again."""

    clock: TimeControl


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnected:
    """A person lost the connection. The seat stays theirs."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconnected:
    """A person is connected again and plays on."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSubstituted:
    """A person was away too long: a bot plays in their seat until they are back."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """A person took too long: a bot makes this one decision."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed:
    """Everyone was away too long, so the server stops acting here; a person who comes back reopens the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinAnnounced:
    """The event desk let the player of a seat join from another device; everyone at the table sees it."""

    seat: Seat
    count: int
    """How many times the desk did this for the player; each is announced once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSent:
    """A person sent a phrase or a typed message; the log has only the id of the text."""

    person: str
    phrase: str
    """One of `CHAT_PHRASES`; empty for a typed message."""
    text_id: str = ""
    """The id of the message text, stored outside the log so that it can be erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Muted:
    """A person muted another, or unmuted them."""

    person: str
    whom: str
    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeChatChanged:
    """The host allowed typed messages, or only phrases."""

    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TempoChanged:
    """The host made the bots slower or faster."""

    tempo: Tempo


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchingChanged:
    """The host opened the hands to people without a seat, or closed them."""

    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HintsChanged:
    """The host allowed hints during a hand, or forbade them."""

    allowed: bool


TableFact = (
    Created
    | Sat
    | BotSeated
    | BotRemoved
    | SeatsSwapped
    | Left
    | PlayerRemoved
    | HostChanged
    | RulesChanged
    | Agreed
    | MatchOpened
    | DrawDeckSealed
    | DeckSealed
    | CutOffered
    | DeckCut
    | HandDealt
    | Acted
    | LastCardModeChanged
    | UndoRequested
    | UndoAnswered
    | RematchRequested
    | TimeControlChanged
    | Disconnected
    | Reconnected
    | BotSubstituted
    | TimedOut
    | TableClosed
    | RejoinAnnounced
    | ChatSent
    | Muted
    | FreeChatChanged
    | TempoChanged
    | HintsChanged
    | WatchingChanged
)

FACT_KINDS: Final[Mapping[str, type[TableFact]]] = kinds_by_name(TableFact)
"""Fact classes by their names in logs."""
CHAT_PHRASES: Final = ("nice-hand", "sorry", "thanks", "one-moment", "hello", "good-game")
"""Chat phrases allowed at every table; pages show them in the viewer's language."""

_CODEC: Final = Codec[TableFact](
    BadRecord,
    FACT_KINDS,
    version=FACT_VERSION,
    unknown=gettext_noop("%(name)s is not a fact of a table"),
    scalars={HouseRules: Scalar(to_json, from_json, dict)},
    uses=(ACTIONS,),
)
table_fact_to_json = _CODEC.to_json
table_fact_from_json = _CODEC.from_json
