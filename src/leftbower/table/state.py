"""The state of a table at one version: seats, agreements, match, sealed decks, presence and chat."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from leftbower import dealing
from leftbower.engine.game import InHand, Scores, ToDeal
from leftbower.engine.legal_view import HandViews
from leftbower.engine.match import Fact, InGame, Match, MatchOver, ToDraw
from leftbower.engine.states import OpenState, Scored
from leftbower.rules import HouseRules, Seat, Side
from leftbower.rules.choices import Cut, Supervision
from leftbower.table.clocks import TIME_ALLOWANCES, Tempo, TimeControl
from leftbower.table.facts import ChatSent


@dataclass(frozen=True, slots=True)
class SeatedPerson:
    id: str


@dataclass(frozen=True, slots=True)
class SeatedBot:
    level: str
    stands_for: str = ""
    """Name of the absent player of an event in whose chair it sits."""


Occupant = SeatedPerson | SeatedBot
Seats = Mapping[Seat, Occupant]


def occupant_to_json(occupant: Occupant) -> dict[str, str]:
    if isinstance(occupant, SeatedPerson):
        return {"person": occupant.id}
    return {"bot": occupant.level} | ({"stands_for": occupant.stands_for} if occupant.stands_for else {})


def occupant_from_json(body: Mapping[str, str]) -> Occupant:
    if "person" in body:
        return SeatedPerson(body["person"])
    return SeatedBot(body["bot"], body.get("stands_for", ""))


def empty_mapping() -> MappingProxyType[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """A person asks to undo their own last act."""

    person: str
    agreed: frozenset[str] = frozenset()
    """People who have agreed so far."""


@dataclass(frozen=True, slots=True)
class UndoPoint:
    """The match before an act of a person."""

    person: str
    match: Match
    history: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The rules and clock that a person agreed to."""

    rules: HouseRules
    clock: TimeControl


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch:
    """The result of a match that is over, and where it ends in the table's log."""

    number: int
    """1 for the first match of the table."""
    version: int
    """The number of its last fact."""
    at: float
    """Store time of that fact, in seconds."""
    rules: HouseRules
    seats: Seats
    """Who sat where when it ended."""
    people: frozenset[str]
    """Everyone who had a seat in it."""
    wins: tuple[int, ...]
    """Games won by each side, in the order of `HouseRules.sides`."""
    scores: Scores
    """The score of its last game."""
    winner: Side | None
    """None for a tie."""
    root: str
    """Published before its first deck."""
    final_root: str
    """Published when it was over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpening:
    """The binding of a match, and its root, published before the first deck."""

    binding: Mapping[str, Any]
    """Table, match, rules and players as JSON; the root is a hash of it."""
    root: str
    bot_version: str
    """The version of leftbower whose bots play."""


@dataclass(frozen=True, slots=True)
class MatchIndex:
    """Every match of a table: a snapshot at its start and its result, without its history."""

    starts: tuple["Table", ...] = ()
    """The table as each match began; replaying the facts of the match from here gives its record."""
    finished: tuple[FinishedMatch, ...] = ()
    people: frozenset[str] = frozenset()
    """Everyone who had a seat in the latest match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Counts of facts that the game's rules don't limit, since the match started or ended; quotas limit these."""

    requests: int = 0
    """Facts caused by people at the table, except acts, cuts and deals."""
    by_person: Mapping[str, int] = field(default_factory=empty_mapping)
    """The same by person."""
    by_spectators: int = 0
    """Facts caused by people without a seat."""
    presence: int = 0
    """Connects and disconnects; in a match, since its last act."""
    undos: int = 0
    """Undo requests in this hand."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """The immutable state of a table at one version.

    It has no slots, so `replaced` makes the next version by copying one dictionary.
    """

    version: int
    """The number of the last fact."""
    at: float
    """Store time of that fact, in seconds."""
    hash: bytes = b""
    """The store's hash of the log up to this version; empty without a store."""
    host: str
    """Empty after the last person left; the next person to sit down becomes the host."""
    rules: HouseRules
    bot_level: str
    title: str = ""
    """The host's name for the table."""
    event: str = ""
    """The event match played here; the event decides everything but the play."""
    clock: TimeControl = TimeControl.OFF
    game_version: int = 1
    """The last version that changed seats, rules or hand."""
    trick_version: int = 0
    """The version with the card that completed the last trick; 0 before the first and after an undo."""
    seats: Seats = field(default_factory=empty_mapping)
    """Who sits where; an empty seat is missing."""
    latecomers: Mapping[Seat, str] = field(default_factory=empty_mapping)
    """Latecomers, by the bot's seat they get with the next hand."""
    agreed: frozenset[str] = frozenset()
    """The people ready to play by the current rules; after a hand, those ready for the next."""
    agreements: Mapping[str, Agreement] = field(default_factory=empty_mapping)
    """What each person agreed to last, until the match starts; the host may have changed it since."""
    match: Match | None = None
    """None until all people have agreed."""
    sealed_deck: dealing.Sealed | None = None
    """The deck of the next, current or last hand, or of the draw for dealer."""
    dealt: bool = False
    """Has the sealed deck been dealt or drawn from?"""
    shuffler: Seat | None = None
    """Who shuffled the deck for the draw for dealer; None for the deck of a hand."""
    cut_offered: bool = False
    """Has the dealer at an honor table offered the cut?"""
    cut: int | None = None
    """Cards lifted off the sealed deck, 0 for none; None while the cut is undecided."""
    last_hand: Scored | None = None
    """The last hand that was scored."""
    last_seats: Seats = field(default_factory=empty_mapping)
    """Who sat where when that hand ended; a seat taken later gives no view of it."""
    undo_points: tuple["UndoPoint", ...] = ()
    """The match before each act of a person in this hand."""
    history: tuple[Fact, ...] = ()
    """Every draw, deal and act of the match that still counts."""
    sealed_decks: tuple[tuple[dealing.Sealed, int | None], ...] = ()
    """The sealed deck and the cut of every draw and deal of the match; the cut is None if none was offered."""
    packets: Mapping[int, tuple[int, ...]] = field(default_factory=empty_mapping)
    """The packets of each deal whose dealer chose them, by the index of its deck in `sealed_decks`."""
    match_number: int = 0
    """The number of the current or last match; 0 before the first."""
    opening: MatchOpening | None = None
    """The binding of this match; None until the server has bound it."""
    name_commitments: Mapping[str, str] = field(default_factory=empty_mapping)
    """Commitments to the names of everyone who had a seat in this match, by person id."""
    bound_players: Mapping[str, Mapping[str, Any]] = field(default_factory=empty_mapping)
    """Players bound by the match root and the decks since, by seat."""
    deck_start: int = 0
    """Index in `history` of the draw or deal from the latest deck."""
    final_root: str = ""
    """The root over the whole match; empty until it is over."""
    public_until: int = 0
    """Length of the prefix of `history` that belongs to finished games and is public."""
    matches: MatchIndex = MatchIndex()
    """All matches of this table, including the latest."""
    undo: UndoRequest | None = None
    removed: Mapping[str, int] = field(default_factory=empty_mapping)
    """People a host removed who haven't sat down since, with the version of the removal."""
    manual_last_card: frozenset[str] = frozenset()
    """People who play even their last card themselves."""
    rematch: frozenset[str] = frozenset()
    """People who want another match."""
    idempotency_keys: MappingProxyType[str, int] = field(default_factory=empty_mapping)
    """The version that each of the latest acts led to, by `idempotency_key`; detects an act sent twice."""
    away: Mapping[str, int] = field(default_factory=empty_mapping)
    """Disconnected people at the table, each with the version of the disconnect."""
    substituted: Mapping[str, int] = field(default_factory=empty_mapping)
    """People for whom a bot plays now, each with the version of the substitution."""
    time_banks: Mapping[str, float] = field(default_factory=empty_mapping)
    """Seconds left in the time bank of each person who used some of it in this match."""
    rejoins: Mapping[Seat, tuple[int, int]] = field(default_factory=empty_mapping)
    """Seats whose player the event desk let join from another device: how often, and the latest version."""
    closed: bool = False
    """Did the table close because everyone was away?"""
    chat: tuple[tuple[int, ChatSent], ...] = ()
    """The latest chat messages, each with its version."""
    free_chat: bool = False
    """May people type messages, or only send phrases?"""
    muted: frozenset[tuple[str, str]] = frozenset()
    """Pairs: the first person has muted the second."""
    tempo: Tempo = Tempo.STEADY
    """How long bots take to act."""
    watching_allowed: bool = True
    """May people without a seat see the hands?"""
    hints_allowed: bool = False
    """May people who play with others ask for hints during a hand?"""
    counters: Counters = Counters()

    def replaced(self, **changes: Any) -> "Table":
        """Fast `dataclasses.replace`, which takes seven times as long; every act calls this."""
        copy = object.__new__(Table)
        copy.__dict__.update(self.__dict__, **changes)
        return copy

    @property
    def people(self) -> frozenset[str]:
        """Seated people."""
        return frozenset([occupant.id for occupant in self.seats.values() if isinstance(occupant, SeatedPerson)])

    @property
    def present(self) -> frozenset[str]:
        """Seated people who are connected."""
        return self.people - self.away.keys()

    @property
    def last_players(self) -> frozenset[str]:
        """People who were seated when the last hand ended."""
        return frozenset(occupant.id for occupant in self.last_seats.values() if isinstance(occupant, SeatedPerson))

    @property
    def agreed_before_change(self) -> frozenset[str]:
        """People who are ready although rules or clock changed after they agreed."""
        current = Agreement(self.rules, self.clock)
        return frozenset(person for person in self.agreed if self.agreements.get(person, current) != current)

    @property
    def past_players(self) -> frozenset[str]:
        """Everyone who had a seat in a finished match."""
        return frozenset().union(*(match.people for match in self.matches.finished))

    @property
    def hand(self) -> OpenState | None:
        """The current hand."""
        game = self.match.game if isinstance(self.match, InGame) else None
        return game.hand if isinstance(game, InHand) else None

    @property
    def hand_views(self) -> HandViews | None:
        """The views of the current or last hand; None before the first.

        They are computed once and passed on to later versions until the hand changes.
        """
        hand = self.hand or self.last_hand
        if hand is None:
            return None
        views: HandViews | None = self.__dict__.get("_hand_views")
        if views is None or views.state is not hand:
            views = self.__dict__["_hand_views"] = HandViews(hand)
        return views

    @property
    def gathering(self) -> bool:
        """Can people still choose seats and rules? Not during a match."""
        return self.match is None or isinstance(self.match, MatchOver)

    @property
    def pausing(self) -> bool:
        """Is a hand over, and the next deck or the draw of the next game not there yet?"""
        between = not self.gathering and self.hand is None and self.last_hand is not None
        return between and self.dealt and self.shuffler is None

    @property
    def phase(self) -> str:
        if self.closed:
            return "closed"
        match self.match:
            case None:
                return "gathering"
            case MatchOver():
                return "over"
            case InGame(game=InHand()):
                return "playing"
            case _ if self.cutter is not None:
                return "cutting"
            case match:
                return "drawing" if isinstance(match, ToDraw) else "dealing"

    @property
    def full(self) -> bool:
        """Is every seat taken?"""
        return all(seat in self.seats for seat in self.rules.seats)

    @property
    def cutter(self) -> Seat | None:
        """The seat that is offered the cut now."""
        if self.sealed_deck is None or self.dealt or self.cut is not None:
            return None
        if self.shuffler is not None:
            return cutting_seat(self.rules, self.rules.draw_cut, self.shuffler)
        if self.rules.supervision is Supervision.HONOR and not self.cut_offered:
            return None
        game = self.match.game if isinstance(self.match, InGame) else None
        return cutting_seat(self.rules, self.rules.deal_cut, game.dealer) if isinstance(game, ToDeal) else None

    @property
    def dealing_seat(self) -> Seat | None:
        """The seat that has to deal: the dealer at an honor table. At a strict table the server deals."""
        if self.sealed_deck is None or self.dealt or self.shuffler is not None or self.cutter is not None:
            return None
        game = self.match.game if isinstance(self.match, InGame) else None
        return game.dealer if isinstance(game, ToDeal) and self.rules.supervision is Supervision.HONOR else None

    @property
    def may_offer_cut(self) -> bool:
        """May the dealer offer the cut first?"""
        return self.dealing_seat is not None and not self.cut_offered and self.rules.deal_cut is not Cut.NONE

    def time_bank_of(self, person: str) -> float:
        """Seconds left of a person's time bank."""
        full = TIME_ALLOWANCES[self.clock].bank if self.clock is not TimeControl.OFF else 0.0
        return self.time_banks.get(person, full)

    def may_watch(self, person: str | None) -> bool:
        """Players and the host always see the hands, others where the host allows it, and all of them afterward."""
        is_here = person is not None and (person == self.host or self.seat_of(person) is not None)
        return self.watching_allowed or self.gathering or is_here

    def may_use_hints(self, person: str) -> bool:
        """Hints are for people who play only with bots, or if the host allows them; never in an event."""
        return not self.event and person in self.people and (self.hints_allowed or len(self.people) == 1)

    def seat_of(self, person: str) -> Seat | None:
        """The seat this person has, or gets with the next hand."""
        for seat, occupant in self.seats.items():
            if isinstance(occupant, SeatedPerson) and occupant.id == person:
                return seat
        return next((seat for seat, latecomer in self.latecomers.items() if latecomer == person), None)


def idempotency_key(person: str, act: str) -> str:
    """The key of `Table.idempotency_keys`: act ids are only unique per person."""
    return f"{person}:{act}"


def cutting_seat(rules: HouseRules, offered: Cut, dealer: Seat) -> Seat | None:
    """The seat that cuts if this seat deals, or shuffles for the draw; None if there is no cut."""
    index = rules.seats.index(dealer)
    match offered:
        case Cut.NONE:
            return None
        case Cut.LEFT:
            return rules.seats[(index + 1) % rules.players]
        case _:
            return rules.seats[(index - 1) % rules.players]
