"""What somebody may see of a table, as JSON: the only way out of a table's state.

Cards are in it as the engine's `View` shows them, and as opened envelopes; everything else is public.
"""

from typing import Any

from leftbower import dealing
from leftbower.engine import InGame, InHand, MatchOver, Scores, ToDeal, ToDraw, View, view
from leftbower.notation import view_to_json
from leftbower.rules.forms import to_json, to_link
from leftbower.rules.seats import Seat
from leftbower.table.clocks import ALLOWANCES
from leftbower.table.model import Person, Seats, Sitter, Table

Plain = dict[str, Any]


def show(table: Table, person: str | None) -> Plain:
    """The table through the eyes of a person, who may sit at it or only look on."""
    hand = seen(table, person)
    shown = {"rules": to_json(table.rules), **public(table), **personal(table, person)}
    return shown | {"hand": None if hand is None else view_to_json(hand)}


def public(table: Table) -> Plain:
    """What everybody may see, but the rules."""
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
        "opened": _opened(table),
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


def seen(table: Table, person: str | None) -> View | None:
    """The hand that is played, or was played last, through the eyes of the seat the viewer has, or had in it."""
    if table.hand is not None:
        return view(table.hand, _place_of(table.seats, person))
    return None if table.last is None else view(table.last, _place_of(table.sat, person))


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


def _opened(table: Table) -> list[Plain]:
    """The cards of the present deck, or the last, that everybody has seen, with what proves their places."""
    state = table.hand or table.last
    if table.sealed is None or not table.dealt or state is None:
        return []
    opened = dealing.openings(table.sealed, dealing.may_be_opened(view(state, None)))
    cards: list[Plain] = dealing.openings_to_json(opened)["cards"]
    return cards


def _place_of(seats: Seats, person: str | None) -> Seat | None:
    return next((seat for seat, one in seats.items() if isinstance(one, Person) and one.id == person), None)
