"""The facts of a table, each with its JSON: what people did, what the house did, and nothing that follows from them.

People are opaque ids here, so that a person can be erased without touching a log. The entropy of a deal is a fact, and
a log that holds it never leaves the house; what others may know of it goes out through views and openings.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Final

from leftbower.engine import Action
from leftbower.errors import BadRecord, show
from leftbower.notation import action_from_json, action_to_json
from leftbower.rules.forms import from_json, to_json
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table.clocks import Clock, Tempo

VERSION: Final = 1
"""Of every kind of fact; a kind whose meaning changes gets a higher one, and an upcaster for the old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A person opened the table, and is its host; or the house did for an event, and nobody is."""

    person: str
    rules: HouseRules
    level: str
    """How well the bots play that the house seats here."""
    clock: Clock = Clock.OFF
    title: str = ""
    """What the host calls the table; logs of old have none."""
    event: str = ""
    """The match of an event that is played here, by a name that only events understand; most tables have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sat:
    """A person took a seat, or moved to another; a bot's seat changes hands when the next hand is dealt."""

    person: str
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSat:
    """The host gave an empty seat to a bot."""

    seat: Seat
    level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The host took a bot away."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapped:
    """The host let two seats change places."""

    seat: Seat
    other: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A person got up for good. In a match a bot plays on."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The host showed a person the door."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """The table has another host."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesChanged:
    """The host changed the rules, and whoever had agreed is asked again."""

    rules: HouseRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """A person agreed to the rules as they stand."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpened:
    """The house bound a match to its table, rules and players before its first deck: from this the match root follows.

    Names are bound by commitments; names and salts are stored with the people, so that they can be erased.
    """

    table: str
    """The name of this log."""
    names: Mapping[str, str]
    """The commitment to the name of each person who sits here, by the person's id."""
    version: str
    """The version of leftbower whose bots play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The house shuffled and sealed a deck for the draw for the first dealer.

    The draw follows at once, or after the cut where the rules offer one.
    """

    entropy: str
    """In hexadecimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """The house shuffled and sealed a deck for the next hand."""

    entropy: str
    """In hexadecimal."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The commitments to the names of latecomers, who have their seats from this deck on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffered:
    """The dealer of an honor table offered the cut of the sealed deck."""

    seat: Seat
    spent: float = 0.0
    """Seconds that a person took over it, where a clock runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """The dealer of an honor table dealt the sealed deck; the up-card is not turned yet."""

    seat: Seat
    packets: tuple[int, ...] = ()
    """The size of every bundle in the order they were dealt; empty for the usual ones."""
    spent: float = 0.0
    """Seconds that a person took over it, where a clock runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutMade:
    """Whoever is offered the cut turned the sealed deck, or let it be."""

    seat: Seat
    number: int
    """How many cards were lifted; 0 for none."""
    spent: float = 0.0
    """Seconds that a person took over it, where a clock runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """A seat did something in the hand."""

    action: Action
    act: str = ""
    """The client's own id of the act; empty where the house acted."""
    spent: float = 0.0
    """Seconds that a person took over it, where a clock runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCardKept:
    """A person wants to lay the last card without help, or no longer wants to."""

    person: str
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoAsked:
    """A person wants the own last act undone; the others are asked."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoAnswered:
    """Another person agreed to that, or did not."""

    person: str
    agreed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainWanted:
    """After a match a person wants another one."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSet:
    """The host chose another clock, and whoever had agreed is asked again."""

    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Nothing more is heard of a person. The seat is kept."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The person is heard of again, and has the seat back."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """A person has been away too long: a bot plays on in the seat until they are back."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """A person took too long: a bot makes this one decision."""

    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """Everybody has been away for long, and the house no longer waits; whoever comes back opens the table again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinAnnounced:
    """The desk of the event let the player of a seat join from another device; everyone at the table is told."""

    seat: Seat
    times: int
    """How often the desk has let this player so far: each time is announced once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A person said one of the phrases, or something of their own, of which the log has only an id."""

    person: str
    phrase: str
    """One of `PHRASES`; empty for words of their own."""
    words: str = ""
    """The id under which the words are kept, outside the log, so that they can be erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Muted:
    """A person no longer wants to hear another, or wants to again."""

    person: str
    whom: str
    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkSet:
    """The host allows words of one's own at this table, or only phrases."""

    free: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TempoSet:
    """The host wants the bots to take more time, or less."""

    tempo: Tempo


@dataclass(frozen=True, slots=True, kw_only=True)
class HintsSet:
    """The host lets people ask the coach in the middle of a hand, or no longer does."""

    allowed: bool


TableFact = (
    Created
    | Sat
    | BotSat
    | Cleared
    | Swapped
    | Left
    | Removed
    | HandedOver
    | RulesChanged
    | Agreed
    | MatchOpened
    | Drawn
    | Sealed
    | CutOffered
    | CutMade
    | Dealt
    | Acted
    | LastCardKept
    | UndoAsked
    | UndoAnswered
    | AgainWanted
    | ClockSet
    | Dropped
    | Returned
    | Covered
    | TimedOut
    | Closed
    | RejoinAnnounced
    | Said
    | Muted
    | TalkSet
    | TempoSet
    | HintsSet
)

_KINDS: Final[dict[str, type[TableFact]]] = {
    "created": Created,
    "sat": Sat,
    "bot-sat": BotSat,
    "cleared": Cleared,
    "swapped": Swapped,
    "left": Left,
    "removed": Removed,
    "handed-over": HandedOver,
    "rules-changed": RulesChanged,
    "agreed": Agreed,
    "match-opened": MatchOpened,
    "drawn": Drawn,
    "sealed": Sealed,
    "cut-offered": CutOffered,
    "cut": CutMade,
    "dealt": Dealt,
    "acted": Acted,
    "last-card": LastCardKept,
    "undo-asked": UndoAsked,
    "undo-answered": UndoAnswered,
    "again": AgainWanted,
    "clock": ClockSet,
    "dropped": Dropped,
    "returned": Returned,
    "covered": Covered,
    "timed-out": TimedOut,
    "closed": Closed,
    "rejoin-announced": RejoinAnnounced,
    "said": Said,
    "muted": Muted,
    "talk": TalkSet,
    "tempo": TempoSet,
    "hints": HintsSet,
}
PHRASES: Final = ("nice-hand", "sorry", "thanks", "one-moment", "hello", "good-game")
"""What everybody may say at every table; pages have the words in the reader's language."""
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}
_FIELDS: Final = {kind: tuple(one.name for one in fields(kind)) for kind in _NAMES}


def to_plain(fact: TableFact) -> dict[str, Any]:
    """A fact as a JSON object."""
    kind = type(fact)
    plain: dict[str, Any] = {"fact": _NAMES[kind], "v": VERSION}
    for name in _FIELDS[kind]:
        plain[name] = _plain(getattr(fact, name))
    return plain


def from_plain(plain: Mapping[str, Any]) -> TableFact:
    """The fact of `to_plain`, or the error that names what is wrong."""
    kind = _KINDS.get(plain.get("fact", ""))
    if kind is None:
        raise BadRecord(f"{show(plain.get('fact'))} is no fact of a table", place="fact")
    if plain.get("v") != VERSION:
        raise BadRecord(f"version {show(plain.get('v'))} of {show(plain['fact'])} cannot be read", place="v")
    given = plain.keys() - {"fact", "v"}
    names = {one.name for one in fields(kind)}
    needed = {one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING}
    if not needed <= given <= names:  # what has a default came later, and older logs lack it
        raise BadRecord(f"{show(plain['fact'])} has {', '.join(sorted(names))}", place="fact")
    read: dict[str, Any] = {name: _READ.get(name, _same)(plain[name]) for name in given}
    return kind(**read)


def _plain(value: object) -> object:
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, HouseRules):
        return to_json(value)
    if isinstance(value, Seat):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return action_to_json(value)  # type: ignore[arg-type]


def _same(value: object) -> object:
    return value


_READ: Final[dict[str, Callable[[Any], object]]] = {
    "rules": from_json,
    "seat": Seat.parse,
    "other": Seat.parse,
    "action": action_from_json,
    "clock": Clock,
    "tempo": Tempo,
    "packets": tuple,
}
