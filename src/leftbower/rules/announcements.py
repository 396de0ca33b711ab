"""The referee's words: questions about an irregularity, the announcement of a ruling, and the rules it cites."""

from typing import Final

from leftbower.rules.clauses import clause_text, format_points
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Remedy, Ruling

QUESTIONS: Final = {
    "offender": "Who did it?",
    "maker": "Who made trump?",
    "dealer": "Who dealt?",
    "alone": "Was the hand called alone?",
    "corrected": "Was it corrected before the last trick was complete?",
    "called": "Had an opponent called it before it was corrected?",
    "earlier_warnings": "How many warnings has the offender had already?",
    "up_card_shown": "Had the up-card been turned when it was noticed?",
}
"""The referee's question for each fact."""


def announce(ruling: Ruling, rules: HouseRules) -> str:
    """The announcement of a ruling; `cite` gives the rule behind it."""
    if ruling.remedy is not Remedy.PENALTY:
        return _ANNOUNCEMENTS[ruling.remedy]
    scorers = [seat.full_name for seat in rules.seats if seat in ruling.points]
    several = len(scorers) > 1
    scored = f"{' and '.join(scorers)} score{'' if several else 's'} {format_points(max(ruling.points.values()))}"
    after = "The hand is over; the next player deals." if ruling.hand_ends else "The hand is played on."
    if not ruling.may_be_waived:
        return f"{scored}. {after}"
    return f"{scored}. {after} {'They' if several else scorers[0]} may waive it or ask for less."


def cite(ruling: Ruling, rules: HouseRules) -> str:
    """The clauses behind a ruling, in the order of the rule card."""
    return clause_text(rules, *ruling.cited_options)


_ANNOUNCEMENTS: Final = {
    Remedy.NONE: "No cut is due before a deal under these rules: this is no irregularity, and the hand goes on.",
    Remedy.WARNING: "A warning. The play stands and the hand goes on.",
    Remedy.NO_COST: "It was corrected in time and costs nothing. The hand goes on.",
    Remedy.TAKE_BACK: "The card is taken back, at no cost. The hand goes on.",
    Remedy.WAIT: "The table waits until the dealer has discarded. The hand goes on.",
    Remedy.REDEAL: "The same dealer deals again.",
    Remedy.NEXT_DEAL: "The deal is lost; the next player deals.",
}
