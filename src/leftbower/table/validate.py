"""Validation of commands: a command is a fact that a person asks for; it is accepted, or refused with a reason.

This is the only place that decides, so pages, programs and tests get the same answer.
"""

from leftbower.engine.actions import Action
from leftbower.engine.deal import deal_hand, usual_packets
from leftbower.engine.match import advance_match
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


def validate(table: Table, person: str, command: TableFact) -> TableFact:
    """Return the command, or raise the error that explains why this person can't give it now."""
    validate_before_apply(table, person, command)
    if isinstance(command, Acted):
        assert table.match is not None
        advance_match(table.match, command.action)
    return command


def validate_before_apply(table: Table, person: str, command: TableFact) -> None:
    """The same without the rules of the hand, for callers that apply an act before they store it."""
    if not isinstance(command, PlayerRemoved | HostChanged) and getattr(command, "person", person) != person:
        raise BadUsage("you can only act for yourself")
    if table.event:
        _check_event(table, command)
    match command:
        case Sat():
            _check_sit(table, person, command.seat)
        case BotSeated() | BotRemoved() | SeatsSwapped() | RulesChanged() | TimeControlChanged():
            _check_host_while_gathering(table, person)
            _check_seats(table, command)
        case PlayerRemoved() | HostChanged():
            _check_host(table, person)
            _check_sits(table, command.person)
        case Left() if person == table.host:
            pass  # a host without a seat can still leave the table to others
        case Left() | LastCardModeChanged():
            _check_sits(table, person)
        case TempoChanged() if table.event:
            _check_sits(table, person)  # an event table has no host
        case FreeChatChanged() | TempoChanged() | HintsChanged():
            _check_host(table, person)
        case ChatSent():
            _check_chat(table, person, command)
        case Muted() if command.muted:
            _check_known(table, command.whom)  # spectators may mute too
        case Muted():
            pass
        case Agreed() | RematchRequested():
            _occupied_seat(table, person)
            _check_gathering(table)
        case CutOffered() | HandDealt():
            _check_deal(table, person, command)
        case DeckCut():
            _check_cut(table, person, command)
        case Acted():
            _check_act(table, person, command.action)
        case UndoRequested() | UndoAnswered():
            _check_undo(table, person, command)
        case _:
            raise BadUsage("only the server does that")


def _check_event(table: Table, command: TableFact) -> None:
    """At an event table people only play: the event seats them and sets the rules."""
    match command:
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


def _check_sit(table: Table, person: str, seat: Seat) -> None:
    _check_seat_exists(table, seat)
    occupant = table.seats.get(seat)
    if table.gathering:
        if occupant is not None and occupant != SeatedPerson(person):
            raise SeatTaken(f"seat {seat} is taken")
        return
    if table.seat_of(person) is not None:
        raise MatchIsOn("you keep your seat until the match is over")
    if not isinstance(occupant, SeatedBot) or seat in table.latecomers:
        raise SeatTaken(f"seat {seat} can't be taken during the match")


def _check_seats(table: Table, command: TableFact) -> None:
    match command:
        case BotSeated():
            _check_seat_exists(table, command.seat)
            if isinstance(table.seats.get(command.seat), SeatedPerson):
                raise SeatTaken(f"seat {command.seat} is taken")
        case BotRemoved():
            if not isinstance(table.seats.get(command.seat), SeatedBot):
                raise NobodyThere(f"no bot sits at {command.seat}")
        case SeatsSwapped():
            _check_seat_exists(table, command.seat)
            _check_seat_exists(table, command.other)
        case _:
            return


def _check_deal(table: Table, person: str, command: CutOffered | HandDealt) -> None:
    """At an honor table the dealer deals, with or without offering the cut, and the packets may be wrong."""
    seat = _occupied_seat(table, person)
    if table.dealing_seat is None:
        raise NothingDealt("no deck is to be dealt now", state=None)
    if seat is not table.dealing_seat or command.seat is not seat:
        raise NotYourTurn(f"{table.dealing_seat} deals", state=None)
    if isinstance(command, HandDealt):
        bundles = len(usual_packets(table.rules))
        if command.packets and len(command.packets) != bundles:
            raise BadDeal(f"name the size of all {bundles} bundles, or none")
        deal_hand(table.rules, dealer=seat, deck=table.rules.deck, packets=command.packets or None)
    elif not table.may_offer_cut:
        raise BadCut("the cut was offered" if table.cut_offered else "these rules offer no cut here")


def _check_cut(table: Table, person: str, command: DeckCut) -> None:
    seat = _occupied_seat(table, person)
    if table.cutter is None:
        raise NothingDealt("no cut is offered now", state=None)
    if seat is not table.cutter or command.seat is not seat:
        raise NotYourTurn(f"the cut is offered to {table.cutter}", state=None)
    if not 0 <= command.lifted < len(table.rules.deck):
        raise BadCut(f"lift 1 to {len(table.rules.deck) - 1} cards, or none")


def _check_act(table: Table, person: str, action: Action) -> None:
    seat = _occupied_seat(table, person)
    if table.hand is None:
        raise NothingDealt("no hand is being played", state=None)
    if action.seat is not seat:
        raise NotYourTurn(f"you sit at {seat}, and cannot act for {action.seat}", state=None)


def _check_undo(table: Table, person: str, command: UndoRequested | UndoAnswered) -> None:
    """Undo is only for play against bots, so that people on the other side never lose what they won."""
    seat = _occupied_seat(table, person)
    if any(isinstance(table.seats.get(other), SeatedPerson) for other in table.rules.opponents_of(seat)):
        raise NothingToUndo("acts are undone only where bots are the opponents")
    if isinstance(command, UndoRequested):
        if table.hand is None or all(point.person != person for point in table.undo_points):
            raise NothingToUndo("you have done nothing in this hand")
    elif table.undo is None or table.undo.person == person:
        raise NothingToUndo("no other player asked for an undo")


def _check_chat(table: Table, person: str, command: ChatSent) -> None:
    """Seated people may chat: always with phrases, and with typed messages if the host allows them."""
    _check_sits(table, person)
    if bool(command.phrase) == bool(command.text_id) or (command.phrase and command.phrase not in CHAT_PHRASES):
        raise BadUsage(f"say one of {', '.join(CHAT_PHRASES)}")
    if command.text_id and not table.free_chat:
        raise OnlyPhrases("at this table people say phrases only")


def _check_known(table: Table, person: str) -> None:
    """Raise NobodyThere unless this person sits here, waits for a seat, hosts, played here or chatted recently."""
    known = {table.host, *table.latecomers.values(), *(said.person for _, said in table.chat)}
    if not person or person not in known | table.people | table.last_players | table.past_players:
        raise NobodyThere("that person is not at this table")


def _check_host_while_gathering(table: Table, person: str) -> None:
    _check_host(table, person)
    _check_gathering(table)


def _check_host(table: Table, person: str) -> None:
    if table.host != person:
        raise NotTheHost("only the host can do that")


def _check_gathering(table: Table) -> None:
    if not table.gathering:
        raise MatchIsOn("that has to wait until the match is over")


def _check_seat_exists(table: Table, seat: Seat) -> None:
    if seat not in table.rules.seats:
        raise NobodyThere(f"there is no seat {seat} when {table.rules.players} play")


def _check_sits(table: Table, person: str) -> None:
    if table.seat_of(person) is None:
        raise NotSeated("that person has no seat here")


def _occupied_seat(table: Table, person: str) -> Seat:
    seat = table.seat_of(person)
    if seat is None or table.seats.get(seat) != SeatedPerson(person):
        raise NotSeated("you have no seat at this table")
    return seat
