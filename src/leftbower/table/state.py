"""A table as a fold over its facts: who sits where, what they agreed to, and the match they play."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from leftbower import dealing
from leftbower.engine import (
    Fact,
    InGame,
    InHand,
    Match,
    MatchOver,
    Open,
    Scored,
    ToDeal,
    ToDraw,
    apply,
    deal_hand,
    draw_dealer,
    follow,
    new_match,
)
from leftbower.rules.choices import Cut
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table.facts import (
    Acted,
    AgainWanted,
    Agreed,
    BotSat,
    Cleared,
    Created,
    CutMade,
    Drawn,
    HandedOver,
    LastCardKept,
    Left,
    Removed,
    RulesChanged,
    Sat,
    Sealed,
    Swapped,
    TableFact,
    UndoAnswered,
    UndoAsked,
)

ACTS_KEPT: Final = 400
"""So many acts are known again when they are sent twice: more than a match has."""


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


def _nobody() -> MappingProxyType[Any, Any]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Everything about a table, up to one version of it."""

    version: int
    """The number of the last fact."""
    at: float
    """When it was written down, in seconds."""
    host: str
    """Nobody, "", after the last person left; then whoever sits down is the host."""
    rules: HouseRules
    level: str
    title: str = ""
    """What the host calls it."""
    seats: Seats = field(default_factory=_nobody)
    """Who sits where; an empty seat is missing."""
    waiting: Mapping[Seat, str] = field(default_factory=_nobody)
    """Latecomers, by the bot's seat that they get with the next hand."""
    agreed: frozenset[str] = frozenset()
    """Who has agreed to the rules as they stand."""
    match: Match | None = None
    """None until everybody has agreed."""
    sealed: dealing.Sealed | None = None
    """The deck of the hand that is dealt next, or is played, or was played last."""
    dealt: bool = False
    """Has the sealed deck been dealt?"""
    cut: int = 0
    last: Scored | None = None
    """The hand before."""
    sat: Seats = field(default_factory=_nobody)
    """Who sat where when that hand ended: nobody sees it through the eyes of a seat taken since."""
    before: tuple["Before", ...] = ()
    """Where this hand stood before each act of a person."""
    story: tuple[Fact, ...] = ()
    """Every draw, deal and act of the match that still counts."""
    seals: tuple[tuple[dealing.Sealed, int], ...] = ()
    """The sealed deck of every deal in it, and how it was cut."""
    told: int = 0
    """How much of the story belongs to games that are over, and so to everybody."""
    undo: Undo | None = None
    keeps_last_card: frozenset[str] = frozenset()
    """Who lays even the last card without help."""
    again: frozenset[str] = frozenset()
    """Who wants another match."""
    acts: Mapping[str, int] = field(default_factory=_nobody)
    """The latest acts that clients gave an id, by person and id, each with the version that came of it."""

    @property
    def people(self) -> frozenset[str]:
        """The people who sit here."""
        return frozenset(one.id for one in self.seats.values() if isinstance(one, Person))

    @property
    def played(self) -> frozenset[str]:
        """The people who sat here when the last hand ended."""
        return frozenset(one.id for one in self.sat.values() if isinstance(one, Person))

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
        game = self.match.game if isinstance(self.match, InGame) else None
        if not isinstance(game, ToDeal) or self.sealed is None or self.dealt:
            return None
        return cuts(self.rules, self.rules.deal_cut, game.dealer)

    def seat_of(self, person: str) -> Seat | None:
        """Where a person sits, or will sit with the next hand."""
        sits = (seat for seat, one in self.seats.items() if one == Person(person))
        waits = (seat for seat, one in self.waiting.items() if one == person)
        return next(sits, None) or next(waits, None)


def act_key(person: str, act: str) -> str:
    """Under which an act is known again; ids of one person are strangers to those of another."""
    return f"{person}:{act}"


def cuts(rules: HouseRules, offered: Cut, dealer: Seat) -> Seat | None:
    """Who cuts when this seat deals, if anybody does."""
    at = rules.places.index(dealer)
    match offered:
        case Cut.NONE:
            return None
        case Cut.LEFT:
            return rules.places[(at + 1) % rules.seats]
        case _:
            return rules.places[(at - 1) % rules.seats]


def fold(facts: Iterable[tuple[TableFact, float]], table: Table | None = None) -> Table | None:
    """The table after these facts, each with its time."""
    for fact, at in facts:
        table = after(table, fact, at)
    return table


def after(table: Table | None, fact: TableFact, at: float) -> Table:
    """The table after one more fact. Facts are what happened: nobody asks here whether it was allowed."""
    if isinstance(fact, Created):
        return Table(version=1, at=at, host=fact.person, rules=fact.rules, level=fact.level, title=fact.title)
    assert table is not None
    return replace(_changed(table, fact), version=table.version + 1, at=at)


def _changed(table: Table, fact: TableFact) -> Table:
    match fact:
        case Sat():
            return _sat(table, fact)
        case BotSat():
            return _started(_asked_again(table, seats=_with(table.seats, fact.seat, Bot(fact.level))))
        case Cleared():
            return _asked_again(table, seats=_with(table.seats, fact.seat, None))
        case Swapped():
            one, other = table.seats.get(fact.seat), table.seats.get(fact.other)
            return replace(table, seats=_with(_with(table.seats, fact.seat, other), fact.other, one))
        case Left() | Removed():
            return _gone(table, fact.person)
        case HandedOver():
            return replace(table, host=fact.person)
        case RulesChanged():
            seats = {seat: one for seat, one in table.seats.items() if seat in fact.rules.places}
            return _asked_again(table, rules=fact.rules, seats=MappingProxyType(seats))
        case Agreed():
            return _started(replace(table, agreed=table.agreed | {fact.person}))
        case Drawn() | Sealed() | CutMade():
            return _dealt(table, fact)
        case Acted():
            return _acted(table, fact)
        case LastCardKept():
            kept = table.keeps_last_card
            return replace(table, keeps_last_card=kept | {fact.person} if fact.kept else kept - {fact.person})
        case UndoAsked():
            return _undone(replace(table, undo=Undo(fact.person)))
        case UndoAnswered():
            return _answered(table, fact)
        case AgainWanted():
            wanted = replace(table, again=table.again | {fact.person}, agreed=table.agreed | {fact.person})
            return _started(wanted)
    raise AssertionError(f"no table begins twice: {fact}")


# Before and between matches


def _sat(table: Table, fact: Sat) -> Table:
    table = replace(table, host=table.host or fact.person)
    if not table.gathering:
        waiting = {seat: one for seat, one in table.waiting.items() if one != fact.person}
        return replace(table, waiting=MappingProxyType(waiting | {fact.seat: fact.person}))
    if table.seats.get(fact.seat) == Person(fact.person):
        return table
    left = {seat: one for seat, one in table.seats.items() if one != Person(fact.person)}
    return _asked_again(table, seats=MappingProxyType(left | {fact.seat: Person(fact.person)}), of=fact.person)


def _asked_again(table: Table, *, seats: Seats, rules: HouseRules | None = None, of: str | None = None) -> Table:
    """Other rules ask everybody again; another sitter only whoever sat down."""
    agreed = frozenset() if rules is not None else table.agreed - {of}
    return replace(table, seats=seats, rules=rules or table.rules, agreed=agreed, again=frozenset())


def _gone(table: Table, person: str) -> Table:
    """An empty chair while people gather; in a match a bot plays on in it."""
    waiting = MappingProxyType({seat: one for seat, one in table.waiting.items() if one != person})
    rest = {seat: one for seat, one in table.seats.items() if one != Person(person)}
    if not table.gathering:
        rest = {seat: Bot(table.level) if one == Person(person) else one for seat, one in table.seats.items()}
    left = [*sorted(one.id for one in rest.values() if isinstance(one, Person)), *sorted(waiting.values()), ""]
    host = left[0] if table.host == person else table.host
    undo = None if table.undo and table.undo.person == person else table.undo
    gone = replace(table, seats=MappingProxyType(rest), waiting=waiting, host=host, undo=undo)
    gone = replace(gone, agreed=table.agreed - {person}, again=table.again - {person})
    return _undone(gone) if undo else gone


def _started(table: Table) -> Table:
    """The match begins when every seat has somebody, and everybody who is a person has agreed."""
    if not table.gathering or not table.full or not table.people or not table.people <= table.agreed:
        return table
    fresh = replace(table, sealed=None, dealt=False, last=None, before=(), again=frozenset())
    return replace(fresh, match=new_match(table.rules), story=(), seals=(), told=0)


# The house deals


def _dealt(table: Table, fact: Drawn | Sealed | CutMade) -> Table:
    if isinstance(fact, CutMade):
        return _deal(replace(table, cut=fact.number))
    deck = dealing.seal(bytes.fromhex(fact.entropy), table.rules.deck)
    if isinstance(fact, Drawn):
        assert isinstance(table.match, ToDraw)
        draw = draw_dealer(table.rules, shuffler=table.rules.places[0], deck=deck.deck)
        return replace(table, match=follow(table.match, draw), story=(*table.story, draw))
    sealed = replace(_seated(table), sealed=deck, dealt=False, cut=0, before=(), undo=None)
    return sealed if sealed.cutter else _deal(sealed)


def _seated(table: Table) -> Table:
    """Latecomers take over from bots."""
    late = {seat: Person(person) for seat, person in table.waiting.items()}
    return replace(table, seats=MappingProxyType({**table.seats, **late}), waiting=MappingProxyType({}))


def _deal(table: Table) -> Table:
    assert isinstance(table.match, InGame)
    assert isinstance(table.match.game, ToDeal)
    assert table.sealed is not None
    deal = deal_hand(table.rules, dealer=table.match.game.dealer, deck=table.sealed.deck, cut=table.cut)
    seals = (*table.seals, (table.sealed, table.cut))
    return replace(table, match=follow(table.match, deal), dealt=True, story=(*table.story, deal), seals=seals)


# People and bots play


def _acted(table: Table, fact: Acted) -> Table:
    hand, sitter = table.hand, table.seats.get(fact.action.seat)
    assert table.match is not None
    assert hand is not None
    before, story, acts = table.before, (*table.story, fact.action), table.acts
    if isinstance(sitter, Person):
        before = (*before, Before(sitter.id, table.match, table.story))
        if fact.act:
            kept = [*acts.items()][1 - ACTS_KEPT :]
            acts = MappingProxyType({**dict(kept), act_key(sitter.id, fact.act): table.version + 1})
    match = follow(table.match, fact.action)
    played = replace(table, match=match, before=before, story=story, acts=acts, undo=None)
    if played.hand is not None:
        return played
    ended = apply(hand, fact.action)
    assert isinstance(ended, Scored)
    goes_on = isinstance(match, InGame) and isinstance(match.game, ToDeal) and match.game.last is not None
    scored = replace(played, last=ended, sat=table.seats, before=(), told=table.told if goes_on else len(story))
    return _over(scored) if isinstance(match, MatchOver) else scored


def _over(table: Table) -> Table:
    """After a match latecomers have their seats, and whoever wants another match says so."""
    return replace(_seated(table), agreed=frozenset())


def _answered(table: Table, fact: UndoAnswered) -> Table:
    if table.undo is None or not fact.agreed:
        return replace(table, undo=None)
    return _undone(replace(table, undo=replace(table.undo, agreed=table.undo.agreed | {fact.person})))


def _undone(table: Table) -> Table:
    """Back to before that person's last act, once all other people agree."""
    undo = table.undo
    assert undo is not None
    if table.people - {undo.person} - undo.agreed:
        return table
    at = max(number for number, one in enumerate(table.before) if one.person == undo.person)
    back = table.before[at]
    return replace(table, match=back.match, story=back.story, before=table.before[:at], undo=None)


def _with(seats: Seats, seat: Seat, sitter: Sitter | None) -> Seats:
    rest = {other: one for other, one in seats.items() if other is not seat}
    return MappingProxyType(rest if sitter is None else {**rest, seat: sitter})
