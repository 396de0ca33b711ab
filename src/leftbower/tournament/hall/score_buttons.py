"""The scorer's phone buttons: one for each way a hand can end that scores differently under the event's rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop
from leftbower.rules.choices import LoneDefense, NobodyCalls
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Incident, Irregularity
from leftbower.rules.scoring import TRICKS_PER_HAND, Outcome, points
from leftbower.rules.seats import Seat
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import HandResult, PassedOut
from leftbower.tournament.text.parse import format_hand

_MADE_TRICKS, _EUCHRED_TRICKS = 3, 2


class HandEnding(Enum):
    """How a hand ended; the value is the text to translate."""

    MADE_IT = gettext_noop("made it")
    ALL_FIVE = gettext_noop("all five")
    LONER = gettext_noop("alone, all five")
    MADE_ALONE = gettext_noop("alone, made it")
    EUCHRED = gettext_noop("euchred")
    EUCHRED_ALONE = gettext_noop("alone, euchred")
    EUCHRED_BY_LONE_DEFENDER = gettext_noop("euchred by a lone defender")
    PASSED_OUT = gettext_noop("all passed")

    @property
    def text(self) -> str:
        return _(self.value)


IRREGULARITY_NAMES: Final = {
    Irregularity.RENEGE: gettext_noop("Renege"),
    Irregularity.OUT_OF_TURN: gettext_noop("Played out of turn"),
    Irregularity.FAILURE_TO_DISCARD: gettext_noop("Dealer didn't discard"),
    Irregularity.NO_CUT_OFFERED: gettext_noop("No cut offered"),
    Irregularity.WRONG_CARD_COUNT: gettext_noop("Wrong number of cards"),
}
"""Names of irregularities, to translate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreButton:
    hand: str
    """The hand in `format_hand` notation; the form value."""
    ending: HandEnding
    points: int
    side: int
    """The side that scores; -1 if the hand was passed out."""
    seat: Seat | None = None
    """Seat of the loner, if players score individually."""
    euchre: bool = False
    """Did the makers take too few tricks?"""


def score_buttons(event: Event, seating: Seating) -> tuple[ScoreButton, ...]:
    """The buttons of a table; results that score and count alike share one."""
    rules, singles = event.rules_of(seating), event.stage.singles
    buttons: dict[object, ScoreButton] = {}
    for side, seats in enumerate(seating.sides):
        for ending, hand in _possible_hands(rules, seats, singles=singles):
            gained = points(rules, hand)
            scorer = next(index for index, side_seats in enumerate(seating.sides) if side_seats[0] in gained)
            scored = gained[seating.sides[scorer][0]]
            euchred = hand.makers_tricks < _MADE_TRICKS
            seat = hand.maker if ending is HandEnding.LONER else None
            button = ScoreButton(
                hand=format_hand(hand), ending=ending, points=scored, side=scorer, seat=seat, euchre=euchred
            )
            buttons.setdefault((side, scorer, scored, euchred, seat), button)
    passed_out = ScoreButton(hand=format_hand(PassedOut()), ending=HandEnding.PASSED_OUT, points=0, side=-1)
    return (*buttons.values(), *([passed_out] if rules.nobody_calls is NobodyCalls.PASS_OUT else []))


def _possible_hands(
    rules: HouseRules, seats: tuple[Seat, ...], *, singles: bool
) -> Iterator[tuple[HandEnding, Outcome]]:
    """Every result a side can get as makers, common ones first; for single players, one loner per seat."""
    maker, *_others = seats
    yield HandEnding.MADE_IT, Outcome(maker=maker, makers_tricks=_MADE_TRICKS)
    yield HandEnding.ALL_FIVE, Outcome(maker=maker, makers_tricks=TRICKS_PER_HAND)
    for seat in seats if singles else seats[:1]:
        yield HandEnding.LONER, Outcome(maker=seat, makers_tricks=TRICKS_PER_HAND, alone=True)
    yield HandEnding.MADE_ALONE, Outcome(maker=maker, makers_tricks=_MADE_TRICKS, alone=True)
    yield HandEnding.EUCHRED, Outcome(maker=maker, makers_tricks=_EUCHRED_TRICKS)
    yield HandEnding.EUCHRED_ALONE, Outcome(maker=maker, makers_tricks=_EUCHRED_TRICKS, alone=True)
    if rules.defend_alone is not LoneDefense.OFF:
        alone = rules.defend_alone is LoneDefense.AGAINST_A_LONER
        lone = Outcome(maker=maker, makers_tricks=_EUCHRED_TRICKS, alone=alone, defended_alone=True)
        yield HandEnding.EUCHRED_BY_LONE_DEFENDER, lone


def describe_hand(seating: Seating, result: HandResult, names: Mapping[str, str], sides: Sequence[str]) -> str:
    """A reported hand in a few words, with the names of the offender and of the side that scores."""
    hand = result.hand
    if isinstance(hand, PassedOut):
        return HandEnding.PASSED_OUT.text
    scored = [(sides[side], result.points.get(seats[0], 0)) for side, seats in enumerate(seating.sides)]
    gains = " ".join(f"{label} +{gain}" for label, gain in scored if gain)
    if isinstance(hand, Incident):
        return _describe_incident(hand, _("a warning") if result.warned else gains or _("no points"), names)
    return _("%(ending)s: %(points)s", ending=_ending(hand).text, points=gains)


def _describe_incident(hand: Incident, cost: str, names: Mapping[str, str]) -> str:
    name = _(IRREGULARITY_NAMES[hand.irregularity])
    if hand.offender is None:
        # Translators: what went wrong, and its cost, as in "No cut offered: no points"
        return _("%(irregularity)s: %(cost)s", irregularity=name, cost=cost)
    # Translators: what went wrong, who did it and in which seat, as in "Renege: Ann (E), NS +2"
    return _(
        "%(irregularity)s: %(player)s (%(seat)s), %(cost)s",
        irregularity=name,
        player=names[str(hand.offender)],
        seat=hand.offender,
        cost=cost,
    )


def _ending(hand: Outcome) -> HandEnding:
    if hand.makers_tricks < _MADE_TRICKS:
        return HandEnding.EUCHRED_ALONE if hand.alone else HandEnding.EUCHRED
    if hand.makers_tricks == TRICKS_PER_HAND:
        return HandEnding.LONER if hand.alone else HandEnding.ALL_FIVE
    return HandEnding.MADE_ALONE if hand.alone else HandEnding.MADE_IT
