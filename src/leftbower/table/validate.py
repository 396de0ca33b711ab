"""What people ask of a table: a request is the fact it hopes to become, and is allowed, or refused with a reason.

Nothing is decided anywhere else, so that a page, a program and a test are told the same.
"""

from leftbower.engine import Action, advance_match, deal_hand, usual_packets
from leftbower.errors import (
    BadCut,
    BadDeal,
    BadUsage,
    EventTable,
    MatchIsOn,
    NobodyThere,
    NothingDealt,
    NothingToUndo,
    NotSeated,
    NotTheHost,
    NotYourTurn,
    OnlyPhrases,
    SeatTaken,
)
from leftbower.rules.seats import Seat
from leftbower.table.facts import (
    CHAT_PHRASES,
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
    TableFact,
    TempoChanged,
    TimeControlChanged,
    UndoAnswered,
    UndoRequested,
)
from leftbower.table.state import SeatedBot, SeatedPerson, Table


def validate(table: Table, person: str, request: TableFact) -> TableFact:
    """The request, if this person may have it now; an error says why not."""
    validate_before_apply(table, person, request)
    if isinstance(request, Acted):
        assert table.match is not None
        advance_match(table.match, request.action)
    return request


def validate_before_apply(table: Table, person: str, request: TableFact) -> None:
    """The same, but for what the rules of the hand say to an act: who folds it before writing it down hears that."""
    if not isinstance(request, PlayerRemoved | HostChanged) and getattr(request, "person", person) != person:
        raise BadUsage("nobody asks in another's name")
    if table.event:
        _check_event(table, request)
    match request:
        case Sat():
            _may_sit(table, person, request.seat)
        case BotSeated() | BotRemoved() | SeatsSwapped() | RulesChanged() | TimeControlChanged():
            _host_while_gathering(table, person)
            _check_seats(table, request)
        case PlayerRemoved() | HostChanged():
            _host(table, person)
            _sits(table, request.person)
        case Left() if person == table.host:
            pass  # who has no seat can still leave the table to others
        case Left() | LastCardModeChanged():
            _sits(table, person)
        case TempoChanged() if table.event:
            _sits(table, person)  # where nobody is the host
        case FreeChatChanged() | TempoChanged() | HintsChanged():
            _host(table, person)
        case ChatSent():
            _may_say(table, person, request)
        case Muted() if request.muted:
            _known_here(table, request.whom)  # who looks on may have enough of somebody too
        case Muted():
            pass
        case Agreed() | RematchRequested():
            _seated(table, person)
            _gathering(table)
        case CutOffered() | HandDealt():
            _may_deal(table, person, request)
        case DeckCut():
            _may_cut(table, person, request)
        case Acted():
            _may_act(table, person, request.action)
        case UndoRequested() | UndoAnswered():
            _may_undo(table, person, request)
        case _:
            raise BadUsage("that is for the house to do")


def _check_event(table: Table, request: TableFact) -> None:
    """At a table of an event people play, and decide nothing else: the event has drawn them and set the rules."""
    match request:
        case Left():
            raise EventTable("the seat stays yours until the match is over; a bot plays on while you are away")
        case Agreed() if table.match is None:
            pass
        case (
            Acted()
            | CutOffered()
            | DeckCut()
            | HandDealt()
            | ChatSent()
            | Muted()
            | LastCardModeChanged()
            | TempoChanged()
        ):
            pass
        case _:
            raise EventTable("this table belongs to an event, which decides who sits here and what is played")


def _may_sit(table: Table, person: str, seat: Seat) -> None:
    _place(table, seat)
    there = table.seats.get(seat)
    if table.gathering:
        if there is not None and there != SeatedPerson(person):
            raise SeatTaken(f"somebody sits at {seat}")
        return
    if table.seat_of(person) is not None:
        raise MatchIsOn("who plays keeps the seat until the match is over")
    if not isinstance(there, SeatedBot) or seat in table.latecomers:
        raise SeatTaken(f"the seat {seat} is not to be had during this match")


def _check_seats(table: Table, request: TableFact) -> None:
    match request:
        case BotSeated():
            _place(table, request.seat)
            if isinstance(table.seats.get(request.seat), SeatedPerson):
                raise SeatTaken(f"somebody sits at {request.seat}")
        case BotRemoved():
            if not isinstance(table.seats.get(request.seat), SeatedBot):
                raise NobodyThere(f"no bot sits at {request.seat}")
        case SeatsSwapped():
            _place(table, request.seat)
            _place(table, request.other)
        case _:
            return


def _may_deal(table: Table, person: str, request: CutOffered | HandDealt) -> None:
    """At an honor table the dealer deals: after the cut was offered, or without; in bundles that may be wrong."""
    seat = _seated(table, person)
    if table.dealing_seat is None:
        raise NothingDealt("no deck is to be dealt now", state=None)
    if seat is not table.dealing_seat or request.seat is not seat:
        raise NotYourTurn(f"{table.dealing_seat} deals", state=None)
    if isinstance(request, HandDealt):
        every = len(usual_packets(table.rules))
        if request.packets and len(request.packets) != every:
            raise BadDeal(f"name the size of all {every} bundles, or none")
        deal_hand(table.rules, dealer=seat, deck=table.rules.deck, packets=request.packets or None)
    elif not table.may_offer_cut:
        raise BadCut("the cut was offered" if table.cut_offered else "these rules offer no cut here")


def _may_cut(table: Table, person: str, request: DeckCut) -> None:
    seat = _seated(table, person)
    if table.cutter is None:
        raise NothingDealt("no cut is offered now", state=None)
    if seat is not table.cutter or request.seat is not seat:
        raise NotYourTurn(f"the cut is offered to {table.cutter}", state=None)
    if not 0 <= request.lifted < len(table.rules.deck):
        raise BadCut(f"lift 1 to {len(table.rules.deck) - 1} cards, or none")


def _may_act(table: Table, person: str, action: Action) -> None:
    """For the own seat only."""
    seat = _seated(table, person)
    if table.hand is None:
        raise NothingDealt("no hand is being played", state=None)
    if action.seat is not seat:
        raise NotYourTurn(f"you sit at {seat}, and cannot act for {action.seat}", state=None)


def _may_undo(table: Table, person: str, request: UndoRequested | UndoAnswered) -> None:
    """Against bots only: people on the other side never lose what they have won."""
    seat = _seated(table, person)
    if any(isinstance(table.seats.get(other), SeatedPerson) for other in table.rules.opponents_of(seat)):
        raise NothingToUndo("acts are undone only where bots are the opponents")
    if isinstance(request, UndoRequested):
        if table.hand is None or all(one.person != person for one in table.undo_points):
            raise NothingToUndo("you have done nothing in this hand")
    elif table.undo is None or table.undo.person == person:
        raise NothingToUndo("nobody else asks for that")


def _may_say(table: Table, person: str, request: ChatSent) -> None:
    """Who sits here speaks: phrases always, words of their own where the host allows them."""
    _sits(table, person)
    if bool(request.phrase) == bool(request.text_id) or (request.phrase and request.phrase not in CHAT_PHRASES):
        raise BadUsage(f"say one of {', '.join(CHAT_PHRASES)}")
    if request.text_id and not table.free_chat:
        raise OnlyPhrases("at this table people say phrases only")


def _known_here(table: Table, person: str) -> None:
    """Raise NobodyThere unless this person sits here, waits for a seat, hosts, played here or said something lately."""
    known = {table.host, *table.latecomers.values(), *(said.person for _, said in table.chat)}
    if not person or person not in known | table.people | table.last_players | table.past_players:
        raise NobodyThere("that person is not at this table")


def _host_while_gathering(table: Table, person: str) -> None:
    _host(table, person)
    _gathering(table)


def _host(table: Table, person: str) -> None:
    if table.host != person:
        raise NotTheHost("only the host can do that")


def _gathering(table: Table) -> None:
    if not table.gathering:
        raise MatchIsOn("that has to wait until the match is over")


def _place(table: Table, seat: Seat) -> None:
    if seat not in table.rules.seats:
        raise NobodyThere(f"there is no seat {seat} when {table.rules.players} play")


def _sits(table: Table, person: str) -> None:
    if table.seat_of(person) is None:
        raise NotSeated("that person has no seat here")


def _seated(table: Table, person: str) -> Seat:
    seat = table.seat_of(person)
    if seat is None or table.seats.get(seat) != SeatedPerson(person):
        raise NotSeated("you have no seat at this table")
    return seat
