"""A census of hands: statistics of a rule set with one player in every seat."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from leftbower.engine.states import Reason, Scored
from leftbower.players.arena.arena import play_deal
from leftbower.players.roster import player
from leftbower.rules import HouseRules, Rank

ENDINGS: Final = ("made-it", "march", "lone-sweep", "euchre", "passed-out", "other")
"""How a hand can end. Here, a march is with partner or dummy; "other" means penalties and lost deals."""


class HandKind(NamedTuple):
    """The fields of a hand that the census counts."""

    up_card: Rank
    caller: int | None
    """The maker's position: 1 is the dealer's left, and the dealer is last. None if the hand was passed out."""
    round: int | None
    ending: str
    """One of `ENDINGS`."""
    dealers: int
    """Points of the dealer's side."""
    others: int
    """Points of the other side; with three players, of each of the others who scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """The number of hands of each kind. Censuses can be added."""

    kinds: Mapping[HandKind, int] = field(default_factory=dict)
    redeals: int = 0

    def __add__(self, other: "Census") -> "Census":
        kinds = Counter(self.kinds)
        kinds.update(other.kinds)
        return Census(kinds=kinds, redeals=self.redeals + other.redeals)

    @property
    def hands(self) -> int:
        return sum(self.kinds.values())

    @property
    def dealers_points(self) -> float:
        """Points per hand of the dealer's side."""
        return sum(number * kind.dealers for kind, number in self.kinds.items()) / max(1, self.hands)

    @property
    def others_points(self) -> float:
        """Points per hand of the others."""
        return sum(number * kind.others for kind, number in self.kinds.items()) / max(1, self.hands)

    def where(self, **values: object) -> "Census":
        """The census of only the hands whose fields have these values."""
        wanted = values.items()
        kinds = {kind: number for kind, number in self.kinds.items() if wanted <= kind._asdict().items()}
        return Census(kinds=kinds)

    def values(self, name: str) -> list[Any]:
        """The values of a field, in order, without None."""
        return sorted({getattr(kind, name) for kind in self.kinds} - {None}, key=_order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The parameters of a census."""

    player: str
    """The player in every seat, in the form the roster reads."""
    rules: HouseRules
    seed: int = 1
    hands: int = 10_000


def take_census(study: Study, numbers: range) -> Census:
    """The census of these hands of a study; a hand depends only on the seed and its number."""
    players = dict.fromkeys(study.rules.seats, player(study.player))
    return _counted(play_deal(study.rules, players, seed=study.seed, number=number) for number in numbers)


def _counted(deals: Iterable[list[Scored]]) -> Census:
    kinds: Counter[HandKind] = Counter()
    redeals = 0
    for played in deals:
        kinds[_kind(played[-1])] += 1
        redeals += len(played) - 1
    return Census(kinds=kinds, redeals=redeals)


def _kind(hand: Scored) -> HandKind:
    rules, deal, contract = hand.hand.rules, hand.hand.deal, hand.contract
    round_the_table = rules.seats.index(contract.maker) - rules.seats.index(deal.dealer) if contract else 0
    own = rules.side_of(deal.dealer)
    return HandKind(
        up_card=deal.up_card.rank,
        caller=(round_the_table - 1) % rules.players + 1 if contract else None,
        round=(1 if contract.ordered else 2) if contract else None,
        ending=_ending(hand),
        dealers=hand.points.get(deal.dealer, 0),
        others=max(hand.points.get(seat, 0) for seat in rules.seats if seat not in own),
    )


def _ending(hand: Scored) -> str:
    if hand.reason is Reason.MARCH and hand.contract and hand.contract.alone:
        return "lone-sweep"
    return hand.reason.value if hand.reason.value in ENDINGS else "other"


def _order(value: Any) -> Any:
    return list(Rank).index(value) if isinstance(value, Rank) else value
