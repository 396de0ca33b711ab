"""The form by which the dealer of an honor table deals: whom to offer the cut, and the bundles to choose."""

from dataclasses import dataclass

from leftbower.engine import usual_packets
from leftbower.notation.telling import Naming
from leftbower.table import Table, cuts


@dataclass(frozen=True, slots=True, kw_only=True)
class DealForm:
    """What the dealer is asked for."""

    offer: str
    """To whom the cut can be offered; empty where none is due, or it was offered."""
    names: tuple[str, ...]
    """Who gets cards, in the order of the deal."""
    rounds: tuple[tuple[int, ...], ...]
    """The usual bundles, round after round, one for each of them."""


def deal_form(table: Table, called: Naming) -> DealForm:
    """The form for the seat that deals."""
    rules, dealer = table.rules, table.deals
    assert dealer is not None
    cutter = cuts(rules, rules.deal_cut, dealer) if table.may_offer_cut else None
    first = rules.places.index(dealer) + 1
    sizes = usual_packets(rules)
    return DealForm(
        offer=called(cutter) if cutter else "",
        names=tuple(called(seat) for seat in (*rules.places[first:], *rules.places[:first])),
        rounds=tuple(sizes[at : at + rules.seats] for at in range(0, len(sizes), rules.seats)),
    )
