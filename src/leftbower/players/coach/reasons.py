"""Why one choice is better than another, in words, each counted in the layouts in which both were tried."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Final

from leftbower.engine import actions
from leftbower.engine.knowledge import hidden_cards
from leftbower.engine.play import active_seats
from leftbower.engine.states import Contract
from leftbower.engine.view import View
from leftbower.kernel import Layouts, chair_seats
from leftbower.notation import format_cards
from leftbower.players.coach.advice import Evaluation, OutcomeShares, ValuedChoice
from leftbower.rules.cards import Card, Rank
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import playable, ranking, strength, winning_card


def reasons(view: View, seat: Seat, tried: Sequence[Evaluation]) -> Iterator[str]:
    """Why the first of these is the best: how it compares with the next that differs, and what comes of it."""
    best, name = tried[0], _Names(view, seat)
    rival = next((evaluation for evaluation in tried[1:] if _differs(best, evaluation)), None)
    if rival is not None:
        yield from _compared(name, best, rival)
    elif len(tried) > 1:
        yield "Everything comes to the same, in every layout."
    else:
        yield "There is nothing else to do."
    called = next(
        (evaluation for evaluation in tried if evaluation.imagined and not isinstance(evaluation.action, actions.Play)),
        None,
    )
    if called is not None and isinstance(
        called.action, actions.Order | actions.Name | actions.GoAlone | actions.GoTogether
    ):
        yield from _of_the_call(name, called)
    for evaluation in (best, rival):
        if evaluation is not None and isinstance(evaluation.action, actions.Play):
            yield from _of_the_trick(name, evaluation)


_MIN_SQUARED_ERRORS: Final = 16.0
"""A hidden card is named when its effect is at least four standard errors; this is the square."""


def _differs(best: Evaluation, other: Evaluation) -> bool:
    """Is there a layout, or at least a number, in which they differ?"""
    if _paired(best, other):
        return list(best.outcomes) != list(other.outcomes)
    return abs(best.choice.points.mean - other.choice.points.mean) > 1e-9


def _paired(best: Evaluation, other: Evaluation) -> bool:
    """Were both tried in the very same layouts?"""
    same = isinstance(best.action, actions.Play | actions.Bury | actions.LayAway) and type(best.action) is type(
        other.action
    )
    return same and best.imagined is not None and other.imagined is not None


def _compared(name: "_Names", best: Evaluation, rival: Evaluation) -> Iterator[str]:
    """The difference, what it consists in, and the card it turns on."""
    yield _lead(name, best, rival)
    yield from _outcome_compared(name, best, rival)
    if _paired(best, rival) and best.imagined is not None:
        more = [mine - other for mine, other in zip(best.points, rival.points, strict=True)]
        turning = _turning(name, best.imagined, best.contract, more)
        if turning:
            this, that = name.action(best.action), name.action(rival.action)
            there, elsewhere = _more(turning.there), _more(turning.elsewhere)
            yield f"{name.where(turning)} {this} is worth {there} than {that}, elsewhere {elsewhere}."


def _lead(name: "_Names", best: Evaluation, rival: Evaluation) -> str:
    """How much better the best choice is, or that it is too close to call."""
    this, that = name.action(best.action), name.action(rival.action)
    error = _error_between(best, rival)
    give = "" if error is None or error < _MIN_POINTS else f", give or take {error:.2f}"
    more = best.choice.points.mean - rival.choice.points.mean
    close = error is not None and more < max(2 * error, _MIN_POINTS)
    if more < -_MIN_POINTS or (close and _wins_more(best.choice, rival.choice)):
        chances = (_percent(evaluation.choice.chance.mean, 1) for evaluation in (best, rival))
        return "At this score {} wins more games than {}, {} against {}.".format(this, that, *chances)
    if close:
        return f"It is too close to call between {this} and {that}: {max(more, 0.0):.2f} points{give}."
    judged = (
        "As the best bot judges it, " if isinstance(best.action, actions.Pass | actions.Order | actions.Name) else ""
    )
    sentence = f"{judged}{this} is worth {more:.2f} points more than {that}{give}."
    return sentence[0].upper() + sentence[1:]


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
    ("are euchred", lambda shares: shares.euchre),
    ("just make it", lambda shares: shares.made_it),
    ("take all five", lambda shares: shares.march),
)


def _outcome_compared(name: "_Names", best: Evaluation, rival: Evaluation) -> Iterator[str]:
    """The outcome in which two choices differ most."""
    this, that = best.choice.shares, rival.choice.shares
    if this is None or that is None:
        return
    how, share = max(_OUTCOME_PHRASES, key=lambda pair: abs(pair[1](this) - pair[1](that)))
    if abs(share(this) - share(that)) >= _MIN_SHARE_DIFFERENCE:
        yield (
            f"The makers {how} in {_percent(share(this))} of the layouts after {name.action(best.action)}, "
            f"in {_percent(share(that))} after {name.action(rival.action)}."
        )


_MIN_SHARE_DIFFERENCE: Final = 0.01
"""Smaller differences in shares get no sentence."""


def _of_the_call(name: "_Names", called: Evaluation) -> Iterator[str]:
    """What comes of the best call when all cards lie open, what it turns on, and what a partner has for it."""
    shares, contract, imagined = called.choice.shares, called.contract, called.imagined
    assert shares is not None
    assert contract is not None
    assert imagined is not None
    this = name.action(called.action)
    yield (
        f"Solved with all cards open, {this} is euchred in {_percent(shares.euchre)} of the layouts, "
        f"made in {_percent(shares.made_it)}, and takes all five in {_percent(shares.march)}."
    )
    turning = _turning(name, imagined, contract, called.points)
    if turning:
        yield (
            f"{name.where(turning)} {this} comes to {turning.there:+.2f} points, elsewhere to {turning.elsewhere:+.2f}."
        )
    friend = name.friend(contract)
    if friend is not None:
        held, weights = imagined.held(friend), imagined.weights
        trumps = [[card for card in cards if card.suit_under(contract.trump) is contract.trump] for cards in held]
        bowers = [any(card.rank is Rank.JACK for card in cards) for cards in trumps]
        yield (
            f"{name.of(friend)} holds a trump in {_percent(_mean(map(bool, trumps), weights))} of the layouts, "
            f"a bower in {_percent(_mean(bowers, weights))}."
        )


# Which hidden card it turns on


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turning:
    """A hidden card and a location: what a number is on the average where the card lies there, and elsewhere."""

    card: Card
    location: Seat | None
    """None for out of play."""
    share: float
    there: float
    elsewhere: float
    explained: float
    """The square of the correlation."""


def _turning(name: "_Names", imagined: Layouts, contract: Contract | None, numbers: Sequence[float]) -> _Turning | None:
    """The card and the location whose presence goes best with the numbers, if any goes with them beyond chance."""
    assert contract is not None
    weights = imagined.weights
    every = sum(weights)
    mean = _mean(numbers, weights)
    variance = _mean([(number - mean) ** 2 for number in numbers], weights)
    if not variance:
        return None
    lying = _lying(name, imagined, contract, numbers)
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
    name: "_Names", imagined: Layouts, contract: Contract, numbers: Sequence[float]
) -> dict[tuple[Card, Seat | None], tuple[float, float]]:
    """For every hidden card and location: the weight of the layouts in which it lies there, and what they come to."""
    lying: defaultdict[tuple[Card, Seat | None], list[float]] = defaultdict(lambda: [0.0, 0.0])
    out = [0.0, 0.0]
    cards = list(hidden_cards(name.view).locations)
    locations = [seat for seat in active_seats(name.view.rules, contract) if seat is not name.seat]
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


# What becomes of the trick


@dataclass(frozen=True, slots=True)
class _Fate:
    """What can become of a trick in one layout: can an opponent still beat it, and can the partner win it then?"""

    trumped: bool
    beaten: bool
    won_back: bool


def _of_the_trick(name: "_Names", tried: Evaluation) -> Iterator[str]:
    """How often the trick stays with the card's side, and how often a partner can help."""
    view, contract, imagined = name.view, tried.contract, tried.imagined
    assert isinstance(tried.action, actions.Play)
    assert contract is not None
    assert imagined is not None
    card, weights, helper = tried.action.card, imagined.weights, name.friend(contract)
    table = (*view.trick, card)
    top = winning_card(table, contract.trump)
    holder = (*view.seats, name.seat)[table.index(top)]
    fates = list(_fates(name, contract, imagined, table, top))
    if holder not in name.friends(contract):
        saved = _mean([fate.won_back for fate in fates], weights)
        if helper and saved:
            who = name.of(helper, begins=False)
            yield f"After {card.pretty} {who} can still win the trick in {_percent(saved)} of the layouts."
        return
    whose = card.pretty if holder is name.seat else f"{name.of(holder)}'s {top.pretty}"
    beaten = _mean([fate.beaten for fate in fates], weights)
    if not beaten:
        yield f"{whose} cannot be beaten in this trick."
        return
    trumped = _mean([fate.trumped for fate in fates], weights)
    ways = [f"trumped in {_percent(trumped)}"] * bool(trumped)
    ways += [f"beaten by a higher card in {_percent(beaten - trumped)}"] * (
        beaten - trumped > _MIN_SHARE_DIFFERENCE / 2
    )
    saved = _mean([fate.beaten and fate.won_back for fate in fates], weights)
    sentence = f"{whose} can be {' and '.join(ways)} of the layouts"
    if helper and saved > _MIN_SHARE_DIFFERENCE / 2:
        sentence += f"; in {_percent(saved / beaten)} of those {name.of(helper, begins=False)} can win the trick back"
    yield f"{sentence}."


def _fates(
    name: "_Names", contract: Contract, imagined: Layouts, table: tuple[Card, ...], top: Card
) -> Iterator[_Fate]:
    """What can become of the trick, layout by layout, by what those who are still to play may lay."""
    trump, friends = contract.trump, name.friends(contract)
    led = table[0].suit_under(trump)
    waiting = [seat for seat in name.after(contract) if seat not in name.view.seats]
    ours = [imagined.held(seat) for seat in waiting if seat in friends]
    theirs = [imagined.held(seat) for seat in waiting if seat not in friends]
    plain = top.suit_under(trump) is not trump

    def best(hands: Iterable[Sequence[tuple[Card, ...]]], index: int) -> int:
        """The most that any of them may lay."""
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


# How it is said


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of seats and actions as the advised player reads them."""

    view: View
    seat: Seat

    def friends(self, contract: Contract) -> tuple[Seat, ...]:
        """Who plays on the viewer's side, the viewer included: among three the two defenders are one side."""
        chairs = chair_seats(self.view.rules, contract)
        side = chairs[chairs.index(self.seat) % 2 :: 2]
        active = active_seats(self.view.rules, contract)
        return tuple(seat for seat in side if seat in active)

    def friend(self, contract: Contract) -> Seat | None:
        """The one who can help."""
        return next((seat for seat in self.friends(contract) if seat is not self.seat), None)

    def after(self, contract: Contract) -> tuple[Seat, ...]:
        """Who plays, clockwise from the viewer's left."""
        active = active_seats(self.view.rules, contract)
        next_index = active.index(self.seat) + 1
        return active[next_index:] + active[: next_index - 1]

    def of(self, seat: Seat, *, begins: bool = True) -> str:
        if seat in self.view.rules.side_of(self.seat):
            return "Your partner" if begins else "your partner"
        return seat.full_name

    def where(self, turning: _Turning) -> str:
        """The layouts in which a card lies where the choice turns on it."""
        location = turning.location
        holder = "nobody in play" if location is None else self.of(location, begins=False)
        return f"It turns on {turning.card.pretty}: where {holder} holds it ({_percent(turning.share)} of the layouts)"

    def action(self, action: actions.Action) -> str:
        """An action as the subject of a sentence: a card by its name, anything else by what one does."""
        match action:
            case actions.Play():
                return action.card.pretty
            case actions.Pass():
                return "passing"
            case actions.Order():
                return f"ordering up{' alone' if action.alone else ''}"
            case actions.Name():
                return f"naming {action.suit.name.lower()}{' alone' if action.alone else ''}"
            case actions.Bury():
                return f"burying {format_cards((action.card,))}"
            case actions.LayAway():
                return f"laying away {format_cards(action.cards)}"
            case actions.GoTogether():
                return "playing with the partner" if self.view.rules.players == 4 else "taking the dummy"
            case actions.Settle():
                return _TERMS_PHRASES[action.terms].format(points=action.points)
            case _:
                return _ACTION_PHRASES[type(action)]


_ACTION_PHRASES: Final[Mapping[type, str]] = {
    actions.GoAlone: "going alone",
    actions.DefendAlone: "defending alone",
    actions.DefendTogether: "defending together",
    actions.KeepHand: "keeping the cards",
    actions.ShowFarmersHand: "showing the farmer's hand",
    actions.Agree: "agreeing",
    actions.Disagree: "playing on",
}
_TERMS_PHRASES: Final = {
    actions.Terms.FULL: "the whole penalty",
    actions.Terms.FEWER: "a penalty of {points}",
    actions.Terms.CORRECT: "having it corrected",
    actions.Terms.LET_STAND: "letting it stand",
}


def _mean(numbers: Iterable[float], weights: Sequence[float]) -> float:
    return sum(number * weight for number, weight in zip(numbers, weights, strict=True)) / sum(weights)


def _percent(share: float, digits: int = 0) -> str:
    """`61 %`; a share above 0 is never printed as 0 %, and one below 1 never as 100 %."""
    least = 0.5 / 10**digits / 100
    if 0 < share < least:
        return f"less than {1 / 10**digits:g} %"
    if 1 - least < share < 1:
        return f"over {100 - 1 / 10**digits:g} %"
    return f"{100 * share:.{digits}f} %"


def _more(points: float) -> str:
    """`1.20 points more`, `0.10 points less`, `no more`."""
    return f"{abs(points):.2f} points {'more' if points > 0 else 'less'}" if abs(points) >= _MIN_POINTS else "no more"
