"""Every deliberate error of leftbower: one root, a stable code each, one sentence for people."""

from collections.abc import Sequence
from typing import ClassVar, Self

from leftbower.i18n import gettext, gettext_noop


class LeftbowerError(Exception):
    """The root: something was asked that cannot be done, and the message says what and where."""

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
        """Errors travel between processes whole, whatever their class asks for when it is made."""
        return _rebuilt, (type(self), self.args, self.__dict__)

    def as_json(self) -> dict[str, object]:
        """The one shape in which an error leaves the program."""
        return {"code": self.code, "message": self.message, "path": self.path}


class Malformed(LeftbowerError):
    """The input cannot be read at all."""


class BadCard(Malformed):
    """A word that should name a card does not."""

    code = "bad-card"


class BadSuit(Malformed):
    """A word that should name a suit does not."""

    code = "bad-suit"


class BadSeat(Malformed):
    """A word that should name a seat does not, or the seat is not used in this game."""

    code = "bad-seat"


class BadToml(Malformed):
    """A rules file is not TOML."""

    code = "bad-toml"


class BadJson(Malformed):
    """A line of input is not the JSON object that was asked for."""

    code = "bad-json"


class BadLink(Malformed):
    """A rules link was mistyped, cut short, or made by a newer leftbower."""

    code = "bad-link"


class NotText(Malformed):
    """The input is not UTF-8 text."""

    code = "not-text"


class TooLarge(Malformed):
    """The input is far longer than any honest one."""

    code = "too-large"


class UnreadableFile(LeftbowerError):
    """A file is missing or may not be read."""

    code = "unreadable-file"


class BadUsage(LeftbowerError):
    """A command was called with words it does not take."""

    code = "bad-usage"


class OtherWork(LeftbowerError):
    """A file holds what came of other arguments, and adding to it would mix two experiments."""

    code = "other-work"


class MissingExtra(LeftbowerError):
    """A command needs a package that comes only with an extra."""

    code = "missing-extra"

    def __init__(self, extra: str) -> None:
        super().__init__("this needs the %(extra)s extra: pip install 'leftbower[%(extra)s]'", extra=extra)
        self.extra = extra


class UnknownRules(LeftbowerError):
    """No preset goes by that name, and it is neither a rules file nor a link."""

    code = "unknown-rules"


class UnknownPlayer(LeftbowerError):
    """No player goes by that name."""

    code = "unknown-player"


class UnknownOption(LeftbowerError):
    """A rule set names an option there is not."""

    code = "unknown-option"

    def __init__(self, option: str, near: Sequence[str] = ()) -> None:
        message = gettext_noop("%(option)s is not an option")
        if near:
            message = gettext_noop("%(option)s is not an option; did you mean %(near)s?")
        super().__init__(message, option=show(option), near=near[0] if near else "")
        self.option = option


class BadOption(LeftbowerError):
    """An option was given a value it cannot have."""

    code = "bad-option"

    def __init__(self, option: str, value: object, reason: str) -> None:
        super().__init__("%(option)s = %(value)s: %(reason)s", option=option, value=show(value), reason=reason)
        self.option = option
        self.value = value
        self.reason = reason


class ImpossibleRules(BadOption):
    """Each option is fine alone, but the two of them cannot both hold at one table."""

    code = "impossible-rules"


class BadIncident(LeftbowerError):
    """The facts reported to the referee are incomplete or contradict each other."""

    code = "bad-incident"


class BadDeal(LeftbowerError):
    """A deal has a card twice, a card that is not in the deck, or a wrong number of cards."""

    code = "bad-deal"


class BadHandLine(Malformed):
    """A hand line cannot be read."""

    code = "bad-hand-line"


class BadRecord(Malformed):
    """A recorded game cannot be read, or was cut short."""

    code = "bad-record"


class BadEgn(Malformed):
    """A file in Euchre Game Notation cannot be read, or one of its deals cannot."""

    code = "bad-egn"


class EncodedDeal(Malformed):
    """A file in Euchre Game Notation has its deals as encoded text instead of objects."""

    code = "encoded-deal"


class UnsupportedRules(LeftbowerError):
    """A recorded game was played under a rule that no option expresses, so it would be replayed wrongly."""

    code = "unsupported-rules"


class BadCut(LeftbowerError):
    """A cut was made where none is offered, or it left no card in one of the parts."""

    code = "bad-cut"


class BadSeal(LeftbowerError):
    """A sealed deck, what was opened of it, and the hand dealt from it do not fit together."""

    code = "bad-seal"


class NothingSealed(LeftbowerError):
    """A record has no sealed deck, so there is nothing to verify."""

    code = "nothing-sealed"


class UnfinishedRecord(LeftbowerError):
    """A record fits as far as it goes, but does not go to the end of its match."""

    code = "unfinished-record"


class WrongRoot(LeftbowerError):
    """A record has not the root that was published: it is another record, or part of one."""

    code = "wrong-root"


class NothingToSolve(LeftbowerError):
    """A hand has no play to solve: trump is not made, it is over without tricks, or not every card is known."""

    code = "nothing-to-solve"


class RuleViolation(LeftbowerError):
    """An act the rules do not allow now. The state it was tried on is in `state`, which nothing prints."""

    def __init__(self, message: str, *, state: object, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.state: object = state

    def __reduce__(self) -> tuple[object, ...]:
        """The state stays behind: it has every card in it."""
        return _rebuilt, (type(self), self.args, self.__dict__ | {"state": None})


class NotYourTurn(RuleViolation):
    """A player acted while another one is to act."""

    code = "not-your-turn"


class NotNow(RuleViolation):
    """An act that belongs to another part of the hand."""

    code = "not-now"


class IllegalAnswer(RuleViolation):
    """A player in a program answered with something that is not among its legal actions, or talks without end."""

    code = "illegal-answer"


class HandIsOver(RuleViolation):
    """The hand has been scored; nothing can be done in it any more."""

    code = "hand-is-over"


class MustFollowSuit(RuleViolation):
    """A player who could follow suit tried not to: a renege, refused."""

    code = "must-follow-suit"


class CardNotHeld(RuleViolation):
    """A player tried to use a card that is not in the hand."""

    code = "card-not-held"


class SuitTurnedDown(RuleViolation):
    """The suit of the up-card was named in the second round."""

    code = "suit-turned-down"


class DealerIsStuck(RuleViolation):
    """The dealer tried to pass when everyone else had passed twice and the rules make the dealer name a suit."""

    code = "dealer-is-stuck"


class NoNaturalTrump(RuleViolation):
    """The dealer tried to take the up-card without having been dealt a card of its suit."""

    code = "no-natural-trump"


class MustGoAlone(RuleViolation):
    """The dealer's partner tried to order up without going alone, where the rules allow only that."""

    code = "must-go-alone"


class DiscardFirst(RuleViolation):
    """A dealer who made trump tried to take the dummy before discarding for the up-card."""

    code = "discard-first"


class UpCardStays(RuleViolation):
    """The dealer tried to bury the up-card, where the rules want another card."""

    code = "up-card-stays"


class NoFarmersHand(RuleViolation):
    """A player showed cards that are not a farmer's hand."""

    code = "no-farmers-hand"


class NothingDrawn(RuleViolation):
    """A game cannot begin before its first dealer is drawn."""

    code = "nothing-drawn"


class NothingDealt(RuleViolation):
    """A player acted before the hand was dealt."""

    code = "nothing-dealt"


class NotTheDealer(RuleViolation):
    """A hand was dealt by a player whose deal it is not."""

    code = "not-the-dealer"


class StillPlaying(RuleViolation):
    """A hand was dealt, or a dealer drawn, while the last one was still being played."""

    code = "still-playing"


class GameIsOver(RuleViolation):
    """The game has been won; nothing can be done in it any more."""

    code = "game-is-over"


class MatchIsOver(RuleViolation):
    """The match has been won; nothing can be done in it any more."""

    code = "match-is-over"


class StoreError(LeftbowerError):
    """The store cannot do, or cannot promise, what was asked of it."""


class Conflict(StoreError):
    """Something was appended behind a sequence number that is not the log's last one. `current` is the last one."""

    code = "conflict"

    def __init__(self, log: str, *, expected: int, current: int) -> None:
        super().__init__(
            "log %(log)s is at %(current)d, not at %(expected)d: read it again",
            log=show(log),
            current=current,
            expected=expected,
        )
        self.log = log
        self.expected = expected
        self.current = current


class Unstorable(StoreError):
    """What was to be written is not something the store keeps: no JSON, no kind, no version, or a bad name."""

    code = "unstorable"


class AlreadyThere(StoreError):
    """A person, session, link, login or passkey of that name is in the store already."""

    code = "already-there"


class NotThere(StoreError):
    """A session, login or passkey was asked for a person who is not in the store."""

    code = "not-there"


class StoreLocked(StoreError):
    """A store's file is held by another server or program."""

    code = "store-locked"


class NotAStore(StoreError):
    """What was to be opened is not a leftbower store, or its address cannot be read."""

    code = "not-a-store"


class WrongSchema(StoreError):
    """A store was written by another version of leftbower, in a form this one does not know."""

    code = "wrong-schema"


class UnsafeStore(StoreError):
    """A database will not promise that what is committed stays: it is set up, or too old, for less."""

    code = "unsafe-store"


class StoreUnreachable(StoreError):
    """A store's file or database cannot be opened or reached, or the connection to it was lost."""

    code = "store-unreachable"


class StoreFull(StoreError):
    """The disk under a store is full; nothing of what was asked was written."""

    code = "store-full"


class StoreReadOnly(StoreError):
    """A store may be read here but not written."""

    code = "store-read-only"


class StoreBroken(StoreError):
    """A store's disk fails or its file is damaged; nothing more is written until it is opened again."""

    code = "store-broken"


class StoreClosed(StoreError):
    """A store was used after it was closed."""

    code = "store-closed"


class BadDump(Malformed):
    """A dump of a store cannot be read, was cut short or was changed."""

    code = "bad-dump"


class NotEmpty(StoreError):
    """A backup or restore would write over something that is there."""

    code = "not-empty"


class BrokenChain(StoreError):
    """A row of a log was changed, removed, put in or moved: its hash chain does not hold."""

    code = "broken-chain"


class LogEdited(StoreError):
    """The log of a table or an event is not as it was written, so the server does not serve it; others go on."""

    code = "log-edited"


class BadSettings(Malformed):
    """A setting of the server cannot be what it was set to."""

    code = "bad-settings"


class WorkerEnded(LeftbowerError):
    """One of the processes of a server ended before it served, or never began to."""

    code = "worker-ended"


class TableError(LeftbowerError):
    """A table cannot do what was asked now."""


class NotSeated(TableError):
    """The caller has no seat at the table."""

    code = "not-seated"


class WasRemoved(TableError):
    """The host removed this person from the table a moment ago."""

    code = "was-removed"


class SeatTaken(TableError):
    """Another player has the seat."""

    code = "seat-taken"


class NobodyThere(TableError):
    """There is no such seat, or it is empty."""

    code = "nobody-there"


class NotTheHost(TableError):
    """Only the host of a table can do this."""

    code = "not-the-host"


class OnlyPhrases(TableError):
    """Free text is not allowed at this table: only the listed phrases."""

    code = "only-phrases"


class NoHints(TableError):
    """A player asked for a hint in the middle of a hand, at a table that does not allow it."""

    code = "no-hints"


class SeatOnly(TableError):
    """A token for one seat was used for something else."""

    code = "seat-only"


class MatchIsOn(TableError):
    """Seats and rules cannot change while a match is played."""

    code = "match-is-on"


class EventTable(TableError):
    """A command at an event's table concerns what the event decides."""

    code = "event-table"


class UnknownTable(TableError):
    """There is no such table, or it is not visible to the caller."""

    code = "unknown-table"


class UnknownMatch(TableError):
    """The table has played no match of that number."""

    code = "unknown-match"


class NotYourMatch(TableError):
    """An earlier match of a table was asked for by a person who did not play in it."""

    code = "not-your-match"


class Stale(TableError):
    """A command names an older version of the table than the current one, which is `current`."""

    code = "stale"

    def __init__(self, message: str, *, current: int, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.current = current


class UnknownLink(TableError):
    """A link leads nowhere, or no longer."""

    code = "unknown-link"


class NotSignedIn(LeftbowerError):
    """A request without a token, or with one that is not good."""

    code = "not-signed-in"


class WrongPassword(LeftbowerError):
    """The login or the password is wrong; the error does not say which."""

    code = "wrong-password"


class LoginTaken(LeftbowerError):
    """Another person has that login."""

    code = "login-taken"


class PasskeyRefused(LeftbowerError):
    """A passkey is not known, did not sign what it was asked to, or has signed it before."""

    code = "passkey-refused"


class NoPasskeys(LeftbowerError):
    """Passkeys were asked for where browsers have none: under plain HTTP, or at a bare number."""

    code = "no-passkeys"


class TooOften(LeftbowerError):
    """The caller exceeds a rate limit; `wait` is in seconds."""

    code = "too-often"

    def __init__(self, message: str, *, wait: float, path: str = "", **values: object) -> None:
        super().__init__(message, path=path, **values)
        self.wait = wait


class EventError(LeftbowerError):
    """An event cannot do what was asked now."""


class BadLedger(Malformed):
    """The ledger of an event cannot be read, or does not hold together."""

    code = "bad-ledger"


class BadPlan(EventError):
    """An event cannot be held as it is planned."""

    code = "bad-plan"


class BadEntry(EventError):
    """An entrant cannot be entered like this."""

    code = "bad-entry"


class DuplicateName(EventError):
    """An entrant of that name is entered already."""

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
    """A score cannot come about under the rules of the event."""

    code = "bad-score"


class ScoreStands(EventError):
    """A score is there already; it is corrected, not entered again."""

    code = "score-stands"


class NoScore(EventError):
    """There is no score that could be confirmed, disputed, ruled on or corrected."""

    code = "no-score"


class NotYourTable(EventError):
    """A player asked for what belongs to another side, to another table, or to the desk."""

    code = "not-your-table"


class NotYourRole(EventError):
    """That is not for this role to do: helpers keep scores, phones those of their own table."""

    code = "not-your-role"


class LinkRevoked(EventError):
    """The organizer has ended or replaced this link."""

    code = "link-revoked"


class LinkInUse(EventError):
    """A player's link is used on another device; the desk can let it move."""

    code = "link-in-use"


class UnknownEvent(EventError):
    """There is no such event, or it is not public."""

    code = "unknown-event"


class RoundIsOn(EventError):
    """That has to wait until every table of the round has its score."""

    code = "round-is-on"


class NothingToPair(EventError):
    """There is no round to draw: every one is drawn, or too few are there to play."""

    code = "nothing-to-pair"


class TieStands(EventError):
    """What cannot be divided is between entrants who are level: a draw by lot has to be recorded."""

    code = "tie-stands"


class EventIsPaused(EventError):
    """Nothing is drawn or scored while the event is paused."""

    code = "event-is-paused"


class EventIsClosed(EventError):
    """The event is closed, or something of it is paid out; its results stand."""

    code = "event-is-closed"


class EventIsOpen(EventError):
    """Money is paid out only when the event is closed."""

    code = "event-is-open"


class BadMoney(EventError):
    """An amount of money cannot be: it is zero, too large, or not owed."""

    code = "bad-money"


class FileThere(LeftbowerError):
    """A new file would be written over one that is there."""

    code = "file-there"


class NothingToUndo(TableError):
    """There is no act that could be undone, or the table does not allow undoing."""

    code = "nothing-to-undo"


class BadRequest(Malformed):
    """A request to the server cannot be read: it is not JSON, or has not what was asked for."""

    code = "bad-request"


class ClientDisconnected(LeftbowerError):
    """A request's client closed the connection, so its work was canceled and nothing was done."""

    code = "client-disconnected"


class BadForm(Malformed):
    """A form cannot be read: it is incomplete, nested, not UTF-8, or has more fields than any form here."""

    code = "bad-form"


class BadHost(Malformed):
    """The Host header of a request is empty, repeated, too long, or has characters no host name has."""

    code = "bad-host"


class BadName(Malformed):
    """A name or title has nothing in it that can be read, or is too long."""

    code = "bad-name"


class TooMany(TableError):
    """The person has as many tables open as one person can."""

    code = "too-many"


class QuotaExceeded(LeftbowerError):
    """A table, an event or a person has as much stored as it can have; the message says what to do."""

    code = "quota-exceeded"


class NotFound(LeftbowerError):
    """The server has nothing at that address."""

    code = "not-found"


class WrongMethod(LeftbowerError):
    """The resource at that address does not support this HTTP method."""

    code = "wrong-method"


class CrossSite(LeftbowerError):
    """A cross-site request: another site's page used the browser's session here."""

    code = "cross-site"


def show(value: object) -> str:
    """A value as it stands in a rules file, cut to a length a sentence can hold."""
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
            except (ValueError, RecursionError):  # a number of thousands of digits, or lists in lists in lists
                text = "…"
    return text if len(text) <= 40 else text[:39] + "…"


def _printable(text: str) -> str:
    """A sentence may quote user input, so nothing in it may move the cursor or hide a character."""
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "�" for letter in text)


def _rebuilt(kind: type[LeftbowerError], args: tuple[object, ...], fields: dict[str, object]) -> LeftbowerError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class Uncompiled(RuntimeWarning):
    """The kernel runs as plain Python: right, but slow."""
