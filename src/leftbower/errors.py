"""All errors of leftbower: one base class, a stable code and a short message each."""

from collections.abc import Sequence
from typing import ClassVar, Self

from leftbower.i18n import gettext, gettext_noop


class LeftbowerError(Exception):
    """The base class of all errors, with a stable `code`, a `message` and, where it applies, a `path`."""

    code: ClassVar[str] = "error"

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


class Malformed(LeftbowerError):
    """The input can't be parsed."""


class BadCard(Malformed):
    """A word is not a card."""

    code = "bad-card"


class BadSuit(Malformed):
    """A word is not a suit."""

    code = "bad-suit"


class BadSeat(Malformed):
    """A word is not a seat, or the game does not have that seat."""

    code = "bad-seat"


class BadToml(Malformed):
    """A rules file is not TOML."""

    code = "bad-toml"


class BadJson(Malformed):
    """A line of input is not the expected JSON object."""

    code = "bad-json"


class BadLink(Malformed):
    """A rules link was mistyped, truncated, or made by a newer leftbower."""

    code = "bad-link"


class NotText(Malformed):
    """The input is not UTF-8 text."""

    code = "not-text"


class TooLarge(Malformed):
    """The input is larger than the limit."""

    code = "too-large"


class UnreadableFile(LeftbowerError):
    """A file is missing, or can't be read or written."""

    code = "unreadable-file"


class BadUsage(LeftbowerError):
    """A command got arguments it does not take."""

    code = "bad-usage"


class OtherWork(LeftbowerError):
    """A checkpoint file belongs to a command with other arguments; adding to it would mix two experiments."""

    code = "other-work"


class MissingExtra(LeftbowerError):
    """A command needs a package from an extra."""

    code = "missing-extra"

    def __init__(self, extra: str) -> None:
        message = gettext_noop("this needs the %(extra)s extra: pip install 'leftbower[%(extra)s]'")
        super().__init__(message, extra=extra)
        self.extra = extra


class UnknownRules(LeftbowerError):
    """No preset has that name, and it is neither a rules file nor a link."""

    code = "unknown-rules"


class UnknownPlayer(LeftbowerError):
    """No bot has that name."""

    code = "unknown-player"


class UnknownOption(LeftbowerError):
    """A rule set names an unknown option."""

    code = "unknown-option"

    def __init__(self, option: str, near: Sequence[str] = ()) -> None:
        message = gettext_noop("%(option)s is not an option")
        if near:
            message = gettext_noop("%(option)s is not an option; did you mean %(near)s?")
        super().__init__(message, option=show(option), near=near[0] if near else "")
        self.option = option


class BadOption(LeftbowerError):
    """An option has an invalid value."""

    code = "bad-option"

    def __init__(self, option: str, value: object, reason: str) -> None:
        super().__init__("%(option)s = %(value)s: %(reason)s", option=option, value=show(value), reason=reason)
        self.option = option
        self.value = value
        self.reason = reason


class ImpossibleRules(BadOption):
    """Each option is valid, but two of them contradict each other."""

    code = "impossible-rules"


class BadIncident(LeftbowerError):
    """The facts for the referee are incomplete or contradictory."""

    code = "bad-incident"


class BadDeal(LeftbowerError):
    """A deal has a duplicate card, a card that is not in the deck, or a wrong number of cards."""

    code = "bad-deal"


class BadHandLine(Malformed):
    """A hand line can't be parsed."""

    code = "bad-hand-line"


class BadRecord(Malformed):
    """A recorded game can't be parsed, or is truncated."""

    code = "bad-record"


class BadEgn(Malformed):
    """A file in Euchre Game Notation, or one of its deals, can't be parsed."""

    code = "bad-egn"


class EncodedDeal(Malformed):
    """A file in Euchre Game Notation has its deals as encoded text instead of objects."""

    code = "encoded-deal"


class UnsupportedRules(LeftbowerError):
    """A recorded game uses a rule that no option expresses, so its replay would be wrong."""

    code = "unsupported-rules"


class BadCut(LeftbowerError):
    """A cut was made where none is offered, or left one part empty."""

    code = "bad-cut"


class BadSeal(LeftbowerError):
    """A sealed deck, its opened cards, and the hand dealt from it do not match."""

    code = "bad-seal"


class NothingSealed(LeftbowerError):
    """A record has no sealed deck to verify."""

    code = "nothing-sealed"


class UnfinishedRecord(LeftbowerError):
    """A record is valid but stops before the end of its match."""

    code = "unfinished-record"


class WrongRoot(LeftbowerError):
    """A record does not have the published root: it is another record, or part of one."""

    code = "wrong-root"


class NothingToSolve(LeftbowerError):
    """A hand has no play to solve: trump is not made, it ended without tricks, or a card is unknown."""

    code = "nothing-to-solve"


class RuleViolation(LeftbowerError):
    """The rules do not allow the action now. `state` has the state it was tried on and is never printed."""

    def __init__(self, message: str, *, state: object, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.state: object = state

    def __reduce__(self) -> tuple[object, ...]:
        """Without the state, which has every card."""
        return _rebuilt, (type(self), self.args, self.__dict__ | {"state": None})


class NotYourTurn(RuleViolation):
    """It is another player's turn."""

    code = "not-your-turn"


class NotNow(RuleViolation):
    """The action belongs to another part of the hand."""

    code = "not-now"


class IllegalAnswer(RuleViolation):
    """A bot returned an action it may not take, or never stops talking."""

    code = "illegal-answer"


class HandIsOver(RuleViolation):
    """The hand is over."""

    code = "hand-is-over"


class MustFollowSuit(RuleViolation):
    """A player who can follow suit tried not to: a renege, refused."""

    code = "must-follow-suit"


class CardNotHeld(RuleViolation):
    """The card is not in the player's hand."""

    code = "card-not-held"


class SuitTurnedDown(RuleViolation):
    """The up-card's suit was named in the second round."""

    code = "suit-turned-down"


class DealerIsStuck(RuleViolation):
    """The dealer tried to pass after everyone passed twice, and the rules make the dealer name a suit."""

    code = "dealer-is-stuck"


class NoNaturalTrump(RuleViolation):
    """The dealer tried to pick up the up-card without having been dealt a card of its suit."""

    code = "no-natural-trump"


class MustGoAlone(RuleViolation):
    """The dealer's partner tried to order up without going alone, and the rules allow only that."""

    code = "must-go-alone"


class DiscardFirst(RuleViolation):
    """A dealer who made trump tried to take the dummy before discarding."""

    code = "discard-first"


class UpCardStays(RuleViolation):
    """The dealer tried to discard the up-card, and the rules do not allow it."""

    code = "up-card-stays"


class NoFarmersHand(RuleViolation):
    """The cards shown are not a farmer's hand."""

    code = "no-farmers-hand"


class NothingDrawn(RuleViolation):
    """The game needs a first dealer before it can begin."""

    code = "nothing-drawn"


class NothingDealt(RuleViolation):
    """The hand is not dealt yet."""

    code = "nothing-dealt"


class NotTheDealer(RuleViolation):
    """It is another player's deal."""

    code = "not-the-dealer"


class StillPlaying(RuleViolation):
    """A hand was dealt, or a dealer drawn, while the last one was in play."""

    code = "still-playing"


class GameIsOver(RuleViolation):
    """The game is over."""

    code = "game-is-over"


class MatchIsOver(RuleViolation):
    """The match is over."""

    code = "match-is-over"


class StoreError(LeftbowerError):
    """The store can't do what was asked."""


class Conflict(StoreError):
    """An append had a sequence number that is not the log's last one, which is `current`."""

    code = "conflict"

    def __init__(self, log: str, *, expected: int, current: int) -> None:
        message = gettext_noop("log %(log)s is at %(current)s, not %(expected)s; read it again")
        super().__init__(message, log=show(log), current=current, expected=expected)
        self.log = log
        self.expected = expected
        self.current = current


class Unstorable(StoreError):
    """The store can't hold this: no JSON, no kind, no version, or a bad name."""

    code = "unstorable"


class AlreadyThere(StoreError):
    """A person, session, link, login or passkey with that name exists already."""

    code = "already-there"


class NotThere(StoreError):
    """A session, login or passkey belongs to a person who does not exist."""

    code = "not-there"


class StoreLocked(StoreError):
    """Another server or program holds the store's file."""

    code = "store-locked"


class NotAStore(StoreError):
    """This is not a leftbower store, or its address can't be parsed."""

    code = "not-a-store"


class WrongSchema(StoreError):
    """Another version of leftbower wrote the store, in a schema this one doesn't know."""

    code = "wrong-schema"


class UnsafeStore(StoreError):
    """The database does not guarantee durable commits: its settings or version are unsafe."""

    code = "unsafe-store"


class StoreUnreachable(StoreError):
    """The store can't be opened or reached, or the connection was lost."""

    code = "store-unreachable"


class StoreFull(StoreError):
    """The disk is full; nothing was written."""

    code = "store-full"


class StoreReadOnly(StoreError):
    """The store can be read but not written."""

    code = "store-read-only"


class StoreBroken(StoreError):
    """The disk fails or the file is damaged; nothing is written until it is opened again."""

    code = "store-broken"


class StoreClosed(StoreError):
    """The store is closed."""

    code = "store-closed"


class BadDump(Malformed):
    """A dump of a store can't be parsed, is truncated, or was changed."""

    code = "bad-dump"


class NotEmpty(StoreError):
    """A backup or restore would overwrite something."""

    code = "not-empty"


class BrokenChain(StoreError):
    """A row of a log was changed, removed, inserted or moved: its hash chain does not hold."""

    code = "broken-chain"


class LogEdited(StoreError):
    """The log of a table or event was edited, so the server refuses it; others go on."""

    code = "log-edited"


class BadSettings(Malformed):
    """A server setting has an invalid value."""

    code = "bad-settings"


class WorkerEnded(LeftbowerError):
    """A server process ended before it served, or did not start."""

    code = "worker-ended"


class TableError(LeftbowerError):
    """A table can't do what was asked now."""


class NotSeated(TableError):
    """The caller has no seat at the table."""

    code = "not-seated"


class WasRemoved(TableError):
    """The host just removed this person from the table."""

    code = "was-removed"


class SeatTaken(TableError):
    """The seat is taken."""

    code = "seat-taken"


class NobodyThere(TableError):
    """There is no such seat, or it is empty."""

    code = "nobody-there"


class NotTheHost(TableError):
    """Only the host can do this."""

    code = "not-the-host"


class OnlyPhrases(TableError):
    """Typed chat is off at this table."""

    code = "only-phrases"


class NoHints(TableError):
    """Hints are off at this table during a hand."""

    code = "no-hints"


class SeatOnly(TableError):
    """A seat token was used for something else."""

    code = "seat-only"


class MatchIsOn(TableError):
    """Seats and rules can't change during a match."""

    code = "match-is-on"


class EventTable(TableError):
    """The event decides this at its tables."""

    code = "event-table"


class UnknownTable(TableError):
    """There is no such table, or the caller can't see it."""

    code = "unknown-table"


class UnknownMatch(TableError):
    """The table has no match with that number."""

    code = "unknown-match"


class NotYourMatch(TableError):
    """A person who did not play in an earlier match asked for it."""

    code = "not-your-match"


class Stale(TableError):
    """The request is for an older version of the table; the current one is `current`."""

    code = "stale"

    def __init__(self, message: str, *, current: int, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.current = current


class UnknownLink(TableError):
    """There is no such link, or it has ended."""

    code = "unknown-link"


class NotSignedIn(LeftbowerError):
    """The token is missing or invalid."""

    code = "not-signed-in"


class WrongPassword(LeftbowerError):
    """The login or the password is wrong; the error does not say which."""

    code = "wrong-password"


class LoginTaken(LeftbowerError):
    """Another person has that login."""

    code = "login-taken"


class PasskeyRefused(LeftbowerError):
    """A passkey is unknown, its signature is invalid, or its challenge was used before."""

    code = "passkey-refused"


class NoPasskeys(LeftbowerError):
    """Browsers have no passkeys here: plain HTTP, or an IP address."""

    code = "no-passkeys"


class TooOften(LeftbowerError):
    """The caller exceeds a rate limit; `wait` is in seconds."""

    code = "too-often"

    def __init__(self, message: str, *, wait: float, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.wait = wait


class EventError(LeftbowerError):
    """An event can't do what was asked now."""


class BadLedger(Malformed):
    """An event's ledger can't be parsed or is inconsistent."""

    code = "bad-ledger"


class BadPlan(EventError):
    """An event can't be held as planned."""

    code = "bad-plan"


class BadEntry(EventError):
    """An entrant can't be entered like this."""

    code = "bad-entry"


class DuplicateName(EventError):
    """The name is already entered."""

    code = "duplicate-name"


class UnknownEntrant(EventError):
    """No entrant has that name or number."""

    code = "unknown-entrant"


class UnknownRound(EventError):
    """There is no such round yet, or none that can be drawn again."""

    code = "unknown-round"


class NotPlaying(EventError):
    """No match is on at that table in that round."""

    code = "not-playing"


class BadScore(EventError):
    """No match under the event's rules can end with this score."""

    code = "bad-score"


class ScoreStands(EventError):
    """There is a score already; correct it instead."""

    code = "score-stands"


class NoScore(EventError):
    """There is no score to confirm, dispute, rule on or correct."""

    code = "no-score"


class NotYourTable(EventError):
    """A player asked for something of another side, another table, or the desk."""

    code = "not-your-table"


class NotYourRole(EventError):
    """The role does not allow this: helpers handle scores, phones their own table."""

    code = "not-your-role"


class LinkRevoked(EventError):
    """The organizer ended or replaced this link."""

    code = "link-revoked"


class LinkInUse(EventError):
    """A player's link is used on another device; the desk can move it."""

    code = "link-in-use"


class UnknownEvent(EventError):
    """There is no such event, or it is not public."""

    code = "unknown-event"


class SignUpClosed(EventError):
    """Nobody can sign up now; ask the organizer."""

    code = "sign-up-closed"


class RoundIsOn(EventError):
    """Wait until every table of the round has its score."""

    code = "round-is-on"


class NothingToPair(EventError):
    """There is no round to draw: all are drawn, or too few entrants are present."""

    code = "nothing-to-pair"


class TieStands(EventError):
    """A prize that can't be split is between tied entrants: record a draw by lot."""

    code = "tie-stands"


class EventIsPaused(EventError):
    """The event is paused: no draws or scores."""

    code = "event-is-paused"


class EventIsClosed(EventError):
    """The event is closed, or a prize is paid; the results are final."""

    code = "event-is-closed"


class EventIsOpen(EventError):
    """Money is paid out only when the event is closed."""

    code = "event-is-open"


class BadMoney(EventError):
    """An amount of money is zero, too large, or has no receiver."""

    code = "bad-money"


class FileThere(LeftbowerError):
    """A new file would overwrite an existing one."""

    code = "file-there"


class NothingToUndo(TableError):
    """No action can be undone here."""

    code = "nothing-to-undo"


class BadRequest(Malformed):
    """A request can't be parsed: it is not JSON, or a field is missing."""

    code = "bad-request"


class ClientDisconnected(LeftbowerError):
    """A request's client closed the connection, so its work was canceled and nothing was done."""

    code = "client-disconnected"


class BadForm(Malformed):
    """A form can't be parsed: it is incomplete, nested, not UTF-8, or has too many fields."""

    code = "bad-form"


class BadHost(Malformed):
    """The Host header is empty, repeated, too long, or has invalid characters."""

    code = "bad-host"


class BadName(Malformed):
    """A name or title has no visible characters, or is too long."""

    code = "bad-name"


class TooMany(TableError):
    """One person has the maximum number of tables open."""

    code = "too-many"


class QuotaExceeded(LeftbowerError):
    """A table, event or person has reached a quota; the message says what to do."""

    code = "quota-exceeded"


class NotFound(LeftbowerError):
    """There is nothing at that address."""

    code = "not-found"


class WrongMethod(LeftbowerError):
    """The address does not support that method."""

    code = "wrong-method"


class CrossSite(LeftbowerError):
    """A page of another site sent the request, with this browser's session."""

    code = "cross-site"


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
