"""What clients send: the bodies of requests, read by pydantic, each turned into the fact it hopes to become."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from leftbower.errors import LeftbowerError
from leftbower.notation import action_from_json
from leftbower.rules.forms import LINK_PREFIX, from_json, from_link, to_json
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import preset
from leftbower.server.names import MOST_LETTERS
from leftbower.table import (
    Acted,
    AgainWanted,
    Agreed,
    BotSat,
    Cleared,
    Clock,
    ClockSet,
    CutMade,
    CutOffered,
    Dealt,
    HandedOver,
    HintsSet,
    LastCardKept,
    Left,
    Muted,
    Removed,
    RulesChanged,
    Said,
    Sat,
    Swapped,
    Table,
    TableFact,
    TalkSet,
    Tempo,
    TempoSet,
    UndoAnswered,
    UndoAsked,
)

LEVELS: Final = ("novice", "regular", "expert")
Level = Literal["novice", "regular", "expert"]
ClockName = Literal["off", "relaxed", "quick"]
TempoName = Literal["slow", "steady", "brisk"]
PhraseName = Literal["nice-hand", "sorry", "thanks", "one-moment", "hello", "good-game"]
SeatName = Literal["N", "E", "S", "W"]
Name = Annotated[str, Field(min_length=1, max_length=MOST_LETTERS)]
Title = Annotated[str, Field(max_length=MOST_LETTERS)]
Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")]


class Body(BaseModel):
    """Nothing but what is asked for."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Guest(Body):
    """Somebody who wants to play, under any name."""

    name: Name


class Rules(Body):
    """A rule set: a preset's name or a link, and what this table changes of it."""

    rules: Annotated[str, Field(max_length=100)] = "club"
    changes: dict[str, Any] = Field(default_factory=dict, max_length=80)

    def house_rules(self) -> HouseRules:
        """The rule set, or the error that names what is wrong with it."""
        base = from_link(self.rules) if self.rules.startswith(LINK_PREFIX) else preset(self.rules)
        return from_json({**to_json(base), **self.changes}) if self.changes else base


class NewTable(Rules):
    """A table to be opened."""

    level: Level = "regular"
    clock: ClockName = "off"
    title: Title = ""
    """What others read in their lists."""


class Asking(Body):
    """Something asked of a table."""

    version: Annotated[int, Field(ge=1, le=2**31)] | None = None
    """The version of the table that it is meant for, if for one only: then the same again is refused as stale."""


class Sit(Asking):
    """Take a seat; during a match, the seat of a bot with the next hand."""

    ask: Literal["sit"]
    seat: SeatName


class Leave(Asking):
    """Get up for good."""

    ask: Literal["leave"]


class SeatBot(Asking):
    """Give a seat to a bot."""

    ask: Literal["seat-bot"]
    seat: SeatName
    level: Level = "regular"


class Clear(Asking):
    """Take a bot away."""

    ask: Literal["clear"]
    seat: SeatName


class Swap(Asking):
    """Let two seats change places."""

    ask: Literal["swap"]
    seat: SeatName
    other: SeatName


class Remove(Asking):
    """Show a person the door."""

    ask: Literal["remove"]
    person: Id


class HandOver(Asking):
    """Make another person the host."""

    ask: Literal["hand-over"]
    person: Id


class ChangeRules(Rules, Asking):
    """Play by other rules; everybody is asked again."""

    ask: Literal["change-rules"]


class Agree(Asking):
    """Agree to the rules as they stand."""

    ask: Literal["agree"]


class OfferCut(Asking):
    """Offer the cut, as the dealer of an honor table."""

    ask: Literal["offer-cut"]


class DealCards(Asking):
    """Deal, as the dealer of an honor table; a cut that is due and was not offered is forgotten then."""

    ask: Literal["deal"]
    packets: Annotated[list[Annotated[int, Field(ge=0, le=4)]], Field(max_length=20)] = []
    """The size of every bundle in the order they are dealt, wrong ones too; none for the usual ones."""


class CutDeck(Asking):
    """Cut: lift so many cards off the sealed deck, or none."""

    ask: Literal["cut"]
    number: Annotated[int, Field(ge=0, le=23)]


class LastCard(Asking):
    """Lay the last card oneself, or have it laid."""

    ask: Literal["last-card"]
    kept: bool


class Undo(Asking):
    """Have the own last act undone."""

    ask: Literal["undo"]


class AnswerUndo(Asking):
    """Agree to an undo, or not."""

    ask: Literal["answer-undo"]
    agreed: bool


class Again(Asking):
    """Play another match."""

    ask: Literal["again"]


class SetClock(Asking):
    """Play with another clock, or none; everybody is asked again."""

    ask: Literal["clock"]
    clock: ClockName


class Say(Asking):
    """Say one of the phrases."""

    ask: Literal["say"]
    phrase: PhraseName


class Tell(Asking):
    """Say something in words of one's own, where the host allows that."""

    ask: Literal["tell"]
    words: Annotated[str, Field(min_length=1, max_length=200)]


class Mute(Asking):
    """Hear no more of a person, or hear them again."""

    ask: Literal["mute"]
    person: Id
    muted: bool


class Talk(Asking):
    """Allow words of one's own at this table, or only phrases."""

    ask: Literal["talk"]
    free: bool


class SetTempo(Asking):
    """Have the bots take more time, or less."""

    ask: Literal["tempo"]
    tempo: TempoName


class AllowHints(Asking):
    """Let people ask the coach in the middle of a hand, or not."""

    ask: Literal["hints"]
    allowed: bool


Ask = Annotated[
    Sit
    | Leave
    | SeatBot
    | Clear
    | Swap
    | Remove
    | HandOver
    | ChangeRules
    | Agree
    | OfferCut
    | DealCards
    | CutDeck
    | LastCard
    | Undo
    | AnswerUndo
    | Again
    | SetClock
    | Say
    | Tell
    | Mute
    | Talk
    | SetTempo
    | AllowHints,
    Field(discriminator="ask"),
]


class Act(Body):
    """Something done in the hand."""

    version: Annotated[int, Field(ge=1, le=2**31)]
    """The version of the table that it is meant for."""
    act: Id
    """The client's own id of it; the same again is answered as the first time."""
    action: dict[str, Any]
    """As the view lists it under `legal`."""

    def request(self) -> Acted:
        """The fact it hopes to become."""
        try:
            return Acted(action=action_from_json(self.action), act=self.act)
        except LeftbowerError as error:
            error.message, error.place = "this is no action; the view lists those that are legal", "action"
            raise error from None


def request_of(ask: Ask, table: Table, person: str) -> TableFact:
    """What is asked for, as the fact it hopes to become."""
    match ask:
        case Sit():
            return Sat(person=person, seat=Seat(ask.seat))
        case Leave():
            return Left(person=person)
        case SeatBot():
            return BotSat(seat=Seat(ask.seat), level=ask.level)
        case Clear():
            return Cleared(seat=Seat(ask.seat))
        case Swap():
            return Swapped(seat=Seat(ask.seat), other=Seat(ask.other))
        case Remove():
            return Removed(person=ask.person)
        case HandOver():
            return HandedOver(person=ask.person)
        case ChangeRules():
            return RulesChanged(rules=ask.house_rules())
        case Agree():
            return Agreed(person=person)
        case OfferCut():
            return CutOffered(seat=table.seat_of(person) or Seat.N)
        case DealCards():
            return Dealt(seat=table.seat_of(person) or Seat.N, packets=tuple(ask.packets))
        case CutDeck():
            return CutMade(seat=table.seat_of(person) or Seat.N, number=ask.number)
        case LastCard():
            return LastCardKept(person=person, kept=ask.kept)
        case Undo():
            return UndoAsked(person=person)
        case AnswerUndo():
            return UndoAnswered(person=person, agreed=ask.agreed)
        case Again():
            return AgainWanted(person=person)
        case SetClock():
            return ClockSet(clock=Clock(ask.clock))
        case Say():
            return Said(person=person, phrase=ask.phrase)
        case Mute():
            return Muted(person=person, whom=ask.person, muted=ask.muted)
        case Talk():
            return TalkSet(free=ask.free)
        case SetTempo():
            return TempoSet(tempo=Tempo(ask.tempo))
        case AllowHints():
            return HintsSet(allowed=ask.allowed)
        case Tell():
            raise AssertionError("words are kept before they become a fact")
