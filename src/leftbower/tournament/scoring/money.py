"""Money in integer cents: the pot, prizes by place or by share; ties split cash, but not gift cards.

Payouts add up to the pool, to the cent; odd cents go to the better place, then to the lower number.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from leftbower.errors import BadMoney, TieStands
from leftbower.i18n import gettext as _, gettext_noop
from leftbower.tournament.model.choices import ExtraCategory
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.standings import Standing, standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Prize:
    entrant: str
    cents: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Payouts:
    pool: int
    prizes: tuple[Prize, ...]

    def by_entrant(self) -> dict[str, int]:
        """Total per entrant, in the order of the prizes."""
        totals = Counter[str]()
        for prize in self.prizes:
            totals[prize.entrant] += prize.cents
        return totals


def payouts(event: Event) -> Payouts:
    """Prizes by the current standings; raises TieStands if a tie decides a gift card."""
    lines = standings(event)
    if not lines:
        return Payouts(pool=0, prizes=())
    cards = tuple(_cards(event, lines))
    extras = tuple(_extras(event, lines))
    cash = tuple(_cash(event, lines, sum(prize.cents for prize in extras)))
    prizes = tuple(prize for prize in (*cards, *cash, *extras) if prize.cents)
    return Payouts(pool=pool(event, lines), prizes=prizes)


def amount_due(event: Event, entrant: str) -> int:
    """The entrant's prizes minus what was already paid out."""
    return payouts(event).by_entrant().get(entrant, 0) - event.paid_out.get(entrant, 0)


def pool(event: Event, lines: Sequence[Standing]) -> int:
    """Sum of all prizes: fixed amounts that have a winner, and the shared part of the pot."""
    prizes, count = event.plan.prizes, len(lines)
    extras = sum(cents for counter, cents in prizes.extras if leaders(lines, counter))
    named = sum(prizes.cards[:count]) + sum(prizes.cash[:count]) + extras
    return named + int(max(0, event.pot - extras) * sum(prizes.shares, Fraction(0)))


def split_evenly(cents: int, count: int) -> tuple[int, ...]:
    """Split into parts that differ by at most a cent, larger ones first."""
    each, odd = divmod(cents, count)
    return tuple(each + (index < odd) for index in range(count))


def split_by_shares(cents: int, shares: Sequence[Fraction]) -> tuple[int, ...]:
    """Split in proportion to shares, to the cent; odd cents go to the better places."""
    whole = sum(shares)
    if not whole:
        return ()
    parts = [int(cents * share / whole) for share in shares]
    odd = cents - sum(parts)
    return tuple(part + (index < odd) for index, part in enumerate(parts))


def _cards(event: Event, lines: Sequence[Standing]) -> Iterable[Prize]:
    """One card per place, first place first; ties must be broken before."""
    for index, cents in enumerate(event.plan.prizes.cards[: len(lines)]):
        line = lines[index]
        level = [other for other in lines if other.place == line.place]
        if len(level) > 1:
            names = " and ".join(event.entrants[other.entrant].name for other in level)
            raise TieStands(
                "%(names)s are tied for place %(place)s, and a gift card can't be split; draw lots",
                names=names,
                place=line.place,
            )
        yield Prize(entrant=line.entrant, cents=cents, reason=_("place %(place)d, gift card", place=line.place))


def _cash(event: Event, lines: Sequence[Standing], taken: int) -> Iterable[Prize]:
    amounts = _amounts(event, len(lines), taken)
    index = 0
    while index < len(lines) and index < len(amounts):
        level = [line for line in lines if line.place == lines[index].place]
        total = sum(amounts[index : index + len(level)])
        level.sort(key=lambda line: event.entrants[line.entrant].number)
        place = lines[index].place
        reason = _("place %(place)d, split", place=place) if len(level) > 1 else _("place %(place)d", place=place)
        for line, cents in zip(level, split_evenly(total, len(level)), strict=True):
            yield Prize(entrant=line.entrant, cents=cents, reason=reason)
        index += len(level)


def _amounts(event: Event, entrants: int, taken: int) -> tuple[int, ...]:
    """Cash by place; with fewer entrants than prizes, they share the whole amount."""
    prizes = event.plan.prizes
    if not prizes.shares:
        return prizes.cash[:entrants]
    if event.pot < taken:
        raise BadMoney(
            "the pot has %(pot)s, but the extra prizes need %(extras)s",
            pot=f"${event.pot / 100:,.2f}",
            extras=f"${taken / 100:,.2f}",
        )
    shared = int((event.pot - taken) * sum(prizes.shares))
    return split_by_shares(shared, prizes.shares[:entrants])


def _extras(event: Event, lines: Sequence[Standing]) -> Iterable[Prize]:
    """Prizes of the extra categories, split between tied leaders."""
    for counter, cents in event.plan.prizes.extras:
        best = leaders(lines, counter)
        best.sort(key=lambda line: event.entrants[line.entrant].number)
        for line, part in zip(best, split_evenly(cents, max(1, len(best))), strict=False):
            yield Prize(entrant=line.entrant, cents=part, reason=_(_EXTRA_REASONS[counter]))


_EXTRA_REASONS: Final = {
    ExtraCategory.LONERS: gettext_noop("most loners"),
    ExtraCategory.EUCHRES: gettext_noop("most euchres"),
    ExtraCategory.HIGH_GAME: gettext_noop("highest game"),
    ExtraCategory.LAST: gettext_noop("last place"),
}


def leaders(lines: Sequence[Standing], counter: ExtraCategory) -> list[Standing]:
    """The leaders of a category; empty if all have none."""
    if counter is ExtraCategory.LAST:
        return [line for line in lines if line.place == lines[-1].place]
    most = max(extra_count(line, counter) for line in lines)
    return [line for line in lines if most and extra_count(line, counter) == most]


def extra_count(line: Standing, counter: ExtraCategory) -> int:
    own = line.tally
    match counter:
        case ExtraCategory.LONERS:
            return own.loners
        case ExtraCategory.EUCHRES:
            return own.euchres
        case _:
            return own.high_game
