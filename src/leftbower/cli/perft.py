"""`leftbower perft`: count the legal continuations of a hand, to compare engines."""

from typing import Annotated, Final

import typer

from leftbower.cli.common.output import print_json

EXAMPLES: Final = 'Example:  leftbower perft "{club} N Tc N:AcAsJhKcTd E:9sAdAhJsTh S:9dJcKhKsQh W:KdQcQdQsTs" 6'


def perft(
    line: Annotated[str, typer.Argument(help="A hand line.", show_default=False)],
    depth: Annotated[int, typer.Argument(help="Number of actions to count ahead.", min=1, max=40, show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print a list of the counts.")] = False,
) -> None:
    """Count the ways a hand can continue.

    Prints the number of sequences of exactly 1, 2, … DEPTH legal actions from a hand line.
    """
    from leftbower.engine.perft import perft as count
    from leftbower.notation import parse_hand_line

    counts = count(parse_hand_line(line), depth)
    if json:
        print_json(counts)
    else:
        for deep, number in enumerate(counts, 1):
            print(f"{deep:>3}  {number:,}")
