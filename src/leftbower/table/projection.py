"""JSON of a table for each viewer: the only way out of a table's state.

Cards appear only as in the engine's `View`, and as opened envelopes; everything else is public.
"""

from operator import attrgetter, is_
from typing import Any, Final

from leftbower import dealing
from leftbower.engine import Draw, InGame, InHand, MatchOver, Scores, ToDeal, View, add_points, points_so_far
from leftbower.notation import view_to_json
from leftbower.rules import UNKNOWN, Card, Seat, to_json, to_link
from leftbower.table.clocks import TIME_ALLOWANCES
from leftbower.table.state import SeatedPerson, Seats, Table, occupant_to_json

Plain = dict[str, Any]


def table_to_json(table: Table, person: str | None) -> Plain:
    """The table as this person sees it, seated or watching."""
    spectator, hand = _spectator_view(table, person), hand_view_for(table, person)
    return {
        "rules": to_json(table.rules),
        **slow_fields(table),
        **fast_fields(table),
        "opened": [opened_card_to_json(table, position) for position in open_positions(table, spectator)],
        **viewer_fields(table, person),
        "hand": None if hand is None else view_to_json(hand),
    }


def hand_view_for(table: Table, person: str | None) -> View | None:
    """The current or last hand as this person sees it; None before the first, or if they may not watch."""
    views = table.hand_views if table.may_watch(person) else None
    return None if views is None else views.of(viewing_seat(table, person))


def _spectator_view(table: Table, person: str | None) -> View | None:
    """What everyone who may watch sees of the hand, if this person is one of them."""
    views = table.hand_views if table.may_watch(person) else None
    return None if views is None else views.of(None)


def viewing_seat(table: Table, person: str | None) -> Seat | None:
    """The person's seat in that hand: the one they have, or had in it."""
    return _seat_in(table.seats if table.hand is not None else table.last_seats, person)


def slow_fields(table: Table) -> Plain:
    """Public fields that rarely change, except the rules."""
    return {
        "title": table.title,
        "host": table.host,
        "link": to_link(table.rules),
        "bot_level": table.bot_level,
        "clock": _clock_to_json(table),
        "tempo": str(table.tempo),
        "hints": table.hints_allowed,
        "watching": table.watching_allowed,
        "seats": {
            str(seat): occupant_to_json(table.seats[seat]) if seat in table.seats else None
            for seat in table.rules.seats
        },
        "latecomers": {str(seat): person for seat, person in table.latecomers.items()},
        "away": sorted(table.away),
        "substituted": sorted(table.substituted),
        "agreed": sorted(table.agreed),
        "agreed_before_change": sorted(table.agreed_before_change),
        "rejoins": [str(seat) for seat in table.rules.seats if seat in table.rejoins],
        "rematch": sorted(table.rematch),
        "match": _match_to_json(table),
        "sealed": None if table.sealed_deck is None else dealing.published_to_json(table.sealed_deck.commitment),
        "shuffler": None if table.shuffler is None else str(table.shuffler),
        "undo": None if table.undo is None else {"person": table.undo.person, "agreed": sorted(table.undo.agreed)},
    }


def same_slow_fields(table: Table, before: Table) -> bool:
    """Are `slow_fields` the same for both? Compares by identity, so equal copies count as different."""
    return all(map(is_, _get_slow_sources(table), _get_slow_sources(before)))


_get_slow_sources: Final = attrgetter(
    *("title", "host", "rules", "bot_level", "clock", "time_banks", "seats", "latecomers", "tempo", "hints_allowed"),
    "watching_allowed",
    *("away", "substituted", "rejoins", "agreed", "agreements", "rematch"),
    *("opening", "final_root", "sealed_deck", "shuffler", "undo"),
)


def fast_fields(table: Table) -> Plain:
    """Public fields that change with most acts, except the hand and the opened cards."""
    return {
        "version": table.version,
        "phase": table.phase,
        "wins": list(table.match.wins) if table.match else [],
        "scores": list(current_scores(table)),
        "dealer": _dealer(table),
        "cutter": None if table.cutter is None else str(table.cutter),
        "dealing_seat": None if table.dealing_seat is None else str(table.dealing_seat),
        "may_offer_cut": table.may_offer_cut,
    }


def open_positions(table: Table, spectator: View | None) -> list[int]:
    """Positions of public cards in the current or last deck, from the top down."""
    if table.sealed_deck is None or not table.dealt:
        return []
    return sorted(map(table.sealed_deck.deck.index, _public_cards(table, spectator)))


def open_positions_for(table: Table, person: str | None) -> list[int]:
    """The same, plus the positions of the cards dealt to a person."""
    if table.sealed_deck is None or not table.dealt:
        return []
    hand_view = hand_view_for(table, person)
    dealt = hand_view.dealt if hand_view is not None and table.shuffler is None else ()
    known = {*_public_cards(table, _spectator_view(table, person)), *dealt} - {UNKNOWN}
    return sorted(position for position, card in enumerate(table.sealed_deck.deck) if card in known)


def _public_cards(table: Table, spectator: View | None) -> tuple[Card, ...]:
    """Public cards of the sealed deck: those turned in the draw, or those of the hand."""
    if table.shuffler is None:
        return () if spectator is None else dealing.may_be_opened(spectator)
    draw = table.history[-1]
    assert isinstance(draw, Draw)
    return draw.cards


def opened_card_to_json(table: Table, position: int) -> Plain:
    """The card at one of these positions, with its proof."""
    assert table.sealed_deck is not None
    [card] = dealing.openings_to_json([dealing.opening(table.sealed_deck, position)])["cards"]
    return dict(card)


def viewer_fields(table: Table, person: str | None) -> Plain:
    """Fields about the viewer, except the hand."""
    seat = table.seat_of(person) if person is not None else None
    plays = _seat_in(table.seats, person)
    return {
        "you": {"person": person, "seat": None if seat is None else str(seat), "plays": plays is not None},
        "auto_last_card": person is not None and person not in table.manual_last_card,
        "chat": _chat_to_json(table, person),
    }


def same_viewer_fields(table: Table, before: Table) -> bool:
    """Are `viewer_fields` the same for both, for every viewer? Compares by identity."""
    return all(map(is_, _get_viewer_sources(table), _get_viewer_sources(before)))


_get_viewer_sources: Final = attrgetter("seats", "latecomers", "manual_last_card", "free_chat", "muted", "chat")


def _match_to_json(table: Table) -> Plain | None:
    """The current or last match, with the roots that bind it."""
    if table.opening is None:
        return None
    return {
        "number": table.match_number,
        "root": table.opening.root,
        "players": table.opening.binding["players"],
        "final_root": table.final_root or None,
    }


def _clock_to_json(table: Table) -> Plain:
    allowance = TIME_ALLOWANCES.get(table.clock)
    if allowance is None:
        return {"kind": str(table.clock)}
    banks = {
        str(seat): table.time_bank_of(occupant.id)
        for seat, occupant in table.seats.items()
        if isinstance(occupant, SeatedPerson)
    }
    return {"kind": str(table.clock), "per_decision": allowance.per_decision, "banks": banks}


def _chat_to_json(table: Table, person: str | None) -> Plain:
    """The latest messages, except from people the viewer muted; `text` is the id of the text."""
    muted = sorted(whom for muting, whom in table.muted if muting == person)
    messages = [
        {"version": version, "person": message.person, "phrase": message.phrase, "text": message.text_id}
        for version, message in table.chat
        if message.person not in muted
    ]
    return {"free": table.free_chat, "muted": muted, "messages": messages}


def current_scores(table: Table) -> Scores:
    """The score of each side in the current or last game, with the points that the hand has brought so far."""
    match table.match:
        case InGame(game=InHand() as game):
            return add_points(game.rules, game.scores, points_so_far(game.hand))
        case InGame(game=game):
            return game.scores
        case MatchOver(last=last):
            return last.scores
        case _:
            return (0,) * len(table.rules.sides)


def _dealer(table: Table) -> str | None:
    game = table.match.game if isinstance(table.match, InGame) else None
    return str(game.dealer) if isinstance(game, InHand | ToDeal) else None


def _seat_in(seats: Seats, person: str | None) -> Seat | None:
    for seat, occupant in seats.items():
        if isinstance(occupant, SeatedPerson) and occupant.id == person:
            return seat
    return None
