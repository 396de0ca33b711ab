"""`leftbower replay`: play a recorded game or hand again, and print what happened."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json, report
from leftbower.errors import LeftbowerError

if TYPE_CHECKING:
    from leftbower.notation import Fault, ReplayedGame

EXAMPLES: Final = "Examples:  leftbower replay game.egn;  leftbower replay - --json < hands.txt"
_MAX_FILE_BYTES: Final = 4 * 1024 * 1024


def replay(
    file: Annotated[
        str, typer.Argument(help="A record, an .egn file, a hand line or a file of them, or -.", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Replay a recorded game or hand.

    Prints what happened and the score after each hand. Stops at the first illegal action and exits with status 1. With
    -, every line of standard input is a hand line.
    """
    right = _replay_lines(as_json=json) if file == "-" else _replay_file(file, as_json=json)
    raise typer.Exit(0 if right else 1)


def _replay_lines(*, as_json: bool) -> bool:
    """Replay hand lines from standard input; were all of them legal?"""
    from leftbower.cli.common.input import lines

    right = [_replay_hand(line, path, as_json=as_json) for path, line in lines()]
    return all(right)


def _replay_file(file: str, *, as_json: bool) -> bool:
    """Replay a record, an EGN file or hand lines; was all of it legal?"""
    from leftbower.cli.common.input import read_text
    from leftbower.notation import read_egn, read_record

    if ":" in file and not Path(file[:255]).is_file():
        return _replay_hand(file, "", as_json=as_json)
    try:
        text = read_text(file, _MAX_FILE_BYTES)
        if file.endswith(".egn") or '"fileType"' in text[:1000]:
            return _show(read_egn(text), as_json=as_json)
        if text.lstrip().startswith('{"'):
            return _show(read_record(text)[1], as_json=as_json)
    except LeftbowerError as error:
        raise error.at(file) from None
    numbered = [(f"{file}, line {number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    right = [_replay_hand(line, path, as_json=as_json) for path, line in numbered]
    return all(right)


def _replay_hand(line: str, path: str, *, as_json: bool) -> bool:
    """Replay one hand line; a line that can't be parsed is a fault too."""
    from leftbower.notation import Fault, ReplayedGame, replay_hand_line
    from leftbower.rules import HouseRules

    try:
        found = replay_hand_line(line).as_game()
    except LeftbowerError as error:
        found = ReplayedGame(rules=HouseRules(), hands=(), scores=(), fault=Fault(error=error))
    if path and found.fault:
        found.fault.error.at(path)
    points = found.hands[0].points if found.hands else {}
    return _show(found, as_json=as_json, points={str(seat): scored for seat, scored in points.items()})


def _show(found: "ReplayedGame", *, as_json: bool, **more: object) -> bool:
    """Print what a replay found, its fault last; was there none?"""
    if as_json:
        print_json(_as_json(found) | more)
    else:
        _print_game(found)
    if found.fault:
        report(found.fault.error, as_json=False)
    return found.fault is None


def _as_json(found: "ReplayedGame") -> dict[str, object]:
    hands = [
        {"points": {str(seat): scored for seat, scored in hand.points.items()}, "reason": hand.reason.value}
        for hand in found.hands
    ]
    return {
        "score": list(found.scores),
        "hands": hands,
        "warnings": list(found.warnings),
        "error": fault_as_json(found.fault) if found.fault else None,
    }


def fault_as_json(fault: "Fault") -> dict[str, object]:
    return fault.error.as_json() | {
        "hand": fault.hand,
        "trick": fault.trick,
        "seat": None if fault.seat is None else str(fault.seat),
        "card": None if fault.card is None else str(fault.card),
    }


def _print_game(found: "ReplayedGame") -> None:
    from leftbower.engine.game import add_points
    from leftbower.notation import describe_hand, describe_scores

    for number, hand in enumerate(found.hands, 1):
        print(f"Hand {number}. " + "\n  ".join(describe_hand(hand)))
        print(f"  Score: {describe_scores(found.rules, add_points(found.rules, hand.hand.scores, hand.points))}.\n")
    if found.unfinished:
        print(f"Hand {len(found.hands) + 1}. " + "\n  ".join(describe_hand(found.unfinished)) + "\n  Not finished.\n")
    for warning in found.warnings:
        print(f"Warning: {warning}")
