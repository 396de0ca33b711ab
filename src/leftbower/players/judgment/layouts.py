"""Sampled layouts for a viewer: everything in the view is known, and all layouts that fit it are equally likely.

The kernel samples most of them: it deals the hidden cards at random and rejects what doesn't fit. If hardly anything
fits, `sample_by_counting` counts the layouts instead and draws one.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import comb
from random import Random
from types import MappingProxyType
from typing import Final

from leftbower.engine import Contract, View, active_seats, first_leader
from leftbower.engine.knowledge import KITTY, Location, Locations, hidden_cards
from leftbower.kernel import HiddenLocation, Layouts, Position, chair_seats
from leftbower.kernel.position import HandsByChair
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat

DUMMY: Final = "dummy"
"""The dummy before the maker takes it: three cards of the kitty."""
MAX_KERNEL_TRIES: Final = 20_000
"""Rejections allowed per layout before layouts are counted instead: a few milliseconds."""


def layouts(
    view: View, contract: Contract, count: int, rng: Random, *, mine: tuple[Card, ...] | None = None
) -> Layouts:
    """Sample `count` layouts consistent with the view, under an actual or a considered contract.

    `mine` is the viewer's hand if it isn't the one in the view, for example after an imagined discard.
    """
    rules, unseen = view.rules, hidden_cards(view)
    active, chairs = active_seats(rules, contract), chair_seats(rules, contract)
    sizes = dict(unseen.sizes)
    homes = dict(unseen.locations)
    if rules.dummy_size and not view.dummy and sizes[KITTY] > rules.dummy_size:
        sizes |= {DUMMY: rules.dummy_size, KITTY: sizes[KITTY] - rules.dummy_size}
        homes = {card: locations | {DUMMY} if KITTY in locations else locations for card, locations in homes.items()}
    rooms = {
        location: HiddenLocation(
            chair=chairs.index(location) if isinstance(location, Seat) and location in active else None,
            size=size,
            allowed=[card for card, locations in homes.items() if location in locations],
            owed=[card for card, locations in unseen.owed.items() if location in locations],
        )
        for location, size in sizes.items()
    }
    known = _known(view, contract, mine)
    seed = rng.getrandbits(64)
    sampled = Layouts(known, rooms, tuple(homes), count=count, seed=seed, tries=MAX_KERNEL_TRIES)
    if len(sampled) < count:
        counted = _count_splits(sizes, homes, unseen.owed)
        for _ in range(count - len(sampled)):
            sampled.add(_draw_layout(sizes, counted, rng))
    return sampled


def begin_contract(
    imagined: Layouts, rules: HouseRules, contract: Contract, dealer: Seat, up_card: Card | None
) -> None:
    """The dealer takes an up-card that was ordered up, unless already taken (None), and the maker the dummy."""
    if up_card and contract.ordered and dealer in active_seats(rules, contract):
        imagined.take_up(chair_seats(rules, contract).index(dealer), up_card)
    if rules.dummy_size and not contract.alone:
        imagined.take_dummy(0, DUMMY, rules.dummy_size)


def _known(view: View, contract: Contract, mine: tuple[Card, ...] | None) -> Position:
    """The position as far as the viewer knows it: the viewer's hand, and the cards on the table."""
    rules, chairs = view.rules, chair_seats(view.rules, contract)
    held = tuple(card for card in view.cards if card is not UNKNOWN) if mine is None else mine
    plays = view.seat in active_seats(rules, contract)
    hands: HandsByChair = tuple(held if plays and seat is view.seat else () for seat in chairs)  # type: ignore[assignment]
    laid = dict(zip(view.seats, view.trick, strict=True))
    first, second, third, fourth = (laid.get(seat) if seat else None for seat in chairs)
    leader = view.leader or first_leader(rules, view.dealer, contract)
    return Position(
        trump=contract.trump,
        hands=hands,
        table=(first, second, third, fourth),
        leader=chairs.index(leader),
        makers_tricks=sum(trick.winner in chairs[0::2] for trick in view.tricks),
    )


def sample_by_counting(
    sizes: Mapping[Location, int], homes: Locations, rng: Random, owed: Locations = MappingProxyType({})
) -> dict[Location, list[Card]]:
    """Draw one layout uniformly by counting: cards with the same possible locations are drawn together.

    At least one of the `owed` cards is in a location where it is owed.
    """
    return _draw_layout(sizes, _count_splits(sizes, homes, owed), rng)


_Shares = dict[Location, int]
_Group = tuple[frozenset[Location], list[Card]]
"""Cards with the same possible locations."""
_Split = tuple[int, list[_Group], tuple[_Shares, ...]]
"""A way to split groups of cards over locations: its number of layouts, the groups, the share of each."""


def _count_splits(sizes: Mapping[Location, int], homes: Locations, owed: Locations) -> list[_Split]:
    """Every way to split the cards; each layout belongs to exactly one."""
    return [
        (number, groups, shares)
        for groups in map(_groups, _tables(homes, owed))
        for number, shares in _splits(tuple(sizes.items()), [(locations, len(cards)) for locations, cards in groups])
    ]


def _draw_layout(sizes: Mapping[Location, int], ways: list[_Split], rng: Random) -> dict[Location, list[Card]]:
    totals = list(accumulate(number for number, _, _ in ways))
    _, groups, chosen = ways[bisect_right(totals, rng.randrange(totals[-1]))]
    lying: dict[Location, list[Card]] = {location: [] for location in sizes}
    for (_, cards), shares in zip(groups, chosen, strict=True):
        mixed = iter(rng.sample(cards, len(cards)))
        for location, share in shares.items():
            lying[location] += [next(mixed) for _ in range(share)]
    return lying


def _tables(homes: Locations, owed: Locations) -> Iterator[Locations]:
    """Disjoint cases, of which every layout fits exactly one: they differ in the first owed card that is in place."""
    if not owed:
        yield homes
    unpaid = dict(homes)
    for card, locations in owed.items():
        yield {**unpaid, card: locations}
        unpaid[card] -= locations


def _groups(homes: Locations) -> list[_Group]:
    groups: dict[frozenset[Location], list[Card]] = defaultdict(list)
    for card, locations in homes.items():
        groups[locations].append(card)
    return sorted(groups.items(), key=lambda group: len(group[0]))


def _splits(
    sizes: tuple[tuple[Location, int], ...], groups: list[tuple[frozenset[Location], int]]
) -> Iterator[tuple[int, tuple[_Shares, ...]]]:
    """Every way to split the groups over the locations, with its number of layouts."""
    if not groups:
        yield 1, ()
        return
    (locations, number), rest = groups[0], groups[1:]
    for layouts, shares in _share_out([(location, size) for location, size in sizes if location in locations], number):
        left = tuple((location, size - shares.get(location, 0)) for location, size in sizes)
        for others, more in _splits(left, rest):
            yield layouts * others, (shares, *more)


def _share_out(rooms: list[tuple[Location, int]], number: int) -> Iterator[tuple[int, _Shares]]:
    """Every way to split `number` cards over these locations, with the number of ways to choose the cards."""
    if not rooms:
        if not number:
            yield 1, {}
        return
    (location, size), rest = rooms[0], rooms[1:]
    for share in range(min(size, number) + 1):
        for ways, shares in _share_out(rest, number - share):
            yield comb(number, share) * ways, {location: share, **shares}
