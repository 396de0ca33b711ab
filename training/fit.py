"""Fit the bots' data to hands that bots play. Three files; each needs those before it.

    call_model.json   the probability that a hand calls: fitted to the calls of `baseline`, which needs no data
    call_table.bin    the mean of solved layouts of every call, for every class of hands and position
    call_values.json  the values of calls and passes: fitted to hands played out by the expert after each of them

Each is computed in chunks that depend only on their numbers, and a chunk is plain data, so work can be split,
interrupted and resumed. The rules are those of *campus*: four players, stick the dealer, the usual points.
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
"""1 for a call or 0, then the features of the hand."""
Rows = dict[str, list[Row]]
"""Rows of decisions by round, position and kind of suit, named as in call_model.json."""
Sums = dict[str, list[float]]
"""Sums over hands: squares and products for linear fits, and the results of passes."""


# The call model


_GROUP_SIZES: Final = {"trump": 7, "next": 5, "cross": 6, "up_card": 6, "any": 1}
"""The groups of features in a row of the call model, with their sizes."""
_GROUP_STARTS: Final = {kind: sum([*_GROUP_SIZES.values()][:index]) for index, kind in enumerate(_GROUP_SIZES)}
_RIDGE: Final = 1e-3
"""Ridge penalty per row; weights that explain little stay near 0."""
_NEWTON_ITERATIONS: Final = 12
"""Newton's method converges long before."""


def collect_calls(hands: range) -> Rows:
    """The calls and passes of baseline in these hands."""
    rows: Rows = {}
    bot = Bot(BASELINE)
    for number in hands:
        rng = Random(f"called:{number}")
        state: State = _dealt(number)
        while isinstance(state, Bidding):
            seat_view = view(state, state.to_act)
            action = bot.act(seat_view, rng)
            for key, row in _decision_rows(seat_view, action):
                rows.setdefault(key, []).append(row)
            state = apply(state, action)
    return rows


def _decision_rows(seat_view: View, action: Action) -> Iterable[tuple[str, Row]]:
    position, up = bidding_position(seat_view), seat_view.up_card
    if any(isinstance(legal, Order) for legal in seat_view.legal):
        rank = _GROUP_STARTS["up_card"] + list(Rank).index(up.rank)
        yield (
            f"1-{position}",
            [int(isinstance(action, Order)), *_numbers(seat_view.cards, up.suit), rank, _GROUP_STARTS["any"]],
        )
        return
    for suit in Suit:
        if suit is not up.suit:
            named = isinstance(action, Name) and action.suit is suit
            kind = "next" if suit is up.suit.sister else "cross"
            yield f"2-{position}-{kind}", [int(named), *_numbers(seat_view.cards, suit), _GROUP_STARTS["any"]]


def _numbers(cards: Iterable[object], trump: Suit) -> list[int]:
    kinds = {trump: "trump", trump.sister: "next"}
    numbers = []
    for card in cards:
        assert isinstance(card, Card)
        suit = card.suit_under(trump)
        numbers.append(_GROUP_STARTS[kinds.get(suit, "cross")] + [*reversed(ranking(suit, trump))].index(card))
    return numbers


def fit_call_model(rows: Rows) -> str:
    """The call model file: for each kind of decision, the logistic curve that best fits its calls."""
    lines = []
    for key in sorted(rows):
        weights = _logistic(rows[key], sum(_GROUP_SIZES.values()))
        row = {
            kind: _rounded(weights[_GROUP_STARTS[kind] : _GROUP_STARTS[kind] + size])
            for kind, size in _GROUP_SIZES.items()
        }
        if key[0] == "2":
            del row["up_card"]
        lines.append(f" {json.dumps(key)}: {json.dumps(row)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _logistic(rows: Sequence[Row], size: int) -> list[float]:
    """Weights whose sum over a row, through the logistic curve, is the probability of a call; by Newton's method."""
    weights = [0.0] * size
    for _ in range(_NEWTON_ITERATIONS):
        slope = [len(rows) * _RIDGE * weight for weight in weights]
        bend = [[len(rows) * _RIDGE * (row == column) for column in range(size)] for row in range(size)]
        for answer, *numbers in rows:
            probability = 1 / (1 + exp(-sum(weights[number] for number in numbers)))
            for number in numbers:
                slope[number] += probability - answer
                for other in numbers:
                    bend[number][other] += probability * (1 - probability)
        weights = [weight - step for weight, step in zip(weights, _solution(bend, slope), strict=True)]
    return weights


# Solved calls


LAYOUTS: Final = 160
"""Per call of each class: the error of a mean is a tenth of a point, and that of a choice much less."""
_MIN_MEAN_FOR_ALONE: Final = 0.4
"""Calls worth less than this with the partner, in points, are not solved alone."""


def solve_classes(numbers: range, layouts: int = LAYOUTS) -> bytes:
    """The means of all calls at all positions for these classes, class by class, as bytes."""
    bot = Bot(Skill(name="solver", layouts=layouts, weighs_calls=True))
    return b"".join(bytes(_means(bot, number)) for number in numbers)


def to_columns(pieces: Iterable[bytes]) -> bytes:
    """The bytes of all classes, column by column."""
    means = b"".join(pieces)
    return b"".join(means[column :: POSITIONS * CALLS_PER_POSITION] for column in range(POSITIONS * CALLS_PER_POSITION))


def _means(bot: Bot, number: int) -> list[int]:
    hand, up_card = example_hand(number)
    rng = Random(f"class:{number}")
    suits = classify(hand, up_card).suits
    found = [0] * (POSITIONS * CALLS_PER_POSITION)
    for position in range(POSITIONS):
        for passed in (position, position + POSITIONS):
            seat_view = _bidding_view(hand, up_card, position, passed)
            for call in seat_view.legal:
                if isinstance(call, Order | Name) and not call.alone:
                    index = position * CALLS_PER_POSITION + (suits.index(call.suit) if isinstance(call, Name) else 0)
                    mean = _mean(bot, seat_view, call, rng)
                    found[index] = encode_mean(mean)
                    if mean > _MIN_MEAN_FOR_ALONE:
                        found[index + CALLS_PER_POSITION // 2] = encode_mean(
                            _mean(bot, seat_view, replace(call, alone=True), rng)
                        )
    return found


def _mean(bot: Bot, seat_view: View, call: Call, rng: Random) -> float:
    contract = contract_of_call(seat_view, call)
    return bot.imagine(seat_view, contract, rng.getrandbits(64)).mean(stakes(seat_view, in_points=True).of(contract))


def _bidding_view(hand: tuple[Card, ...], up_card: Card, position: int, passed: int) -> View:
    """The view of a player with this hand, `position` seats left of eldest, who may call after `passed` passes."""
    dealer = RULES.seats[-1]
    rest = iter(card for card in RULES.deck if card not in hand and card is not up_card)
    hands = [hand if index == position else tuple(next(rest) for _ in range(5)) for index in range(POSITIONS)]
    north, east, south, west = hands
    state: OpenState = start(RULES, Deal(dealer=dealer, hands=(north, east, south, west), up_card=up_card))
    for _ in range(passed):
        after = apply(state, Pass(state.to_act))
        assert isinstance(after, Bidding)
        state = after
    return view(state, state.to_act)


# Values


_MIN_TRIED_MEAN: Final = -1.2
"""Calls that solve to less than this are not tried."""
_MIN_TRIED_MEAN_ALONE: Final = -0.3
_MAX_DEALS: Final = 12
"""Deals to try until one reaches the wanted decision."""
_KEYS: Final = tuple(f"{spoken}-{position}" for spoken in (1, 2) for position in range(POSITIONS))


def explore_calls(hands: range) -> Sums:
    """The results of calling, calling alone and passing, in one decision of each of these hands."""
    sums: Sums = {}
    bot = Bot(replace(EXPERT, layouts=100, in_points=True))
    for number in hands:
        state = _decision(bot, number, Random(f"explored:{number}"))
        if state is None:
            continue
        seat_view = view(state, state.to_act)
        key = f"{state.round}-{bidding_position(seat_view)}"
        for kind, action, numbers in _tried(seat_view):
            rngs = {seat: Random(f"explored:{number}:{seat}") for seat in RULES.seats}
            played = play_hand(apply(state, action), dict.fromkeys(RULES.seats, bot), rngs)
            net = _net(played.points, state.to_act)
            if isinstance(action, Pass):
                _add(sums, f"{key} passed", [float(net == result) for result in POINT_DIFFERENCES])
            worth = net - _deal_bias(state, seat_view, action, numbers[1])
            products = [left * right for left in numbers for right in numbers]
            _add(sums, f"{key} {kind}", [*products, *(feature * worth for feature in numbers)])
    return sums


def _deal_bias(state: Bidding, seat_view: View, action: Action, mean: float) -> float:
    """The solved value of this deal minus the mean of such hands; subtracting it reduces the variance.

    It is known only before the first call: later decisions are not reached with random cards.
    """
    if isinstance(action, Pass) or seat_view.actions:
        return 0.0
    assert isinstance(action, Order | Name)
    contract = contract_of_call(seat_view, action)
    [tricks] = contract_layouts(RULES, contract, [state.hand.deal]).outcomes()
    return stakes(seat_view, in_points=True).of(contract)[tricks] - mean


def add_sums(sums: Iterable[Sums]) -> Sums:
    """The sum of all parts, key by key."""
    total: Sums = {}
    for part in sums:
        for key, numbers in part.items():
            _add(total, key, numbers)
    return total


def fit_call_values(sums: Sums) -> str:
    """The values file: for each round, position and choice the line that best fits the points.

    A line with few hands stays near the common one.
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
    """A decision of each round and position in turn, as it comes up among experts or when baseline passes more."""
    wanted = number // POSITIONS % len(_KEYS)
    for caller in [bot, Bot(BASELINE)] if number % 2 else [Bot(BASELINE)]:
        for again in range(_MAX_DEALS):
            states = _bidding_states(caller, _dealt(number, again), rng)
            if wanted < len(states):
                return states[wanted]
    return None


def _bidding_states(bot: Bot, state: State, rng: Random) -> list[Bidding]:
    """All decisions to call or pass, as this bot calls."""
    states: list[Bidding] = []
    while isinstance(state, Bidding):
        states.append(state)
        state = apply(state, bot.act(view(state, state.to_act), rng))
    return states


def _tried(seat_view: View) -> Iterable[tuple[str, Action, Features]]:
    """The choices to try, and the features of their lines."""
    calls = [action for action in seat_view.legal if isinstance(action, Order | Name)]
    position = bidding_position(seat_view)
    means = solved_means(seat_view, calls, position)
    together = max((call for call in calls if not call.alone), key=means.__getitem__)
    alone = max((call for call in calls if call.alone), key=means.__getitem__)
    if means[together] > _MIN_TRIED_MEAN:
        yield "call", together, call_features(means[together], call_logit(seat_view, together, position))
    if means[alone] > _MIN_TRIED_MEAN_ALONE:
        yield "alone", alone, lone_call_features(means[alone])
    if any(isinstance(action, Pass) for action in seat_view.legal):
        assert seat_view.seat is not None
        likely = max(call_logit(seat_view, call, position) for call in calls)
        yield "pass", Pass(seat_view.seat), pass_features(means[together], likely, best_later(seat_view, position))


def _net(points: Mapping[Seat, int], seat: Seat) -> int:
    """The points of a seat minus those of the others."""
    return points.get(seat, 0) - max(points.get(other, 0) for other in RULES.opponents_of(seat))


def _line(sums: Sequence[float] | None, guess: Sequence[float], faith: float) -> list[float]:
    """The least-squares line, with a prior guess that counts as `faith` hands."""
    size = len(guess)
    sums = sums or [0.0] * (size * size + size)
    squares = [[sums[size * row + column] + faith * (row == column) for column in range(size)] for row in range(size)]
    return _solution(squares, [sums[size * size + row] + faith * guess[row] for row in range(size)])


def _passed(sums: Sums, key: str) -> list[float]:
    """The results of a pass; ten hands count as in the whole round."""
    own = sums.get(f"{key} passed", [0.0] * len(POINT_DIFFERENCES))
    whole = [
        sum(sums.get(f"{other} passed", [0.0] * len(POINT_DIFFERENCES))[index] for other in _KEYS if other[0] == key[0])
        for index in range(len(POINT_DIFFERENCES))
    ]
    counts = [count + 10 * of_round / max(1.0, sum(whole)) + 0.5 for count, of_round in zip(own, whole, strict=True)]
    return [count / sum(counts) for count in counts]


# Shared helpers


def _dealt(number: int, again: int = 0) -> Bidding:
    deck = numbered_deck(RULES, seed=0, number=number, again=again)
    deal = deal_hand(RULES, dealer=RULES.seats[number % POSITIONS], deck=deck)
    state = start(RULES, deal)
    assert isinstance(state, Bidding)
    return state


def _add(sums: Sums, key: str, numbers: Sequence[float]) -> None:
    sums[key] = (
        [total + number for total, number in zip(sums[key], numbers, strict=True)] if key in sums else list(numbers)
    )


def _rounded(numbers: Iterable[float], digits: int = 3) -> list[float]:
    return [round(number, digits) for number in numbers]


def _solution(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve linear equations by Gaussian elimination; the matrix is positive definite, so every pivot is above zero."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for pivot, row in enumerate(rows):
        for below in rows[pivot + 1 :]:
            share = below[pivot] / row[pivot]
            for column in range(pivot, len(below)):
                below[column] -= share * row[column]
    found = [0.0] * len(rows)
    for pivot in reversed(range(len(rows))):
        known = sum(rows[pivot][column] * found[column] for column in range(pivot + 1, len(rows)))
        found[pivot] = (rows[pivot][-1] - known) / rows[pivot][pivot]
    return found
