"""Request models, and the fact that each command requests."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from leftbower.errors import LeftbowerError
from leftbower.notation import action_from_json
from leftbower.rules import HouseRules, Seat, from_json, to_json
from leftbower.rules.formats import rules_by_name
from leftbower.rules.sheets import DEFAULT_RULES
from leftbower.server.people.sanitize import MAX_CODE_POINTS
from leftbower.table import Table, Tempo, TimeControl, facts

LEVELS: Final = ("novice", "regular", "expert")
Level = Literal["novice", "regular", "expert"]
Temper = Literal["cautious", "even", "bold"]
ClockName = Literal["off", "relaxed", "quick"]
TempoName = Literal["slow", "steady", "brisk"]
PhraseName = Literal["nice-hand", "sorry", "thanks", "one-moment", "hello", "good-game"]
SeatName = Literal["N", "E", "S", "W"]
Name = Annotated[str, Field(min_length=1, max_length=MAX_CODE_POINTS)]
Title = Annotated[str, Field(max_length=MAX_CODE_POINTS)]
Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")]


class RequestModel(BaseModel):
    """Rejects unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NameRequest(RequestModel):
    """A name for a guest or a rename."""

    name: Name


class RulesRequest(RequestModel):
    """A rule set: the name of a preset or a link, and the changes of this table."""

    rules: Annotated[str, Field(max_length=100)] = DEFAULT_RULES
    changes: dict[str, Any] = Field(default_factory=dict, max_length=80)

    def house_rules(self) -> HouseRules:
        """The rule set, or the error that says what is wrong with it."""
        base = rules_by_name(self.rules)
        return from_json({**to_json(base), **self.changes}) if self.changes else base


class RuleSetRequest(RulesRequest):
    """Rules to keep under a name."""

    name: Name
    old_name: Name | Literal[""] = ""
    """The name that these rules had; empty for new ones."""


class TableRequest(RulesRequest):
    """A new table."""

    level: Level = "regular"
    clock: ClockName = "off"
    title: Title = ""
    """Shown in lists of tables."""


class Command(RequestModel):
    """A command to a table."""

    version: Annotated[int, Field(ge=1, le=2**31)] | None = None
    """Set this to send the command for one version only; at another version, as on a retry, it is refused as stale."""


class Sit(Command):
    """Take a seat. During a match, take over a bot's seat with the next hand."""

    command: Literal["sit"]
    seat: SeatName


class Leave(Command):
    """Leave the table."""

    command: Literal["leave"]


class SeatBot(Command):
    """Seat a bot."""

    command: Literal["seat-bot"]
    seat: SeatName
    level: Level = "regular"
    temper: Temper = "even"
    """How boldly it calls."""


class RemoveBot(Command):
    """Remove a bot."""

    command: Literal["remove-bot"]
    seat: SeatName


class Swap(Command):
    """Swap two seats."""

    command: Literal["swap"]
    seat: SeatName
    other: SeatName


class Remove(Command):
    """Remove a person from the table."""

    command: Literal["remove"]
    person: Id


class HandOver(Command):
    """Make another person the host."""

    command: Literal["hand-over"]
    person: Id


class ChangeRules(RulesRequest, Command):
    """Change the rules; all players must agree again."""

    command: Literal["change-rules"]


class AgreeToRules(Command):
    """Agree to the current rules, or after a hand to go on with the next."""

    command: Literal["agree"]


class OfferCut(Command):
    """Offer the cut, as the dealer at an honor table."""

    command: Literal["offer-cut"]


class DealCards(Command):
    """Deal, as the dealer at an honor table; this skips a required cut that was not offered."""

    command: Literal["deal"]
    packets: Annotated[list[Annotated[int, Field(ge=0, le=4)]], Field(max_length=20)] = []
    """The number of cards in each packet, in dealing order, possibly wrong ones; empty for the usual packets."""


class CutDeck(Command):
    """Cut the sealed deck: lift this many cards, or 0 for no cut."""

    command: Literal["cut"]
    number: Annotated[int, Field(ge=0, le=23)]


class LastCard(Command):
    """Play your last card yourself, or let the server play it."""

    command: Literal["last-card"]
    manual: bool


class Undo(Command):
    """Ask to undo your last action."""

    command: Literal["undo"]


class AnswerUndo(Command):
    """Agree to an undo, or refuse it."""

    command: Literal["answer-undo"]
    agreed: bool


class Rematch(Command):
    """Play another match."""

    command: Literal["rematch"]


class SetClock(Command):
    """Change the clock; all players must agree again."""

    command: Literal["set-clock"]
    clock: ClockName


class Say(Command):
    """Say a fixed phrase."""

    command: Literal["say"]
    phrase: PhraseName


class Chat(Command):
    """Send a typed message, if the host allows it."""

    command: Literal["chat"]
    text: Annotated[str, Field(min_length=1, max_length=200)]


class Mute(Command):
    """Mute or unmute a person."""

    command: Literal["mute"]
    person: Id
    muted: bool


class AllowChat(Command):
    """Allow typed messages at this table, or only fixed phrases."""

    command: Literal["allow-chat"]
    allowed: bool


class SetTempo(Command):
    """Change the tempo of the bots."""

    command: Literal["set-tempo"]
    tempo: TempoName


class AllowHints(Command):
    """Allow or forbid hints during a hand."""

    command: Literal["allow-hints"]
    allowed: bool


class AllowWatching(Command):
    """Let people without a seat see the hands, or only their players."""

    command: Literal["allow-watching"]
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
    | AllowHints
    | AllowWatching,
    Field(discriminator="command"),
]


class ActionRequest(RequestModel):
    """An action in the current hand."""

    version: Annotated[int, Field(ge=1, le=2**31)]
    """The table version that the action is for."""
    action_id: Id
    """The client's idempotency key; a retry with the same id gets the first response."""
    action: dict[str, Any]
    """One of the actions under `legal` in the view."""

    def request(self) -> facts.Acted:
        """The fact that this requests."""
        try:
            return facts.Acted(action=action_from_json(self.action), action_id=self.action_id)
        except LeftbowerError as error:
            error.message, error.path = "this is no action; the view lists those that are legal", "action"
            raise error from None


def bot_level(level: str, temper: str) -> str:
    """The name of a bot in the roster: `expert`, `expert+bold`."""
    return level if temper == "even" else f"{level}+{temper}"


def fact_for_command(command: TableCommand, table: Table, person: str) -> facts.TableFact:
    """The fact that a command requests."""
    match command:
        case Sit():
            return facts.Sat(person=person, seat=Seat(command.seat))
        case Leave():
            return facts.Left(person=person)
        case SeatBot():
            return facts.BotSeated(seat=Seat(command.seat), level=bot_level(command.level, command.temper))
        case RemoveBot():
            return facts.BotRemoved(seat=Seat(command.seat))
        case Swap():
            return facts.SeatsSwapped(seat=Seat(command.seat), other=Seat(command.other))
        case Remove():
            return facts.PlayerRemoved(person=command.person)
        case HandOver():
            return facts.HostChanged(person=command.person)
        case ChangeRules():
            return facts.RulesChanged(rules=command.house_rules())
        case AgreeToRules():
            return facts.Agreed(person=person)
        case OfferCut():
            return facts.CutOffered(seat=table.seat_of(person) or Seat.N)
        case DealCards():
            return facts.HandDealt(seat=table.seat_of(person) or Seat.N, packets=tuple(command.packets))
        case CutDeck():
            return facts.DeckCut(seat=table.seat_of(person) or Seat.N, lifted=command.number)
        case LastCard():
            return facts.LastCardModeChanged(person=person, manual=command.manual)
        case Undo():
            return facts.UndoRequested(person=person)
        case AnswerUndo():
            return facts.UndoAnswered(person=person, agreed=command.agreed)
        case Rematch():
            return facts.RematchRequested(person=person)
        case SetClock():
            return facts.TimeControlChanged(clock=TimeControl(command.clock))
        case Say():
            return facts.ChatSent(person=person, phrase=command.phrase)
        case Mute():
            return facts.Muted(person=person, whom=command.person, muted=command.muted)
        case AllowChat():
            return facts.FreeChatChanged(allowed=command.allowed)
        case SetTempo():
            return facts.TempoChanged(tempo=Tempo(command.tempo))
        case AllowHints():
            return facts.HintsChanged(allowed=command.allowed)
        case AllowWatching():
            return facts.WatchingChanged(allowed=command.allowed)
        case Chat():
            raise AssertionError("the text of a chat message is stored before its fact")
