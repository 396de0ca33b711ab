"""Validation of commands: a command is a fact that a person asks for; it is accepted, or refused with a reason.

This is the only place that decides, so pages, programs and tests get the same answer.
"""

from leftbower import errors
from leftbower.engine import Action, advance_match, deal_hand, usual_packets
from leftbower.rules.seats import Seat
from leftbower.table import facts
from leftbower.table.state import SeatedBot, SeatedPerson, Table


def validate(table: Table, person: str, command: facts.TableFact) -> facts.TableFact:
    """Return the command, or raise the error that explains why this person can't give it now."""
    validate_before_apply(table, person, command)
    if isinstance(command, facts.Acted):
        assert table.match is not None
        advance_match(table.match, command.action)
    return command


def validate_before_apply(table: Table, person: str, command: facts.TableFact) -> None:
    """The same without the rules of the hand, for callers that apply an act before they store it."""
    if (
        not isinstance(command, facts.PlayerRemoved | facts.HostChanged)
        and getattr(command, "person", person) != person
    ):
        raise errors.BadUsage("you can only act for yourself")
    if table.event:
        _check_event(table, command)
    match command:
        case facts.Sat():
            _check_sit(table, person, command.seat)
        case (
            facts.BotSeated()
            | facts.BotRemoved()
            | facts.SeatsSwapped()
            | facts.RulesChanged()
            | facts.TimeControlChanged()
        ):
            _check_host_while_gathering(table, person)
            _check_seats(table, command)
        case facts.PlayerRemoved() | facts.HostChanged():
            _check_host(table, person)
            _check_sits(table, command.person)
        case facts.Left() if person == table.host:
            pass  # a host without a seat can still leave the table to others
        case facts.Left() | facts.LastCardModeChanged():
            _check_sits(table, person)
        case facts.TempoChanged() if table.event:
            _check_sits(table, person)  # an event table has no host
        case facts.FreeChatChanged() | facts.TempoChanged() | facts.HintsChanged() | facts.WatchingChanged():
            _check_host(table, person)
        case facts.ChatSent():
            _check_chat(table, person, command)
        case facts.Muted() if command.muted:
            _check_known(table, command.whom)  # spectators may mute too
        case facts.Muted():
            pass
        case facts.Agreed() if table.pausing:
            _occupied_seat(table, person)
        case facts.Agreed() | facts.RematchRequested():
            _occupied_seat(table, person)
            _check_gathering(table)
        case facts.CutOffered() | facts.HandDealt():
            _check_deal(table, person, command)
        case facts.DeckCut():
            _check_cut(table, person, command)
        case facts.Acted():
            _check_act(table, person, command.action)
        case facts.UndoRequested() | facts.UndoAnswered():
            _check_undo(table, person, command)
        case _:
            raise errors.BadUsage("only the server can do that")


def _check_event(table: Table, command: facts.TableFact) -> None:
    """At an event table people only play: the event seats them and sets the rules."""
    match command:
        case facts.Left():
            raise errors.EventTable("you keep this seat until the match is over; a bot plays while you're away")
        case facts.Agreed() if table.match is None or table.pausing:
            pass
        case (
            facts.Acted()
            | facts.CutOffered()
            | facts.DeckCut()
            | facts.HandDealt()
            | facts.ChatSent()
            | facts.Muted()
            | facts.LastCardModeChanged()
            | facts.TempoChanged()
        ):
            pass
        case _:
            raise errors.EventTable("the event decides who sits here and what is played")


def _check_sit(table: Table, person: str, seat: Seat) -> None:
    _check_seat_exists(table, seat)
    occupant = table.seats.get(seat)
    if table.gathering:
        if occupant is not None and occupant != SeatedPerson(person):
            raise errors.SeatTaken("seat %(seat)s is taken", seat=seat)
        return
    if table.seat_of(person) is not None:
        raise errors.MatchIsOn("you keep your seat until the match is over")
    if not isinstance(occupant, SeatedBot) or seat in table.latecomers:
        raise errors.SeatTaken("seat %(seat)s can't be taken during the match", seat=seat)


def _check_seats(table: Table, command: facts.TableFact) -> None:
    match command:
        case facts.BotSeated():
            _check_seat_exists(table, command.seat)
            if isinstance(table.seats.get(command.seat), SeatedPerson):
                raise errors.SeatTaken("seat %(seat)s is taken", seat=command.seat)
        case facts.BotRemoved():
            if not isinstance(table.seats.get(command.seat), SeatedBot):
                raise errors.NobodyThere("there is no bot in seat %(seat)s", seat=command.seat)
        case facts.SeatsSwapped():
            _check_seat_exists(table, command.seat)
            _check_seat_exists(table, command.other)
        case _:
            return


def _check_deal(table: Table, person: str, command: facts.CutOffered | facts.HandDealt) -> None:
    """At an honor table the dealer deals, with or without offering the cut, and the packets may be wrong."""
    seat = _occupied_seat(table, person)
    if table.dealing_seat is None:
        raise errors.NothingDealt("it's not time to deal", state=None)
    if seat is not table.dealing_seat or command.seat is not seat:
        raise errors.NotYourTurn("it's %(dealer)s's deal", state=None, dealer=table.dealing_seat)
    if isinstance(command, facts.HandDealt):
        bundles = len(usual_packets(table.rules))
        if command.packets and len(command.packets) != bundles:
            raise errors.BadDeal("give the size of all %(bundles)s packets, or none", bundles=bundles)
        deal_hand(table.rules, dealer=seat, deck=table.rules.deck, packets=command.packets or None)
    elif table.cut_offered:
        raise errors.BadCut("the cut was already offered")
    elif not table.may_offer_cut:
        raise errors.BadCut("these rules have no cut here")


def _check_cut(table: Table, person: str, command: facts.DeckCut) -> None:
    seat = _occupied_seat(table, person)
    if table.cutter is None:
        raise errors.NothingDealt("no cut is offered now", state=None)
    if seat is not table.cutter or command.seat is not seat:
        raise errors.NotYourTurn("it's %(cutter)s's cut", state=None, cutter=table.cutter)
    if not 0 <= command.lifted < len(table.rules.deck):
        raise errors.BadCut("lift 1 to %(most)s cards, or none", most=len(table.rules.deck) - 1)


def _check_act(table: Table, person: str, action: Action) -> None:
    seat = _occupied_seat(table, person)
    if table.hand is None:
        raise errors.NothingDealt("no hand is in play", state=None)
    if action.seat is not seat:
        raise errors.NotYourTurn(
            "you sit at %(seat)s; you can't act for %(other)s", state=None, seat=seat, other=action.seat
        )


def _check_undo(table: Table, person: str, command: facts.UndoRequested | facts.UndoAnswered) -> None:
    """Undo is only for play against bots, so that people on the other side never lose what they won."""
    seat = _occupied_seat(table, person)
    if any(isinstance(table.seats.get(other), SeatedPerson) for other in table.rules.opponents_of(seat)):
        raise errors.NothingToUndo("you can undo only against bots")
    if isinstance(command, facts.UndoRequested):
        if table.hand is None or all(point.person != person for point in table.undo_points):
            raise errors.NothingToUndo("you have nothing to undo in this hand")
    elif table.undo is None or table.undo.person == person:
        raise errors.NothingToUndo("no other player asked to undo")


def _check_chat(table: Table, person: str, command: facts.ChatSent) -> None:
    """Seated people may chat: always with phrases, and with typed messages if the host allows them."""
    _check_sits(table, person)
    if bool(command.phrase) == bool(command.text_id) or (command.phrase and command.phrase not in facts.CHAT_PHRASES):
        raise errors.BadUsage("pick a phrase: %(phrases)s", phrases=", ".join(facts.CHAT_PHRASES))
    if command.text_id and not table.free_chat:
        raise errors.OnlyPhrases("typed chat is off at this table; pick a phrase")


def _check_known(table: Table, person: str) -> None:
    """Raise NobodyThere unless this person sits here, waits for a seat, hosts, played here or chatted recently."""
    known = {table.host, *table.latecomers.values(), *(said.person for _, said in table.chat)}
    if not person or person not in known | table.people | table.last_players | table.past_players:
        raise errors.NobodyThere("that person isn't at this table")


def _check_host_while_gathering(table: Table, person: str) -> None:
    _check_host(table, person)
    _check_gathering(table)


def _check_host(table: Table, person: str) -> None:
    if table.host != person:
        raise errors.NotTheHost("only the host can do that")


def _check_gathering(table: Table) -> None:
    if not table.gathering:
        raise errors.MatchIsOn("wait until the match is over")


def _check_seat_exists(table: Table, seat: Seat) -> None:
    if seat not in table.rules.seats:
        raise errors.NobodyThere(
            "there is no seat %(seat)s in a %(players)s-player game", seat=seat, players=table.rules.players
        )


def _check_sits(table: Table, person: str) -> None:
    if table.seat_of(person) is None:
        raise errors.NotSeated("that person has no seat at this table")


def _occupied_seat(table: Table, person: str) -> Seat:
    seat = table.seat_of(person)
    if seat is None or table.seats.get(seat) != SeatedPerson(person):
        raise errors.NotSeated("you have no seat at this table")
    return seat
