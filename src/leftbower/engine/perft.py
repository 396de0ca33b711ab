"""Perft: count the sequences of actions that can follow, a number on which two engines must agree."""

from leftbower.engine.hand import acts, apply
from leftbower.engine.states import Playing, State
from leftbower.rules.cards import UNKNOWN

_Counts = tuple[int, ...]


def perft(state: State, depth: int) -> list[int]:
    """The number of sequences of exactly 1, 2, … `depth` acts from here, without talk.

    Play positions with the same remaining cards are counted once: earlier tricks can't change what may follow.
    """
    return list(_count(state, depth, {}))[:depth]


def _count(state: State, depth: int, cached: dict[object, _Counts]) -> _Counts:
    key = _future(state) if depth > 1 and isinstance(state, Playing) and not _guessing(state) else None
    if key is not None and len(cached.get(key, ())) >= depth:
        return cached[key][:depth]
    actions = acts(state)
    if depth <= 1 or not actions:
        return (len(actions),) + (0,) * (depth - 1)
    # Calls before passes: a call leaves more depth to the play, so its cached counts also serve the pass.
    deeper = [_count(apply(state, action), depth - 1, cached) for action in reversed(actions)]
    counts = (len(actions), *map(sum, zip(*deeper, strict=True)))
    if key is not None:
        cached[key] = counts
    return counts


def _guessing(state: Playing) -> bool:
    """Are there unknown cards? Then earlier tricks do change what may follow."""
    return any(UNKNOWN in held for held in state.cards)


def _future(state: Playing) -> object:
    """Cache key: everything that decides how the play can go on."""
    contract = state.contract
    return state.cards, state.trick, state.to_act, state.active, contract.trump, len(state.tricks)
