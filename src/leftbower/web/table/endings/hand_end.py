"""View model of a hand that is over: what happened, who scores, who took each trick, and how far each side is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.engine.game import add_points, winner
from leftbower.engine.honor import score_hand
from leftbower.engine.match import InGame, ToDraw
from leftbower.engine.states import Closing, PublicContract, Reason, Scored
from leftbower.i18n import N_, gettext as _, ngettext
from leftbower.notation import describe
from leftbower.notation.describe import SUITS, VOID_HANDS, YOU, SeatNamer, as_subject, join_list, join_names
from leftbower.rules.cards import Card
from leftbower.rules.choices import LookingBack
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.scoring import TRICKS_PER_HAND, Points
from leftbower.rules.seats import Seat
from leftbower.table import Table, viewing_seat
from leftbower.web.table.seat_names import SeatNames
from leftbower.web.table.text import card_name

SIDES: Final = ("us", "them", "third")
_TITLES: Final = {
    (Reason.MADE_IT, False): N_("Made it!"),
    (Reason.MADE_IT, True): N_("Made it alone!"),
    (Reason.MARCH, False): N_("All five!"),
    (Reason.MARCH, True): N_("All five, alone!"),
    (Reason.EUCHRE, False): N_("Euchred!"),
    (Reason.EUCHRE, True): N_("Euchred alone!"),
}
"""By whether the maker went alone."""
_OTHER_TITLES: Final = {
    Reason.PASSED_OUT: N_("Passed out"),
    Reason.FARMERS_REDEAL: N_("A farmer’s hand"),
    Reason.MISDEAL: N_("A misdeal"),
    Reason.DEAL_LOST: N_("A misdeal"),
    Reason.PENALTY: N_("A penalty"),
    Reason.BOTH_GUILTY: N_("Both broke a rule"),
}
_THEIR_TITLES: Final = {Reason.MADE_IT: N_("They made it"), Reason.MARCH: N_("They took all five")}
_TRICK_COUNTS: Final = (
    *(N_("no tricks"), N_("one trick"), N_("two tricks"), N_("three tricks"), N_("four tricks"), N_("all five tricks")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WonTrick:
    card: Card | None
    """The card that took it; None where the rules keep the tricks face down, and before the score."""
    label: str
    """`jack of hearts, right bower`; empty without a card."""
    winner: str
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SideTally:
    name: str
    side: str
    points: int
    """The score after the hand."""
    gained: int
    target: int
    """0 if the game ends after a number of hands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnd:
    title: str
    mood: str
    """`ours` if the viewer's side scores, `theirs` if only others do, otherwise `even`."""
    story: str
    """Who called what, and the tricks they took."""
    scoring: str
    """Who scores how much."""
    tricks: tuple[WonTrick, ...]
    tallies: tuple[SideTally, ...]
    """The viewer's side first."""
    may_go_on: bool
    """Has the viewer a seat, and not yet asked for the next hand?"""
    waits_for: str
    """Names of the people who still look at the result; empty if the viewer does."""


def hand_end(table: Table, person: str | None, names: Mapping[str, str]) -> HandEnd | None:
    """The end of the last hand, until the next deal; None while a hand is played or between matches."""
    if not table.may_watch(person):
        return None
    hand = table.hand
    scored = score_hand(hand) if isinstance(hand, Closing) else table.last_hand if table.pausing else None
    if scored is None:
        return None
    seat = viewing_seat(table, person)
    rules = scored.hand.rules
    seats = table.seats if hand is not None else table.last_seats
    seat_name = SeatNames(seats, names, seat)
    sides = sorted(rules.sides, key=lambda side: seat not in side)
    waiting = table.present - table.agreed
    is_waiting = person in table.people and person not in table.agreed
    mood = _mood(scored, seat)
    return HandEnd(
        title=_title(scored, mood),
        mood=mood,
        story=" ".join(_story(scored, seat_name)),
        scoring=" ".join(_scoring(table, scored, seat_name)),
        tricks=tuple(_won_tricks(scored, sides, seat_name, is_open=hand is None)),
        tallies=tuple(_tallies(scored, sides, seat_name)),
        may_go_on=hand is None and is_waiting,
        waits_for=""
        if hand is not None or is_waiting or not waiting
        else join_list([names.get(other, "") for other in sorted(waiting)]),
    )


def summary(scored: Scored, seat: Seat | None, name: SeatNamer) -> tuple[str, str]:
    """The title of a hand that was scored, and its story, for a viewer at a seat."""
    return _title(scored, _mood(scored, seat)), " ".join(_story(scored, name))


def _mood(scored: Scored, seat: Seat | None) -> str:
    return "even" if not scored.points or seat is None else "ours" if seat in scored.points else "theirs"


def _title(scored: Scored, mood: str) -> str:
    if mood == "theirs" and scored.reason in _THEIR_TITLES:
        return _(_THEIR_TITLES[scored.reason])
    alone = scored.contract is not None and scored.contract.alone
    return _(_OTHER_TITLES.get(scored.reason) or _TITLES[scored.reason, alone])


def _story(scored: Scored, name: SeatNamer) -> Iterator[str]:
    if scored.reason in VOID_HANDS:
        yield _(VOID_HANDS[scored.reason])
        return
    for verdict in scored.docket.verdicts:
        if verdict.guilty:
            yield describe(verdict.call, scored.hand.rules, name)
    if scored.contract is not None and scored.makers_tricks is not None:
        yield _describe_makers(scored.contract, _(_TRICK_COUNTS[scored.makers_tricks]), name)
        if scored.contract.defender is not None:
            defender = name(scored.contract.defender)
            yield (_("You defended alone.") if defender == YOU else _("%(name)s defended alone.", name=defender))
        if len(scored.tricks) < TRICKS_PER_HAND:
            yield _("The rest was agreed, not played.")


def _describe_makers(contract: PublicContract, tricks: str, name: SeatNamer) -> str:
    maker, suit = name(contract.maker), _(SUITS[contract.trump])
    if maker == YOU and contract.alone:
        return _("You went alone in %(suit)s and took %(tricks)s.", suit=suit, tricks=tricks)
    if maker == YOU:
        return _("You called %(suit)s and took %(tricks)s.", suit=suit, tricks=tricks)
    if contract.alone:
        return _("%(name)s went alone in %(suit)s and took %(tricks)s.", name=maker, suit=suit, tricks=tricks)
    return _("%(name)s called %(suit)s and took %(tricks)s.", name=maker, suit=suit, tricks=tricks)


def _scoring(table: Table, scored: Scored, name: SeatNamer) -> Iterator[str]:
    rules, points = scored.hand.rules, scored.points
    for side in rules.sides:
        if points.get(side[0]):
            yield _describe_gain(side, points, name)
    if not points and scored.reason not in VOID_HANDS:
        yield _("No one scores.")
    between_games = isinstance(table.match, ToDraw) or (
        isinstance(table.match, InGame) and table.hand is None and table.match.game.scores != scores_after(scored)
    )
    if between_games and (won := winner(rules, scores_after(scored), scored.hand.hands + 1, _scoring_maker(scored))):
        yield _("The game goes to %(names)s.", names=join_names(won, name, is_object=True))


def _describe_gain(side: Side, points: Points, name: SeatNamer) -> str:
    number, names = points[side[0]], join_names(side, name)
    if len(side) > 1 or name(side[0]) == YOU:
        return ngettext("%(names)s score %(num)d.", "%(names)s score %(num)d.", number, names=names)
    return ngettext("%(name)s scores %(num)d.", "%(name)s scores %(num)d.", number, name=names)


def scores_after(scored: Scored) -> tuple[int, ...]:
    return add_points(scored.hand.rules, scored.hand.scores, scored.points)


def _scoring_maker(scored: Scored) -> Seat | None:
    maker = scored.contract.maker if scored.contract else None
    return maker if maker in scored.points else None


def _won_tricks(scored: Scored, sides: list[Side], name: SeatNamer, *, is_open: bool) -> Iterator[WonTrick]:
    trump = scored.contract.trump if scored.contract else None
    is_open = is_open and scored.hand.rules.looking_back is LookingBack.EVERYONE
    for trick in scored.tricks:
        card = trick.cards[trick.seats.index(trick.winner)]
        yield WonTrick(
            card=card if is_open else None,
            label=card_name(card, trump) if is_open else "",
            winner=as_subject(name(trick.winner)),
            side=next(css for css, side in zip(SIDES, sides, strict=False) if trick.winner in side),
        )


def _tallies(scored: Scored, sides: list[Side], name: SeatNamer) -> Iterator[SideTally]:
    rules = scored.hand.rules
    scores = dict(zip(rules.sides, scores_after(scored), strict=True))
    for css_class, side in zip(SIDES, sides, strict=False):
        yield SideTally(
            name=join_names(side, name),
            side=css_class,
            points=scores[side],
            gained=scored.points.get(side[0], 0),
            target=_target(rules),
        )


def _target(rules: HouseRules) -> int:
    return 0 if rules.fixed_hands else rules.target
