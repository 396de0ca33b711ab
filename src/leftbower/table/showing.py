"""What somebody may see of a table, as JSON: the only way out of a table's state.

Cards are in it as the engine's `View` shows them, and as opened envelopes; everything else is public.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter, is_
from typing import Any, Final

from leftbower import dealing
from leftbower.engine import Draw, InGame, InHand, MatchOver, Own, Scores, State, ToDeal, ToDraw, View, glances, view
from leftbower.notation import view_to_json
from leftbower.rules.cards import UNKNOWN, Card
from leftbower.rules.forms import to_json, to_link
from leftbower.rules.seats import Seat
from leftbower.table.clocks import ALLOWANCES
from leftbower.table.model import Person, Seats, Sitter, Table

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hand:
    """The hand that is played, or was played last: what everybody sees of it, and what each person's seat does."""

    spectator: View
    own: Mapping[Seat, Own]


def show(table: Table, person: str | None) -> Plain:
    """The table through the eyes of a person, who may sit at it or only look on."""
    state, _ = _looked_at(table)
    spectator = None if state is None else view(state, None)
    hand = seen_by(table, person)
    return {
        "rules": to_json(table.rules),
        **standing(table),
        **moving(table),
        "opened": [opening(table, place) for place in opened(table, spectator)],
        **personal(table, person),
        "hand": None if hand is None else view_to_json(hand),
    }


def seen_by(table: Table, person: str | None) -> View | None:
    """The hand that is played, or was played last, as a person may see it; none before the first."""
    state, seats = _looked_at(table)
    return None if state is None else view(state, _place_of(seats, person))


def hand_of(table: Table) -> Hand | None:
    """The hand as each person at the table sees it; none before the first."""
    state, seats = _looked_at(table)
    if state is None:
        return None
    return Hand(*glances(state, (seat for seat, one in seats.items() if isinstance(one, Person))))


def place_of(table: Table, person: str | None) -> Seat | None:
    """Through whose eyes somebody sees that hand: the seat that they have, or had in it."""
    return _place_of(_looked_at(table)[1], person)


def places_of(table: Table) -> dict[str | None, Seat]:
    """The same for everybody who does."""
    return {one.id: seat for seat, one in _looked_at(table)[1].items() if isinstance(one, Person)}


def _looked_at(table: Table) -> tuple[State | None, Seats]:
    """The hand that there is to see, and who sees it from which seat: nobody sees one that was played before."""
    hand = table.hand
    return (hand, table.seats) if hand is not None else (table.last, table.sat)


def standing(table: Table) -> Plain:
    """What everybody may see and seldom changes, but the rules."""
    return {
        "title": table.title,
        "host": table.host,
        "link": to_link(table.rules),
        "level": table.level,
        "clock": _clock(table),
        "tempo": str(table.tempo),
        "hints": table.hints,
        "seats": {str(place): _sitter(table.seats.get(place)) for place in table.rules.places},
        "waiting": {str(place): late for place, late in table.waiting.items()},
        "away": sorted(table.away),
        "covered": sorted(table.covered),
        "agreed": sorted(table.agreed),
        "revised": sorted(table.revised),
        "rejoins": [str(place) for place in table.rules.places if place in table.rejoins],
        "again": sorted(table.again),
        "match": _match(table),
        "sealed": None if table.sealed is None else dealing.published_to_json(table.sealed.commitment),
        "shuffler": None if table.shuffler is None else str(table.shuffler),
        "undo": None if table.undo is None else {"person": table.undo.person, "agreed": sorted(table.undo.agreed)},
    }


def stands_as(table: Table, before: Table) -> bool:
    """Is `standing` the same for both? That goes by identity: for equal things that are not the same it says no."""
    return all(map(is_, _STANDING(table), _STANDING(before)))


_STANDING: Final = attrgetter(
    *("title", "host", "rules", "level", "clock", "banks", "seats", "waiting", "tempo", "hints"),
    *("away", "covered", "rejoins", "agreed", "agreements", "again"),
    *("opening", "final_root", "sealed", "shuffler", "undo"),
)


def moving(table: Table) -> Plain:
    """What everybody may see and changes with most acts, but the hand, and what is opened of its deck."""
    return {
        "version": table.version,
        "phase": phase(table),
        "wins": list(table.match.wins) if table.match else [],
        "scores": list(scores_of(table)),
        "dealer": _dealer(table),
        "cut": None if table.cutter is None else str(table.cutter),
        "deals": None if table.deals is None else str(table.deals),
        "may_offer_cut": table.may_offer_cut,
    }


def opened(table: Table, spectator: View | None) -> list[int]:
    """The places in the present deck, or the last, of cards that everybody has seen, from the top down."""
    if table.sealed is None or not table.dealt:
        return []
    return sorted(map(table.sealed.deck.index, _public(table, spectator)))


def opened_to(table: Table, person: str | None) -> list[int]:
    """The same, and the places of the cards that were dealt to a person."""
    if table.sealed is None or not table.dealt:
        return []
    seen = seen_by(table, person)
    dealt = seen.dealt if seen is not None and table.shuffler is None else ()
    known = {*_public(table, seen_by(table, None)), *dealt} - {UNKNOWN}
    return sorted(place for place, card in enumerate(table.sealed.deck) if card in known)


def _public(table: Table, spectator: View | None) -> tuple[Card, ...]:
    """The cards of the sealed deck that everybody has seen: those that the draw turned, or those of the hand."""
    if table.shuffler is None:
        return () if spectator is None else dealing.may_be_opened(spectator)
    draw = table.story[-1]
    assert isinstance(draw, Draw)
    return draw.cards


def opening(table: Table, place: int) -> Plain:
    """The card at one of these places, with what proves it."""
    assert table.sealed is not None
    [card] = dealing.openings_to_json([dealing.opening(table.sealed, place)])["cards"]
    return dict(card)


def personal(table: Table, person: str | None) -> Plain:
    """What is about the viewer, but the hand."""
    seat = table.seat_of(person) if person is not None else None
    plays = _place_of(table.seats, person)
    return {
        "you": {"person": person, "seat": None if seat is None else str(seat), "plays": plays is not None},
        "last_card": person is not None and person not in table.keeps_last_card,
        "talk": _talk(table, person),
    }


def tells_as(table: Table, before: Table) -> bool:
    """Is `personal` the same for both, whoever asks? By identity, as above."""
    return all(map(is_, _PERSONAL(table), _PERSONAL(before)))


_PERSONAL: Final = attrgetter("seats", "waiting", "keeps_last_card", "free_talk", "muted", "said")


def phase(table: Table) -> str:
    """What is going on, in one word."""
    if table.closed:
        return "closed"
    match table.match:
        case None:
            return "gathering"
        case MatchOver():
            return "over"
        case InGame(game=InHand()):
            return "playing"
        case _ if table.cutter is not None:
            return "cutting"
        case match:
            return "drawing" if isinstance(match, ToDraw) else "dealing"


def _match(table: Table) -> Plain | None:
    """The match that is played, or was played last, with the roots that bind it."""
    if table.opening is None:
        return None
    return {
        "number": table.match_number,
        "root": table.opening.root,
        "players": table.opening.plain["players"],
        "final_root": table.final_root or None,
    }


def _clock(table: Table) -> Plain:
    allowed = ALLOWANCES.get(table.clock)
    banks = {str(seat): table.bank_of(one.id) for seat, one in table.seats.items() if isinstance(one, Person)}
    return {"kind": str(table.clock), "each": allowed.each, "banks": banks} if allowed else {"kind": str(table.clock)}


def _talk(table: Table, person: str | None) -> Plain:
    """What was said last by those whom the viewer wants to hear."""
    muted = sorted(whom for who, whom in table.muted if who == person)
    said = [
        {"version": version, "person": one.person, "phrase": one.phrase, "words": one.words}
        for version, one in table.said
        if one.person not in muted
    ]
    return {"free": table.free_talk, "muted": muted, "said": said}


def _sitter(sitter: Sitter | None) -> Plain | None:
    if sitter is None:
        return None
    return {"person": sitter.id} if isinstance(sitter, Person) else {"bot": sitter.level}


def scores_of(table: Table) -> Scores:
    """The score of every side in the game that is played, or was played last."""
    match table.match:
        case InGame(game=game):
            return game.scores
        case MatchOver(last=last):
            return last.scores
        case _:
            return (0,) * len(table.rules.sides)


def _dealer(table: Table) -> str | None:
    game = table.match.game if isinstance(table.match, InGame) else None
    return str(game.dealer) if isinstance(game, InHand | ToDeal) else None


def _place_of(seats: Seats, person: str | None) -> Seat | None:
    return next((seat for seat, one in seats.items() if isinstance(one, Person) and one.id == person), None)
