"""The form by which the dealer of an honor table deals: whom to offer the cut, and the bundles to choose."""

from dataclasses import dataclass

from leftbower.engine import usual_packets
from leftbower.notation.describe import SeatNamer
from leftbower.table import Table, cutting_seat


@dataclass(frozen=True, slots=True, kw_only=True)
class DealForm:
    """What the dealer is asked for."""

    cutter: str
    """To whom the cut can be offered; empty where none is due, or it was offered."""
    names: tuple[str, ...]
    """Who gets cards, in the order of the deal."""
    rounds: tuple[tuple[int, ...], ...]
    """The usual bundles, round after round, one for each of them."""


def deal_form(table: Table, seat_name: SeatNamer) -> DealForm:
    """The form for the seat that deals."""
    rules, dealer = table.rules, table.dealing_seat
    assert dealer is not None
    cutter = cutting_seat(rules, rules.deal_cut, dealer) if table.may_offer_cut else None
    first = rules.seats.index(dealer) + 1
    sizes = usual_packets(rules)
    return DealForm(
        cutter=seat_name(cutter) if cutter else "",
        names=tuple(seat_name(seat) for seat in (*rules.seats[first:], *rules.seats[:first])),
        rounds=tuple(sizes[start : start + rules.players] for start in range(0, len(sizes), rules.players)),
    )
