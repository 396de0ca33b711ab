"""The scorer's phone buttons: one for each way a hand can end that scores differently under the event's rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from leftbower.rules.choices import LoneDefense
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Incident
from leftbower.rules.scoring import TRICKS_PER_HAND, Outcome, points
from leftbower.rules.seats import Seat
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import HandResult, PassedOut
from leftbower.tournament.text.parse import format_hand

_MADE_TRICKS, _EUCHRED_TRICKS = 3, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreButton:
    """One button."""

    hand: str
    """The hand as `format_hand` writes it; the value that is sent."""
    label: str
    points: int
    side: int
    """The side that scores; -1 if the hand was passed out."""
    seat: Seat | None = None
    """Whose loner it was, if players score individually."""
    euchre: bool = False
    """Did the makers take too few tricks?"""


def score_buttons(event: Event, seating: Seating) -> tuple[ScoreButton, ...]:
    """The buttons of a table; results that score and count alike share one."""
    rules, singles = event.rules_of(seating), event.stage.singles
    buttons: dict[object, ScoreButton] = {}
    for side, seats in enumerate(seating.sides):
        for label, hand, loner in _possible_hands(rules, seats, singles=singles):
            gained = points(rules, hand)
            scorer = next(index for index, side_seats in enumerate(seating.sides) if side_seats[0] in gained)
            scored = gained[seating.sides[scorer][0]]
            euchred = hand.makers_tricks < _MADE_TRICKS
            seat = hand.maker if loner else None
            button = ScoreButton(
                hand=format_hand(hand), label=label, points=scored, side=scorer, seat=seat, euchre=euchred
            )
            buttons.setdefault((side, scorer, scored, euchred, seat), button)
    return (*buttons.values(), ScoreButton(hand=format_hand(PassedOut()), label="passed out", points=0, side=-1))


def _possible_hands(
    rules: HouseRules, seats: tuple[Seat, ...], *, singles: bool
) -> Iterator[tuple[str, Outcome, bool]]:
    """Label, outcome and whether it is a counted loner, for each way a side can end a hand; usual ones first."""
    maker, *_ = seats
    yield "made it", Outcome(maker=maker, makers_tricks=_MADE_TRICKS), False
    yield "all five", Outcome(maker=maker, makers_tricks=TRICKS_PER_HAND), False
    for seat in seats if singles else seats[:1]:
        yield "alone, all five", Outcome(maker=seat, makers_tricks=TRICKS_PER_HAND, alone=True), True
    yield "alone, made it", Outcome(maker=maker, makers_tricks=_MADE_TRICKS, alone=True), False
    yield "euchred", Outcome(maker=maker, makers_tricks=_EUCHRED_TRICKS), False
    yield "euchred alone", Outcome(maker=maker, makers_tricks=_EUCHRED_TRICKS, alone=True), False
    if rules.defend_alone is not LoneDefense.OFF:
        alone = rules.defend_alone is LoneDefense.AGAINST_A_LONER
        lone = Outcome(maker=maker, makers_tricks=_EUCHRED_TRICKS, alone=alone, defended_alone=True)
        yield "euchred by one alone", lone, False


def describe_hand(seating: Seating, result: HandResult, names: Mapping[str, str]) -> str:
    """Describe a hand of a tally in a few words, with the player who offended by name."""
    hand = result.hand
    if isinstance(hand, PassedOut):
        return "passed out"
    scored = [(seating.labels[side], result.points.get(seats[0], 0)) for side, seats in enumerate(seating.sides)]
    gains = " ".join(f"{label} +{gain}" for label, gain in scored if gain)
    if isinstance(hand, Incident):
        offender = f" by {names[str(hand.offender)]} ({hand.offender})" if hand.offender else ""
        cost = "a warning" if result.warned else gains or "no points"
        return f"{str(hand.irregularity).replace('-', ' ')}{offender}, {cost}"
    alone = " alone" * hand.alone
    how = (
        "euchred"
        if hand.makers_tricks < _MADE_TRICKS
        else "all five"
        if hand.makers_tricks == TRICKS_PER_HAND
        else "made it"
    )
    return f"{how}{alone}, {gains}"
