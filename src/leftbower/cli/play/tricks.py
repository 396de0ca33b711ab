"""Look back at tricks in the terminal: the last one, or in a dispute all of them, one by one."""

from collections.abc import Callable, Iterator
from typing import Final

from leftbower.engine import Trick, View, disputed_tricks, looking_back
from leftbower.notation import describe_trick
from leftbower.notation.describe import YOU, SeatNamer
from leftbower.rules.choices import LookingBack

_WHY_NOT: Final = {
    LookingBack.NOBODY: "No one may look at the last trick.",
    LookingBack.TRICK_WINNER: "Only the winner of the last trick may look at it, before leading.",
    LookingBack.EVERYONE: "You may look at the last trick only until the next card is led.",
}
Prompt = Callable[[str], str]
"""Prints a question and returns the answer."""


def last_trick(view: View, name: SeatNamer) -> str:
    """The last trick as a sentence if the rules let the viewer look at it now, otherwise the rule that forbids it."""
    if not view.tricks:
        return "No trick is complete yet."
    tricks = looking_back(view)
    return f"{describe_trick(tricks[-1], name)}." if tricks else _WHY_NOT[view.rules.looking_back]


def reenact_tricks(view: View, name: SeatNamer, prompt: Prompt) -> None:
    """Print the tricks of a disputed hand one at a time, forward and back, until the viewer stops."""
    tricks = disputed_tricks(view)
    if not tricks or not view.contract:
        print(_face_down(view))
        return
    number = 1
    while number <= len(tricks):
        trump = view.contract.trump.name.lower()
        print(f"\nTrick {number} of {len(tricks)}, trump is {trump}:", *_plays(tricks[number - 1], name), sep="\n  ")
        match prompt("Enter for the next trick, b for the previous one, x to stop:").lower():
            case "x":
                return
            case "b":
                number = max(number - 1, 1)
            case _:
                number += 1


def _face_down(view: View) -> str:
    if not view.rules.disputes_open_tricks:
        return "The tricks stay face down, even in a dispute."
    return "The tricks stay face down until a renege is called and a trick is complete."


def _plays(trick: Trick, name: SeatNamer) -> Iterator[str]:
    for seat, card in zip(trick.seats, trick.cards, strict=True):
        verb = "lead" if seat is trick.seats[0] else "play"
        yield f"{name(seat)} {verb}{'' if name(seat) == YOU else 's'} {card.pretty}."
    yield describe_winner(trick, name)


def describe_winner(trick: Trick, name: SeatNamer) -> str:
    winner = name(trick.winner)
    return "You take the trick." if winner == YOU else f"{winner} takes the trick."
