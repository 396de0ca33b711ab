"""The plan of an event: rules, stages, tie-breaks, prizes."""

import re
from calendar import monthrange
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from leftbower.errors import BadPlan, show
from leftbower.rules.choices import EventKind
from leftbower.rules.house import HouseRules
from leftbower.tournament.formats.base import DEFAULT_ROUNDS, TournamentFormat
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue, ExtraCategory, OddNumbers, ScoreApproval, TieBreak


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A part of an event played in one format."""

    format: Format
    rounds: int = 0
    """Number of rounds; 0 for the format's default."""
    best_of: int = 0
    """Maximum games in a match; 0 for the rules' default."""
    entrants: tuple[str, ...] = ()
    """The entrants, best first; empty for all."""

    def __post_init__(self) -> None:
        if not 0 <= self.rounds <= 200:
            raise BadPlan("plan 1 to 200 rounds, not %(rounds)s", path="rounds", rounds=self.rounds)
        if self.best_of not in (0, 1, 3, 5, 7):
            raise BadPlan("a match is best of 1, 3, 5 or 7 games, not %(games)s", path="best of", games=self.best_of)

    @property
    def definition(self) -> TournamentFormat:
        return self.format.definition

    @property
    def singles(self) -> bool:
        return self.definition.singles


@dataclass(frozen=True, slots=True, kw_only=True)
class Prizes:
    """Cash, pot shares and gift cards. Tied entrants split cash; a gift card can't be split."""

    cash: tuple[int, ...] = ()
    """Cents from first place down."""
    shares: tuple[Fraction, ...] = ()
    """Shares of the pot from first place down."""
    cards: tuple[int, ...] = ()
    """Gift cards from first place down, in cents."""
    extras: tuple[tuple[ExtraCategory, int], ...] = ()
    """Cents for each extra category; with pot shares, deducted from the pot first."""

    def __post_init__(self) -> None:
        if self.cash and self.shares:
            raise BadPlan("give cash by place or as shares of the pot, not both", path="prizes")
        amounts = (*self.cash, *self.cards, *(cents for _, cents in self.extras))
        if any(cents <= 0 for cents in amounts) or any(share <= 0 for share in self.shares):
            raise BadPlan("a prize must be more than $0", path="prizes")
        if list(self.shares) != sorted(self.shares, reverse=True) or list(self.cash) != sorted(self.cash, reverse=True):
            raise BadPlan("a better place can't get less", path="prizes")
        if sum(self.shares) > 1:
            raise BadPlan("the shares add up to more than the pot", path="prizes")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlan:
    """Settings fixed before the first entry."""

    title: str
    rules: HouseRules
    stage: Stage
    """The first stage; a final is added once its finalists are known."""
    fee: int = 0
    """Entry fee in cents, per entrant."""
    prizes: Prizes = field(default_factory=Prizes)
    ties: tuple[TieBreak, ...] = ()
    """Tie-breaks in order; empty for the format's default."""
    bye: ByeValue = ByeValue.NOTHING
    odd_numbers: OddNumbers = OddNumbers.BYES
    seeded: bool = False
    """Number entrants in order of entry, best first, instead of by lot."""
    approval: ScoreApproval = ScoreApproval.BOTH_SIDES
    minutes: int = 0
    """Minutes on the round clock; 0 for no clock."""
    online: bool = False
    """Played at online tables instead of in a hall."""
    no_show_minutes: int = 10
    """Minutes until a side that has not come to its online table forfeits."""
    starts: str = ""
    """Local date and time, as in 2026-11-24T19:00; empty if not set."""
    place: str = ""
    """Where it is played, in the organizer's words."""

    def __post_init__(self) -> None:
        if not self.title.strip() or len(self.title) > 80:
            raise BadPlan("the title must have 1 to 80 characters", path="title")
        if self.rules.players != 4:
            raise BadPlan(
                "event tables have four players; these rules are for %(players)s",
                path="rules",
                players=self.rules.players,
            )
        if not 0 <= self.fee <= MAX_CENTS:
            raise BadPlan("the fee must be between $0 and $1,000,000", path="fee")
        if len(self.place) > MAX_PLACE_LENGTH or not (self.place or " ").isprintable():
            raise BadPlan("the place must have at most %(limit)s letters", path="place", limit=MAX_PLACE_LENGTH)
        if self.starts and not _is_local_time(self.starts):
            raise BadPlan("%(time)s is not a date and time", path="starts", time=show(self.starts))
        if len(set(self.ties)) < len(self.ties):
            raise BadPlan("list each tie-break once", path="ties")
        if not 0 <= self.minutes <= 600 or not 1 <= self.no_show_minutes <= 600:
            raise BadPlan("a round and the wait for no-shows can take 600 minutes at most", path="minutes")
        if self.odd_numbers is OddNumbers.THREE_HANDED and not self.stage.definition.three_handed:
            fitting = " or ".join(known.value for known in Format if known.definition.three_handed)
            raise BadPlan(
                "three-handed tables need single players; choose the %(formats)s format",
                path="odd numbers",
                formats=fitting,
            )

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        """The plan's tie-breaks, or the format's default."""
        return self.ties or self.stage.definition.tie_breaks


MAX_CENTS: Final = 100_000_000
MAX_PLACE_LENGTH: Final = 80


_LOCAL_TIME: Final = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):[0-5]\d", re.ASCII)


def _is_local_time(text: str) -> bool:
    found = _LOCAL_TIME.fullmatch(text)
    return found is not None and 1 <= int(found[3]) <= monthrange(int(found[1]), int(found[2]))[1]


def default_plan(title: str, rules: HouseRules, stage: Stage | None = None, **terms: object) -> EventPlan:
    """The default plan of a rule sheet: its format and gift cards; `terms` override.

    Without a format of its own, a sheet with a fixed number of hands is for a progressive evening.
    """
    by_hands = rules.fixed_hands is not None and rules.event is EventKind.NONE
    stage = stage or Stage(
        format=Format.PROGRESSIVE if by_hands else _FORMAT_BY_RULES[rules.event], rounds=by_hands * DEFAULT_ROUNDS
    )
    prizes = Prizes(cards=tuple(100 * dollars for dollars in rules.gift_cards))
    bye = stage.definition.bye
    return replace(EventPlan(title=title, rules=rules, stage=stage, prizes=prizes, bye=bye), **terms)  # type: ignore[arg-type]


_FORMAT_BY_RULES: Final = {
    EventKind.NONE: Format.SWISS,
    EventKind.ROUND_ROBIN: Format.ROUND_ROBIN,
    EventKind.SCHOOL_GROUPS: Format.SCHOOLS,
}
