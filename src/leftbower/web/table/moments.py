"""The moment that a version shows: what the script moves, sounds and holds, and for how long, depends on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine.actions import Bury, GoAlone, LayAway, Name, Order, Pass, Play, TurnUp
from leftbower.engine.deal import usual_packets
from leftbower.engine.play import active_seats
from leftbower.engine.view import View
from leftbower.i18n import gettext, ngettext
from leftbower.notation.describe import YOU, SeatNamer
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class LoneCall:
    """The banner of a player who has just gone alone."""

    title: str
    stakes: str


def moment(view: View | None) -> str:
    """What the last action was: `deal`, `bid`, `call`, `alone`, `discard`, `card`, `trick`, `end`; empty for others."""
    if view is None:
        return ""
    if view.ending is not None:
        return "end"
    if not view.actions:
        return "deal"
    match view.actions[-1]:
        case TurnUp():
            return "turn-up"
        case Pass():
            return "bid"
        case Order(alone=True) | Name(alone=True) | GoAlone():
            return "alone"
        case Order() | Name():
            return "call"
        case Bury() | LayAway():
            return "discard"
        case Play():
            return "card" if view.trick else "trick"
        case _:
            return ""


def packets(view: View | None, positions: Mapping[Seat, str]) -> str:
    """The packets of a deal in order, each a position and a number of cards: `left:3 top:2`; empty after the deal."""
    if view is None or view.actions:
        return ""
    seat, dealt = view.dealer, []
    for size in usual_packets(view.rules):
        seat = view.rules.left_of(seat)
        dealt.append(f"{positions[seat]}:{size}")
    return " ".join(dealt)


def lone_call(view: View | None, seat_name: SeatNamer) -> LoneCall | None:
    """The banner, if the last action was to go alone."""
    if view is None or view.contract is None or moment(view) != "alone":
        return None
    player, points = seat_name(view.contract.maker), view.rules.march_points_alone
    return LoneCall(
        title=gettext("You go alone") if player == YOU else gettext("%(name)s goes alone", name=player),
        stakes=ngettext("All five tricks score %(num)d point.", "All five tricks score %(num)d points.", points)
        if view.seat is None or view.seat in active_seats(view.rules, view.contract)
        else gettext("You sit this one out. All five tricks score %(points)d.", points=points),
    )
