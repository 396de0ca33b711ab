"""A table as a fold over its facts. Facts are what happened: nobody asks here whether it was allowed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypedDict, TypeVar

from leftbower import dealing
from leftbower.engine import (
    Answering,
    Closing,
    Deal,
    Draw,
    GoTogether,
    InGame,
    MatchOver,
    Play,
    Playing,
    Scored,
    Settling,
    State,
    ToDeal,
    ToDraw,
    apply,
    deal_hand,
    draw_dealer,
    follow,
    new_match,
)
from leftbower.rules.choices import Cut, Deviations, Supervision
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table.chain import bind_deck, final_root_of, with_opening
from leftbower.table.clocks import Clock, left_after
from leftbower.table.counters import counted
from leftbower.table.facts import (
    Acted,
    AgainWanted,
    Agreed,
    BotSat,
    Cleared,
    ClockSet,
    Closed,
    Covered,
    Created,
    CutMade,
    CutOffered,
    Dealt,
    Drawn,
    Dropped,
    HandedOver,
    HintsSet,
    LastCardKept,
    Left,
    MatchOpened,
    Muted,
    RejoinAnnounced,
    Removed,
    Returned,
    RulesChanged,
    Said,
    Sat,
    Sealed,
    Swapped,
    TableFact,
    TalkSet,
    TempoSet,
    TimedOut,
    UndoAnswered,
    UndoAsked,
)
from leftbower.table.matches import with_result, with_start
from leftbower.table.model import (
    Agreement,
    Before,
    Bot,
    Counters,
    Person,
    Seats,
    Sitter,
    Table,
    Undo,
    act_key,
    nobody,
)

ACTS_KEPT: Final = 400
"""So many acts are known again when they are sent twice: more than a match has."""
MAX_REMOVED: Final = 100
"""The most people of whom a table knows that its host removed them."""
SAID_KEPT: Final = 20
"""So much of what was said last is still heard."""
_BESIDE: Final = (
    *(LastCardKept, Dropped, Returned, Covered, TimedOut, Closed, RejoinAnnounced),
    *(Said, Muted, TalkSet, TempoSet, HintsSet),
)
"""Facts beside the game: an act that was meant for the version before them still means the same."""


T = TypeVar("T")


class _Stamp(TypedDict):
    """What every fact changes."""

    version: int
    moved: int
    at: float


def fold(facts: Iterable[tuple[TableFact, float]], table: Table | None = None) -> Table | None:
    """The table after these facts, each with its time."""
    for fact, at in facts:
        table = after(table, fact, at)
    return table


def after(table: Table | None, fact: TableFact, at: float) -> Table:
    """The table after one more fact. Facts are what happened: nobody asks here whether it was allowed."""
    if isinstance(fact, Created):
        opened = Table(version=1, at=at, host=fact.person, rules=fact.rules, level=fact.level)
        return replace(opened, title=fact.title, clock=fact.clock, event=fact.event)
    assert table is not None
    version = table.version + 1
    stamp: _Stamp = {"version": version, "moved": table.moved if isinstance(fact, _BESIDE) else version, "at": at}
    if isinstance(fact, Acted):
        return _acted(table, fact, stamp)
    return counted(table, _changed(table, fact), fact).but(**stamp)


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
        case Left():
            return _gone(table, fact.person)
        case Removed():
            removed = [*_without(table.removed, fact.person).items(), (fact.person, table.version + 1)]
            return replace(_gone(table, fact.person), removed=MappingProxyType(dict(removed[-MAX_REMOVED:])))
        case HandedOver():
            return replace(table, host=fact.person)
        case RulesChanged():
            return _revised(table, fact.rules, table.clock)
        case Agreed():
            return _started(_agreed(table, fact.person))
        case MatchOpened():
            return with_opening(table, fact)
        case Drawn() | Sealed() | CutOffered() | CutMade() | Dealt():
            return _dealt(table, fact)
        case LastCardKept():
            kept = table.keeps_last_card
            return replace(table, keeps_last_card=kept | {fact.person} if fact.kept else kept - {fact.person})
        case UndoAsked():
            return _undone(replace(table, undo=Undo(fact.person)))
        case UndoAnswered():
            return _answered(table, fact)
        case AgainWanted():
            return _started(replace(_agreed(table, fact.person), again=table.again | {fact.person}))
        case ClockSet():
            return _revised(table, table.rules, fact.clock)
        case Dropped() | Returned() | Covered() | TimedOut() | Closed():
            return _seen_to(table, fact)
        case RejoinAnnounced():
            announced = {**table.rejoins, fact.seat: (fact.times, table.version + 1)}
            return replace(table, rejoins=MappingProxyType(announced))
        case Said() | Muted() | TalkSet():
            return _talked(table, fact)
        case TempoSet():
            return replace(table, tempo=fact.tempo)
        case HintsSet():
            return replace(table, hints=fact.allowed)
    raise AssertionError(f"no table begins twice: {fact}")


# Before and between matches


def _sat(table: Table, fact: Sat) -> Table:
    table = replace(table, host=table.host or ("" if table.event else fact.person), closed=False)
    table = replace(table, removed=_without(table.removed, fact.person))
    if not table.gathering:
        waiting = {seat: one for seat, one in table.waiting.items() if one != fact.person}
        return replace(table, waiting=MappingProxyType(waiting | {fact.seat: fact.person}))
    if table.seats.get(fact.seat) == Person(fact.person):
        return table
    left = {seat: one for seat, one in table.seats.items() if one != Person(fact.person)}
    return _asked_again(table, seats=MappingProxyType(left | {fact.seat: Person(fact.person)}), of=fact.person)


def _asked_again(table: Table, *, seats: Seats, of: str | None = None) -> Table:
    """The person who sat down has to agree; the others stay ready."""
    return replace(table, seats=seats, agreed=table.agreed - {of}, again=frozenset())


def _agreed(table: Table, person: str) -> Table:
    agreements = _also(table.agreements, person, Agreement(table.rules, table.clock))
    return replace(table, agreed=table.agreed | {person}, agreements=agreements)


def _revised(table: Table, rules: HouseRules, clock: Clock) -> Table:
    """Other rules or another clock: who has to agree again is a rule itself, before the change or after it.

    Where the host decides, only the host is asked again, and so starts the match when done with changing.
    """
    if (rules, clock) == (table.rules, table.clock):
        return table
    seats = MappingProxyType({seat: sitter for seat, sitter in table.seats.items() if seat in rules.places})
    everyone = Deviations.EVERYONE_AGREES in (table.rules.deviations, rules.deviations)
    revised = replace(table, rules=rules, clock=clock, seats=seats)
    standing = frozenset() if everyone else revised.people - {table.host}
    return _started(replace(revised, agreed=table.agreed & standing, again=table.again & standing))


def _gone(table: Table, person: str) -> Table:
    """An empty chair while people gather; in a match a bot plays on in it."""
    waiting = MappingProxyType({seat: one for seat, one in table.waiting.items() if one != person})
    rest = {seat: one for seat, one in table.seats.items() if one != Person(person)}
    if not table.gathering:
        rest = {seat: Bot(table.level) if one == Person(person) else one for seat, one in table.seats.items()}
    left = [*sorted(one.id for one in rest.values() if isinstance(one, Person)), *sorted(waiting.values()), ""]
    host = left[0] if table.host == person else table.host
    undo = None if table.undo and table.undo.person == person else table.undo
    gone = replace(_back(table, person), seats=MappingProxyType(rest), waiting=waiting, host=host, undo=undo)
    gone = replace(gone, agreed=table.agreed - {person}, again=table.again - {person})
    gone = replace(gone, agreements=_without(table.agreements, person))
    return _undone(gone) if undo else gone


def _started(table: Table) -> Table:
    """The match begins when every seat has somebody, and everybody who is a person has agreed.

    Bots among themselves play only in an event, where others wait for their score.
    """
    if not table.gathering or not table.full or not table.people <= table.agreed:
        return table
    if not table.people and not table.event:
        return table
    fresh = replace(table, sealed=None, dealt=False, last=None, before=(), again=frozenset(), banks=nobody())
    fresh = replace(fresh, match=new_match(table.rules), story=(), seals=(), packets=nobody(), told=0)
    fresh = replace(fresh, match_number=table.match_number + 1, opening=None, final_root="")
    fresh = replace(fresh, agreements=nobody(), counters=Counters())
    return replace(fresh, matches=with_start(fresh))


# The house deals


def _dealt(table: Table, fact: Drawn | Sealed | CutOffered | CutMade | Dealt) -> Table:
    if isinstance(fact, CutOffered | CutMade | Dealt):
        return _by_hand(_decided(table, fact.seat, fact.spent), fact)
    shuffler = _shuffler(table) if isinstance(fact, Drawn) else None
    if isinstance(fact, Sealed):
        table = _seated(replace(table, names=MappingProxyType({**table.names, **fact.names})))
    binding, table = bind_deck(table, dealing.HAND if isinstance(fact, Sealed) else dealing.DRAW)
    deck = dealing.seal(bytes.fromhex(fact.entropy), table.rules.deck, binding)
    sealed = replace(table, sealed=deck, dealt=False, cut=None, cut_offered=False, before=(), undo=None)
    return _unless_asked(replace(sealed, shuffler=shuffler))


def _by_hand(table: Table, fact: CutOffered | CutMade | Dealt) -> Table:
    """What players do with the sealed deck."""
    match fact:
        case CutOffered():
            return replace(table, cut_offered=True)
        case CutMade():
            return _unless_asked(replace(table, cut=fact.number))
        case Dealt():
            return _deal(table, fact.packets)


def _unless_asked(table: Table) -> Table:
    """Draw or deal at once, unless a player is asked to cut, or to deal."""
    if table.cutter is not None or table.deals is not None:
        return table
    return _deal(table) if table.shuffler is None else _draw(table)


def _shuffler(table: Table) -> Seat:
    """The host's seat; the first one where the host only looks on, or nobody is the host."""
    host = (seat for seat in table.rules.places if table.seats.get(seat) == Person(table.host))
    return next(host, table.rules.places[0])


def _draw(table: Table) -> Table:
    """Turn cards of the sealed deck, as it was cut, until the first dealer is found."""
    assert isinstance(table.match, ToDraw)
    assert table.sealed is not None
    assert table.shuffler is not None
    draw = draw_dealer(table.rules, shuffler=table.shuffler, deck=table.sealed.deck, cut=table.cut or 0)
    return _from_deck(table, draw)


def _seated(table: Table) -> Table:
    """Latecomers take over from bots."""
    if not table.waiting:
        return table
    late = {seat: Person(person) for seat, person in table.waiting.items()}
    matches = replace(table.matches, people=table.matches.people.union(table.waiting.values()))
    seats = MappingProxyType({**table.seats, **late})
    return replace(table, seats=seats, waiting=MappingProxyType({}), matches=matches)


def _deal(table: Table, packets: tuple[int, ...] = ()) -> Table:
    """Deal the sealed deck, as it was cut; at an honor table all cards are face down until the dealer turns one."""
    assert isinstance(table.match, InGame)
    assert isinstance(table.match.game, ToDeal)
    assert table.sealed is not None
    rules, honor = table.rules, table.rules.supervision is Supervision.HONOUR
    deal = deal_hand(
        rules,
        dealer=table.match.game.dealer,
        deck=table.sealed.deck,
        cut=table.cut or 0,
        cut_offered=not honor or table.cut_offered or rules.deal_cut is Cut.NONE,
        packets=packets or None,
        face_down=honor,
    )
    chosen = table.packets if not packets else MappingProxyType({**table.packets, len(table.seals): packets})
    return replace(_from_deck(table, deal), packets=chosen)


def _from_deck(table: Table, fact: Draw | Deal) -> Table:
    """A draw or a deal from the sealed deck; the record opens its seal, with the cut where one was offered."""
    assert table.match is not None
    assert table.sealed is not None
    seals, start = (*table.seals, (table.sealed, table.cut)), len(table.story)
    match, story = follow(table.match, fact), (*table.story, fact)
    return replace(table, match=match, dealt=True, story=story, seals=seals, deck_start=start)


# People and bots play


def _acted(table: Table, fact: Acted, stamp: _Stamp) -> Table:
    """By far the most facts are these, so everything changes in one step."""
    hand, sitter = table.hand, table.seats.get(fact.action.seat)
    assert table.match is not None
    assert hand is not None
    before, story, acts = table.before, (*table.story, fact.action), table.acts
    if isinstance(sitter, Person) and not _answered_by_the_house(table, fact):
        before = (*before, Before(sitter.id, table.match, table.story))
        if fact.act:
            acts = _noted(acts, act_key(sitter.id, fact.act), table.version + 1)
    match = follow(table.match, fact.action)
    decided = _decided(table, fact.action.seat, fact.spent)
    counters = replace(table.counters, presence=0) if table.counters.presence else table.counters
    played = decided.but(**stamp, match=match, before=before, story=story, acts=acts, undo=None, counters=counters)
    ended = None if played.hand is not None else apply(hand, fact.action)
    if isinstance(fact.action, Play) and _trick_count(played.hand or ended) > _trick_count(hand):
        played = played.but(trick_version=stamp["version"])
    if played.hand is not None:
        return played
    assert isinstance(ended, Scored)
    goes_on = isinstance(match, InGame) and isinstance(match.game, ToDeal) and match.game.last is not None
    scored = replace(played, last=ended, sat=table.seats, before=(), told=table.told if goes_on else len(story))
    return _over(scored, match) if isinstance(match, MatchOver) else scored


def _answered_by_the_house(table: Table, fact: Acted) -> bool:
    """Is it the answer to a question that the call had answered? Undoing goes back to the call."""
    return isinstance(fact.action, GoTogether) and not fact.act and not table.rules.dummy_size


def _trick_count(state: State | None) -> int:
    match state:
        case Playing() | Closing() | Scored():
            return len(state.tricks)
        case Answering() | Settling():
            return len(state.interrupted.tricks)
        case _:
            return 0


def _noted(acts: MappingProxyType[str, int], key: str, version: int) -> MappingProxyType[str, int]:
    """One act more that is known again; the oldest is no longer."""
    noted = acts | {key: version}
    if len(noted) > ACTS_KEPT:
        del noted[next(iter(noted))]
    return MappingProxyType(noted)


def _over(table: Table, match: MatchOver) -> Table:
    """After a match latecomers have their seats, and whoever wants another match says so."""
    table = table.but(final_root=final_root_of(table, match))
    matches = with_result(table, match)
    return replace(_seated(table), agreed=frozenset(), matches=matches, counters=Counters())


def _answered(table: Table, fact: UndoAnswered) -> Table:
    if table.undo is None or not fact.agreed:
        return replace(table, undo=None)
    return _undone(replace(table, undo=replace(table.undo, agreed=table.undo.agreed | {fact.person})))


def _undone(table: Table) -> Table:
    """Back to before that person's last act, once all other people agree."""
    undo = table.undo
    assert undo is not None
    if table.present - {undo.person} - undo.agreed:
        return table
    at = max(number for number, one in enumerate(table.before) if one.person == undo.person)
    back = table.before[at]
    return replace(table, match=back.match, story=back.story, before=table.before[:at], undo=None, trick_version=0)


# Who is there


def _seen_to(table: Table, fact: Dropped | Returned | Covered | TimedOut | Closed) -> Table:
    match fact:
        case Dropped():
            return replace(table, away=_also(table.away, fact.person, table.version + 1))
        case Returned():
            return replace(_back(table, fact.person), closed=False)
        case Covered():
            return replace(table, covered=_also(table.covered, fact.person, table.version + 1))
        case TimedOut():
            covered = _also(table.covered, fact.person, table.version + 1)
            return replace(table, covered=covered, banks=_also(table.banks, fact.person, 0.0))
        case Closed():
            return replace(table, closed=True)


def _back(table: Table, person: str) -> Table:
    return replace(table, away=_without(table.away, person), covered=_without(table.covered, person))


def _decided(table: Table, seat: Seat, spent: float) -> Table:
    """A seat has made a decision: time is taken from the bank, and who only took too long decides again from now on."""
    sitter = table.seats.get(seat)
    if not isinstance(sitter, Person):
        return table
    person = sitter.id
    bank = left_after(table.clock, table.bank_of(person), spent)
    banks = table.banks if bank == table.bank_of(person) else _also(table.banks, person, bank)
    covered = table.covered if person in table.away else _without(table.covered, person)
    if banks is table.banks and covered is table.covered:
        return table
    return replace(table, banks=banks, covered=covered)


def _talked(table: Table, fact: Said | Muted | TalkSet) -> Table:
    match fact:
        case Said():
            return replace(table, said=(*table.said, (table.version + 1, fact))[-SAID_KEPT:])
        case Muted():
            pair = fact.person, fact.whom
            return replace(table, muted=table.muted | {pair} if fact.muted else table.muted - {pair})
        case TalkSet():
            return replace(table, free_talk=fact.free)


def _also(people: Mapping[str, T], person: str, what: T) -> Mapping[str, T]:
    return MappingProxyType({**people, person: what})


def _without(people: Mapping[str, T], person: str) -> Mapping[str, T]:
    if person not in people:
        return people
    return MappingProxyType({one: what for one, what in people.items() if one != person})


def _with(seats: Seats, seat: Seat, sitter: Sitter | None) -> Seats:
    rest = {other: one for other, one in seats.items() if other is not seat}
    return MappingProxyType(rest if sitter is None else {**rest, seat: sitter})
