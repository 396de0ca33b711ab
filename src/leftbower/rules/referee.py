"""The referee: decides the consequences of an irregularity under a rule set; `announcements` puts them into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Self

from leftbower.errors import BadIncident, BadSeat, show
from leftbower.rules.choices import Choice, Correction, Cut, FailureToDiscard, Misdeal, OutOfTurn, RenegeAlone
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat


class Irregularity(Choice):
    """What can go wrong at a table."""

    RENEGE = "renege"
    OUT_OF_TURN = "out-of-turn"
    FAILURE_TO_DISCARD = "failure-to-discard"
    NO_CUT_OFFERED = "no-cut-offered"
    WRONG_CARD_COUNT = "wrong-card-count"


class Remedy(Enum):
    """What the referee orders."""

    NONE = "none"
    """Not an irregularity under these rules."""
    PENALTY = "penalty"
    WARNING = "warning"
    NO_COST = "no-cost"
    """Corrected in time; play goes on from there."""
    TAKE_BACK = "take-back"
    WAIT = "wait"
    REDEAL = "redeal"
    """The dealer deals again."""
    NEXT_DEAL = "next-deal"
    """The deal passes to the next player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """What happened, as reported to the referee. Facts that don't matter may be left out."""

    irregularity: Irregularity
    offender: Seat | None = None
    maker: Seat | None = None
    dealer: Seat | None = None
    alone: bool = False
    """Was it a lone hand?"""
    corrected: bool = False
    """Was it corrected before the last trick was complete?"""
    called: bool = False
    """Had an opponent called it before it was corrected?"""
    earlier_warnings: int = 0
    """How many warnings does the offender already have?"""
    up_card_shown: bool = True
    """Was the up-card turned before the error was noticed?"""

    @classmethod
    def from_json(cls, plain: Mapping[str, object]) -> Self:
        """Parse a JSON object; the error names the fact that is wrong."""
        unknown = set(plain) - set(_FACTS)
        if unknown:
            name = min(unknown)
            raise BadIncident(
                "'%(name)s' is not a fact; the facts are %(facts)s",
                path=name[:40],
                name=name[:40],
                facts=", ".join(_FACTS),
            )
        if plain.get("irregularity") is None:
            raise BadIncident("say what happened: %(kinds)s", path="irregularity", kinds=_KINDS)
        return cls(**{name: _FACTS[name](name, value) for name, value in plain.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The consequences: who scores what, whether the hand is over, and the options behind it."""

    remedy: Remedy
    points: Points = field(default_factory=lambda: MappingProxyType({}))
    hand_ends: bool = False
    deal_passes: bool = False
    """Does the next player deal next?"""
    may_be_waived: bool = False
    """May the opponents waive or reduce it?"""
    cited_options: tuple[str, ...]
    """The options it is based on."""

    @property
    def warning(self) -> bool:
        """Is it only a warning?"""
        return self.remedy is Remedy.WARNING

    def as_json(self) -> dict[str, object]:
        """The ruling as JSON, without words."""
        return {
            "points": {str(seat): scored for seat, scored in self.points.items()},
            "warning": self.warning,
            "hand_ends": self.hand_ends,
            "deal_passes": self.deal_passes,
            "remedy": self.remedy.value,
            "may_be_waived": self.may_be_waived,
            "cited_options": list(self.cited_options),
        }


def ruling(rules: HouseRules, facts: Incident) -> Ruling:
    """Decide the consequences of an irregularity under these rules, without words."""
    for seat in (facts.offender, facts.maker, facts.dealer):
        if seat is not None:
            rules.side_of(seat)
    match facts.irregularity:
        case Irregularity.NO_CUT_OFFERED if rules.deal_cut is Cut.NONE:
            return Ruling(remedy=Remedy.NONE, cited_options=("deal_cut",))
        case Irregularity.NO_CUT_OFFERED | Irregularity.WRONG_CARD_COUNT:
            return _misdeal(rules, facts)
        case Irregularity.FAILURE_TO_DISCARD:
            return _failure_to_discard(rules, facts)
        case Irregularity.OUT_OF_TURN if rules.out_of_turn is OutOfTurn.TAKEN_BACK:
            return Ruling(remedy=Remedy.TAKE_BACK, cited_options=("out_of_turn",))
        case Irregularity.OUT_OF_TURN:
            return _renege(rules, facts, "out_of_turn")
        case _:
            return _renege(rules, facts)


def facts_needed(rules: HouseRules, irregularity: Irregularity) -> tuple[str, ...]:
    """The facts needed to rule on this irregularity, in the order a referee asks for them."""
    match irregularity:
        case Irregularity.NO_CUT_OFFERED if rules.deal_cut is Cut.NONE:
            return ()
        case Irregularity.NO_CUT_OFFERED | Irregularity.WRONG_CARD_COUNT:
            return ("up_card_shown",) if rules.misdeal is Misdeal.DEAL_PASSES else ()
        case Irregularity.FAILURE_TO_DISCARD:
            penalized = rules.failure_to_discard is FailureToDiscard.PENALTY
            return ("dealer", *_penalty_facts(rules)) if penalized else ()
        case Irregularity.OUT_OF_TURN if rules.out_of_turn is OutOfTurn.TAKEN_BACK:
            return ()
    needed = ("offender", *_penalty_facts(rules))
    if rules.correction is not Correction.NEVER:
        needed += ("corrected",)
    if rules.correction is Correction.UNLESS_CALLED:
        needed += ("called",)
    return (*needed, "earlier_warnings") if rules.renege_warnings else needed


def _penalty_facts(rules: HouseRules) -> tuple[str, ...]:
    by_side = rules.renege_alone is not RenegeAlone.EITHER_SIDE
    maker = ("maker",) if rules.players == 3 or by_side else ()
    alone = ("alone",) if rules.renege_points != rules.renege_points_alone else ()
    return maker + alone


def _misdeal(rules: HouseRules, facts: Incident) -> Ruling:
    passes = rules.misdeal is Misdeal.DEAL_PASSES and facts.up_card_shown
    cited = ("misdeal", "missing_cut") if facts.irregularity is Irregularity.NO_CUT_OFFERED else ("misdeal",)
    return Ruling(
        remedy=Remedy.NEXT_DEAL if passes else Remedy.REDEAL,
        hand_ends=True,
        deal_passes=passes,
        cited_options=cited,
    )


_PENALTY: Final = ("renege_points", "renege_points_alone", "penalty_ends_hand")
"""Options behind every penalty."""
_WARNING: Final = ("renege_warnings", "warnings_for", "warnings_last")
"""Options behind every warning."""


def _failure_to_discard(rules: HouseRules, facts: Incident) -> Ruling:
    if rules.failure_to_discard is FailureToDiscard.TABLE_WAITS:
        return Ruling(remedy=Remedy.WAIT, cited_options=("failure_to_discard",))
    dealer = facts.dealer or facts.offender
    if dealer is None:
        raise BadIncident("say who dealt; the dealer did not discard", path="dealer")
    return _penalty(rules, facts, dealer, ("failure_to_discard", *_PENALTY))


def _renege(rules: HouseRules, facts: Incident, *cited: str) -> Ruling:
    if facts.offender is None:
        raise BadIncident("say who did it", path="offender")
    if _corrected_in_time(rules, facts):
        return Ruling(remedy=Remedy.NO_COST, cited_options=(*cited, "correction"))
    if facts.earlier_warnings < rules.renege_warnings:
        return Ruling(remedy=Remedy.WARNING, cited_options=(*cited, *_WARNING))
    cited += (*_PENALTY, "waiver") if rules.waiver else _PENALTY
    return _penalty(rules, facts, facts.offender, cited, may_be_waived=rules.waiver)


def _corrected_in_time(rules: HouseRules, facts: Incident) -> bool:
    match rules.correction:
        case Correction.NEVER:
            return False
        case Correction.UNLESS_CALLED:
            return facts.corrected and not facts.called
        case _:
            return facts.corrected


def _penalty(
    rules: HouseRules, facts: Incident, offender: Seat, cited: tuple[str, ...], *, may_be_waived: bool = False
) -> Ruling:
    scored = rules.renege_points_alone if _costs_more(rules, facts, offender) else rules.renege_points
    return Ruling(
        remedy=Remedy.PENALTY,
        points=MappingProxyType(dict.fromkeys(_wronged(rules, facts, offender), scored)),
        hand_ends=rules.penalty_ends_hand,
        deal_passes=rules.penalty_ends_hand,
        may_be_waived=may_be_waived,
        cited_options=cited,
    )


def _costs_more(rules: HouseRules, facts: Incident, offender: Seat) -> bool:
    """Is it a lone hand for which these rules charge more?"""
    if not facts.alone or rules.renege_alone is RenegeAlone.EITHER_SIDE:
        return facts.alone
    if facts.maker is None:
        raise BadIncident("say who made trump; the penalty depends on which side was alone", path="maker")
    by_the_lone_side = offender in rules.side_of(facts.maker)
    return by_the_lone_side is (rules.renege_alone is RenegeAlone.BY_THE_LONE_SIDE)


def _wronged(rules: HouseRules, facts: Incident, offender: Seat) -> Side:
    """The seats that score: the other side; with three players, only the maker if a defender offends."""
    if rules.players != 3:
        return rules.opponents_of(offender)
    if facts.maker is None:
        raise BadIncident("say who made trump; with three players the penalty depends on it", path="maker")
    return rules.opponents_of(offender) if offender is facts.maker else (facts.maker,)


_KINDS: Final = ", ".join(str(kind) for kind in Irregularity)


def _read_kind(name: str, value: object) -> Irregularity:
    for kind in Irregularity:
        if value in (kind, kind.value):
            return kind
    raise BadIncident("%(value)s is not an irregularity; use %(kinds)s", path=name, value=show(value), kinds=_KINDS)


def _read_seat(name: str, value: object) -> Seat:
    if isinstance(value, str):
        try:
            return Seat.parse(value)
        except BadSeat as error:
            raise error.at(name) from None
    raise BadIncident('%(value)s is not a seat; write "N", "E", "S" or "W"', path=name, value=show(value))


def _read_yes_no(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise BadIncident("%(value)s must be true or false", path=name, value=show(value))


def _read_count(name: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise BadIncident("%(value)s must be a whole number, 0 or more", path=name, value=show(value))


_FACTS: Final[dict[str, Any]] = {
    "irregularity": _read_kind,
    "offender": _read_seat,
    "maker": _read_seat,
    "dealer": _read_seat,
    "alone": _read_yes_no,
    "corrected": _read_yes_no,
    "called": _read_yes_no,
    "earlier_warnings": _read_count,
    "up_card_shown": _read_yes_no,
}
