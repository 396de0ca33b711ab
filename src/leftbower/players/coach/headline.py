"""The headline of an advice: the best choice, as a good partner would say it, with a reason if a short one is true.

A reason is a fact: of the position, as far as the viewer can know it, or of the evaluation. If none is at hand, the
headline is only the advice.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from leftbower.engine import actions
from leftbower.engine.deal import HAND_SIZE
from leftbower.i18n import gettext as _, gettext_noop, ngettext
from leftbower.notation import format_cards
from leftbower.players.coach.advice import Evaluation
from leftbower.players.coach.phrases import AdvisedSeat, join, one_of_suit, suit_name
from leftbower.players.coach.position import CardPosition, height_of
from leftbower.players.coach.reasons import is_for_score, rival_of_best
from leftbower.players.judgment.bidding import known_contract
from leftbower.rules.cards import Card, Face, Rank, Suit


def headline(who: AdvisedSeat, tried: Sequence[Evaluation]) -> str:
    """Put the best choice, the first of those tried, into a sentence."""
    best, rival = tried[0], rival_of_best(tried)
    if isinstance(best.action, actions.Play):
        return _card(who, best.action, [evaluation.action for evaluation in tried])
    if rival is not None and is_for_score(best, rival, least=_MIN_CHANCE_DIFFERENCE):
        return _("%(advice)s At this score, that wins more games.", advice=who.say(best.action, "plain"))
    match best.action:
        case actions.Pass():
            return _pass(who, tried)
        case actions.Order() | actions.Name():
            return _call(who, best.action, tried)
        case actions.GoAlone() | actions.GoTogether():
            return _alone(who, best, rival)
        case actions.Bury():
            return _discard(who, best.action, tried)
        case actions.LayAway():
            return _lay_away(who, best.action)
        case _:
            return _answer(who, best, rival)


_MIN_CHANCE_DIFFERENCE: Final = 0.005
"""The score is the reason if the chance to win the game differs by this much."""


# Cards


def _card(who: AdvisedSeat, play: actions.Play, choices: Sequence[actions.Action]) -> str:
    legal = tuple(choice.card for choice in choices if isinstance(choice, actions.Play))
    position = CardPosition(who=who, contract=known_contract(who.view), card=play.card, legal=legal)
    if len(position.rest) == 0:
        sentence = gettext_noop("Play your last card, the %(card)s.")
    elif len(legal) == 1:
        sentence = gettext_noop("Play the %(card)s: it’s the only card you can play.")
    elif not who.view.trick:
        sentence = _lead(position)
    elif position.takes_lead:
        sentence = _take(position)
    else:
        sentence = _throw(position)
    values = {"card": play.card.pretty, "suit": suit_name(position.suit), "one": one_of_suit(position.suit)}
    return _(sentence, **values, throw=_(_describe_throw(position), **values))


def _lead(position: CardPosition) -> str:
    is_trump = position.suit is position.trump
    if position.is_sure and position.is_third_trick:
        return _LEAD_THIRD[position.is_maker]
    if is_trump and position.card.is_right_bower(position.trump) and position.may_they_have_trump:
        return gettext_noop("Lead the right, the %(card)s, and pull their trump.")
    if is_trump and Card(Rank.JACK, position.trump) in position.rest and position.may_they_have_trump:
        return gettext_noop("Lead trump, the %(card)s: pull theirs while you hold the right.")
    if position.is_sure:
        return gettext_noop("Lead the %(card)s: they can’t beat it.")
    if is_trump and position.contract.maker is position.who.friend(position.contract):
        return gettext_noop("Your partner called it: lead trump, the %(card)s.")
    if is_trump:
        return gettext_noop("Lead trump, the %(card)s.")
    if position.is_best_of_suit:
        return gettext_noop("Lead the %(card)s: only trump can beat it.")
    if position.is_singleton and position.has_trump_left:
        return gettext_noop("Lead the %(card)s, your only %(one)s: then you can trump %(suit)s.")
    return gettext_noop("Lead the %(card)s.")


_LEAD_THIRD: Final = {
    True: gettext_noop("Lead the %(card)s: that’s three, and you’ve made it."),
    False: gettext_noop("Lead the %(card)s: that’s three, and they’re euchred."),
}
_TAKE_THIRD: Final = {
    True: gettext_noop("Take it with the %(card)s: that’s three, and you’ve made it."),
    False: gettext_noop("Take it with the %(card)s: that’s three, and they’re euchred."),
}
"""By whether the viewer's side made trump."""


def _take(position: CardPosition) -> str:
    """A card that goes above the trick so far."""
    led = position.who.view.trick[0].suit_under(position.trump)
    is_trumping = position.suit is position.trump and led is not position.trump
    if position.is_partner_winning:
        return _over_partner(position)
    if not position.is_sure:
        if is_trumping:
            return gettext_noop("Trump it with the %(card)s.")
        return (
            gettext_noop("Play your lowest, the %(card)s.")
            if position.is_lowest
            else gettext_noop("Go over them with the %(card)s.")
        )
    if position.is_third_trick:
        return _TAKE_THIRD[position.is_maker]
    if is_trumping and position.is_lowest_winner and position.card.rank not in (Rank.JACK, Rank.ACE):
        return gettext_noop("Trump it low: the %(card)s is enough.")
    if is_trumping:
        return gettext_noop("Trump it with the %(card)s: they can’t beat that.")
    if position.is_lowest_winner:
        return gettext_noop("Take it with the %(card)s: that’s just high enough.")
    return gettext_noop("Take it with the %(card)s: they can’t beat that.")


def _over_partner(position: CardPosition) -> str:
    if len(position.winning_cards) == len(position.legal) and position.is_lowest:
        return gettext_noop("You have to go over your partner: play your lowest, the %(card)s.")
    if position.is_sure:
        return gettext_noop("Go over your partner with the %(card)s: they can’t beat that.")
    return gettext_noop("Go over your partner with the %(card)s.")


def _throw(position: CardPosition) -> str:
    """A card that leaves the trick with the player who is winning it."""
    if position.is_partner_winning:
        if position.is_sure:
            return gettext_noop("Your partner has this trick: throw %(throw)s.")
        return gettext_noop("Your partner is winning so far: throw %(throw)s.")
    if position.may_partner_win:
        if position.winning_cards:
            return gettext_noop("Leave this one to your partner: throw %(throw)s.")
        return gettext_noop("You can’t win this one, but your partner might: throw %(throw)s.")
    if position.winning_cards:
        return gettext_noop("Let them have this one: throw %(throw)s.")
    return gettext_noop("You can’t win this one: throw %(throw)s.")


def _describe_throw(position: CardPosition) -> str:
    if position.is_singleton and position.has_trump_left:
        return gettext_noop("the %(card)s, your only %(one)s")
    return gettext_noop("your lowest, the %(card)s") if position.is_lowest else gettext_noop("the %(card)s")


# Calls


def _pass(who: AdvisedSeat, tried: Sequence[Evaluation]) -> str:
    view = who.view
    calls = [evaluation for evaluation in tried if isinstance(evaluation.action, actions.Order | actions.Name)]
    trumps = [_trumps_of_call(who, call.action) for call in calls]
    if not calls or isinstance(calls[0].action, actions.Name):
        if trumps and max(map(len, trumps)) < _TRUMPS_FOR_A_CALL:
            return _("Pass: you don’t have three trump in any suit you can call.")
    elif view.up_card.rank is Rank.JACK and view.dealer not in view.rules.side_of(who.seat):
        return _("Pass: you’d put the right in their hand.")
    elif len(trumps[0]) < _TRUMPS_FOR_A_CALL and not _bowers(trumps[0]):
        return _(_TOO_FEW_TRUMPS[len(trumps[0])])
    if calls and calls[0].choice.shares and calls[0].choice.shares.euchre > 0.5:
        return _("Pass: you’d be euchred more often than not.")
    if calls and isinstance(calls[0].action, actions.Order) and view.dealer not in view.rules.side_of(who.seat):
        return _("Pass: you’d hand them a trump, the %(card)s.", card=view.up_card.pretty)
    return _("Pass.")


_TRUMPS_FOR_A_CALL: Final = 3
"""Fewer are a reason to pass, where passing is best."""
_TOO_FEW_TRUMPS: Final = (
    gettext_noop("Pass: you’d have no trump."),
    gettext_noop("Pass: you’d have just one trump."),
    gettext_noop("Pass: two trump without a bower is thin."),
)


def _call(who: AdvisedSeat, call: actions.Order | actions.Name, tried: Sequence[Evaluation]) -> str:
    view = who.view
    trump = view.up_card.suit if isinstance(call, actions.Order) else call.suit
    suit, strengths = suit_name(trump), _describe_strength(_trumps_of_call(who, call), view.cards, trump)
    if strengths:
        return who.say(call, "strong", cards=join(strengths))
    their_deal = view.dealer not in view.rules.side_of(who.seat)
    partner_deals = not their_deal and view.dealer is not who.seat
    if isinstance(call, actions.Order) and partner_deals and view.up_card.rank is Rank.JACK and not call.alone:
        return _("Order it up: your partner gets the right.")
    if isinstance(call, actions.Name) and not call.alone:
        if their_deal and call.suit is view.up_card.suit.sister:
            turned_down = suit_name(view.up_card.suit)
            return _("Call next, %(suit)s: the dealer turned down %(turned_down)s.", suit=suit, turned_down=turned_down)
        if not any(isinstance(other.action, actions.Pass) for other in tried):
            return _("You have to call, and %(suit)s is your best suit.", suit=suit)
    return who.say(call, "plain")


def _trumps_of_call(who: AdvisedSeat, call: actions.Action) -> list[Card]:
    """The viewer's trump after the call; a dealer who picks it up has the up-card too."""
    view = who.view
    if isinstance(call, actions.Name):
        return _trumps(view.cards, call.suit)
    return _trumps((*view.cards, *((view.up_card,) if view.dealer is who.seat else ())), view.up_card.suit)


def _trumps(cards: Collection[Face], trump: Suit) -> list[Card]:
    return [card for card in cards if isinstance(card, Card) and card.suit_under(trump) is trump]


def _bowers(trumps: Sequence[Card]) -> list[Card]:
    return [card for card in trumps if card.rank is Rank.JACK]


def _describe_strength(trumps: Sequence[Card], cards: Collection[Face], trump: Suit) -> list[str]:
    """Trump with bowers, and aces of other suits; empty if that is too little for a reason."""
    bowers = _bowers(trumps)
    which = _BOTH if len(bowers) > 1 else _ONE_BOWER[bowers[0].suit is trump] if bowers else _NO_BOWER
    aces = sum(card.rank is Rank.ACE and card.suit is not trump for card in cards if isinstance(card, Card))
    aces = min(aces, max(HAND_SIZE - len(trumps), 0))  # a dealer who picks up has six cards and keeps five
    parts = []
    if len(trumps) >= _TRUMPS_FOR_A_CALL or (len(trumps) > 1 and aces and not bowers):
        parts = [_(_LONG_TRUMPS[which], count=_(_NUMBERS[min(len(trumps), len(_NUMBERS) - 1)]))]
    elif len(trumps) > 1 and bowers:
        parts = [_(_SHORT_TRUMPS[which])]
    if aces > 1 or (aces and parts):
        parts.append(ngettext("an ace", "%(count)s aces", aces, count=_(_NUMBERS[aces])))
    return parts


_BOTH, _RIGHT, _LEFT, _NO_BOWER = "both", "right", "left", "none"
_ONE_BOWER: Final = {True: _RIGHT, False: _LEFT}
_NUMBERS: Final = ("", "", gettext_noop("two"), gettext_noop("three"), gettext_noop("four"), gettext_noop("five"))
_LONG_TRUMPS: Final = {
    # Translators: the count is two, three, four or five.
    _BOTH: gettext_noop("%(count)s trump with both bowers"),
    _RIGHT: gettext_noop("%(count)s trump with the right"),
    _LEFT: gettext_noop("%(count)s trump with the left"),
    _NO_BOWER: gettext_noop("%(count)s trump"),
}
_SHORT_TRUMPS: Final = {
    _BOTH: gettext_noop("both bowers"),
    _RIGHT: gettext_noop("the right"),
    _LEFT: gettext_noop("the left"),
}


def _alone(who: AdvisedSeat, best: Evaluation, rival: Evaluation | None) -> str:
    contract = known_contract(who.view)
    if isinstance(best.action, actions.GoAlone):
        strength = _describe_strength(_trumps(who.view.cards, contract.trump), who.view.cards, contract.trump)
        return _("Go alone: you have %(cards)s.", cards=join(strength)) if strength else who.say(best.action, "plain")
    alone = rival.choice.shares if rival is not None and isinstance(rival.action, actions.GoAlone) else None
    if alone and alone.march < _SELDOM:
        return _(_SELDOM_ALONE[who.view.rules.players == 4])
    return who.say(best.action, "plain")


_SELDOM: Final = 0.25
_SELDOM_ALONE: Final = {
    True: gettext_noop("Play with your partner: alone you’d seldom take all five."),
    False: gettext_noop("Take the dummy: alone you’d seldom take all five."),
}
"""By whether there are partners."""


# Discards


def _discard(who: AdvisedSeat, discard: actions.Bury, tried: Sequence[Evaluation]) -> str:
    if not isinstance(discard.card, Card):
        return who.say(discard, "plain")
    trump = known_contract(who.view).trump
    cards = [e.action.card for e in tried if isinstance(e.action, actions.Bury) and isinstance(e.action.card, Card)]
    suit = discard.card.suit_under(trump)
    rest = [card for card in who.view.cards if isinstance(card, Card) and card is not discard.card]
    values = {"card": discard.card.pretty, "suit": suit_name(suit), "one": one_of_suit(suit)}
    if suit is not trump and _trumps(rest, trump) and not any(card.suit_under(trump) is suit for card in rest):
        return _("Discard the %(card)s, your only %(one)s: then you can trump %(suit)s.", **values)
    if height_of(discard.card, trump) == min(height_of(card, trump) for card in cards):
        return _("Discard your lowest card, the %(card)s.", **values)
    return _("Discard the %(card)s.", **values)


def _lay_away(who: AdvisedSeat, discard: actions.LayAway) -> str:
    trump = known_contract(who.view).trump
    cards = format_cards(discard.cards)
    if not any(isinstance(card, Card) and card.suit_under(trump) is trump for card in discard.cards):
        return _("Discard %(cards)s and keep your trump.", cards=cards)
    return _("Discard %(cards)s.", cards=cards)


# Answers


def _answer(who: AdvisedSeat, best: Evaluation, rival: Evaluation | None) -> str:
    """A choice whose only reason is that it brings more points."""
    is_more = rival is not None and best.choice.points.mean > rival.choice.points.mean
    sentence = _BRINGS_MORE.get(type(best.action)) if is_more else None
    cards = format_cards(best.action.cards) if isinstance(best.action, actions.ShowFarmersHand) else ""
    return _(sentence, cards=cards) if sentence else who.say(best.action, "plain")


_BRINGS_MORE: Final[Mapping[type, str]] = {
    actions.Agree: gettext_noop("Agree: playing on would bring you less."),
    actions.Disagree: gettext_noop("Disagree: playing on should bring you more."),
    actions.ShowFarmersHand: gettext_noop("Show %(cards)s: new cards should do better."),
    actions.KeepHand: gettext_noop("Keep your hand: new cards should do worse."),
}
