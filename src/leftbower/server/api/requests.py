"""What clients send: the bodies of requests, read by pydantic, each turned into the fact it hopes to become."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from leftbower.errors import LeftbowerError
from leftbower.notation import action_from_json
from leftbower.rules.formats import LINK_PREFIX, from_json, from_link, to_json
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import preset
from leftbower.server.people.sanitize import MAX_CODE_POINTS
from leftbower.table import (
    Acted,
    Agreed,
    BotRemoved,
    BotSeated,
    ChatSent,
    CutOffered,
    DeckCut,
    FreeChatChanged,
    HandDealt,
    HintsChanged,
    HostChanged,
    LastCardModeChanged,
    Left,
    Muted,
    PlayerRemoved,
    RematchRequested,
    RulesChanged,
    Sat,
    SeatsSwapped,
    Table,
    TableFact,
    Tempo,
    TempoChanged,
    TimeControl,
    TimeControlChanged,
    UndoAnswered,
    UndoRequested,
)

LEVELS: Final = ("novice", "regular", "expert")
Level = Literal["novice", "regular", "expert"]
ClockName = Literal["off", "relaxed", "quick"]
TempoName = Literal["slow", "steady", "brisk"]
PhraseName = Literal["nice-hand", "sorry", "thanks", "one-moment", "hello", "good-game"]
SeatName = Literal["N", "E", "S", "W"]
Name = Annotated[str, Field(min_length=1, max_length=MAX_CODE_POINTS)]
Title = Annotated[str, Field(max_length=MAX_CODE_POINTS)]
Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")]


class RequestModel(BaseModel):
    """Nothing but what is asked for."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NameRequest(RequestModel):
    """Somebody who wants to play, under any name."""

    name: Name


class RulesRequest(RequestModel):
    """A rule set: a preset's name or a link, and what this table changes of it."""

    rules: Annotated[str, Field(max_length=100)] = "club"
    changes: dict[str, Any] = Field(default_factory=dict, max_length=80)

    def house_rules(self) -> HouseRules:
        """The rule set, or the error that names what is wrong with it."""
        base = from_link(self.rules) if self.rules.startswith(LINK_PREFIX) else preset(self.rules)
        return from_json({**to_json(base), **self.changes}) if self.changes else base


class TableRequest(RulesRequest):
    """A table to be opened."""

    level: Level = "regular"
    clock: ClockName = "off"
    title: Title = ""
    """What others read in their lists."""


class Command(RequestModel):
    """Something asked of a table."""

    version: Annotated[int, Field(ge=1, le=2**31)] | None = None
    """The version of the table that it is meant for, if for one only: then the same again is refused as stale."""


class Sit(Command):
    """Take a seat; during a match, the seat of a bot with the next hand."""

    command: Literal["sit"]
    seat: SeatName


class Leave(Command):
    """Get up for good."""

    command: Literal["leave"]


class SeatBot(Command):
    """Give a seat to a bot."""

    command: Literal["seat-bot"]
    seat: SeatName
    level: Level = "regular"


class RemoveBot(Command):
    """Take a bot away."""

    command: Literal["remove-bot"]
    seat: SeatName


class Swap(Command):
    """Let two seats change places."""

    command: Literal["swap"]
    seat: SeatName
    other: SeatName


class Remove(Command):
    """Show a person the door."""

    command: Literal["remove"]
    person: Id


class HandOver(Command):
    """Make another person the host."""

    command: Literal["hand-over"]
    person: Id


class ChangeRules(RulesRequest, Command):
    """Play by other rules; everybody is asked again."""

    command: Literal["change-rules"]


class AgreeToRules(Command):
    """Agree to the rules as they stand."""

    command: Literal["agree"]


class OfferCut(Command):
    """Offer the cut, as the dealer of an honor table."""

    command: Literal["offer-cut"]


class DealCards(Command):
    """Deal, as the dealer of an honor table; a cut that is due and was not offered is forgotten then."""

    command: Literal["deal"]
    packets: Annotated[list[Annotated[int, Field(ge=0, le=4)]], Field(max_length=20)] = []
    """The size of every bundle in the order they are dealt, wrong ones too; none for the usual ones."""


class CutDeck(Command):
    """Cut: lift so many cards off the sealed deck, or none."""

    command: Literal["cut"]
    number: Annotated[int, Field(ge=0, le=23)]


class LastCard(Command):
    """Lay the last card oneself, or have it laid."""

    command: Literal["last-card"]
    manual: bool


class Undo(Command):
    """Have the own last act undone."""

    command: Literal["undo"]


class AnswerUndo(Command):
    """Agree to an undo, or not."""

    command: Literal["answer-undo"]
    agreed: bool


class Rematch(Command):
    """Play another match."""

    command: Literal["rematch"]


class SetClock(Command):
    """Play with another clock, or none; everybody is asked again."""

    command: Literal["set-clock"]
    clock: ClockName


class Say(Command):
    """Say one of the phrases."""

    command: Literal["say"]
    phrase: PhraseName


class Chat(Command):
    """Say something in words of one's own, where the host allows that."""

    command: Literal["chat"]
    text: Annotated[str, Field(min_length=1, max_length=200)]


class Mute(Command):
    """Hear no more of a person, or hear them again."""

    command: Literal["mute"]
    person: Id
    muted: bool


class AllowChat(Command):
    """Allow words of one's own at this table, or only phrases."""

    command: Literal["allow-chat"]
    allowed: bool


class SetTempo(Command):
    """Have the bots take more time, or less."""

    command: Literal["set-tempo"]
    tempo: TempoName


class AllowHints(Command):
    """Let people ask the coach in the middle of a hand, or not."""

    command: Literal["allow-hints"]
    allowed: bool


TableCommand = Annotated[
    Sit
    | Leave
    | SeatBot
    | RemoveBot
    | Swap
    | Remove
    | HandOver
    | ChangeRules
    | AgreeToRules
    | OfferCut
    | DealCards
    | CutDeck
    | LastCard
    | Undo
    | AnswerUndo
    | Rematch
    | SetClock
    | Say
    | Chat
    | Mute
    | AllowChat
    | SetTempo
    | AllowHints,
    Field(discriminator="command"),
]


class ActionRequest(RequestModel):
    """Something done in the hand."""

    version: Annotated[int, Field(ge=1, le=2**31)]
    """The version of the table that it is meant for."""
    action_id: Id
    """The client's own id of it; the same again is answered as the first time."""
    action: dict[str, Any]
    """As the view lists it under `legal`."""

    def request(self) -> Acted:
        """The fact it hopes to become."""
        try:
            return Acted(action=action_from_json(self.action), action_id=self.action_id)
        except LeftbowerError as error:
            error.message, error.place = "this is no action; the view lists those that are legal", "action"
            raise error from None


def fact_for_command(command: TableCommand, table: Table, person: str) -> TableFact:
    """What is asked for, as the fact it hopes to become."""
    match command:
        case Sit():
            return Sat(person=person, seat=Seat(command.seat))
        case Leave():
            return Left(person=person)
        case SeatBot():
            return BotSeated(seat=Seat(command.seat), level=command.level)
        case RemoveBot():
            return BotRemoved(seat=Seat(command.seat))
        case Swap():
            return SeatsSwapped(seat=Seat(command.seat), other=Seat(command.other))
        case Remove():
            return PlayerRemoved(person=command.person)
        case HandOver():
            return HostChanged(person=command.person)
        case ChangeRules():
            return RulesChanged(rules=command.house_rules())
        case AgreeToRules():
            return Agreed(person=person)
        case OfferCut():
            return CutOffered(seat=table.seat_of(person) or Seat.N)
        case DealCards():
            return HandDealt(seat=table.seat_of(person) or Seat.N, packets=tuple(command.packets))
        case CutDeck():
            return DeckCut(seat=table.seat_of(person) or Seat.N, lifted=command.number)
        case LastCard():
            return LastCardModeChanged(person=person, manual=command.manual)
        case Undo():
            return UndoRequested(person=person)
        case AnswerUndo():
            return UndoAnswered(person=person, agreed=command.agreed)
        case Rematch():
            return RematchRequested(person=person)
        case SetClock():
            return TimeControlChanged(clock=TimeControl(command.clock))
        case Say():
            return ChatSent(person=person, phrase=command.phrase)
        case Mute():
            return Muted(person=person, whom=command.person, muted=command.muted)
        case AllowChat():
            return FreeChatChanged(allowed=command.allowed)
        case SetTempo():
            return TempoChanged(tempo=Tempo(command.tempo))
        case AllowHints():
            return HintsChanged(allowed=command.allowed)
        case Chat():
            raise AssertionError("words are kept before they become a fact")
