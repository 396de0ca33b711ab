"""Reducer of a table: folds facts into its state. Facts have already happened, so nothing is validated here."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypedDict, TypeVar

from leftbower import dealing
from leftbower.engine.actions import GoTogether, Play
from leftbower.engine.deal import Deal, Draw, deal_hand, draw_dealer
from leftbower.engine.game import ToDeal
from leftbower.engine.hand import apply
from leftbower.engine.match import InGame, MatchOver, ToDraw, advance_match, new_match
from leftbower.engine.states import Answering, Closing, Playing, Scored, Settling, State
from leftbower.rules import HouseRules, Seat
from leftbower.rules.choices import Cut, Deviations, Supervision
from leftbower.table.chain import bind_deck, match_final_root, open_match
from leftbower.table.clocks import TimeControl, bank_after
from leftbower.table.counters import count_fact
from leftbower.table.facts import (
    Acted,
    Agreed,
    BotRemoved,
    BotSeated,
    BotSubstituted,
    ChatSent,
    Created,
    CutOffered,
    DeckCut,
    DeckSealed,
    Disconnected,
    DrawDeckSealed,
    FreeChatChanged,
    HandDealt,
    HintsChanged,
    HostChanged,
    LastCardModeChanged,
    Left,
    MatchOpened,
    Muted,
    PlayerRemoved,
    Reconnected,
    RejoinAnnounced,
    RematchRequested,
    RulesChanged,
    Sat,
    SeatsSwapped,
    TableClosed,
    TableFact,
    TempoChanged,
    TimeControlChanged,
    TimedOut,
    UndoAnswered,
    UndoRequested,
    WatchingChanged,
)
from leftbower.table.matches import with_result, with_start
from leftbower.table.state import (
    Agreement,
    Counters,
    Occupant,
    SeatedBot,
    SeatedPerson,
    Seats,
    Table,
    UndoPoint,
    UndoRequest,
    empty_mapping,
    idempotency_key,
)

MAX_IDEMPOTENCY_KEYS: Final = 400
"""Recent client ids of acts, to detect an act sent twice: more than a match has."""
MAX_REMOVED_PLAYERS: Final = 100
"""Removed players remembered; beyond that, the oldest is forgotten."""
MAX_CHAT_MESSAGES: Final = 20
"""Chat messages kept in the state; older ones are dropped."""
_OUTSIDE_GAME: Final = (
    *(LastCardModeChanged, Disconnected, Reconnected, BotSubstituted, TimedOut, TableClosed, RejoinAnnounced),
    *(ChatSent, Muted, FreeChatChanged, TempoChanged, HintsChanged, WatchingChanged),
)
"""Facts that don't touch the game: an act sent for the version before them still means the same."""


T = TypeVar("T")


class _Stamp(TypedDict):
    """Fields that every fact changes."""

    version: int
    game_version: int
    at: float


def replay(facts: Iterable[tuple[TableFact, float]], table: Table | None = None) -> Table | None:
    """Return the table after these facts, each with its time."""
    for fact, at in facts:
        table = apply_fact(table, fact, at)
    return table


def apply_fact(table: Table | None, fact: TableFact, at: float) -> Table:
    """Return the table after one more fact, without validation."""
    if isinstance(fact, Created):
        created = Table(version=1, at=at, host=fact.person, rules=fact.rules, bot_level=fact.bot_level)
        return replace(created, title=fact.title, clock=fact.clock, event=fact.event)
    assert table is not None
    version = table.version + 1
    outside = isinstance(fact, _OUTSIDE_GAME) or (isinstance(fact, Agreed) and not table.gathering)
    game_version = table.game_version if outside else version
    stamp: _Stamp = {"version": version, "game_version": game_version, "at": at}
    if isinstance(fact, Acted):
        return _apply_act(table, fact, stamp)
    return count_fact(table, _apply(table, fact), fact).replaced(**stamp)


def with_store_stamp(table: Table, at: float, hash: bytes) -> Table:
    """Return the table with the store's time and hash of its last fact, which was applied before it was written."""
    stored, index = table.replaced(at=at, hash=hash), table.matches
    if index.starts and index.starts[-1].version == table.version:
        start = index.starts[-1].replaced(at=at, hash=hash)
        return stored.replaced(matches=replace(index, starts=(*index.starts[:-1], start)))
    if index.finished and index.finished[-1].version == table.version:
        ended = replace(index.finished[-1], at=at)
        return stored.replaced(matches=replace(index, finished=(*index.finished[:-1], ended)))
    return stored


def _apply(table: Table, fact: TableFact) -> Table:
    match fact:
        case Sat():
            return _sit_down(table, fact)
        case BotSeated():
            bot = SeatedBot(fact.level, fact.stands_for)
            return _start_if_ready(_reseat(table, seats=_with_occupant(table.seats, fact.seat, bot)))
        case BotRemoved():
            return _reseat(table, seats=_with_occupant(table.seats, fact.seat, None))
        case SeatsSwapped():
            first, second = table.seats.get(fact.seat), table.seats.get(fact.other)
            return replace(
                table, seats=_with_occupant(_with_occupant(table.seats, fact.seat, second), fact.other, first)
            )
        case Left():
            return _leave(table, fact.person)
        case PlayerRemoved():
            removed = [*_without_entry(table.removed, fact.person).items(), (fact.person, table.version + 1)]
            return replace(_leave(table, fact.person), removed=MappingProxyType(dict(removed[-MAX_REMOVED_PLAYERS:])))
        case HostChanged():
            return replace(table, host=fact.person)
        case RulesChanged():
            return _revise(table, fact.rules, table.clock)
        case Agreed() if not table.gathering:
            return replace(table, agreed=table.agreed | {fact.person})
        case Agreed():
            return _start_if_ready(_agree(table, fact.person))
        case MatchOpened():
            return open_match(table, fact)
        case DrawDeckSealed() | DeckSealed() | CutOffered() | DeckCut() | HandDealt():
            return _apply_deal_fact(table, fact)
        case LastCardModeChanged():
            manual = table.manual_last_card
            return replace(table, manual_last_card=manual | {fact.person} if fact.manual else manual - {fact.person})
        case UndoRequested():
            return _undo_if_agreed(replace(table, undo=UndoRequest(fact.person)))
        case UndoAnswered():
            return _answer_undo(table, fact)
        case RematchRequested():
            return _start_if_ready(replace(_agree(table, fact.person), rematch=table.rematch | {fact.person}))
        case TimeControlChanged():
            return _revise(table, table.rules, fact.clock)
        case Disconnected() | Reconnected() | BotSubstituted() | TimedOut() | TableClosed():
            return _apply_presence(table, fact)
        case RejoinAnnounced():
            announced = {**table.rejoins, fact.seat: (fact.count, table.version + 1)}
            return replace(table, rejoins=MappingProxyType(announced))
        case ChatSent() | Muted() | FreeChatChanged():
            return _apply_chat(table, fact)
        case TempoChanged():
            return replace(table, tempo=fact.tempo)
        case HintsChanged():
            return replace(table, hints_allowed=fact.allowed)
        case WatchingChanged():
            return replace(table, watching_allowed=fact.allowed)
    raise AssertionError(f"a table is created once: {fact}")


# Before and between matches


def _sit_down(table: Table, fact: Sat) -> Table:
    table = replace(table, host=table.host or ("" if table.event else fact.person), closed=False)
    table = replace(table, removed=_without_entry(table.removed, fact.person))
    if not table.gathering:
        others = {seat: person for seat, person in table.latecomers.items() if person != fact.person}
        return replace(table, latecomers=MappingProxyType(others | {fact.seat: fact.person}))
    if table.seats.get(fact.seat) == SeatedPerson(fact.person):
        return table
    sitter = SeatedPerson(fact.person)
    rest = {seat: occupant for seat, occupant in table.seats.items() if occupant != sitter}
    return _reseat(table, seats=MappingProxyType(rest | {fact.seat: sitter}), newcomer=fact.person)


def _reseat(table: Table, *, seats: Seats, newcomer: str | None = None) -> Table:
    """Change the seats: a newcomer has to agree; the others stay ready."""
    return replace(table, seats=seats, agreed=table.agreed - {newcomer}, rematch=frozenset())


def _agree(table: Table, person: str) -> Table:
    agreements = _with_entry(table.agreements, person, Agreement(table.rules, table.clock))
    return replace(table, agreed=table.agreed | {person}, agreements=agreements)


def _revise(table: Table, rules: HouseRules, clock: TimeControl) -> Table:
    """Change rules or clock. The rules before and after the change say who has to agree again.

    If the host decides, only the host has to agree, which starts the match when the host is done with changes.
    """
    if (rules, clock) == (table.rules, table.clock):
        return table
    seats = MappingProxyType({seat: occupant for seat, occupant in table.seats.items() if seat in rules.seats})
    all_must_agree = Deviations.EVERYONE_AGREES in (table.rules.deviations, rules.deviations)
    revised = replace(table, rules=rules, clock=clock, seats=seats)
    still_agreed = frozenset() if all_must_agree else revised.people - {table.host}
    return _start_if_ready(replace(revised, agreed=table.agreed & still_agreed, rematch=table.rematch & still_agreed))


def _leave(table: Table, person: str) -> Table:
    """Remove a person: before a match the seat is empty; during one, a bot plays on."""
    latecomers = MappingProxyType({seat: late for seat, late in table.latecomers.items() if late != person})
    leaver = SeatedPerson(person)
    rest: dict[Seat, Occupant] = {seat: occupant for seat, occupant in table.seats.items() if occupant != leaver}
    if not table.gathering:
        bot = SeatedBot(table.bot_level)
        rest = {seat: bot if occupant == leaver else occupant for seat, occupant in table.seats.items()}
    seated = sorted(occupant.id for occupant in rest.values() if isinstance(occupant, SeatedPerson))
    next_host = [*seated, *sorted(latecomers.values()), ""][0]
    host = next_host if table.host == person else table.host
    undo = None if table.undo and table.undo.person == person else table.undo
    left = replace(
        _clear_absence(table, person), seats=MappingProxyType(rest), latecomers=latecomers, host=host, undo=undo
    )
    left = replace(left, agreed=table.agreed - {person}, rematch=table.rematch - {person})
    left = replace(left, agreements=_without_entry(table.agreements, person))
    return _undo_if_agreed(left) if undo else left


def _start_if_ready(table: Table) -> Table:
    """Start the match once every seat is taken and every person has agreed.

    Four bots play only in an event, where others wait for their score.
    """
    if not table.gathering or not table.full or not table.people <= table.agreed:
        return table
    if not table.people and not table.event:
        return table
    fresh = replace(table, sealed_deck=None, dealt=False, last_hand=None, undo_points=(), rematch=frozenset())
    fresh = replace(fresh, match=new_match(table.rules), history=(), sealed_decks=(), packets=empty_mapping())
    fresh = replace(fresh, match_number=table.match_number + 1, opening=None, final_root="", public_until=0)
    fresh = replace(fresh, agreements=empty_mapping(), time_banks=empty_mapping(), counters=Counters())
    return replace(fresh, matches=with_start(fresh))


# Dealing


def _apply_deal_fact(table: Table, fact: DrawDeckSealed | DeckSealed | CutOffered | DeckCut | HandDealt) -> Table:
    if isinstance(fact, CutOffered | DeckCut | HandDealt):
        occupant = table.seats.get(fact.seat)
        if isinstance(occupant, SeatedPerson):
            table = _charge_time(table, occupant.id, fact.thinking_seconds)
        return _apply_dealer_fact(table, fact)
    shuffler = _shuffler(table) if isinstance(fact, DrawDeckSealed) else None
    if isinstance(fact, DeckSealed):
        commitments = MappingProxyType({**table.name_commitments, **fact.name_commitments})
        table = _seat_latecomers(replace(table, name_commitments=commitments))
    binding, table = bind_deck(table, dealing.HAND if isinstance(fact, DeckSealed) else dealing.DRAW)
    deck = dealing.seal(bytes.fromhex(fact.entropy), table.rules.deck, binding)
    sealed = replace(table, sealed_deck=deck, dealt=False, cut=None, cut_offered=False, undo_points=(), undo=None)
    return _use_deck_unless_asked(replace(sealed, shuffler=shuffler))


def _apply_dealer_fact(table: Table, fact: CutOffered | DeckCut | HandDealt) -> Table:
    """Apply what a player does with the sealed deck."""
    match fact:
        case CutOffered():
            return replace(table, cut_offered=True)
        case DeckCut():
            return _use_deck_unless_asked(replace(table, cut=fact.lifted))
        case HandDealt():
            return _deal(table, fact.packets)


def _use_deck_unless_asked(table: Table) -> Table:
    """Draw or deal at once, unless a player has to cut or deal."""
    if table.cutter is not None or table.dealing_seat is not None:
        return table
    return _deal(table) if table.shuffler is None else _draw(table)


def _shuffler(table: Table) -> Seat:
    """The host's seat; the first seat if the host has none or there is no host."""
    host_seats = (seat for seat in table.rules.seats if table.seats.get(seat) == SeatedPerson(table.host))
    return next(host_seats, table.rules.seats[0])


def _draw(table: Table) -> Table:
    """Turn cards of the cut deck until the first dealer is found."""
    assert isinstance(table.match, ToDraw)
    assert table.sealed_deck is not None
    assert table.shuffler is not None
    draw = draw_dealer(table.rules, shuffler=table.shuffler, deck=table.sealed_deck.deck, cut=table.cut or 0)
    return _follow_from_deck(table, draw)


def _seat_latecomers(table: Table) -> Table:
    """Give latecomers the seats of their bots."""
    if not table.latecomers:
        return table
    newcomers = {seat: SeatedPerson(person) for seat, person in table.latecomers.items()}
    matches = replace(table.matches, people=table.matches.people.union(table.latecomers.values()))
    seats = MappingProxyType({**table.seats, **newcomers})
    return replace(table, seats=seats, latecomers=MappingProxyType({}), matches=matches)


def _deal(table: Table, packets: tuple[int, ...] = ()) -> Table:
    """Deal the cut deck; at an honor table all cards are face down until the dealer turns the up-card."""
    assert isinstance(table.match, InGame)
    assert isinstance(table.match.game, ToDeal)
    assert table.sealed_deck is not None
    rules, honor = table.rules, table.rules.supervision is Supervision.HONOR
    deal = deal_hand(
        rules,
        dealer=table.match.game.dealer,
        deck=table.sealed_deck.deck,
        cut=table.cut or 0,
        cut_offered=not honor or table.cut_offered or rules.deal_cut is Cut.NONE,
        packets=packets or None,
        face_down=honor,
    )
    chosen = table.packets if not packets else MappingProxyType({**table.packets, len(table.sealed_decks): packets})
    return replace(_follow_from_deck(table, deal), packets=chosen)


def _follow_from_deck(table: Table, fact: Draw | Deal) -> Table:
    """Apply a draw or a deal from the sealed deck, and keep deck and cut for the record."""
    assert table.match is not None
    assert table.sealed_deck is not None
    decks, start = (*table.sealed_decks, (table.sealed_deck, table.cut)), len(table.history)
    match, history = advance_match(table.match, fact), (*table.history, fact)
    return replace(table, match=match, dealt=True, history=history, sealed_decks=decks, deck_start=start)


# Acts of the hand


def _apply_act(table: Table, fact: Acted, stamp: _Stamp) -> Table:
    """Apply an act. Most facts are acts, so everything changes in one copy of the table."""
    hand, occupant = table.hand, table.seats.get(fact.action.seat)
    assert table.match is not None
    assert hand is not None
    undo_points, history, keys = table.undo_points, (*table.history, fact.action), table.idempotency_keys
    # The server's answer follows from the call, so an undo goes back to before the call.
    implied = isinstance(fact.action, GoTogether) and not fact.action_id and not table.rules.dummy_size
    decided = table
    if isinstance(occupant, SeatedPerson):
        decided = _charge_time(table, occupant.id, fact.thinking_seconds)
        if not implied:
            undo_points = (*undo_points, UndoPoint(occupant.id, table.match, table.history))
            if fact.action_id:
                keys = _with_key(keys, idempotency_key(occupant.id, fact.action_id), table.version + 1)
    match = advance_match(table.match, fact.action)
    counters = replace(table.counters, presence=0) if table.counters.presence else table.counters
    played = decided.replaced(
        **stamp,
        match=match,
        undo_points=undo_points,
        history=history,
        idempotency_keys=keys,
        undo=None,
        counters=counters,
    )
    ended = None if played.hand is not None else apply(hand, fact.action)
    if isinstance(fact.action, Play) and _trick_count(played.hand or ended) > _trick_count(hand):
        played = played.replaced(trick_version=stamp["version"])
    if played.hand is not None:
        return played
    assert isinstance(ended, Scored)
    game_goes_on = isinstance(match, InGame) and isinstance(match.game, ToDeal) and match.game.last is not None
    public_until = table.public_until if game_goes_on else len(history)
    scored = replace(played, last_hand=ended, last_seats=table.seats, undo_points=(), public_until=public_until)
    scored = scored.replaced(agreed=frozenset())
    return _end_match(scored, match) if isinstance(match, MatchOver) else scored


def _trick_count(state: State | None) -> int:
    match state:
        case Playing() | Closing() | Scored():
            return len(state.tricks)
        case Answering() | Settling():
            return len(state.interrupted.tricks)
        case _:
            return 0


def _with_key(keys: MappingProxyType[str, int], key: str, version: int) -> MappingProxyType[str, int]:
    """Add an idempotency key, and drop the oldest beyond the limit."""
    updated = keys | {key: version}
    if len(updated) > MAX_IDEMPOTENCY_KEYS:
        del updated[next(iter(updated))]
    return MappingProxyType(updated)


def _end_match(table: Table, match: MatchOver) -> Table:
    """End the match: latecomers take their seats, and people may ask for a rematch."""
    table = table.replaced(final_root=match_final_root(table, match))
    matches = with_result(table, match)
    return replace(_seat_latecomers(table), matches=matches, counters=Counters())


def _answer_undo(table: Table, fact: UndoAnswered) -> Table:
    if table.undo is None or not fact.agreed:
        return replace(table, undo=None)
    return _undo_if_agreed(replace(table, undo=replace(table.undo, agreed=table.undo.agreed | {fact.person})))


def _undo_if_agreed(table: Table) -> Table:
    """Go back to before the person's last act once all other people agree."""
    undo = table.undo
    assert undo is not None
    if table.present - {undo.person} - undo.agreed:
        return table
    index = max(index for index, point in enumerate(table.undo_points) if point.person == undo.person)
    point = table.undo_points[index]
    return replace(
        table,
        match=point.match,
        history=point.history,
        undo_points=table.undo_points[:index],
        undo=None,
        trick_version=0,
    )


# Presence, clock and chat


def _apply_presence(table: Table, fact: Disconnected | Reconnected | BotSubstituted | TimedOut | TableClosed) -> Table:
    match fact:
        case Disconnected():
            return replace(table, away=_with_entry(table.away, fact.person, table.version + 1))
        case Reconnected():
            return replace(_clear_absence(table, fact.person), closed=False)
        case BotSubstituted():
            return replace(table, substituted=_with_entry(table.substituted, fact.person, table.version + 1))
        case TimedOut():
            substituted = _with_entry(table.substituted, fact.person, table.version + 1)
            return replace(table, substituted=substituted, time_banks=_with_entry(table.time_banks, fact.person, 0.0))
        case TableClosed():
            return replace(table, closed=True)


def _clear_absence(table: Table, person: str) -> Table:
    return replace(
        table, away=_without_entry(table.away, person), substituted=_without_entry(table.substituted, person)
    )


def _charge_time(table: Table, person: str, seconds: float) -> Table:
    """Charge a decision to the time bank; a person who only ran out of time decides again from now on."""
    if table.clock is not TimeControl.OFF:
        bank = table.time_bank_of(person)
        left = bank_after(table.clock, bank, seconds)
        table = table if left == bank else replace(table, time_banks=_with_entry(table.time_banks, person, left))
    if person in table.substituted and person not in table.away:
        table = replace(table, substituted=_without_entry(table.substituted, person))
    return table


def _apply_chat(table: Table, fact: ChatSent | Muted | FreeChatChanged) -> Table:
    match fact:
        case ChatSent():
            return replace(table, chat=(*table.chat, (table.version + 1, fact))[-MAX_CHAT_MESSAGES:])
        case Muted():
            pair = fact.person, fact.whom
            return replace(table, muted=table.muted | {pair} if fact.muted else table.muted - {pair})
        case FreeChatChanged():
            return replace(table, free_chat=fact.allowed)


def _with_entry(people: Mapping[str, T], person: str, value: T) -> Mapping[str, T]:
    return MappingProxyType({**people, person: value})


def _without_entry(people: Mapping[str, T], person: str) -> Mapping[str, T]:
    if person not in people:
        return people
    return MappingProxyType({other: value for other, value in people.items() if other != person})


def _with_occupant(seats: Seats, seat: Seat, occupant: Occupant | None) -> Seats:
    rest = {other: neighbor for other, neighbor in seats.items() if other is not seat}
    return MappingProxyType(rest if occupant is None else {**rest, seat: occupant})
