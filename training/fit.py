"""Fitting: how the bots' data are made, from nothing but hands that bots play. Three files, each needs those before it.

    call_model.json   what a call tells of a hand: fitted to the calls of `baseline`, which needs no data
    call_table.bin     the mean of solved layouts of every call, for every class of hands and place
    call_values.json    what calls and passes are worth: fitted to hands played out by the expert after each of them

Each is made in pieces that depend on their numbers alone, and a piece is plain data, so that work can be split, broken
off and gone on with. The rules are those of *campus*: four players, a stuck dealer, the usual points.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp
from random import Random
from typing import Final

from leftbower.engine import (
    Action,
    Bidding,
    Deal,
    Name,
    OpenState,
    Order,
    Pass,
    State,
    View,
    apply,
    deal_hand,
    start,
    view,
)
from leftbower.players.arena.arena import numbered_deck
from leftbower.players.bot import Bot
from leftbower.players.driver import play_hand
from leftbower.players.judgment.bidding import bidding_position, contract_of_call
from leftbower.players.judgment.call_model import call_logit
from leftbower.players.judgment.call_table import CALLS_PER_POSITION, POSITIONS, best_later, encode_mean, solved_means
from leftbower.players.judgment.call_values import (
    POINT_DIFFERENCES,
    Features,
    call_features,
    lone_call_features,
    pass_features,
)
from leftbower.players.judgment.hand_classes import classify, example_hand
from leftbower.players.judgment.rollouts import contract_layouts
from leftbower.players.judgment.stakes import stakes
from leftbower.players.levels import BASELINE, EXPERT, Skill
from leftbower.rules.cards import Card, Rank, Suit
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import preset
from leftbower.rules.tricks import ranking

RULES: Final = preset("campus")
Call = Order | Name
Row = list[int]
"""Whether there was a call, 1 or 0, and then the numbers of what the hand had."""
Rows = dict[str, list[Row]]
"""Rows of decisions by round, place and kind of suit, named as in call_model.json."""
Sums = dict[str, list[float]]
"""Sums over hands: squares and products for straight lines, and how often a pass led to what."""


# Hunches


_KINDS: Final = {"trump": 7, "next": 5, "cross": 6, "up_card": 6, "any": 1}
"""What a row of hunches has numbers for."""
_FIRST: Final = {kind: sum([*_KINDS.values()][:at]) for at, kind in enumerate(_KINDS)}
_STIFF: Final = 1e-3
"""How much a number must explain, of all rows, to be other than nothing."""
_ROUNDS: Final = 12
"""Newton's method has converged long before."""


def collect_calls(hands: range) -> Rows:
    """What baseline called and passed in these hands."""
    rows: Rows = {}
    bot = Bot(BASELINE)
    for number in hands:
        chance = Random(f"called:{number}")
        state: State = _dealt(number)
        while isinstance(state, Bidding):
            seen = view(state, state.to_act)
            action = bot.act(seen, chance)
            for key, row in _told(seen, action):
                rows.setdefault(key, []).append(row)
            state = apply(state, action)
    return rows


def _told(seen: View, action: Action) -> Iterable[tuple[str, Row]]:
    place, up = bidding_position(seen), seen.up_card
    if any(isinstance(one, Order) for one in seen.legal):
        rank = _FIRST["up_card"] + list(Rank).index(up.rank)
        yield f"1-{place}", [int(isinstance(action, Order)), *_numbers(seen.cards, up.suit), rank, _FIRST["any"]]
        return
    for suit in Suit:
        if suit is not up.suit:
            named = isinstance(action, Name) and action.suit is suit
            kind = "next" if suit is up.suit.sister else "cross"
            yield f"2-{place}-{kind}", [int(named), *_numbers(seen.cards, suit), _FIRST["any"]]


def _numbers(cards: Iterable[object], trump: Suit) -> list[int]:
    kinds = {trump: "trump", trump.sister: "next"}
    numbers = []
    for card in cards:
        assert isinstance(card, Card)
        suit = card.suit_under(trump)
        numbers.append(_FIRST[kinds.get(suit, "cross")] + [*reversed(ranking(suit, trump))].index(card))
    return numbers


def fit_call_model(rows: Rows) -> str:
    """The file of hunches: for each kind of decision, the logistic curve that tells its calls best."""
    lines = []
    for key in sorted(rows):
        weights = _logistic(rows[key], sum(_KINDS.values()))
        row = {kind: _rounded(weights[_FIRST[kind] : _FIRST[kind] + size]) for kind, size in _KINDS.items()}
        if key[0] == "2":
            del row["up_card"]
        lines.append(f" {json.dumps(key)}: {json.dumps(row)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _logistic(rows: Sequence[Row], size: int) -> list[float]:
    """Weights whose sum over a row, through the logistic curve, is the chance of a call: Newton's method."""
    weights = [0.0] * size
    for _ in range(_ROUNDS):
        slope = [len(rows) * _STIFF * weight for weight in weights]
        bend = [[len(rows) * _STIFF * (one == other) for other in range(size)] for one in range(size)]
        for answer, *numbers in rows:
            chance = 1 / (1 + exp(-sum(weights[number] for number in numbers)))
            for number in numbers:
                slope[number] += chance - answer
                for other in numbers:
                    bend[number][other] += chance * (1 - chance)
        weights = [weight - step for weight, step in zip(weights, _solution(bend, slope), strict=True)]
    return weights


# Solved calls


LAYOUTS: Final = 160
"""For each call of each class: the error of a mean is a tenth of a point, and of a choice much less."""
_HOPEFUL: Final = 0.4
"""Where a call with partner is worth less, nobody need know what it is worth alone."""


def solve_classes(numbers: range, layouts: int = LAYOUTS) -> bytes:
    """For these classes the means of all calls at all places, class by class, as bytes."""
    bot = Bot(Skill(name="solver", layouts=layouts, weighs_calls=True))
    return b"".join(bytes(_means(bot, number)) for number in numbers)


def to_columns(pieces: Iterable[bytes]) -> bytes:
    """The bytes of all classes, column by column."""
    means = b"".join(pieces)
    return b"".join(means[column :: POSITIONS * CALLS_PER_POSITION] for column in range(POSITIONS * CALLS_PER_POSITION))


def _means(bot: Bot, number: int) -> list[int]:
    hand, up_card = example_hand(number)
    chance = Random(f"class:{number}")
    suits = classify(hand, up_card).suits
    found = [0] * (POSITIONS * CALLS_PER_POSITION)
    for place in range(POSITIONS):
        for passed in (place, place + POSITIONS):
            seen = _asked(hand, up_card, place, passed)
            for call in seen.legal:
                if isinstance(call, Order | Name) and not call.alone:
                    at = place * CALLS_PER_POSITION + (suits.index(call.suit) if isinstance(call, Name) else 0)
                    mean = _mean(bot, seen, call, chance)
                    found[at] = encode_mean(mean)
                    if mean > _HOPEFUL:
                        found[at + CALLS_PER_POSITION // 2] = encode_mean(
                            _mean(bot, seen, replace(call, alone=True), chance)
                        )
    return found


def _mean(bot: Bot, seen: View, call: Call, rng: Random) -> float:
    contract = contract_of_call(seen, call)
    return bot.imagine(seen, contract, rng.getrandbits(64)).mean(stakes(seen, in_points=True).of(contract))


def _asked(hand: tuple[Card, ...], up_card: Card, place: int, passed: int) -> View:
    """What a player with this hand sees, so many places left of eldest, who is asked when so many have passed."""
    dealer = RULES.seats[-1]
    rest = iter(card for card in RULES.deck if card not in hand and card is not up_card)
    hands = [hand if at == place else tuple(next(rest) for _ in range(5)) for at in range(POSITIONS)]
    north, east, south, west = hands
    state: OpenState = start(RULES, Deal(dealer=dealer, hands=(north, east, south, west), up_card=up_card))
    for _ in range(passed):
        after = apply(state, Pass(state.to_act))
        assert isinstance(after, Bidding)
        state = after
    return view(state, state.to_act)


# Values


_WORST: Final = -1.2
"""No call that solves worse is tried out."""
_WORST_ALONE: Final = -0.3
_TRIES: Final = 12
"""So many hands are dealt until one comes as far as is wanted."""
_KEYS: Final = tuple(f"{spoken}-{place}" for spoken in (1, 2) for place in range(POSITIONS))


def explore_calls(hands: range) -> Sums:
    """What came of calling, calling alone and passing, in one decision of each of these hands."""
    sums: Sums = {}
    bot = Bot(replace(EXPERT, layouts=100, in_points=True))
    for number in hands:
        state = _decision(bot, number, Random(f"explored:{number}"))
        if state is None:
            continue
        seen = view(state, state.to_act)
        key = f"{state.round}-{bidding_position(seen)}"
        for kind, action, numbers in _tried(seen):
            chances = {seat: Random(f"explored:{number}:{seat}") for seat in RULES.seats}
            played = play_hand(apply(state, action), dict.fromkeys(RULES.seats, bot), chances)
            net = _net(played.points, state.to_act)
            if isinstance(action, Pass):
                _add(sums, f"{key} passed", [float(net == result) for result in POINT_DIFFERENCES])
            worth = net - _luck(state, seen, action, numbers[1])
            products = [one * other for one in numbers for other in numbers]
            _add(sums, f"{key} {kind}", [*products, *(one * worth for one in numbers)])
    return sums


def _luck(state: Bidding, seen: View, action: Action, mean: float) -> float:
    """What this deal solves to beyond the mean of such hands. Without it far fewer hands tell as much.

    It is known only before anybody has spoken: whoever reaches a later decision has not been dealt just any cards.
    """
    if isinstance(action, Pass) or seen.actions:
        return 0.0
    assert isinstance(action, Order | Name)
    contract = contract_of_call(seen, action)
    [tricks] = contract_layouts(RULES, contract, [state.hand.deal]).outcomes()
    return stakes(seen, in_points=True).of(contract)[tricks] - mean


def add_sums(sums: Iterable[Sums]) -> Sums:
    """All of them together."""
    total: Sums = {}
    for one in sums:
        for key, numbers in one.items():
            _add(total, key, numbers)
    return total


def fit_call_values(sums: Sums) -> str:
    """The file of values: for each round, place and choice the line that tells the points best.

    Where few hands were tried a line stays near to what the others say.
    """
    alone = _line(
        add_sums({"alone": sums[key]} for key in sums if key.endswith(" alone"))["alone"], (0.0, 1.0, 0.0, 0.0), 1.0
    )
    lines = []
    for key in _KEYS:
        row = {
            "call": _rounded(_line(sums.get(f"{key} call"), (-0.1, 1.0, 0.0, 0.0), 20.0)),
            "alone": _rounded(_line(sums.get(f"{key} alone"), alone, 60.0)),
            "pass": _rounded(_line(sums.get(f"{key} pass"), (0.0, 0.2, 0.0, 0.0), 20.0)),
            "passed": _rounded(_passed(sums, key), 4),
        }
        lines.append(f" {json.dumps(key)}: {json.dumps(row)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _decision(bot: Bot, number: int, rng: Random) -> Bidding | None:
    """A decision of every round and place in turn, as it comes up among experts or where baseline passes more."""
    wanted = number // POSITIONS % len(_KEYS)
    for caller in [bot, Bot(BASELINE)] if number % 2 else [Bot(BASELINE)]:
        for again in range(_TRIES):
            states = _asked_in_turn(caller, _dealt(number, again), rng)
            if wanted < len(states):
                return states[wanted]
    return None


def _asked_in_turn(bot: Bot, state: State, rng: Random) -> list[Bidding]:
    """Every point at which somebody is asked to call, as this bot calls."""
    states: list[Bidding] = []
    while isinstance(state, Bidding):
        states.append(state)
        state = apply(state, bot.act(view(state, state.to_act), rng))
    return states


def _tried(seen: View) -> Iterable[tuple[str, Action, Features]]:
    """What is tried out, and the numbers its line is made of."""
    calls = [action for action in seen.legal if isinstance(action, Order | Name)]
    place = bidding_position(seen)
    means = solved_means(seen, calls, place)
    together = max((call for call in calls if not call.alone), key=means.__getitem__)
    alone = max((call for call in calls if call.alone), key=means.__getitem__)
    if means[together] > _WORST:
        yield "call", together, call_features(means[together], call_logit(seen, together, place))
    if means[alone] > _WORST_ALONE:
        yield "alone", alone, lone_call_features(means[alone])
    if any(isinstance(action, Pass) for action in seen.legal):
        assert seen.seat is not None
        likely = max(call_logit(seen, call, place) for call in calls)
        yield "pass", Pass(seen.seat), pass_features(means[together], likely, best_later(seen, place))


def _net(points: Mapping[Seat, int], seat: Seat) -> int:
    """The points of a seat less those of the others."""
    return points.get(seat, 0) - max(points.get(other, 0) for other in RULES.opponents_of(seat))


def _line(sums: Sequence[float] | None, guess: Sequence[float], faith: float) -> list[float]:
    """The line of least squares, with a guess that counts as so many hands."""
    size = len(guess)
    sums = sums or [0.0] * (size * size + size)
    squares = [[sums[size * one + other] + faith * (one == other) for other in range(size)] for one in range(size)]
    return _solution(squares, [sums[size * size + one] + faith * guess[one] for one in range(size)])


def _passed(sums: Sums, key: str) -> list[float]:
    """How often a pass led to which result; ten hands are counted as in the whole round."""
    own = sums.get(f"{key} passed", [0.0] * len(POINT_DIFFERENCES))
    whole = [
        sum(sums.get(f"{other} passed", [0.0] * len(POINT_DIFFERENCES))[at] for other in _KEYS if other[0] == key[0])
        for at in range(len(POINT_DIFFERENCES))
    ]
    counts = [count + 10 * of_round / max(1.0, sum(whole)) + 0.5 for count, of_round in zip(own, whole, strict=True)]
    return [count / sum(counts) for count in counts]


# What all need


def _dealt(number: int, again: int = 0) -> Bidding:
    deck = numbered_deck(RULES, seed=0, number=number, again=again)
    deal = deal_hand(RULES, dealer=RULES.seats[number % POSITIONS], deck=deck)
    state = start(RULES, deal)
    assert isinstance(state, Bidding)
    return state


def _add(sums: Sums, key: str, numbers: Sequence[float]) -> None:
    sums[key] = [one + other for one, other in zip(sums[key], numbers, strict=True)] if key in sums else list(numbers)


def _rounded(numbers: Iterable[float], digits: int = 3) -> list[float]:
    return [round(number, digits) for number in numbers]


def _solution(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """The solution of linear equations by Gauss; the matrix is positive definite, so every pivot is above zero."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, row in enumerate(rows):
        for below in rows[at + 1 :]:
            share = below[at] / row[at]
            for column in range(at, len(below)):
                below[column] -= share * row[column]
    found = [0.0] * len(rows)
    for at in reversed(range(len(rows))):
        known = sum(rows[at][column] * found[column] for column in range(at + 1, len(rows)))
        found[at] = (rows[at][-1] - known) / rows[at][at]
    return found
