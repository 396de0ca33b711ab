"""Counting how many different ways a hand can go on: the number that two engines must agree on."""

from leftbower.engine.hand import acts, apply
from leftbower.engine.states import Playing, State
from leftbower.rules.cards import UNKNOWN

_Counts = tuple[int, ...]


def perft(state: State, depth: int) -> list[int]:
    """How many different sequences of exactly 1, 2, … `depth` acts there are from here; talk is not counted.

    Positions of the play with the same cards left are counted once: what went before cannot change what may follow.
    """
    return list(_count(state, depth, {}))[:depth]


def _count(state: State, depth: int, cached: dict[object, _Counts]) -> _Counts:
    key = _future(state) if depth > 1 and isinstance(state, Playing) and not _guessing(state) else None
    if key is not None and len(cached.get(key, ())) >= depth:
        return cached[key][:depth]
    actions = acts(state)
    if depth <= 1 or not actions:
        return (len(actions),) + (0,) * (depth - 1)
    # the last actions first: a call leaves more of the depth to the play than a pass, so it is remembered for both
    deeper = [_count(apply(state, action), depth - 1, cached) for action in reversed(actions)]
    counts = (len(actions), *map(sum, zip(*deeper, strict=True)))
    if key is not None:
        cached[key] = counts
    return counts


def _guessing(state: Playing) -> bool:
    """Are there unknown cards, which may be more or fewer according to what has been seen?"""
    return any(UNKNOWN in held for held in state.cards)


def _future(state: Playing) -> object:
    """All that decides how the play can go on."""
    contract = state.contract
    return state.cards, state.trick, state.to_act, state.active, contract.trump, len(state.tricks)
