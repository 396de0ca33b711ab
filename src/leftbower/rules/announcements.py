"""The referee's words: questions about an irregularity, the announcement of a ruling, and the rules it cites."""

from typing import Final

from leftbower.i18n import gettext as _, gettext_noop, ngettext
from leftbower.rules.clauses import clause_text
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Remedy, Ruling

QUESTIONS: Final = {
    "offender": gettext_noop("Who did it?"),
    "maker": gettext_noop("Who made trump?"),
    "dealer": gettext_noop("Who dealt?"),
    "alone": gettext_noop("Was the hand called alone?"),
    "corrected": gettext_noop("Was it corrected before the last trick was complete?"),
    "called": gettext_noop("Had an opponent called it before it was corrected?"),
    "earlier_warnings": gettext_noop("How many warnings has the offender had already?"),
    "up_card_shown": gettext_noop("Had the up-card been turned when it was noticed?"),
}
"""The referee's question for each fact, translated where it is shown."""


def announce(ruling: Ruling, rules: HouseRules) -> str:
    """The announcement of a ruling; `cite` gives the rule behind it."""
    if ruling.remedy is not Remedy.PENALTY:
        return _(_ANNOUNCEMENTS[ruling.remedy])
    scorers = [seat.full_name for seat in rules.seats if seat in ruling.points]
    sentences = [
        _points_scored(scorers, max(ruling.points.values())),
        _("The hand is over; the next player deals.") if ruling.hand_ends else _("The hand goes on."),
    ]
    if ruling.may_be_waived:
        sentences.append(_waiver(scorers))
    return " ".join(sentences)


def cite(ruling: Ruling, rules: HouseRules) -> str:
    """The clauses behind a ruling, in the order of the rule card."""
    return clause_text(rules, *ruling.cited_options)


def _points_scored(scorers: list[str], points: int) -> str:
    if len(scorers) == 1:
        return ngettext("%(name)s scores %(num)d point.", "%(name)s scores %(num)d points.", points, name=scorers[0])
    return ngettext(
        "%(first)s and %(second)s score %(num)d point.",
        "%(first)s and %(second)s score %(num)d points.",
        points,
        first=scorers[0],
        second=scorers[1],
    )


def _waiver(scorers: list[str]) -> str:
    if len(scorers) == 1:
        return _("%(name)s may waive it or ask for less.", name=scorers[0])
    return _("They may waive it or ask for less.")


_ANNOUNCEMENTS: Final = {
    Remedy.NONE: gettext_noop("These rules require no cut before a deal, so nothing is wrong. The hand goes on."),
    Remedy.WARNING: gettext_noop("A warning. The play stands and the hand goes on."),
    Remedy.NO_COST: gettext_noop("It was corrected in time and costs nothing. The hand goes on."),
    Remedy.TAKE_BACK: gettext_noop("The card is taken back, at no cost. The hand goes on."),
    Remedy.WAIT: gettext_noop("The table waits until the dealer has discarded. The hand goes on."),
    Remedy.REDEAL: gettext_noop("The same dealer deals again."),
    Remedy.NEXT_DEAL: gettext_noop("The deal is lost; the next player deals."),
}
