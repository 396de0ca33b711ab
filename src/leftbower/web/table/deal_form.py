"""The dealer's form at an honor table: offer the cut, and choose the packets of the deal."""

from dataclasses import dataclass

from leftbower.engine.deal import usual_packets
from leftbower.notation.describe import SeatNamer, as_subject
from leftbower.table import Table, cutting_seat


@dataclass(frozen=True, slots=True, kw_only=True)
class DealForm:
    cutter: str
    """Who can be offered the cut; empty if none is due or it was offered."""
    names: tuple[str, ...]
    """Players in the order of the deal."""
    rounds: tuple[tuple[int, ...], ...]
    """Usual packet sizes, one tuple per round of the deal and one number per player."""


def deal_form(table: Table, seat_name: SeatNamer) -> DealForm:
    rules, dealer = table.rules, table.dealing_seat
    assert dealer is not None
    cutter = cutting_seat(rules, rules.deal_cut, dealer) if table.may_offer_cut else None
    first = rules.seats.index(dealer) + 1
    sizes = usual_packets(rules)
    return DealForm(
        cutter=seat_name(cutter) if cutter else "",
        names=tuple(as_subject(seat_name(seat)) for seat in (*rules.seats[first:], *rules.seats[:first])),
        rounds=tuple(sizes[start : start + rules.players] for start in range(0, len(sizes), rules.players)),
    )
