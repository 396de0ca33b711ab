"""The coach: what each choice of a viewer is worth, and why, in the layouts that fit the view.

Cards, discards and lone hands are solved in every layout. What calls and passes are worth is as the best bot judges
them, because a solver that sees every card misleads there. Every reason is counted in the layouts: which hidden card
the choice turns on, what becomes of the trick, what a partner has.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, sqrt
from random import Random
from typing import Final

from leftbower.engine import (
    Action,
    Agree,
    Bury,
    Claim,
    Contract,
    DefendAlone,
    DefendTogether,
    Disagree,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Ready,
    Settle,
    ShowFarmersHand,
    Terms,
    ThrowIn,
    View,
    active_seats,
)
from leftbower.engine.knowledge import hidden
from leftbower.errors import HandIsOver, NothingToSolve, NotYourTurn
from leftbower.kernel import Layouts, seats_on_chairs
from leftbower.notation import pretty
from leftbower.players.bot import Bot
from leftbower.players.hunches import weigh
from leftbower.players.layouts import DUMMY
from leftbower.players.layouts import layouts as imagine
from leftbower.players.levels import EXPERT
from leftbower.players.player import proper
from leftbower.players.stakes import Stakes, stakes
from leftbower.rules.cards import UNKNOWN, Card, Rank, Suit
from leftbower.rules.choices import FarmersHand
from leftbower.rules.scoring import NEEDED, TRICKS
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import playable, ranking, strength, winning_card

LAYOUTS: Final = 1000
"""How many layouts are worth the wait: a few hundredths of a second."""
MOST: Final = 5
"""Of the threes that can be laid away, so many are worth telling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over layouts."""

    mean: float
    error: float | None = None
    """Its standard error; None where no layouts were counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """In which part of the layouts the makers come to what; together they are 1."""

    euchre: float
    made: float
    march: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something the viewer may do, and what comes of it."""

    action: Action
    points: Estimate
    """What the hand brings the viewer's side, less what it brings the others."""
    chance: Estimate
    """The chance to win the game after it."""
    shares: Shares | None = None
    """None where nobody knows yet what will be played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Every choice of a viewer, the best first, and why it is the best."""

    seat: Seat
    layouts: int
    """How many layouts were imagined."""
    choices: tuple[Choice, ...]
    reasons: tuple[str, ...]
    """Sentences."""

    @property
    def best(self) -> Choice:
        """What the coach would do."""
        return self.choices[0]


def advise(view: View, *, layouts: int = LAYOUTS, chance: Random) -> Advice:
    """What the viewer's choices are worth at this score, the best first, and the reasons in words.

    An error says why there is nothing to advise: it is another player's turn, the hand is over, or cards that the
    viewer should know are unknown.
    """
    seat, choices = _asked(view)
    coach = _Coach(view, seat, layouts, chance)
    tried = sorted(coach.tried(choices), key=_rank, reverse=True)
    return Advice(
        seat=seat,
        layouts=layouts,
        choices=tuple(one.choice for one in tried if one in tried[:MOST] or not isinstance(one.action, LayAway)),
        reasons=tuple(_reasons(view, seat, tried)),
    )


def _asked(view: View) -> tuple[Seat, tuple[Action, ...]]:
    """Whom to advise and what on, or the error that says why nobody is."""
    choices = proper(view)
    if view.to_act is None:
        raise HandIsOver("the hand is over, so there is nothing to advise", state=None)
    due = view.to_act is view.seat or not isinstance(next(iter(choices), None), Play)
    if view.seat is None or not choices or not due:
        whom = "a spectator" if view.seat is None else str(view.seat)
        raise NotYourTurn(f"{view.to_act} is to act, so there is nothing to advise {whom}", state=None)
    if UNKNOWN in view.cards:
        raise NothingToSolve(f"to advise a player the player's cards must be known, and some of {view.seat} are not")
    return view.seat, choices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tried:
    """A choice with the layouts in which it was tried; none where it was not."""

    choice: Choice
    contract: Contract | None = None
    imagined: Layouts | None = None
    outcomes: Sequence[int] = ()
    """The makers' tricks in each layout, none, three or five."""
    worth: Sequence[float] = ()
    """The points to the viewer by the makers' tricks."""

    @property
    def action(self) -> Action:
        return self.choice.action

    @property
    def points(self) -> list[float]:
        """The points to the viewer in each layout."""
        return [self.worth[tricks] for tricks in self.outcomes]


def _rank(one: _Tried) -> tuple[float, float]:
    """By the chance to win the game; where that is the same, by points."""
    return round(one.choice.chance.mean, 9), one.choice.points.mean


class _Coach:
    """Tries what a viewer may do."""

    def __init__(self, view: View, seat: Seat, many: int, chance: Random) -> None:
        self.view, self.seat, self.many = view, seat, many
        self.seed = chance.getrandbits(64)
        self.in_points: Stakes = stakes(view, in_points=True)
        self.in_chances: Stakes = stakes(view, in_points=False)

    def tried(self, choices: Sequence[Action]) -> list[_Tried]:
        """Every choice, tried in the way that its kind needs."""
        match choices[0]:
            case Play():
                return self._cards([one for one in choices if isinstance(one, Play)])
            case Pass() | Order() | Name():
                return self._calls(choices)
            case KeepHand() | ShowFarmersHand():
                return [self._sure(one, self._farmers(one)) for one in choices]
            case _:
                return [self._one(one) for one in choices]

    def _one(self, choice: Action) -> _Tried:
        made = _made(self.view) if self.view.made else None
        match choice:
            case Bury():
                return self._aside(choice, [choice.card])
            case LayAway():
                return self._aside(choice, choice.cards)
            case GoAlone() | GoTogether() if made:
                return self._contract(choice, replace(made, alone=isinstance(choice, GoAlone)))
            case DefendAlone() if made:
                return self._contract(choice, replace(made, defender=self.seat))
            case Agree() if made:
                return self._agreed(choice, made)
            case Settle() if choice.terms in (Terms.FULL, Terms.FEWER):
                return self._sure(choice, self._penalty(choice))
            case Disagree() | Settle() | Ready():
                return self._played_on(choice)
            case _:
                return self._contract(choice, _made(self.view))

    # What is solved

    def _cards(self, choices: Sequence[Play]) -> list[_Tried]:
        """Every card in the same layouts."""
        contract = _made(self.view)
        imagined = self._imagine(contract)
        outcomes = imagined.card_outcomes([choice.card for choice in choices])
        many = len(choices)
        return [self._solved(choice, contract, imagined, outcomes[at::many]) for at, choice in enumerate(choices)]

    def _aside(self, choice: Action, gone: Sequence[object]) -> _Tried:
        """The same layouts with the hand that is left; a dealer who discards first holds the up-card by then."""
        view, contract = self.view, _made(self.view)
        left = TRICKS - len(view.tricks) - (self.seat in view.seats)
        kept = [card for card in view.cards if card not in gone]
        mine = kept if len(kept) == left else [*kept, view.up_card]
        imagined = self._imagine(contract, tuple(card for card in mine if card is not UNKNOWN))
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _contract(self, choice: Action, contract: Contract) -> _Tried:
        """A contract that is not played yet: the dealer takes the up-card, the maker the dummy, and both discard."""
        view, rules = self.view, self.view.rules
        imagined = self._imagine(contract)
        if view.made is None and contract.ordered and view.dealer in active_seats(rules, contract):
            imagined.take_up(seats_on_chairs(rules, contract).index(view.dealer), view.up_card)
        if rules.dummy_size and not contract.alone:
            imagined.take_dummy(0, DUMMY, rules.dummy_size)
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _played_on(self, choice: Action) -> _Tried:
        """The hand goes on from where it stands, or counts as it was played."""
        view, contract = self.view, _made(self.view)
        if view.leader is None or len(view.tricks) == TRICKS:
            taken = sum(trick.winner in view.rules.side_of(contract.maker) for trick in view.tricks)
            return self._known(choice, contract, taken)
        imagined = self._imagine(contract)
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _imagine(self, contract: Contract, mine: tuple[Card, ...] | None = None) -> Layouts:
        imagined = imagine(self.view, contract, self.many, Random(self.seed), mine=mine)
        weigh(self.view, imagined)
        return imagined

    def _solved(self, choice: Action, contract: Contract, imagined: Layouts, outcomes: Sequence[int]) -> _Tried:
        worth = self.in_points.of(contract)
        share = _spread(outcomes, imagined.weights)
        found = Choice(
            action=choice,
            points=share.estimate(worth),
            chance=share.estimate(self.in_chances.of(contract)),
            shares=Shares(euchre=share.of(0), made=share.of(NEEDED), march=share.of(TRICKS)),
        )
        return _Tried(choice=found, contract=contract, imagined=imagined, outcomes=outcomes, worth=worth)

    # What is known for certain

    def _agreed(self, choice: Action, contract: Contract) -> _Tried:
        """The hand ends as somebody proposed."""
        view, proposal = self.view, self.view.proposal
        if isinstance(proposal, ThrowIn):
            return self._known(choice, contract, proposal.makers_tricks)
        makers = view.rules.side_of(contract.maker)
        taken = sum(trick.winner in makers for trick in view.tricks)
        claimed = isinstance(proposal, Claim) and proposal.seat in makers
        return self._known(choice, contract, taken + (TRICKS - len(view.tricks)) * claimed)

    def _known(self, choice: Action, contract: Contract, tricks: int) -> _Tried:
        found = Choice(
            action=choice,
            points=Estimate(mean=self.in_points.of(contract)[tricks], error=0.0),
            chance=Estimate(mean=self.in_chances.of(contract)[tricks], error=0.0),
            shares=Shares(
                euchre=float(tricks < NEEDED), made=float(NEEDED <= tricks < TRICKS), march=float(tricks == TRICKS)
            ),
        )
        return _Tried(choice=found)

    def _penalty(self, choice: Settle) -> float:
        ruling = self.view.verdict.ruling if self.view.verdict else None
        full = self.in_points.of_points(ruling.points) if ruling else 0.0
        return full if choice.terms is Terms.FULL else float(choice.points)

    def _sure(self, choice: Action, points: float) -> _Tried:
        """A choice that is worth so many points, however they come about."""
        chance = self.in_chances.of_expected(points)
        return _Tried(choice=Choice(action=choice, points=Estimate(mean=points), chance=Estimate(mean=chance)))

    # What a bot judges

    def _calls(self, choices: Sequence[Action]) -> list[_Tried]:
        """Calls and passes as the best bot judges them; layouts tell the error, and what comes of a call."""
        skill = replace(EXPERT, layouts=self.many, playouts=max(self.many // _LAYOUTS_A_PLAYOUT, 1))
        points, chances = (
            {one.action: one.worth for one in bot.judge(self.view, choices, Random(self.seed))}
            for bot in (Bot(replace(skill, in_points=in_points)) for in_points in (True, False))
        )
        return [self._judged(choice, points[choice], chances[choice]) for choice in choices]

    def _judged(self, choice: Action, points: float, chance: float) -> _Tried:
        if not isinstance(choice, Order | Name):
            found = Choice(action=choice, points=Estimate(mean=points), chance=Estimate(mean=chance))
            return _Tried(choice=found)
        trump = self.view.up_card.suit if isinstance(choice, Order) else choice.suit
        contract = Contract(maker=self.seat, trump=trump, ordered=isinstance(choice, Order), alone=choice.alone)
        tried = self._contract(choice, contract)
        judged = replace(
            tried.choice,
            points=replace(tried.choice.points, mean=points),
            chance=replace(tried.choice.chance, mean=min(max(chance, 0.0), 1.0)),
        )
        return replace(tried, choice=judged)

    # Farmer's hands

    def _farmers(self, choice: Action) -> float:
        """What naming the best suit is worth with the hand that the viewer then holds; new cards are tried out."""
        view, chance = self.view, Random(self.seed)
        if not isinstance(choice, ShowFarmersHand):
            return self._best_call(view)
        redeal = view.rules.farmers_hand is FarmersHand.REDEAL
        kept = [] if redeal else [card for card in view.cards if card not in choice.cards]
        new = [card for card in view.rules.deck if card is not view.up_card] if redeal else list(hidden(view).homes)
        said = view.said if redeal else (*view.said, choice)
        hands = [(*kept, *chance.sample(new, len(view.cards) - len(kept))) for _ in range(_SWAPS)]
        return sum(self._best_call(replace(view, cards=hand, said=said)) for hand in hands) / _SWAPS

    def _best_call(self, view: View) -> float:
        coach = _Coach(view, self.seat, max(self.many // _SWAPS, 1), Random(self.seed))
        named = [Contract(maker=self.seat, trump=suit, ordered=False, alone=False) for suit in Suit]
        return max(coach._contract(KeepHand(self.seat), one).choice.points.mean for one in named)


_LAYOUTS_A_PLAYOUT: Final = 15
"""Where a bot tells what a pass is worth by playing hands out, one takes as long as so many solved layouts."""
_SWAPS: Final = 12
"""How many new hands are tried when a farmer's hand is judged."""


def _made(view: View) -> Contract:
    """The contract as the viewer knows it."""
    made = view.made
    assert made is not None
    return Contract(maker=made.maker, trump=made.trump, ordered=made.ordered, alone=made.alone, defender=made.defender)


@dataclass(frozen=True, slots=True)
class _Spread:
    """How much weight, and how much of its square, lies on each outcome."""

    weights: Mapping[int, float]
    squares: Mapping[int, float]

    def of(self, outcome: int) -> float:
        """Its share of all weight."""
        return self.weights.get(outcome, 0.0) / sum(self.weights.values())

    def estimate(self, worth: Sequence[float]) -> Estimate:
        """The mean of what the outcomes are worth, and its standard error."""
        every = sum(self.weights.values())
        mean = sum(weight * worth[outcome] for outcome, weight in self.weights.items()) / every
        spread = sum(square * (worth[outcome] - mean) ** 2 for outcome, square in self.squares.items())
        return Estimate(mean=mean, error=sqrt(spread) / every)


def _spread(outcomes: Sequence[int], weights: Sequence[float]) -> _Spread:
    by_weight: defaultdict[int, float] = defaultdict(float)
    by_square: defaultdict[int, float] = defaultdict(float)
    for outcome, weight in zip(outcomes, weights, strict=True):
        by_weight[outcome] += weight
        by_square[outcome] += weight * weight
    return _Spread(by_weight, by_square)


# The reasons


def _reasons(view: View, seat: Seat, tried: Sequence[_Tried]) -> Iterator[str]:
    """Why the first of these is the best: how it compares with the next that differs, and what comes of it."""
    best, name = tried[0], _Names(view, seat)
    rival = next((one for one in tried[1:] if _differs(best, one)), None)
    if rival is not None:
        yield from _compared(name, best, rival)
    elif len(tried) > 1:
        yield "Everything comes to the same, in every layout."
    else:
        yield "There is nothing else to do."
    called = next((one for one in tried if one.imagined and not isinstance(one.action, Play)), None)
    if called is not None and isinstance(called.action, Order | Name | GoAlone | GoTogether):
        yield from _of_the_call(name, called)
    for one in (best, rival):
        if one is not None and isinstance(one.action, Play):
            yield from _of_the_trick(name, one)


_SIGNS: Final = 16.0
"""A hidden card is named when it explains this much more than chance would: four standard errors."""


def _differs(best: _Tried, other: _Tried) -> bool:
    """Is there a layout, or at least a number, in which they differ?"""
    if _paired(best, other):
        return list(best.outcomes) != list(other.outcomes)
    return abs(best.choice.points.mean - other.choice.points.mean) > 1e-9


def _paired(best: _Tried, other: _Tried) -> bool:
    """Were both tried in the very same layouts?"""
    same = isinstance(best.action, Play | Bury | LayAway) and type(best.action) is type(other.action)
    return same and best.imagined is not None and other.imagined is not None


def _compared(name: "_Names", best: _Tried, rival: _Tried) -> Iterator[str]:
    """The difference, what it consists in, and the card it turns on."""
    yield _lead(name, best, rival)
    yield from _outcome_compared(name, best, rival)
    if _paired(best, rival) and best.imagined is not None:
        more = [one - other for one, other in zip(best.points, rival.points, strict=True)]
        turning = _turning(name, best.imagined, best.contract, more)
        if turning:
            this, that = name.action(best.action), name.action(rival.action)
            there, elsewhere = _more(turning.there), _more(turning.elsewhere)
            yield f"{name.where(turning)} {this} is worth {there} than {that}, elsewhere {elsewhere}."


def _lead(name: "_Names", best: _Tried, rival: _Tried) -> str:
    """By how much the best is better, or that nobody can tell."""
    this, that = name.action(best.action), name.action(rival.action)
    error = _error_between(best, rival)
    give = "" if error is None or error < _LEAST else f", give or take {error:.2f}"
    more = best.choice.points.mean - rival.choice.points.mean
    close = error is not None and more < max(2 * error, _LEAST)
    if more < -_LEAST or (close and _wins_more(best.choice, rival.choice)):
        chances = (_percent(one.choice.chance.mean, 1) for one in (best, rival))
        return "At this score {} wins more games than {}, {} against {}.".format(this, that, *chances)
    if close:
        return f"It is too close to call between {this} and {that}: {max(more, 0.0):.2f} points{give}."
    judged = "As the best bot judges it, " if isinstance(best.action, Pass | Order | Name) else ""
    told = f"{judged}{this} is worth {more:.2f} points more than {that}{give}."
    return told[0].upper() + told[1:]


def _wins_more(best: Choice, rival: Choice) -> bool:
    """Is the chance to win the game higher beyond doubt?"""
    error = hypot(best.chance.error or 0.0, rival.chance.error or 0.0)
    return best.chance.mean - rival.chance.mean > max(3 * error, _WORTH_TELLING)


def _error_between(best: _Tried, rival: _Tried) -> float | None:
    """The standard error of the difference: much smaller where both were tried in the same layouts."""
    if _paired(best, rival) and best.imagined is not None:
        weights = best.imagined.weights
        more = [one - other for one, other in zip(best.points, rival.points, strict=True)]
        mean = _mean(more, weights)
        return sqrt(sum((weight * (one - mean)) ** 2 for one, weight in zip(more, weights, strict=True))) / sum(weights)
    errors = [one.choice.points.error for one in (best, rival)]
    return None if None in errors else hypot(*(error or 0.0 for error in errors))


_LEAST: Final = 0.005
"""Points that are none when they are rounded."""
_HOW: Final[tuple[tuple[str, Callable[[Shares], float]], ...]] = (
    ("are euchred", lambda shares: shares.euchre),
    ("just make it", lambda shares: shares.made),
    ("take all five", lambda shares: shares.march),
)


def _outcome_compared(name: "_Names", best: _Tried, rival: _Tried) -> Iterator[str]:
    """The outcome in which two choices differ most."""
    this, that = best.choice.shares, rival.choice.shares
    if this is None or that is None:
        return
    how, share = max(_HOW, key=lambda one: abs(one[1](this) - one[1](that)))
    if abs(share(this) - share(that)) >= _WORTH_TELLING:
        yield (
            f"The makers {how} in {_percent(share(this))} of the layouts after {name.action(best.action)}, "
            f"in {_percent(share(that))} after {name.action(rival.action)}."
        )


_WORTH_TELLING: Final = 0.01
"""A difference in shares that is worth a sentence."""


def _of_the_call(name: "_Names", called: _Tried) -> Iterator[str]:
    """What comes of the best call when all cards lie open, what it turns on, and what a partner has for it."""
    shares, contract, imagined = called.choice.shares, called.contract, called.imagined
    assert shares is not None
    assert contract is not None
    assert imagined is not None
    this = name.action(called.action)
    yield (
        f"Solved with all cards open, {this} is euchred in {_percent(shares.euchre)} of the layouts, "
        f"made in {_percent(shares.made)}, and takes all five in {_percent(shares.march)}."
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
    """A hidden card and a place: what a number is on the average where the card lies there, and elsewhere."""

    card: Card
    place: Seat | None
    """None for out of play."""
    share: float
    there: float
    elsewhere: float
    explained: float
    """The square of the correlation."""


def _turning(name: "_Names", imagined: Layouts, contract: Contract | None, numbers: Sequence[float]) -> _Turning | None:
    """The card and the place whose presence goes best with the numbers, if any goes with them beyond chance."""
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
            place=place,
            share=weight / every,
            there=total / weight,
            elsewhere=(mean * every - total) / (every - weight),
            explained=(total - mean * weight) ** 2 / (weight * (every - weight) * variance),
        )
        for (card, place), (weight, total) in lying.items()
        if _RARE * every < weight < (1 - _RARE) * every
    ]
    best = max(found, key=lambda one: one.explained, default=None)
    effective = every**2 / sum(weight * weight for weight in weights)
    return best if best is not None and best.explained * effective >= _SIGNS else None


_RARE: Final = 0.02
"""Where a card lies in fewer layouts than this part of them it is not worth thinking of."""


def _lying(
    name: "_Names", imagined: Layouts, contract: Contract, numbers: Sequence[float]
) -> dict[tuple[Card, Seat | None], tuple[float, float]]:
    """For every hidden card and place: the weight of the layouts in which it lies there, and what they come to."""
    lying: defaultdict[tuple[Card, Seat | None], list[float]] = defaultdict(lambda: [0.0, 0.0])
    out = [0.0, 0.0]
    cards = list(hidden(name.view).homes)
    places = [seat for seat in active_seats(name.view.rules, contract) if seat is not name.seat]
    held = [(place, imagined.held(place)) for place in places]
    for at, (number, weight) in enumerate(zip(numbers, imagined.weights, strict=True)):
        out[0] += weight
        out[1] += weight * number
        for place, hands in held:
            for card in hands[at]:
                spot = lying[card, place]
                spot[0] += weight
                spot[1] += weight * number
    for card in cards:
        somewhere = [lying[card, place] for place in places if (card, place) in lying]
        lying[card, None] = [total - sum(one[at] for one in somewhere) for at, total in enumerate(out)]
    return {spot: (weight, total) for spot, (weight, total) in lying.items()}


# What becomes of the trick


@dataclass(frozen=True, slots=True)
class _Fate:
    """What can become of a trick in one layout: can an opponent still beat it, and can the partner win it then?"""

    trumped: bool
    beaten: bool
    won_back: bool


def _of_the_trick(name: "_Names", tried: _Tried) -> Iterator[str]:
    """How often the trick stays with the card's side, and how often a partner can help."""
    view, contract, imagined = name.view, tried.contract, tried.imagined
    assert isinstance(tried.action, Play)
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
    ways += [f"beaten by a higher card in {_percent(beaten - trumped)}"] * (beaten - trumped > _WORTH_TELLING / 2)
    saved = _mean([fate.beaten and fate.won_back for fate in fates], weights)
    told = f"{whose} can be {' and '.join(ways)} of the layouts"
    if helper and saved > _WORTH_TELLING / 2:
        told += f"; in {_percent(saved / beaten)} of those {name.of(helper, begins=False)} can win the trick back"
    yield f"{told}."


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

    def best(hands: Iterable[Sequence[tuple[Card, ...]]], at: int) -> int:
        """The most that any of them may lay."""
        cards = (card for hand in hands for card in playable(hand[at], led, trump))
        return max((strength(card, trump, led) for card in cards), default=-1)

    now = strength(top, trump, led)
    lowest_trump = strength(ranking(trump, trump)[-1], trump, led)
    for at in range(len(imagined)):
        against, for_us = best(theirs, at), best(ours, at)
        yield _Fate(
            trumped=plain and against >= lowest_trump,
            beaten=against > now,
            won_back=for_us > max(against, now),
        )


# How it is said


@dataclass(frozen=True, slots=True)
class _Names:
    """How the seats are called by whoever advises one of them."""

    view: View
    seat: Seat

    def friends(self, contract: Contract) -> tuple[Seat, ...]:
        """Who plays on the viewer's side, the viewer included: among three the two defenders are one side."""
        chairs = seats_on_chairs(self.view.rules, contract)
        side = chairs[chairs.index(self.seat) % 2 :: 2]
        active = active_seats(self.view.rules, contract)
        return tuple(seat for seat in side if seat in active)

    def friend(self, contract: Contract) -> Seat | None:
        """The one who can help."""
        return next((seat for seat in self.friends(contract) if seat is not self.seat), None)

    def after(self, contract: Contract) -> tuple[Seat, ...]:
        """Who plays, clockwise from the viewer's left."""
        active = active_seats(self.view.rules, contract)
        at = active.index(self.seat) + 1
        return active[at:] + active[: at - 1]

    def of(self, seat: Seat, *, begins: bool = True) -> str:
        if seat in self.view.rules.side_of(self.seat):
            return "Your partner" if begins else "your partner"
        return seat.full_name

    def where(self, turning: _Turning) -> str:
        """The layouts in which a card lies where the choice turns on it."""
        place = turning.place
        holder = "nobody in play" if place is None else self.of(place, begins=False)
        return f"It turns on {turning.card.pretty}: where {holder} holds it ({_percent(turning.share)} of the layouts)"

    def action(self, action: Action) -> str:
        """An action as the subject of a sentence: a card by its name, anything else by what one does."""
        match action:
            case Play():
                return action.card.pretty
            case Pass():
                return "passing"
            case Order():
                return f"ordering up{' alone' if action.alone else ''}"
            case Name():
                return f"naming {action.suit.name.lower()}{' alone' if action.alone else ''}"
            case Bury():
                return f"burying {pretty((action.card,))}"
            case LayAway():
                return f"laying away {pretty(action.cards)}"
            case GoTogether():
                return "playing with the partner" if self.view.rules.seats == 4 else "taking the dummy"
            case Settle():
                return _SETTLING[action.terms].format(points=action.points)
            case _:
                return _DOING[type(action)]


_DOING: Final[Mapping[type, str]] = {
    GoAlone: "going alone",
    DefendAlone: "defending alone",
    DefendTogether: "defending together",
    KeepHand: "keeping the cards",
    ShowFarmersHand: "showing the farmer's hand",
    Agree: "agreeing",
    Disagree: "playing on",
}
_SETTLING: Final = {
    Terms.FULL: "the whole penalty",
    Terms.FEWER: "a penalty of {points}",
    Terms.PUT_RIGHT: "having it put right",
    Terms.LET_STAND: "letting it stand",
}


def _mean(numbers: Iterable[float], weights: Sequence[float]) -> float:
    return sum(number * weight for number, weight in zip(numbers, weights, strict=True)) / sum(weights)


def _percent(share: float, digits: int = 0) -> str:
    """`61 %`; what is not nothing and not everything is never told as such."""
    least = 0.5 / 10**digits / 100
    if 0 < share < least:
        return f"less than {1 / 10**digits:g} %"
    if 1 - least < share < 1:
        return f"over {100 - 1 / 10**digits:g} %"
    return f"{100 * share:.{digits}f} %"


def _more(points: float) -> str:
    """`1.20 points more`, `0.10 points less`, `no more`."""
    return f"{abs(points):.2f} points {'more' if points > 0 else 'less'}" if abs(points) >= _LEAST else "no more"
