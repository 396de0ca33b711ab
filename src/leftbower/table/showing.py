"""What somebody may see of a table, as JSON: the only way out of a table's state.

Cards are in it as the engine's `View` shows them, and as opened envelopes; everything else is public.
"""

from collections.abc import Mapping
from typing import Any

from leftbower import dealing
from leftbower.engine import InGame, InHand, MatchOver, Scores, ToDeal, ToDraw, View, views
from leftbower.notation import view_to_json
from leftbower.rules.forms import to_json, to_link
from leftbower.rules.seats import Seat
from leftbower.table.clocks import ALLOWANCES
from leftbower.table.model import Person, Seats, Sitter, Table

Plain = dict[str, Any]
Hands = Mapping[Seat | None, View]
"""A hand as each viewer sees it; None is a spectator."""


def show(table: Table, person: str | None) -> Plain:
    """The table through the eyes of a person, who may sit at it or only look on."""
    seen = hands(table)
    hand = seen[place_of(table, person)] if seen else None
    shown = {"rules": to_json(table.rules), **public(table, seen), **personal(table, person)}
    return shown | {"hand": None if hand is None else view_to_json(hand)}


def hands(table: Table) -> Hands:
    """The hand that is played, or was played last, as each seat of a person sees it and a spectator; none at first."""
    state, seats = (table.hand, table.seats) if table.hand is not None else (table.last, table.sat)
    if state is None:
        return {}
    return views(state, (None, *(seat for seat, one in seats.items() if isinstance(one, Person))))


def place_of(table: Table, person: str | None) -> Seat | None:
    """Through whose eyes somebody sees that hand: the seat that they have, or had in it."""
    return _place_of(table.seats if table.hand is not None else table.sat, person)


def public(table: Table, seen: Hands) -> Plain:
    """What everybody may see, but the rules and the hand, of which a spectator's view tells what is opened."""
    return {
        "version": table.version,
        "phase": phase(table),
        "title": table.title,
        "host": table.host,
        "link": to_link(table.rules),
        "level": table.level,
        "clock": _clock(table),
        "seats": {str(place): _sitter(table.seats.get(place)) for place in table.rules.places},
        "waiting": {str(place): late for place, late in table.waiting.items()},
        "away": sorted(table.away),
        "covered": sorted(table.covered),
        "agreed": sorted(table.agreed),
        "again": sorted(table.again),
        "wins": list(table.match.wins) if table.match else [],
        "scores": list(_scores(table)),
        "dealer": _dealer(table),
        "cut": None if table.cutter is None else str(table.cutter),
        "sealed": None if table.sealed is None else _sealed(table.sealed),
        "opened": _opened(table, seen),
        "undo": None if table.undo is None else {"person": table.undo.person, "agreed": sorted(table.undo.agreed)},
    }


def personal(table: Table, person: str | None) -> Plain:
    """What is about the viewer, but the hand."""
    seat = table.seat_of(person) if person is not None else None
    plays = _place_of(table.seats, person)
    return {
        "you": {"person": person, "seat": None if seat is None else str(seat), "plays": plays is not None},
        "last_card": person is not None and person not in table.keeps_last_card,
        "talk": _talk(table, person),
    }


def phase(table: Table) -> str:
    """What is going on, in one word."""
    if table.closed:
        return "closed"
    match table.match:
        case None:
            return "gathering"
        case MatchOver():
            return "over"
        case ToDraw():
            return "drawing"
        case InGame(game=InHand()):
            return "playing"
        case _:
            return "cutting" if table.cutter else "dealing"


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


def _scores(table: Table) -> Scores:
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


def _sealed(sealed: dealing.Sealed) -> Plain:
    return {"root": sealed.root, "leaves": list(sealed.commitment.leaves)}


def _opened(table: Table, seen: Hands) -> list[Plain]:
    """The cards of the present deck, or the last, that everybody has seen, with what proves their places."""
    if table.sealed is None or not table.dealt or not seen:
        return []
    opened = dealing.openings(table.sealed, dealing.may_be_opened(seen[None]))
    cards: list[Plain] = dealing.openings_to_json(opened)["cards"]
    return cards


def _place_of(seats: Seats, person: str | None) -> Seat | None:
    return next((seat for seat, one in seats.items() if isinstance(one, Person) and one.id == person), None)
