"""What a table is at one version: who sits where, what they agreed to, the match they play, and who is heard of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from leftbower import dealing
from leftbower.engine import Fact, InGame, InHand, Match, MatchOver, Open, Scored, Scores, ToDeal
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.seats import Seat
from leftbower.table.clocks import ALLOWANCES, Clock, Tempo
from leftbower.table.facts import Said


@dataclass(frozen=True, slots=True)
class Person:
    """A seat that a person has."""

    id: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A seat that a bot of some level has."""

    level: str


Sitter = Person | Bot
Seats = Mapping[Seat, Sitter]


def nobody() -> MappingProxyType[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Undo:
    """Somebody wants the own last act undone."""

    person: str
    agreed: frozenset[str] = frozenset()
    """Who has agreed so far."""


@dataclass(frozen=True, slots=True)
class Before:
    """A match before an act of a person."""

    person: str
    match: Match
    story: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a person agreed to play by."""

    rules: HouseRules
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch:
    """The result of a match that is over, and where it ends in the table's log."""

    number: int
    """1 for the first match of the table."""
    version: int
    """The number of its last fact."""
    at: float
    """When that was written down, in seconds."""
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
    """The root that was published before its first deck."""
    final_root: str
    """The root that was published when it was over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpening:
    """What a match is bound to, and the root that was published before its first deck."""

    plain: Mapping[str, Any]
    """Table, match, rules and players as JSON: what the root is a hash of."""
    root: str
    version: str
    """The version of leftbower whose bots play."""


@dataclass(frozen=True, slots=True)
class MatchIndex:
    """Every match of a table: snapshots where they begin, results of those that are over, and no story of any."""

    starts: tuple["Table", ...] = ()
    """The table as each match began: the facts of that match, folded from here, give its record again."""
    finished: tuple[FinishedMatch, ...] = ()
    people: frozenset[str] = frozenset()
    """Everyone who has had a seat in the latest match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Facts since the match began, or since it ended, that no rule of the game bounds: what quotas limit."""

    requests: int = 0
    """Facts of people at the table, without acts of the hand, cuts and deals."""
    by_person: Mapping[str, int] = field(default_factory=nobody)
    """The same by who caused them."""
    by_spectators: int = 0
    """Facts of people who have no seat."""
    presence: int = 0
    """Facts about who is there; in a match, since its last move."""
    undos: int = 0
    """Undos asked for in this hand."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Everything about a table, up to one version of it.

    Without slots, so that the next version, which is mostly the same, is made by copying one dictionary: see `but`.
    """

    version: int
    """The number of the last fact."""
    at: float
    """When it was written down, in seconds."""
    hash: bytes = b""
    """The store's hash of the log up to this version; empty where it was not read from one."""
    host: str
    """Nobody, "", after the last person left; then whoever sits down is the host."""
    rules: HouseRules
    level: str
    title: str = ""
    """What the host calls it."""
    event: str = ""
    """The match of an event that is played here; people decide nothing there but how they play."""
    clock: Clock = Clock.OFF
    moved: int = 1
    """The version since which everything about seats, rules and hand is as it is."""
    trick_version: int = 0
    """The version with the card that completed the last trick; 0 before the first one and after an undo."""
    seats: Seats = field(default_factory=nobody)
    """Who sits where; an empty seat is missing."""
    waiting: Mapping[Seat, str] = field(default_factory=nobody)
    """Latecomers, by the bot's seat that they get with the next hand."""
    agreed: frozenset[str] = frozenset()
    """Who is ready to play by the rules as they stand."""
    agreements: Mapping[str, Agreement] = field(default_factory=nobody)
    """What each person agreed to last, until the match begins; the host may have changed it since."""
    match: Match | None = None
    """None until everybody has agreed."""
    sealed: dealing.Sealed | None = None
    """The deck of the hand that is dealt next, or is played, or was played last; or of the draw for the dealer."""
    dealt: bool = False
    """Has the sealed deck been dealt, or drawn from?"""
    shuffler: Seat | None = None
    """Who shuffled the sealed deck for the draw for the dealer; None where it is the deck of a hand."""
    cut_offered: bool = False
    """Has the dealer of an honor table offered the cut of the sealed deck?"""
    cut: int | None = None
    """How many cards were lifted off the sealed deck, 0 for none; None while no answer is given."""
    last: Scored | None = None
    """The hand before."""
    sat: Seats = field(default_factory=nobody)
    """Who sat where when that hand ended: nobody sees it through the eyes of a seat taken since."""
    before: tuple["Before", ...] = ()
    """Where this hand stood before each act of a person."""
    story: tuple[Fact, ...] = ()
    """Every draw, deal and act of the match that still counts."""
    seals: tuple[tuple[dealing.Sealed, int | None], ...] = ()
    """The sealed deck of every draw and deal in it, and how it was cut; None where no cut was offered."""
    packets: Mapping[int, tuple[int, ...]] = field(default_factory=nobody)
    """The bundles of each deal in it whose dealer chose them, by the number of its deck among the seals."""
    match_number: int = 0
    """The number of the match that is played, or was played last; 0 before the first."""
    opening: MatchOpening | None = None
    """What this match is bound to; None until the house has bound it."""
    names: Mapping[str, str] = field(default_factory=nobody)
    """The commitments to the names of everyone who has had a seat in this match, by their ids."""
    bound_players: Mapping[str, Mapping[str, Any]] = field(default_factory=nobody)
    """The players that the root of the match, and those of its decks since, have bound, by seat."""
    deck_start: int = 0
    """Where in the story the draw or deal from the latest deck stands."""
    final_root: str = ""
    """The root over the whole match; empty until it is over."""
    told: int = 0
    """How much of the story belongs to games that are over, and so to everybody."""
    matches: MatchIndex = MatchIndex()
    """The matches of this table, the latest one included."""
    undo: Undo | None = None
    removed: Mapping[str, int] = field(default_factory=nobody)
    """The people whom a host removed last, with the version since which; without those who sat down again."""
    keeps_last_card: frozenset[str] = frozenset()
    """Who lays even the last card without help."""
    again: frozenset[str] = frozenset()
    """Who wants another match."""
    acts: MappingProxyType[str, int] = field(default_factory=nobody)
    """The latest acts that clients gave an id, by person and id, each with the version that came of it."""
    away: Mapping[str, int] = field(default_factory=nobody)
    """The people who sit here and of whom nothing is heard, with the version since which."""
    covered: Mapping[str, int] = field(default_factory=nobody)
    """The people for whom a bot plays now, with the version since which."""
    banks: Mapping[str, float] = field(default_factory=nobody)
    """Seconds left of the time bank, for whoever has taken some of it in this match."""
    rejoins: Mapping[Seat, tuple[int, int]] = field(default_factory=nobody)
    """Seats whose player the desk of the event let join from another device: how often, and the latest version."""
    closed: bool = False
    """Has the house stopped waiting for anybody?"""
    said: tuple[tuple[int, Said], ...] = ()
    """What was said last, with its version."""
    free_talk: bool = False
    """May people use words of their own?"""
    muted: frozenset[tuple[str, str]] = frozenset()
    """Who does not want to hear whom."""
    tempo: Tempo = Tempo.STEADY
    """How much time bots take over what they do."""
    hints: bool = False
    """May people who play with others ask the coach in the middle of a hand?"""
    counters: Counters = Counters()

    def but(self, **changes: Any) -> "Table":
        """The same table but for these: `dataclasses.replace` takes seven times as long, and every act needs this."""
        other = object.__new__(Table)
        other.__dict__.update(self.__dict__, **changes)
        return other

    @property
    def people(self) -> frozenset[str]:
        """The people who sit here."""
        return frozenset([one.id for one in self.seats.values() if isinstance(one, Person)])

    @property
    def present(self) -> frozenset[str]:
        """The people who sit here and are heard of."""
        return self.people - self.away.keys()

    @property
    def played(self) -> frozenset[str]:
        """The people who sat here when the last hand ended."""
        return frozenset(one.id for one in self.sat.values() if isinstance(one, Person))

    @property
    def revised(self) -> frozenset[str]:
        """The people who are ready, though rules or clock were changed since they agreed."""
        present = Agreement(self.rules, self.clock)
        return frozenset(person for person in self.agreed if self.agreements.get(person, present) != present)

    @property
    def past_players(self) -> frozenset[str]:
        """Everyone who had a seat in a match that is over."""
        return frozenset().union(*(match.people for match in self.matches.finished))

    @property
    def hand(self) -> Open | None:
        """The hand that is being played."""
        game = self.match.game if isinstance(self.match, InGame) else None
        return game.hand if isinstance(game, InHand) else None

    @property
    def gathering(self) -> bool:
        """Can people still choose seats and rules? Not while a match is played."""
        return self.match is None or isinstance(self.match, MatchOver)

    @property
    def full(self) -> bool:
        """Has every seat somebody?"""
        return all(seat in self.seats for seat in self.rules.places)

    @property
    def cutter(self) -> Seat | None:
        """Who is offered the cut now."""
        if self.sealed is None or self.dealt or self.cut is not None:
            return None
        if self.shuffler is not None:
            return cuts(self.rules, self.rules.draw_cut, self.shuffler)
        if self.rules.supervision is Supervision.HONOUR and not self.cut_offered:
            return None
        game = self.match.game if isinstance(self.match, InGame) else None
        return cuts(self.rules, self.rules.deal_cut, game.dealer) if isinstance(game, ToDeal) else None

    @property
    def deals(self) -> Seat | None:
        """Who is asked to deal the sealed deck: the dealer of an honor table. At a strict table the house deals."""
        if self.sealed is None or self.dealt or self.shuffler is not None or self.cutter is not None:
            return None
        game = self.match.game if isinstance(self.match, InGame) else None
        return game.dealer if isinstance(game, ToDeal) and self.rules.supervision is Supervision.HONOUR else None

    @property
    def may_offer_cut(self) -> bool:
        """May the seat that is asked to deal offer the cut first?"""
        return self.deals is not None and not self.cut_offered and self.rules.deal_cut is not Cut.NONE

    def bank_of(self, person: str) -> float:
        """Seconds left of a person's time bank."""
        full = ALLOWANCES[self.clock].bank if self.clock is not Clock.OFF else 0.0
        return self.banks.get(person, full)

    def may_ask_the_coach(self, person: str) -> bool:
        """Whoever plays with bots alone may, and among people where the host has allowed it; in an event nobody."""
        return not self.event and person in self.people and (self.hints or len(self.people) == 1)

    def seat_of(self, person: str) -> Seat | None:
        """Where a person sits, or will sit with the next hand."""
        for seat, one in self.seats.items():
            if isinstance(one, Person) and one.id == person:
                return seat
        return next((seat for seat, one in self.waiting.items() if one == person), None)


def act_key(person: str, act: str) -> str:
    """Under which an act is known again; ids of one person are strangers to those of another."""
    return f"{person}:{act}"


def cuts(rules: HouseRules, offered: Cut, dealer: Seat) -> Seat | None:
    """Who cuts when this seat deals, or shuffles for the draw, if anybody does."""
    at = rules.places.index(dealer)
    match offered:
        case Cut.NONE:
            return None
        case Cut.LEFT:
            return rules.places[(at + 1) % rules.seats]
        case _:
            return rules.places[(at - 1) % rules.seats]
