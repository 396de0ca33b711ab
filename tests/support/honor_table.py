"""An honor table for tests: a deal in which East can renege, and short ways to play it by the words of a hand line.

In the deal `FOUR` hearts are trump, West deals and North, who leads, can take every trick. `LIED` is a trick in which
East reneges, for East shows the nine of spades in the third trick. In `HONEST` East lays the very same card but has no
spade.
"""

from dataclasses import replace

import pytest

from leftbower.engine import (
    CallOut,
    Closing,
    Deal,
    Game,
    InHand,
    Playing,
    Reason,
    Scored,
    Settling,
    State,
    advance_game,
    apply,
    legal_actions,
    start,
)
from leftbower.errors import RuleViolation
from leftbower.notation import name_rules, parse_hand_line, parse_token
from leftbower.rules import HouseRules, Seat, preset

N, E, S, W = Seat
NS, EW = (N, S), (E, W)

FOUR = "W 9h N:JhAhAsAcAd E:9sTs9cTdKh S:QsTcKc9dQd W:KsJsQcJdKd"
HONEST = "W 9h N:JhAhAsAcAd E:ThJc9cTdKh S:QsTcKc9dQd W:KsJsQcJdKd"
THREE = "S 9h N:JhAhAsAcAd E:9sTs9cTdKh S:KsJsQcJdKd D:QsTcKc"
TWO = "S Th N:JhAhAsAcAd S:KsJsQcJdKd D:QsTcKc"

LIED = "N:As E:Td S:Qs W:Ks"
TRUE = "N:As E:9s S:Qs W:Ks"
SECOND = "N:Ac E:9c S:Tc W:Qc"
THIRD = "N:Ad E:9s S:9d W:Kd"
FOURTH = "N:Jh E:Kh S:Kc W:Jd"
FIFTH = "N:Ah E:Ts S:Qd W:9h"
ALL_FIVE = f"{LIED} {SECOND} {THIRD} {FOURTH} {FIFTH}"
READY = "N. E. S. W."

TOGETHER = {"club": "o -Js &"}
ALONE = {"club": "o -Js !"}
OTHER_SHEETS = ("round-robin", "campus", "school-cup", "prize-night")


def honor(sheet: str, **changes: object) -> HouseRules:
    """A sheet at an honor table, with what the table plays differently."""
    return replace(preset(sheet), **({"supervision": "honor"} | changes))  # type: ignore[arg-type]


def dealt(rules: HouseRules, line: str) -> Deal:
    """The deal of a hand line."""
    return parse_hand_line(f"{{{name_rules(rules)}}} {line}").hand.deal


def say(state: State, words: str) -> State:
    """The hand after these words of a hand line."""
    for text in words.split():
        assert not isinstance(state, Scored)
        state = apply(state, parse_token(text, state.to_act, state.hand.deal.dealer))
    return state


def table(sheet: str, words: str = "", *, alone: bool = False, line: str = FOUR, **changes: object) -> State:
    """North has ordered up hearts at an honor table of this sheet; then this is said."""
    rules = honor(sheet, **changes)
    calls = ALONE.get(sheet, "o! -Js") if alone else TOGETHER.get(sheet, "o -Js")
    words = " ".join(text for text in words.split() if not (alone and text.startswith("S")))
    return say(start(rules, dealt(rules, line)), f"{calls} {words}")


def refused(state: State, text: str) -> str:
    """The code with which something is refused."""
    assert not isinstance(state, Scored)
    action = parse_token(text, state.to_act, state.hand.deal.dealer)
    assert action not in legal_actions(state)
    with pytest.raises(RuleViolation) as refusal:
        apply(state, action)
    return refusal.value.code


def may(state: State, text: str) -> bool:
    """Is it among the things that may be done or said?"""
    assert not isinstance(state, Scored)
    return parse_token(text, state.to_act, state.hand.deal.dealer) in legal_actions(state)


def playing(state: State) -> Playing:
    assert isinstance(state, Playing)
    return state


def closing(state: State) -> Closing:
    assert isinstance(state, Closing)
    return state


def settling(state: State) -> Settling:
    assert isinstance(state, Settling)
    return state


def scored(state: State) -> Scored:
    assert isinstance(state, Scored)
    return state


def ended(state: State) -> tuple[Reason, dict[Seat, int]]:
    """How a hand ended once all players are ready, and what it scored."""
    over = scored(say(state, " ".join(f"{seat}." for seat in state.hand.rules.seats)))
    return over.reason, dict(over.points)


def both(side: tuple[Seat, ...], points: int) -> dict[Seat, int]:
    return dict.fromkeys(side, points)


def calls_of(state: State, seat: Seat) -> list[tuple[Seat, str, int]]:
    """What a seat may call: against whom, what, in which trick."""
    calls = [action for action in legal_actions(state) if isinstance(action, CallOut) and action.seat is seat]
    return [(call.against, str(call.irregularity), call.trick) for call in calls]


def say_in_game(game: Game, words: str) -> Game:
    """The game after these words."""
    for text in words.split():
        assert isinstance(game, InHand)
        game = advance_game(game, parse_token(text, game.hand.to_act, game.dealer))
    return game


def small_table(players: int, calls: str, words: str = "", **changes: object) -> State:
    """A hand of three or two under club rules, honor."""
    rules = honor(f"club{players}", **changes)
    return say(start(rules, dealt(rules, THREE if players == 3 else TWO)), f"{calls} {words}")
