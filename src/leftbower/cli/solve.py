"""`leftbower solve`: the double-dummy value of a hand, with all cards open and perfect play."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import SEEK_END
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from leftbower.cli.common.output import print_json, report
from leftbower.errors import LeftbowerError

if TYPE_CHECKING:
    from leftbower.engine.states import Closing, Contract, Playing, Scored
    from leftbower.kernel import Solution
    from leftbower.notation import Fault
    from leftbower.rules import Card, Face, HouseRules, Seat, Suit

EXAMPLES: Final = (
    'Examples:  leftbower solve "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Qc";  '
    "leftbower solve - --json < hands.txt"
)
_INTERRUPTED: Final = 130
_WIDTH: Final = 80


def solve(
    line: Annotated[str, typer.Argument(help="A hand line, or -.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Solve the play of a hand with all cards open.

    Prints the hand at the end of its line, the tricks that the makers take with best play on both sides, and the result
    of each card. An illegal action is an error with status 1. With -, every line of standard input is a hand line and
    gets one line of output. Ctrl-C stops early.
    """
    if line == "-":
        raise typer.Exit(_solve_lines(as_json=json))
    found = _solve(line)
    if not isinstance(found, _Solved):
        _show_fault(found, as_json=json)
        raise typer.Exit(1)
    if json:
        print_json(_as_json(found.solution))
    else:
        _print_hand(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Solved:
    state: "Playing | Closing | Scored"
    """The hand without the claim or call that interrupts it."""
    solution: "Solution"

    @property
    def rules(self) -> "HouseRules":
        return self.state.hand.rules

    @property
    def contract(self) -> "Contract":
        return cast("Contract", self.state.contract)  # there is no solution without one


def _solve(line: str) -> "_Solved | Fault":
    """The solution of a hand line, or its first illegal action. A line that can't be parsed or solved raises."""
    from leftbower.engine.states import Interruption
    from leftbower.kernel import solve
    from leftbower.notation import replay_hand_line

    replayed = replay_hand_line(line)
    if fault := replayed.as_game().fault:
        return fault
    state, solution = replayed.state, solve(replayed.state)
    while isinstance(state, Interruption):
        state = state.interrupted
    return _Solved(state=cast("Playing | Closing | Scored", state), solution=solution)  # `solve` refuses the others


def _solve_lines(*, as_json: bool) -> int:
    """Solve hand lines from standard input; return the exit status."""
    from leftbower.cli.common.input import lines

    right = True
    try:
        with _progress() as advance:
            for path, line in lines():
                right &= _solve_one(line, path, as_json=as_json)
                advance(line)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0 if right else 1


def _solve_one(line: str, path: str, *, as_json: bool) -> bool:
    """Solve one of many lines, and return whether it was legal; a line that can't be parsed is a fault too."""
    from leftbower.notation import Fault

    try:
        found = _solve(line)
    except LeftbowerError as error:
        found = Fault(error=error)
    if isinstance(found, Fault):
        found.error.at(path)
        _show_fault(found, as_json=as_json)
        return False
    if as_json:
        print_json(_as_json(found.solution))
    else:
        print(f"{path}: {_short(found)}", flush=True)
    return True


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A progress bar on standard error; hidden if the results go to the terminal, where they show the progress."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    hidden = not console.is_terminal or sys.stdout.isatty()
    columns = (TextColumn("{task.fields[hands]:,} hands"), BarColumn(), TimeRemainingColumn())
    # By default rich also redirects standard output, and would write the results to standard error.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, disable=hidden) as progress:
        bar, hands = progress.add_task("", total=_size_of_input(), hands=0), 0

        def advance(line: str) -> None:
            nonlocal hands
            hands += 1
            progress.update(bar, advance=len(line) + 1, hands=hands)

        yield advance


def _size_of_input() -> int | None:
    """Size of standard input in bytes; None if it is not seekable."""
    stream = sys.stdin.buffer
    if not stream.seekable():
        return None
    position = stream.tell()
    size = stream.seek(0, SEEK_END)
    stream.seek(position)
    return size - position


def _show_fault(fault: "Fault", *, as_json: bool) -> None:
    from leftbower.cli.replay import fault_as_json

    if as_json:
        print_json({"error": fault_as_json(fault)})
    report(fault.error, as_json=False)


def _as_json(solution: "Solution") -> dict[str, object]:
    return {
        "makers_tricks": solution.makers_tricks,
        "makers_points": solution.makers_points,
        "to_act": None if solution.to_act is None else str(solution.to_act),
        "cards": {str(card): tricks for card, tricks in solution.cards.items()},
    }


def _print_hand(found: _Solved) -> None:
    """Print the hands around the table, the tricks so far, the verdict, and the result of each card."""
    from leftbower.engine.states import Playing

    print(_terms(found))
    if isinstance(found.state, Playing):
        print("", *_table(found.state), "", sep="\n")
    for line in _play(found):
        print(line)
    verdict = _verdict(found)
    print("\n" + (verdict if len(verdict) <= _WIDTH else verdict.replace(": ", ":\n")))
    if found.solution.to_act:
        print(f"\n{found.solution.to_act} to play. The makers' tricks after each card, best first:")
    for card in _best_first(found):
        print(f"  {card.pretty:<3}  {_leads_to(found, found.solution.cards[card])}")


def _terms(found: _Solved) -> str:
    """Trump, maker, who is alone and who dealt."""
    rules, contract = found.rules, found.contract
    trump = f"{contract.trump.name.lower()} {contract.trump.symbol}"
    beside = "with the dummy" if rules.players < 4 else f"with {contract.maker.partner}"
    maker = f"{contract.maker}, {'alone' if contract.alone else beside}"
    defender = f"Defender: {contract.defender}, alone. " if contract.defender else ""
    return f"Trump: {trump}. Maker: {maker}. {defender}Dealer: {found.state.hand.deal.dealer}."


_MIDDLE: Final = " " * 22
_RIGHT: Final = 44
"""Columns in which North's and South's hands and East's hand begin; the longest hand has 28 characters."""


def _table(state: "Playing") -> Iterator[str]:
    """The hands as the players sit, one line each and at most two side by side, for screen readers."""
    from leftbower.rules import Seat

    drawn = {seat: _held(state, seat) for seat in state.hand.rules.seats}
    yield _MIDDLE + drawn[Seat.N]
    yield ""
    if Seat.E in drawn:
        yield f"{drawn.get(Seat.W, ''):<{_RIGHT}}{drawn[Seat.E]}"
        yield ""
    yield _MIDDLE + drawn[Seat.S]


def _held(state: "Playing", seat: "Seat") -> str:
    if seat not in state.active:
        return f"{seat.full_name:<5}  sits out"
    suits = _in_suits(state.cards[seat.index], state.contract.trump)
    cards = "  ".join(" ".join(card.pretty for card in suit) for suit in suits)
    return f"{seat.full_name:<5}  {cards or 'no cards left'}"


def _in_suits(cards: "Iterable[Face]", trump: "Suit") -> "list[list[Card]]":
    """The cards by suit, trump with the left bower first; the highest card of each suit first."""
    from leftbower.rules import Suit
    from leftbower.rules.tricks import ranking

    held = set(cards)
    suits = [trump, *(suit for suit in reversed(Suit) if suit is not trump)]
    found = [[card for card in ranking(suit, trump) if card in held] for suit in suits]
    return [suit for suit in found if suit]


def _play(found: _Solved) -> Iterator[str]:
    """The tricks so far and what lies on the table."""
    from leftbower.engine.states import Playing
    from leftbower.notation import describe_trick

    state = found.state
    makers = found.rules.side_of(found.contract.maker)
    taken = sum(trick.winner in makers for trick in state.tricks)
    count = f"{taken} for the makers, {len(state.tricks) - taken} against" if state.tricks else "none"
    yield f"{'Tricks so far' if isinstance(state, Playing) else 'The hand is over. Tricks played'}: {count}."
    for number, trick in enumerate(state.tricks, 1):
        yield f"  {number}  {describe_trick(trick, str)}"
    if isinstance(state, Playing):
        laid = zip(state.seats, state.trick, strict=True)
        on_table = ", ".join(f"{card.pretty} from {seat}" for seat, card in laid)
        yield f"On the table: {on_table}." if on_table else f"On the table: nothing, {state.to_act} leads."


def _verdict(found: _Solved) -> str:
    """What the makers take, in one sentence."""
    contract, tricks = found.contract, found.solution.makers_tricks
    over, side = found.solution.to_act is None, found.rules.side_of(contract.maker)
    if contract.alone or len(side) == 1:
        who = f"the maker {contract.maker}{', alone,' if contract.alone else ''} {'has' if over else 'takes'}"
    else:
        who = f"the makers {_and(side)} {'have' if over else 'take'}"
    begin = "In the end" if over else "With best play"
    how = "all 5 tricks, a march" if tricks == 5 else f"{tricks or 'none'} of 5 tricks"
    euchre = ", a euchre" if tricks < 3 else ""
    return f"{begin} {who} {how}{euchre}: {_points(found, tricks)}."


def _short(found: _Solved) -> str:
    """The verdict and the best cards on one line."""
    solution = found.solution
    best = [card.pretty for card in _best_first(found) if solution.cards[card] == solution.makers_tricks]
    take, more = ("take", f"Best for {solution.to_act}: {' '.join(best)}.") if best else ("have", "Over.")
    return f"makers {take} {_leads_to(found, solution.makers_tricks)}. {more}"


def _best_first(found: _Solved) -> "list[Card]":
    """The playable cards, best first for the player to act; ties keep the order of the hand."""
    cards, seat = found.solution.cards, found.solution.to_act
    wanted = -1 if seat in found.rules.side_of(found.contract.maker) else 1
    held = [card for suit in _in_suits(cards, found.contract.trump) for card in suit]
    return sorted(held, key=lambda card: wanted * cards[card])


def _leads_to(found: _Solved, tricks: int) -> str:
    """The makers' tricks, their name (euchre, made, march) and their points."""
    called = "euchre" if tricks < 3 else "made" if tricks < 5 else "march"
    return f"{tricks} trick{'' if tricks == 1 else 's'}, {called}: {_points(found, tricks)}"


def _points(found: _Solved, tricks: int) -> str:
    """The score for a number of makers' tricks."""
    from leftbower.kernel import makers_points

    rules, maker = found.rules, found.contract.maker
    scored = makers_points(rules, found.contract)[tricks]
    to = rules.side_of(maker) if scored > 0 else rules.opponents_of(maker)
    each = " each" if to not in rules.sides else ""
    return f"{abs(scored)} point{'' if abs(scored) == 1 else 's'}{each} to {_and(to)}"


def _and(seats: "Iterable[Seat]") -> str:
    return " and ".join(map(str, seats))
