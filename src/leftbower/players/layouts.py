"""Layouts as a viewer may imagine them: everything the view shows is known, every layout that fits is as likely.

Most are dealt by the kernel, which spreads the cards out of sight blindly and throws away what does not fit. Where
hardly anything fits, `spread` counts the layouts instead and draws one of them.
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
from leftbower.engine.knowledge import KITTY, Homes, Place, hidden
from leftbower.kernel import Layouts, Position, Room, seats_on_chairs
from leftbower.kernel.position import Four
from leftbower.rules.cards import UNKNOWN, Card
from leftbower.rules.seats import Seat

DUMMY: Final = "dummy"
"""The dummy while nobody has taken it: three cards of the kitty's heap."""
TRIES: Final = 20_000
"""How often the kernel may spread the cards for one layout before they are counted instead: some milliseconds."""


def layouts(
    view: View, contract: Contract, many: int, chance: Random, *, mine: tuple[Card, ...] | None = None
) -> Layouts:
    """So many layouts as the viewer may imagine them, under the contract that was made, or one that may be.

    `mine` is what the viewer holds, where that is not what the view shows: after a bury that is only thought of.
    """
    rules, unseen = view.rules, hidden(view)
    active, chairs = active_seats(rules, contract), seats_on_chairs(rules, contract)
    sizes = dict(unseen.rooms)
    homes = dict(unseen.homes)
    if rules.dummy_size and not view.dummy and sizes[KITTY] > rules.dummy_size:
        sizes |= {DUMMY: rules.dummy_size, KITTY: sizes[KITTY] - rules.dummy_size}
        homes = {card: places | {DUMMY} if KITTY in places else places for card, places in homes.items()}
    rooms = {
        place: Room(
            chair=chairs.index(place) if isinstance(place, Seat) and place in active else None,
            size=size,
            allowed=[card for card, places in homes.items() if place in places],
            owed=[card for card, places in unseen.owed.items() if place in places],
        )
        for place, size in sizes.items()
    }
    known = _known(view, contract, mine)
    seed = chance.getrandbits(64)
    sampled = Layouts(known, rooms, tuple(homes), many=many, seed=seed, tries=TRIES)
    if len(sampled) < many:
        counted = _counted(sizes, homes, unseen.owed)
        for _ in range(many - len(sampled)):
            sampled.add(_drawn(sizes, counted, chance))
    return sampled


def _known(view: View, contract: Contract, mine: tuple[Card, ...] | None) -> Position:
    """The position as far as the viewer knows it: the viewer's hand, and what lies on the table."""
    rules, chairs = view.rules, seats_on_chairs(view.rules, contract)
    held = tuple(card for card in view.cards if card is not UNKNOWN) if mine is None else mine
    plays = view.seat in active_seats(rules, contract)
    hands: Four = tuple(held if plays and seat is view.seat else () for seat in chairs)  # type: ignore[assignment]
    laid = dict(zip(view.seats, view.trick, strict=True))
    one, two, three, four = (laid.get(seat) if seat else None for seat in chairs)
    leader = view.leader or first_leader(rules, view.dealer, contract)
    return Position(
        trump=contract.trump,
        hands=hands,
        table=(one, two, three, four),
        leader=chairs.index(leader),
        makers_tricks=sum(trick.winner in chairs[0::2] for trick in view.tricks),
    )


def spread(
    sizes: Mapping[Place, int], homes: Homes, chance: Random, owed: Homes = MappingProxyType({})
) -> dict[Place, list[Card]]:
    """One layout, every one as likely, by counting: cards that may lie in the same places are drawn together.

    Of cards that are `owed` at least one lies where it may be owed to.
    """
    return _drawn(sizes, _counted(sizes, homes, owed), chance)


_Shares = dict[Place, int]
_Group = tuple[frozenset[Place], list[Card]]
"""Cards that may lie in the same places."""
_Way = tuple[int, list[_Group], tuple[_Shares, ...]]
"""A way to share groups of cards out over places: how many layouts it stands for, the groups, the share of each."""


def _counted(sizes: Mapping[Place, int], homes: Homes, owed: Homes) -> list[_Way]:
    """Every way to share the cards out; each layout is of one of them."""
    return [
        (number, groups, shares)
        for groups in map(_groups, _tables(homes, owed))
        for number, shares in _ways(tuple(sizes.items()), [(places, len(cards)) for places, cards in groups])
    ]


def _drawn(sizes: Mapping[Place, int], ways: list[_Way], chance: Random) -> dict[Place, list[Card]]:
    totals = list(accumulate(number for number, _, _ in ways))
    _, groups, chosen = ways[bisect_right(totals, chance.randrange(totals[-1]))]
    lying: dict[Place, list[Card]] = {place: [] for place in sizes}
    for (_, cards), shares in zip(groups, chosen, strict=True):
        mixed = iter(chance.sample(cards, len(cards)))
        for place, share in shares.items():
            lying[place] += [next(mixed) for _ in range(share)]
    return lying


def _tables(homes: Homes, owed: Homes) -> Iterator[Homes]:
    """Tables of homes of which every layout fits just one: they differ in the first card owed that is paid."""
    if not owed:
        yield homes
    unpaid = dict(homes)
    for card, places in owed.items():
        yield {**unpaid, card: places}
        unpaid[card] -= places


def _groups(homes: Homes) -> list[_Group]:
    groups: dict[frozenset[Place], list[Card]] = defaultdict(list)
    for card, places in homes.items():
        groups[places].append(card)
    return sorted(groups.items(), key=lambda group: len(group[0]))


def _ways(
    sizes: tuple[tuple[Place, int], ...], groups: list[tuple[frozenset[Place], int]]
) -> Iterator[tuple[int, tuple[_Shares, ...]]]:
    """Every way to share the groups out over the places, with the number of layouts it stands for."""
    if not groups:
        yield 1, ()
        return
    (places, number), rest = groups[0], groups[1:]
    for layouts, shares in _shared([(place, size) for place, size in sizes if place in places], number):
        left = tuple((place, size - shares.get(place, 0)) for place, size in sizes)
        for others, more in _ways(left, rest):
            yield layouts * others, (shares, *more)


def _shared(rooms: list[tuple[Place, int]], number: int) -> Iterator[tuple[int, _Shares]]:
    """Every way to share so many cards out over these rooms, with the number of ways to choose the cards."""
    if not rooms:
        if not number:
            yield 1, {}
        return
    (place, size), rest = rooms[0], rooms[1:]
    for share in range(min(size, number) + 1):
        for ways, shares in _shared(rest, number - share):
            yield comb(number, share) * ways, {place: share, **shares}
