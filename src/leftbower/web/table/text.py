"""Text for cards, actions, calls and results, in players' terms."""

from typing import Final

from leftbower.engine.actions import Action, Play, ThrowIn, TurnUp
from leftbower.engine.states import Reason, Verdict
from leftbower.engine.view import Ending, View
from leftbower.i18n import N_, gettext as _, ngettext
from leftbower.notation import describe, describe_choice
from leftbower.notation.describe import (
    PENALTY_HANDS,
    SUITS,
    VOID_HANDS,
    YOU,
    SeatNamer,
    as_object,
    as_subject,
    describe_points,
    join_list,
    join_names,
)
from leftbower.rules.announcements import cite
from leftbower.rules.cards import UNKNOWN, Face, Suit
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.referee import Remedy
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import base_preset

_RANKS: Final = {"9": N_("nine"), "T": N_("ten"), "J": N_("jack"), "Q": N_("queen"), "K": N_("king"), "A": N_("ace")}
_REFUSALS: Final = {
    "must-follow-suit": N_("You must follow suit."),
    "not-your-turn": N_("It’s not your turn."),
    "up-card-stays": N_("You must keep the card you picked up."),
}
"""Why a card can't be played, by error code."""
_REMEDIES: Final = {
    Remedy.WARNING: N_("A warning. The play stands."),
    Remedy.NO_COST: N_("Corrected in time: no penalty."),
    Remedy.TAKE_BACK: N_("The card goes back."),
    Remedy.WAIT: N_("Play waits for the discard."),
    Remedy.REDEAL: N_("The same dealer deals again."),
    Remedy.NEXT_DEAL: N_("The next player deals."),
}
_ENDINGS: Final = {
    (Reason.MADE_IT, False): N_("%(makers)s made it: %(points)s."),
    (Reason.MARCH, False): N_("%(makers)s took all five tricks: %(points)s."),
    (Reason.EUCHRE, False): N_("%(makers)s got euchred: %(points)s."),
    (Reason.MADE_IT, True): N_("%(makers)s went alone and made it: %(points)s."),
    (Reason.MARCH, True): N_("%(makers)s went alone and took all five tricks: %(points)s."),
    (Reason.EUCHRE, True): N_("%(makers)s went alone and got euchred: %(points)s."),
}
"""How the makers did, by whether one of them went alone."""
PHRASES: Final = {
    "nice-hand": N_("Nice hand"),
    "sorry": N_("Sorry"),
    "thanks": N_("Thanks"),
    "one-moment": N_("One moment"),
    "hello": N_("Hello"),
    "good-game": N_("Good game"),
}
"""What players can say to the table, by the phrase's id."""


_BOT_LEVELS: Final = {"novice": N_("novice bot"), "regular": N_("regular bot"), "expert": N_("expert bot")}
_BOT_TEMPERS: Final = {
    "bold": {"novice": N_("bold novice bot"), "regular": N_("bold regular bot"), "expert": N_("bold expert bot")},
    "cautious": {
        "novice": N_("cautious novice bot"),
        "regular": N_("cautious regular bot"),
        "expert": N_("cautious expert bot"),
    },
}


def card_name(card: Face, trump: Suit | None = None) -> str:
    """`jack of diamonds, left bower`."""
    if card is UNKNOWN:
        return _("a card")
    rank, suit = _(_RANKS[str(card.rank)]), _(SUITS[card.suit])
    if trump is not None and card.is_right_bower(trump):
        return _("%(rank)s of %(suit)s, right bower", rank=rank, suit=suit)
    if trump is not None and card.is_left_bower(trump):
        return _("%(rank)s of %(suit)s, left bower", rank=rank, suit=suit)
    return _("%(rank)s of %(suit)s", rank=rank, suit=suit)


def refusal_text(code: str) -> str:
    """Why a card can't be played now."""
    return _(_REFUSALS.get(code) or N_("You can’t play that card now."))


def describe_action(action: Action, view: View, name: SeatNamer) -> str:
    """A past action as a sentence, cards by their full names."""
    match action:
        case Play():
            return describe_play(action.seat, action.card, view.contract.trump if view.contract else None, name)
        case TurnUp():
            return _describe_turn_up(name(action.seat), card_name(view.up_card))
        case _:
            return describe(action, view.rules, name, dealer=view.dealer)


def describe_play(seat: Seat, card: Face, trump: Suit | None, name: SeatNamer, *, leads: bool = False) -> str:
    """`Ann plays the king of clubs.`, or `You lead` it."""
    player, played = name(seat), card_name(card, trump)
    if leads:
        if player == YOU:
            return _("You lead the %(card)s.", card=played)
        return _("%(name)s leads the %(card)s.", name=player, card=played)
    if player == YOU:
        return _("You play the %(card)s.", card=played)
    return _("%(name)s plays the %(card)s.", name=player, card=played)


def describe_trick_winner(seat: Seat, name: SeatNamer) -> str:
    """`Ann takes the trick.`"""
    player = name(seat)
    return _("You take the trick.") if player == YOU else _("%(name)s takes the trick.", name=player)


def _describe_turn_up(dealer: str, up_card: str) -> str:
    if dealer == YOU:
        return _("You turn up the %(card)s.", card=up_card)
    return _("%(name)s turns up the %(card)s.", name=dealer, card=up_card)


def choice_label(action: Action, view: View, name: SeatNamer) -> str:
    """Label of a button or option; short for a throw-in, whose submit button completes the sentence."""
    if isinstance(action, ThrowIn):
        return ngettext("Makers take %(num)d trick", "Makers take %(num)d tricks", action.makers_tricks)
    return describe_choice(action, view.rules, name, dealer=view.dealer)


def describe_verdict(verdict: Verdict, rules: HouseRules, name: SeatNamer) -> tuple[str, ...]:
    """A verdict in sentences: the call, the proof, the penalty, and last the rule, if one applied."""
    call, ruling = verdict.call, verdict.ruling
    head = describe(call, rules, name)
    if not verdict.guilty or ruling is None:
        return head, _("The cards clear %(player)s.", player=as_object(name(call.against))), ""
    proof = [card_name(card) for card in verdict.evidence]
    proven = _("Proof: %(cards)s.", cards=join_list(proof)) if proof else _("The call is right.")
    if ruling.remedy in _REMEDIES:
        follows = _(_REMEDIES[ruling.remedy])
    else:
        follows = _("Penalty: %(points)s.", points=describe_points(rules, ruling.points, name))
    return head, proven, follows, cite(ruling, rules)


def describe_ending(view: View, ending: Ending, name: SeatNamer) -> str:
    """How a hand ended, in one sentence."""
    if ending.reason in VOID_HANDS:
        return _(VOID_HANDS[ending.reason])
    rules, contract = view.rules, view.contract
    if ending.reason in PENALTY_HANDS:
        return _(PENALTY_HANDS[ending.reason], points=describe_points(rules, ending.points, name))
    assert contract is not None
    side = rules.side_of(contract.maker)
    makers = as_subject(name(contract.maker)) if contract.alone else join_names(side, name)
    points = _makers_points(rules, ending.points, side, name)
    return _(_ENDINGS[ending.reason, contract.alone], makers=makers, points=points)


def _makers_points(rules: HouseRules, points: Points, makers: Side, name: SeatNamer) -> str:
    """`2 points` if only the makers score, otherwise also for whom."""
    if {seat for seat in points if points[seat]} != set(makers):
        return describe_points(rules, points, name)
    return ngettext("%(num)d point", "%(num)d points", points[makers[0]])


def rules_title(rules: HouseRules) -> str:
    base = base_preset(rules)
    return base.title if base else _("House rules")


def bot_text(spec: str) -> str:
    """`bold expert bot` for `expert+bold`."""
    level, _plus, temper = spec.partition("+")
    texts = _BOT_TEMPERS.get(temper, _BOT_LEVELS)
    return _(texts.get(level, spec))
