"""What a phone at a table offers: every way a hand can end that counts differently under the event's rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from leftbower.rules.choices import DefendAlone
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Incident
from leftbower.rules.scoring import TRICKS, Outcome, points
from leftbower.rules.seats import Seat
from leftbower.tournament.model import Event
from leftbower.tournament.scores import HandResult, PassedOut
from leftbower.tournament.seating import Seating
from leftbower.tournament.spelling import hand_word

_MADE, _EUCHRED = 3, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """One button."""

    word: str
    """The hand's word, which the button sends."""
    says: str
    points: int
    side: int
    """The side that scores; of a hand that nobody called, none: -1."""
    seat: Seat | None = None
    """Whose loner it was, where players are counted one by one."""
    euchre: bool = False
    """Did the makers take too few tricks?"""


def taps(event: Event, seating: Seating) -> tuple[Tap, ...]:
    """Every button for a table; what brings the same and is counted the same has one button only."""
    rules, singles = event.rules_of(seating), event.stage.singles
    found: dict[object, Tap] = {}
    for side, seats in enumerate(seating.sides):
        for says, hand, loner in _ways(rules, seats, singles=singles):
            given = points(rules, hand)
            scorer = next(at for at, one in enumerate(seating.sides) if one[0] in given)
            scored = given[seating.sides[scorer][0]]
            euchred = hand.makers_tricks < _MADE
            seat = hand.maker if loner else None
            tap = Tap(word=hand_word(hand), says=says, points=scored, side=scorer, seat=seat, euchre=euchred)
            found.setdefault((side, scorer, scored, euchred, seat), tap)
    return (*found.values(), Tap(word=hand_word(PassedOut()), says="passed out", points=0, side=-1))


def _ways(rules: HouseRules, seats: tuple[Seat, ...], *, singles: bool) -> Iterator[tuple[str, Outcome, bool]]:
    """How hands end that a side makes, the usual first; with whether it is a loner that counts for its player."""
    maker, *_ = seats
    yield "made it", Outcome(maker=maker, makers_tricks=_MADE), False
    yield "all five", Outcome(maker=maker, makers_tricks=TRICKS), False
    for seat in seats if singles else seats[:1]:
        yield "alone, all five", Outcome(maker=seat, makers_tricks=TRICKS, alone=True), True
    yield "alone, made it", Outcome(maker=maker, makers_tricks=_MADE, alone=True), False
    yield "euchred", Outcome(maker=maker, makers_tricks=_EUCHRED), False
    yield "euchred alone", Outcome(maker=maker, makers_tricks=_EUCHRED, alone=True), False
    if rules.defend_alone is not DefendAlone.OFF:
        alone = rules.defend_alone is DefendAlone.AGAINST_A_LONER
        lone = Outcome(maker=maker, makers_tricks=_EUCHRED, alone=alone, defended_alone=True)
        yield "euchred by one alone", lone, False


def hand_says(seating: Seating, result: HandResult, names: Mapping[str, str]) -> str:
    """Describe a hand of a tally in a few words, with the player who offended by name."""
    hand = result.hand
    if isinstance(hand, PassedOut):
        return "passed out"
    scored = [(seating.labels[at], result.points.get(seats[0], 0)) for at, seats in enumerate(seating.sides)]
    gains = " ".join(f"{label} +{gain}" for label, gain in scored if gain)
    if isinstance(hand, Incident):
        who = f" by {names[str(hand.offender)]} ({hand.offender})" if hand.offender else ""
        cost = "a warning" if result.warned else gains or "no points"
        return f"{str(hand.irregularity).replace('-', ' ')}{who}, {cost}"
    alone = " alone" * hand.alone
    how = "euchred" if hand.makers_tricks < _MADE else "all five" if hand.makers_tricks == TRICKS else "made it"
    return f"{how}{alone}, {gains}"
