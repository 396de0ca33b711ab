"""`leftbower verify`: whether the hands of a record were dealt from the decks that were sealed."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.output import print_json, report
from leftbower.errors import BadRecord, BadSeal, LeftbowerError, NothingSealed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leftbower.dealing.verifying import Misfit, Report, Verified

EXAMPLES: Final = "Examples:  leftbower verify game.jsonl;  leftbower verify - --json < game.jsonl"
_LONGEST_FILE: Final = 16 * 1024 * 1024


def verify(
    record: Annotated[str, typer.Argument(help="A record, or - for standard input.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Verify that every hand was dealt as sealed.

    Every deck must be the one that was sealed before its hand, turned by the cut and dealt as the rules say. The first
    thing that does not fit is named and ends it with status 1. Whether the play was legal, replay tells.
    """
    found = _verified(record)
    if json:
        print_json({"hands": [_as_json(hand) for hand in found.hands], "error": _error_as_json(found.misfit)})
    else:
        _print_hands(found)
    if found.misfit:
        error = _error(found.misfit)
        report(error if record == "-" else error.at(record), as_json=False)
        raise typer.Exit(1)


def _verified(record: str) -> "Report":
    from leftbower.cli.input import read_text
    from leftbower.dealing import verifying

    try:
        return verifying.verify(_standard_input() if record == "-" else read_text(record, _LONGEST_FILE))
    except verifying.NothingSealed as why:
        error: LeftbowerError = NothingSealed(str(why))
    except verifying.Unreadable as why:
        error = BadRecord(why.says, place=f"line {why.line}")
    except LeftbowerError as why:
        error = why
    raise error if record == "-" else error.at(record)


def _standard_input() -> str:
    """All of it, empty lines too, so that a line keeps its number."""
    from leftbower.cli.input import lines

    told = {int(place.removeprefix("line ")): line for place, line in lines()}
    return "\n".join(told.get(number, "") for number in range(1, max(told, default=0) + 1))


def _print_hands(found: "Report") -> None:
    for hand in found.hands:
        lifted = f"cut {hand.cut}" if hand.cut else "no cut"
        still = "" if hand.opened == hand.of else f", {hand.opened} of {hand.of} cards open"
        print(f"Hand {hand.hand:<3} {hand.root}  {lifted}{still}")
    if found.misfit is None:
        print(f"\n{_fits(found.hands)} Compare the roots with those you were shown before the hands.")


def _fits(hands: "Sequence[Verified]") -> str:
    if any(hand.opened < hand.of for hand in hands):
        return "As far as the cards are open, everything fits."
    return "The only hand was dealt as sealed." if len(hands) == 1 else f"All {len(hands)} hands were dealt as sealed."


def _as_json(hand: "Verified") -> dict[str, object]:
    return {"hand": hand.hand, "root": hand.root, "cut": hand.cut, "opened": hand.opened, "of": hand.of}


def _error_as_json(misfit: "Misfit | None") -> dict[str, object] | None:
    return None if misfit is None else _error(misfit).as_json() | {"hand": misfit.hand, "line": misfit.line}


def _error(misfit: "Misfit") -> BadSeal:
    return BadSeal(misfit.says, place=f"line {misfit.line}, hand {misfit.hand}")
