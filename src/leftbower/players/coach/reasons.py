"""The numbers behind the advice as sentences: how the best choice compares with the next, and what it depends on."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Final

from leftbower.engine import Contract, actions, active_seats
from leftbower.engine.knowledge import hidden_cards
from leftbower.i18n import gettext as _, gettext_noop, signed
from leftbower.kernel import Layouts
from leftbower.players.coach.advice import Evaluation, OutcomeShares, ValuedChoice
from leftbower.players.coach.phrases import AdvisedSeat, percent
from leftbower.players.coach.position import can_be_beaten
from leftbower.rules import Card, Rank, Seat, playable, ranking, strength, winning_card


def reasons(who: AdvisedSeat, tried: Sequence[Evaluation]) -> tuple[str, ...]:
    """Compare the best choice, the first, with the next that differs; no sentence comes twice."""
    return tuple(dict.fromkeys(_reasons(who, tried)))


def rival_of_best(tried: Sequence[Evaluation]) -> Evaluation | None:
    """The next best choice that differs from the best in a layout or in points."""
    return next((evaluation for evaluation in tried[1:] if _differs(tried[0], evaluation)), None)


def _reasons(who: AdvisedSeat, tried: Sequence[Evaluation]) -> Iterator[str]:
    best, rival = tried[0], rival_of_best(tried)
    if rival is not None:
        yield from _compared(who, best, rival)
    elif len(tried) > 1:
        yield _("Every choice comes to the same.")
    else:
        yield _("You have no other choice.")
    called = next(
        (evaluation for evaluation in tried if evaluation.imagined and not isinstance(evaluation.action, actions.Play)),
        None,
    )
    if called is not None and isinstance(
        called.action, actions.Order | actions.Name | actions.GoAlone | actions.GoTogether
    ):
        yield from _of_the_call(who, called)
    if isinstance(best.action, actions.Play):
        of_best = list(_of_the_trick(who, best))
        yield from of_best
        if rival is not None and isinstance(rival.action, actions.Play):
            own, other = best.action.card.pretty, rival.action.card.pretty
            yield from (line for line in _of_the_trick(who, rival) if line.replace(other, own) not in of_best)


_MIN_SQUARED_ERRORS: Final = 16.0
"""A hidden card is named when its effect is at least four standard errors; this is the square."""


def _differs(best: Evaluation, other: Evaluation) -> bool:
    if _paired(best, other):
        return list(best.outcomes) != list(other.outcomes)
    return abs(best.choice.points.mean - other.choice.points.mean) > 1e-9


def _paired(best: Evaluation, other: Evaluation) -> bool:
    """Were both tried in the same layouts?"""
    same = isinstance(best.action, actions.Play | actions.Bury | actions.LayAway) and type(best.action) is type(
        other.action
    )
    return same and best.imagined is not None and other.imagined is not None


def _compared(who: AdvisedSeat, best: Evaluation, rival: Evaluation) -> Iterator[str]:
    """The difference in points, in outcomes, and the hidden card that decides it."""
    yield _lead(who, best, rival)
    yield from _outcome_compared(who, best, rival)
    if _paired(best, rival) and best.imagined is not None:
        more = [mine - other for mine, other in zip(best.points, rival.points, strict=True)]
        turning = _turning(who, best.imagined, best.contract, more)
        if turning:
            yield _(
                "It comes down to the %(card)s. If %(holder)s has it (%(share)s of the time), %(best)s beats %(other)s "
                "by %(there)s points, otherwise by %(elsewhere)s.",
                **_turning_values(who, best.contract, turning),
                best=who.phrase(best.action),
                other=who.phrase(rival.action),
            )


def _lead(who: AdvisedSeat, best: Evaluation, rival: Evaluation) -> str:
    """How much better the best choice is, or that it is too close to call."""
    error = _error_between(best, rival)
    more = best.choice.points.mean - rival.choice.points.mean
    close = more < (max(2 * error, _MIN_POINTS) if error is not None else 0)
    values = {"best": who.phrase(best.action), "other": who.phrase(rival.action)}
    if is_for_score(best, rival) or (close and _wins_more(best.choice, rival.choice)):
        chances = {
            "best_chance": percent(best.choice.chance.mean, 1),
            "other_chance": percent(rival.choice.chance.mean, 1),
        }
        return _(
            "At this score, %(best)s wins more games than %(other)s: %(best_chance)s against %(other_chance)s.",
            **values,
            **chances,
        )
    values |= {"points": f"{max(more, 0.0):.2f}", "error": f"{error or 0.0:.2f}"}
    is_exact = error is None or error < _MIN_POINTS or more < 0
    if close and is_exact:
        return _("It’s too close to call between %(best)s and %(other)s.", **values)
    if close:
        return _(
            "It’s too close to call between %(best)s and %(other)s: %(points)s points, give or take %(error)s.",
            **values,
        )
    if is_exact:
        return _(_WORTH_EXACTLY[isinstance(best.action, _CALLS)], **values)
    return _(_WORTH_ABOUT[isinstance(best.action, _CALLS)], **values)


_CALLS: Final = (actions.Pass, actions.Order, actions.Name)
_WORTH_EXACTLY: Final = {
    False: gettext_noop("On average, %(best)s is worth %(points)s points more than %(other)s."),
    True: gettext_noop("As our best bot sees it, %(best)s is worth %(points)s points more than %(other)s."),
}
_WORTH_ABOUT: Final = {
    False: gettext_noop("On average, %(best)s is worth %(points)s points more than %(other)s, give or take %(error)s."),
    True: gettext_noop(
        "As our best bot sees it, %(best)s is worth %(points)s points more than %(other)s, give or take %(error)s."
    ),
}
"""By whether it is a call: calls and passes have the values of a bot."""


def is_for_score(best: Evaluation, rival: Evaluation, least: float = 0.0005) -> bool:
    """Does the best choice win more games though it is worth fewer points? By `least`, 0.1% when printed."""
    more_points = best.choice.points.mean - rival.choice.points.mean
    return more_points < -_MIN_POINTS and best.choice.chance.mean - rival.choice.chance.mean >= least


def _wins_more(best: ValuedChoice, rival: ValuedChoice) -> bool:
    """Is the chance to win the game higher beyond doubt?"""
    error = hypot(best.chance.error or 0.0, rival.chance.error or 0.0)
    return best.chance.mean - rival.chance.mean > max(3 * error, _MIN_SHARE_DIFFERENCE)


def _error_between(best: Evaluation, rival: Evaluation) -> float | None:
    """The standard error of the difference: much smaller where both were tried in the same layouts."""
    if _paired(best, rival) and best.imagined is not None:
        weights = best.imagined.weights
        more = [value - other for value, other in zip(best.points, rival.points, strict=True)]
        mean = _mean(more, weights)
        return sqrt(sum((weight * (value - mean)) ** 2 for value, weight in zip(more, weights, strict=True))) / sum(
            weights
        )
    errors = [value.choice.points.error for value in (best, rival)]
    return None if None in errors else hypot(*(error or 0.0 for error in errors))


_MIN_POINTS: Final = 0.005
"""Differences below this round to 0.00 points."""
_OUTCOME_PHRASES: Final[tuple[tuple[str, Callable[[OutcomeShares], float]], ...]] = (
    (
        gettext_noop(
            "The makers are euchred %(best_share)s of the time after %(best)s, %(other_share)s after %(other)s."
        ),
        lambda shares: shares.euchre,
    ),
    (
        gettext_noop(
            "The makers just make it %(best_share)s of the time after %(best)s, %(other_share)s after %(other)s."
        ),
        lambda shares: shares.made_it,
    ),
    (
        gettext_noop(
            "The makers take all five %(best_share)s of the time after %(best)s, %(other_share)s after %(other)s."
        ),
        lambda shares: shares.march,
    ),
)


def _outcome_compared(who: AdvisedSeat, best: Evaluation, rival: Evaluation) -> Iterator[str]:
    """The outcome in which two choices differ most."""
    this, that = best.choice.shares, rival.choice.shares
    if this is None or that is None:
        return
    sentence, share = max(_OUTCOME_PHRASES, key=lambda pair: abs(pair[1](this) - pair[1](that)))
    if abs(share(this) - share(that)) >= _MIN_SHARE_DIFFERENCE:
        yield _(
            sentence,
            best=who.phrase(best.action),
            best_share=percent(share(this)),
            other=who.phrase(rival.action),
            other_share=percent(share(that)),
        )


_MIN_SHARE_DIFFERENCE: Final = 0.01
"""Smaller differences in shares get no sentence."""


def _of_the_call(who: AdvisedSeat, called: Evaluation) -> Iterator[str]:
    """The outcomes of the best call with all cards open, the hidden card that decides it, and the partner's trump."""
    shares, contract, imagined = called.choice.shares, called.contract, called.imagined
    assert shares is not None
    assert contract is not None
    assert imagined is not None
    this = who.phrase(called.action)
    yield _(
        "With all cards face up, %(call)s is euchred %(euchre)s of the time, made %(made)s, and takes all five "
        "%(march)s.",
        call=this,
        euchre=percent(shares.euchre),
        made=percent(shares.made_it),
        march=percent(shares.march),
    )
    turning = _turning(who, imagined, contract, called.points)
    if turning:
        yield _(
            "It comes down to the %(card)s. If %(holder)s has it (%(share)s of the time), %(call)s brings %(there)s "
            "points, otherwise %(elsewhere)s.",
            **_turning_values(who, contract, turning),
            call=this,
        )
    friend = who.friend(contract)
    if friend is not None:
        held, weights = imagined.held(friend), imagined.weights
        trumps = [[card for card in cards if card.suit_under(contract.trump) is contract.trump] for cards in held]
        bowers = [any(card.rank is Rank.JACK for card in cards) for cards in trumps]
        yield _(
            _PARTNERS_TRUMP[any(bowers)],
            trump=percent(_mean(map(bool, trumps), weights)),
            bower=percent(_mean(bowers, weights)),
        )


_PARTNERS_TRUMP: Final = {
    True: gettext_noop("Your partner has trump %(trump)s of the time, a bower %(bower)s."),
    False: gettext_noop("Your partner has trump %(trump)s of the time, but no bower."),
}
"""By whether the partner has a bower in any layout."""


# The hidden card that decides


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turning:
    """A hidden card and a location: the mean of a number with the card in that location, and elsewhere."""

    card: Card
    location: Seat | None
    """None if no player has it."""
    share: float
    there: float
    elsewhere: float
    explained: float
    """The square of the correlation."""


def _turning(
    who: AdvisedSeat, imagined: Layouts, contract: Contract | None, numbers: Sequence[float]
) -> _Turning | None:
    """The card and location that correlate best with the numbers, if beyond chance."""
    assert contract is not None
    weights = imagined.weights
    every = sum(weights)
    mean = _mean(numbers, weights)
    variance = _mean([(number - mean) ** 2 for number in numbers], weights)
    if not variance:
        return None
    lying = _lying(who, imagined, contract, numbers)
    found = [
        _Turning(
            card=card,
            location=location,
            share=weight / every,
            there=total / weight,
            elsewhere=(mean * every - total) / (every - weight),
            explained=(total - mean * weight) ** 2 / (weight * (every - weight) * variance),
        )
        for (card, location), (weight, total) in lying.items()
        if _MIN_LOCATION_SHARE * every < weight < (1 - _MIN_LOCATION_SHARE) * every
    ]
    best = max(found, key=lambda candidate: candidate.explained, default=None)
    effective = every**2 / sum(weight * weight for weight in weights)
    return best if best is not None and best.explained * effective >= _MIN_SQUARED_ERRORS else None


_MIN_LOCATION_SHARE: Final = 0.02
"""Locations of a card in a smaller share of the layouts are ignored."""


def _lying(
    who: AdvisedSeat, imagined: Layouts, contract: Contract, numbers: Sequence[float]
) -> dict[tuple[Card, Seat | None], tuple[float, float]]:
    """For every hidden card and location: the weight of the layouts with it there, and their weighted sum."""
    lying: defaultdict[tuple[Card, Seat | None], list[float]] = defaultdict(lambda: [0.0, 0.0])
    out = [0.0, 0.0]
    cards = list(hidden_cards(who.view).locations)
    locations = [seat for seat in active_seats(who.view.rules, contract) if seat is not who.seat]
    held = [(location, imagined.held(location)) for location in locations]
    for index, (number, weight) in enumerate(zip(numbers, imagined.weights, strict=True)):
        out[0] += weight
        out[1] += weight * number
        for location, hands in held:
            for card in hands[index]:
                spot = lying[card, location]
                spot[0] += weight
                spot[1] += weight * number
    for card in cards:
        somewhere = [lying[card, location] for location in locations if (card, location) in lying]
        lying[card, None] = [
            total - sum(spot_sums[index] for spot_sums in somewhere) for index, total in enumerate(out)
        ]
    return {spot: (weight, total) for spot, (weight, total) in lying.items()}


def _turning_values(who: AdvisedSeat, contract: Contract | None, turning: _Turning) -> dict[str, object]:
    assert contract is not None
    location = turning.location
    if location is None:
        holder = _("no one")
    else:
        holder = _("your partner") if location in who.friends(contract) else location.full_name
    return {
        "card": turning.card.pretty,
        "holder": holder,
        "share": percent(turning.share),
        "there": signed(turning.there),
        "elsewhere": signed(turning.elsewhere),
    }


# Who can win the trick


@dataclass(frozen=True, slots=True)
class _Fate:
    """Who can win the trick in one layout: can an opponent beat the top card, and can the partner win it back?"""

    trumped: bool
    beaten: bool
    won_back: bool


def _of_the_trick(who: AdvisedSeat, tried: Evaluation) -> Iterator[str]:
    """How often the side of the card keeps the trick, and how often a partner can help."""
    view, contract, imagined = who.view, tried.contract, tried.imagined
    assert isinstance(tried.action, actions.Play)
    assert contract is not None
    assert imagined is not None
    card, weights, helper = tried.action.card, imagined.weights, who.friend(contract)
    table = (*view.trick, card)
    top = winning_card(table, contract.trump)
    holder = (*view.seats, who.seat)[table.index(top)]
    fates = list(_fates(who, contract, imagined, table, top))
    if holder not in who.friends(contract):
        saved = _mean([fate.won_back for fate in fates], weights)
        if helper and saved:
            yield _(
                "After %(card)s, your partner can still win the trick %(share)s of the time.",
                card=card.pretty,
                share=percent(saved),
            )
        return
    beaten = _mean([fate.beaten for fate in fates], weights)
    trumped = _mean([fate.trumped for fate in fates], weights)
    is_topped = beaten - trumped > _MIN_SHARE_DIFFERENCE / 2 or not trumped
    whose = top.pretty if holder is who.seat else _("your partner’s %(card)s", card=top.pretty)
    if beaten:
        yield _(
            _BEATEN[bool(trumped), is_topped], card=whose, trumped=percent(trumped), topped=percent(beaten - trumped)
        )
    elif can_be_beaten(who, contract, table):
        yield _("They hardly ever beat %(card)s in this trick.", card=whose)
    else:
        yield _("They can’t beat %(card)s in this trick.", card=whose)
    saved = _mean([fate.beaten and fate.won_back for fate in fates], weights)
    if helper and saved > _MIN_SHARE_DIFFERENCE / 2:
        yield _(
            "If they beat %(card)s, your partner can win the trick back %(share)s of the time.",
            card=whose,
            share=percent(saved / beaten),
        )


_BEATEN: Final = {
    (True, False): gettext_noop("They can trump %(card)s %(trumped)s of the time."),
    (False, True): gettext_noop("They can beat %(card)s with a higher card %(topped)s of the time."),
    (True, True): gettext_noop(
        "They can trump %(card)s %(trumped)s of the time, and beat it with a higher card %(topped)s."
    ),
}
"""By whether it can be trumped, and beaten by a higher card."""


def _fates(
    who: AdvisedSeat, contract: Contract, imagined: Layouts, table: tuple[Card, ...], top: Card
) -> Iterator[_Fate]:
    """Who can win the trick in each layout with the cards the players after the viewer may play."""
    trump, friends = contract.trump, who.friends(contract)
    led = table[0].suit_under(trump)
    waiting = who.waiting(contract)
    ours = [imagined.held(seat) for seat in waiting if seat in friends]
    theirs = [imagined.held(seat) for seat in waiting if seat not in friends]
    plain = top.suit_under(trump) is not trump

    def best(hands: Iterable[Sequence[tuple[Card, ...]]], index: int) -> int:
        """The strength of the best card that one of them may play."""
        cards = (card for hand in hands for card in playable(hand[index], led, trump))
        return max((strength(card, trump, led) for card in cards), default=-1)

    now = strength(top, trump, led)
    lowest_trump = strength(ranking(trump, trump)[-1], trump, led)
    for index in range(len(imagined)):
        against, for_us = best(theirs, index), best(ours, index)
        yield _Fate(
            trumped=plain and against >= lowest_trump,
            beaten=against > now,
            won_back=for_us > max(against, now),
        )


def _mean(numbers: Iterable[float], weights: Sequence[float]) -> float:
    return sum(number * weight for number, weight in zip(numbers, weights, strict=True)) / sum(weights)
