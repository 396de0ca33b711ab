"""All errors of leftbower: one base class, a stable code and a short message each."""

import re
from collections.abc import Sequence
from typing import ClassVar, Self

from leftbower.i18n import gettext, gettext_noop


class LeftbowerError(Exception):
    """The base class of all errors, with a stable `code`, a `message` and, where it applies, a `path`."""

    code: ClassVar[str] = "error"

    def __init_subclass__(cls, *, family: bool = False) -> None:
        """The code is the class name in kebab case, `must-follow-suit`; a family of errors has none of its own."""
        if not family:
            cls.code = re.sub(r"\B[A-Z]", r"-\g<0>", cls.__name__).lower()

    def __init__(self, message: str, *, path: str = "", **values: object) -> None:
        """`values` fill in the `%(name)s` of the message, which is looked up in the catalogs."""
        text = gettext(message, **values)
        super().__init__(text)
        self.message = _printable(text)
        self.path = _printable(path)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def at(self, path: str) -> Self:
        """The same error, with `path` put before its own path."""
        path = _printable(path if len(path) <= 80 else path[:79] + "…")
        self.path = f"{path}, {self.path}" if self.path else path
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the fields, because the arguments of `__init__` differ by class."""
        return _rebuilt, (type(self), self.args, self.__dict__)

    def as_json(self) -> dict[str, object]:
        """The JSON form of the API and of `--json`."""
        return {"code": self.code, "message": self.message, "path": self.path}


class Malformed(LeftbowerError, family=True):
    """The input can't be parsed."""


class BadCard(Malformed):
    """A word is not a card."""


class BadSuit(Malformed):
    """A word is not a suit."""


class BadSeat(Malformed):
    """A word is not a seat, or the game does not have that seat."""


class BadToml(Malformed):
    """A rules file is not TOML."""


class BadJson(Malformed):
    """A line of input is not the expected JSON object."""


class BadLink(Malformed):
    """A rules link was mistyped, truncated, or made by a newer leftbower."""


class NotText(Malformed):
    """The input is not UTF-8 text."""


class TooLarge(Malformed):
    """The input is larger than the limit."""


class UnreadableFile(LeftbowerError):
    """A file is missing, or can't be read or written."""


class BadUsage(LeftbowerError):
    """A command got arguments it does not take."""


class OtherWork(LeftbowerError):
    """A checkpoint file belongs to a command with other arguments; adding to it would mix two experiments."""


class MissingExtra(LeftbowerError):
    """A command needs a package from an extra."""

    def __init__(self, extra: str) -> None:
        message = gettext_noop("this needs the %(extra)s extra: pip install 'leftbower[%(extra)s]'")
        super().__init__(message, extra=extra)
        self.extra = extra


class UnknownRules(LeftbowerError):
    """No preset has that name, and it is neither a rules file nor a link."""


class UnknownPlayer(LeftbowerError):
    """No bot has that name."""


class UnknownOption(LeftbowerError):
    """A rule set names an unknown option."""

    def __init__(self, option: str, near: Sequence[str] = ()) -> None:
        message = gettext_noop("%(option)s is not an option")
        if near:
            message = gettext_noop("%(option)s is not an option; did you mean %(near)s?")
        super().__init__(message, option=show(option), near=near[0] if near else "")
        self.option = option


class BadOption(LeftbowerError):
    """An option has an invalid value."""

    def __init__(self, option: str, value: object, reason: str) -> None:
        super().__init__("%(option)s = %(value)s: %(reason)s", option=option, value=show(value), reason=reason)
        self.option = option
        self.value = value
        self.reason = reason


class ImpossibleRules(BadOption):
    """Each option is valid, but two of them contradict each other."""


class BadIncident(LeftbowerError):
    """The facts for the referee are incomplete or contradictory."""


class BadDeal(LeftbowerError):
    """A deal has a duplicate card, a card that is not in the deck, or a wrong number of cards."""


class BadHandLine(Malformed):
    """A hand line can't be parsed."""


class BadRecord(Malformed):
    """A recorded game can't be parsed, or is truncated."""


class BadEgn(Malformed):
    """A file in Euchre Game Notation, or one of its deals, can't be parsed."""


class EncodedDeal(Malformed):
    """A file in Euchre Game Notation has its deals as encoded text instead of objects."""


class UnsupportedRules(LeftbowerError):
    """A recorded game uses a rule that no option expresses, so its replay would be wrong."""


class BadCut(LeftbowerError):
    """A cut was made where none is offered, or left one part empty."""


class BadSeal(LeftbowerError):
    """A sealed deck, its opened cards, and the hand dealt from it do not match."""


class NothingSealed(LeftbowerError):
    """A record has no sealed deck to verify."""


class UnfinishedRecord(LeftbowerError):
    """A record is valid but stops before the end of its match."""


class WrongRoot(LeftbowerError):
    """A record does not have the published root: it is another record, or part of one."""


class NothingToSolve(LeftbowerError):
    """A hand has no play to solve: trump is not made, it ended without tricks, or a card is unknown."""


class RuleViolation(LeftbowerError, family=True):
    """The rules do not allow the action now. `state` has the state it was tried on and is never printed."""

    def __init__(self, message: str, *, state: object, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.state: object = state

    def __reduce__(self) -> tuple[object, ...]:
        """Without the state, which has every card."""
        return _rebuilt, (type(self), self.args, self.__dict__ | {"state": None})


class NotYourTurn(RuleViolation):
    """It is another player's turn."""


class NotNow(RuleViolation):
    """The action belongs to another part of the hand."""


class IllegalAnswer(RuleViolation):
    """A bot returned an action it may not take, or never stops talking."""


class HandIsOver(RuleViolation):
    """The hand is over."""


class MustFollowSuit(RuleViolation):
    """A player who can follow suit tried not to: a renege, refused."""


class CardNotHeld(RuleViolation):
    """The card is not in the player's hand."""


class SuitTurnedDown(RuleViolation):
    """The up-card's suit was named in the second round."""


class DealerIsStuck(RuleViolation):
    """The dealer tried to pass after everyone passed twice, and the rules make the dealer name a suit."""


class NoNaturalTrump(RuleViolation):
    """The dealer tried to pick up the up-card without having been dealt a card of its suit."""


class MustGoAlone(RuleViolation):
    """The dealer's partner tried to order up without going alone, and the rules allow only that."""


class DiscardFirst(RuleViolation):
    """A dealer who made trump tried to take the dummy before discarding."""


class UpCardStays(RuleViolation):
    """The dealer tried to discard the up-card, and the rules do not allow it."""


class NoFarmersHand(RuleViolation):
    """The cards shown are not a farmer's hand."""


class NothingDrawn(RuleViolation):
    """The game needs a first dealer before it can begin."""


class NothingDealt(RuleViolation):
    """The hand is not dealt yet."""


class NotTheDealer(RuleViolation):
    """It is another player's deal."""


class StillPlaying(RuleViolation):
    """A hand was dealt, or a dealer drawn, while the last one was in play."""


class GameIsOver(RuleViolation):
    """The game is over."""


class MatchIsOver(RuleViolation):
    """The match is over."""


class StoreError(LeftbowerError, family=True):
    """The store can't do what was asked."""


class Conflict(StoreError):
    """An append had a sequence number that is not the log's last one, which is `current`."""

    def __init__(self, log: str, *, expected: int, current: int) -> None:
        message = gettext_noop("log %(log)s is at %(current)s, not %(expected)s; read it again")
        super().__init__(message, log=show(log), current=current, expected=expected)
        self.log = log
        self.expected = expected
        self.current = current


class Unstorable(StoreError):
    """The store can't hold this: no JSON, no kind, no version, or a bad name."""


class AlreadyThere(StoreError):
    """A person, session, link, login or passkey with that name exists already."""


class NotThere(StoreError):
    """A session, login or passkey belongs to a person who does not exist."""


class StoreLocked(StoreError):
    """Another server or program holds the store's file."""


class NotAStore(StoreError):
    """This is not a leftbower store, or its address can't be parsed."""


class WrongSchema(StoreError):
    """Another version of leftbower wrote the store, in a schema this one doesn't know."""


class UnsafeStore(StoreError):
    """The database does not guarantee durable commits: its settings or version are unsafe."""


class StoreUnreachable(StoreError):
    """The store can't be opened or reached, or the connection was lost."""


class StoreFull(StoreError):
    """The disk is full; nothing was written."""


class StoreReadOnly(StoreError):
    """The store can be read but not written."""


class StoreBroken(StoreError):
    """The disk fails or the file is damaged; nothing is written until it is opened again."""


class StoreClosed(StoreError):
    """The store is closed."""


class BadDump(Malformed):
    """A dump of a store can't be parsed, is truncated, or was changed."""


class NotEmpty(StoreError):
    """A backup or restore would overwrite something."""


class BrokenChain(StoreError):
    """A row of a log was changed, removed, inserted or moved: its hash chain does not hold."""


class LogEdited(StoreError):
    """The log of a table or event was edited, so the server refuses it; others go on."""


class BadSettings(Malformed):
    """A server setting has an invalid value."""


class WorkerEnded(LeftbowerError):
    """A server process ended before it served, or did not start."""


class TableError(LeftbowerError, family=True):
    """A table can't do what was asked now."""


class NotSeated(TableError):
    """The caller has no seat at the table."""


class WasRemoved(TableError):
    """The host just removed this person from the table."""


class SeatTaken(TableError):
    """The seat is taken."""


class NobodyThere(TableError):
    """There is no such seat, or it is empty."""


class NameTaken(TableError):
    """Someone at the table has a name that looks the same; the message suggests another."""


class NameNeeded(TableError):
    """A guest without a name wants to sit down with others."""


class NotTheHost(TableError):
    """Only the host can do this."""


class OnlyPhrases(TableError):
    """Typed chat is off at this table."""


class NoHints(TableError):
    """Hints are off at this table during a hand."""


class SeatOnly(TableError):
    """A seat token was used for something else."""


class MatchIsOn(TableError):
    """Seats and rules can't change during a match."""


class EventTable(TableError):
    """The event decides this at its tables."""


class UnknownTable(TableError):
    """There is no such table, or the caller can't see it."""


class UnknownMatch(TableError):
    """The table has no match with that number."""


class NotYourMatch(TableError):
    """A person who did not play in an earlier match asked for it."""


class Stale(TableError):
    """The request is for an older version of the table; the current one is `current`."""

    def __init__(self, message: str, *, current: int, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.current = current


class UnknownLink(TableError):
    """There is no such link, or it has ended."""


class NotSignedIn(LeftbowerError):
    """The token is missing or invalid."""


class WrongPassword(LeftbowerError):
    """The login or the password is wrong; the error does not say which."""


class LoginTaken(LeftbowerError):
    """Another person has that login."""


class PasskeyRefused(LeftbowerError):
    """A passkey is unknown, its signature is invalid, or its challenge was used before."""


class NoPasskeys(LeftbowerError):
    """Browsers have no passkeys here: plain HTTP, or an IP address."""


class TooOften(LeftbowerError):
    """The caller exceeds a rate limit; `wait` is in seconds."""

    def __init__(self, message: str, *, wait: float, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.wait = wait


class EventError(LeftbowerError, family=True):
    """An event can't do what was asked now."""


class BadLedger(Malformed):
    """An event's ledger can't be parsed or is inconsistent."""


class BadPlan(EventError):
    """An event can't be held as planned."""


class BadEntry(EventError):
    """An entrant can't be entered like this."""


class NeedsPartners(BadEntry):
    """Single players were entered in an event of teams; say how to pair them."""


class DuplicateName(EventError):
    """The name is already entered."""


class UnknownEntrant(EventError):
    """No entrant has that name or number."""


class UnknownRound(EventError):
    """There is no such round yet, or none that can be drawn again."""


class NotPlaying(EventError):
    """No match is on at that table in that round."""


class BadScore(EventError):
    """No match under the event's rules can end with this score."""


class ScoreStands(EventError):
    """There is a score already; correct it instead."""


class NoScore(EventError):
    """There is no score to confirm, dispute, rule on or correct."""


class NotYourTable(EventError):
    """A player asked for something of another side, another table, or the desk."""


class NotYourRole(EventError):
    """The role does not allow this: helpers handle scores, phones their own table."""


class LinkRevoked(EventError):
    """The organizer ended or replaced this link."""


class LinkInUse(EventError):
    """A player's link is used on another device; the desk can move it."""


class UnknownEvent(EventError):
    """There is no such event, or it is not public."""


class SignUpClosed(EventError):
    """Nobody can sign up now; ask the organizer."""


class WrongDoorCode(EventError):
    """Read the code at the door again, or ask the organizer."""


class RoundIsOn(EventError):
    """Wait until every table of the round has its score."""


class NothingToPair(EventError):
    """There is no round to draw: all are drawn, or too few entrants are present."""


class TieStands(EventError):
    """A prize that can't be split is between tied entrants: record a draw by lot."""


class EventIsPaused(EventError):
    """The event is paused: no draws or scores."""


class EventIsClosed(EventError):
    """The event is closed, or a prize is paid; the results are final."""


class EventIsOpen(EventError):
    """Money is paid out only when the event is closed."""


class UnknownSeason(EventError):
    """There is no such season."""


class SeasonIsClosed(EventError):
    """The season is over; it can be reopened."""


class BadMoney(EventError):
    """An amount of money is zero, too large, or has no receiver."""


class FileThere(LeftbowerError):
    """A new file would overwrite an existing one."""


class NothingToUndo(TableError):
    """No action can be undone here."""


class BadRequest(Malformed):
    """A request can't be parsed: it is not JSON, or a field is missing."""


class ClientDisconnected(LeftbowerError):
    """A request's client closed the connection, so its work was canceled and nothing was done."""


class BadForm(Malformed):
    """A form can't be parsed: it is incomplete, nested, not UTF-8, or has too many fields."""


class BadHost(Malformed):
    """The Host header is empty, repeated, too long, or has invalid characters."""


class BadName(Malformed):
    """A name or title has no visible characters, is too long, or is "You"."""


class TooMany(TableError):
    """One person has the maximum number of tables open."""


class QuotaExceeded(LeftbowerError):
    """A table, event or person has reached a quota; the message says what to do."""


class NotFound(LeftbowerError):
    """There is nothing at that address."""


class WrongMethod(LeftbowerError):
    """The address does not support that method."""


class CrossSite(LeftbowerError):
    """A page of another site sent the request, with this browser's session."""


def show(value: object) -> str:
    """A value as a rules file has it, cut to 40 characters."""
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case str():
            text = f'"{value}"'
        case _:
            try:
                text = str(value)
            except (ValueError, RecursionError):  # a number of thousands of digits, or deep nesting
                text = "…"
    return text if len(text) <= 40 else text[:39] + "…"


def _printable(text: str) -> str:
    """Replace control characters: a message may quote user input, which must not move the cursor or hide text."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


def _rebuilt(kind: type[LeftbowerError], args: tuple[object, ...], fields: dict[str, object]) -> LeftbowerError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class Uncompiled(RuntimeWarning):
    """The kernel runs as plain Python: correct, but slow."""
