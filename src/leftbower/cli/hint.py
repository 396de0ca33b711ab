"""`leftbower hint`: the coach's advice for one seat, from what that seat may know."""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json
from leftbower.i18n import signed

if TYPE_CHECKING:
    from leftbower.engine.view import View
    from leftbower.players.coach.advice import Advice, ValuedChoice

EXAMPLES: Final = (
    'Examples:  leftbower hint "{campus} W 9h N:AhJhJc9d9s E:?????????? S:?????????? W:?????????? | o -??";  '
    'leftbower hint "{club 9-6} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p" --seat N --json'
)
_WIDTH: Final = 80


def hint(
    line: Annotated[str, typer.Argument(help="A hand line, ?? for unknown cards.", show_default=False)],
    seat: Annotated[
        str | None,
        typer.Option(help="The seat to advise: N, E, S or W; by default the player to act.", show_default=False),
    ] = None,
    layouts: Annotated[int, typer.Option(min=1, max=100_000, help="Number of layouts to try.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same layouts.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say what a player should do, and why.

    The coach uses only what that player may see, even if the line has more. It tries every choice in random layouts
    that fit, and prints what each is worth, how often it wins the game, and why the best choice is best.
    """
    from random import Random

    from leftbower.engine.legal_view import view
    from leftbower.engine.states import Scored
    from leftbower.notation import parse_hand_line
    from leftbower.players.coach.coach import advise
    from leftbower.rules import Seat

    state = parse_hand_line(line)
    to_act = None if isinstance(state, Scored) else state.to_act
    seat_view = view(state, to_act if seat is None else Seat.parse(seat))
    advice = advise(seat_view, layouts=layouts, rng=Random(seed))
    if json:
        print_json(_as_json(advice))
        return
    print(*_so_far(seat_view), "", *describe_advice(advice, seat_view), sep="\n")


def describe_advice(advice: "Advice", view: "View") -> Iterator[str]:
    """The headline, the values of all choices, the best first, and the reasons."""
    from leftbower.notation import describe_choice

    offers = [describe_choice(choice.action, view.rules, dealer=view.dealer) for choice in advice.choices]
    width = max(map(len, offers))
    counted = any(choice.shares for choice in advice.choices)
    yield f"  {advice.headline}"
    yield ""
    yield f"Why? In {advice.layouts:,} layouts that fit:"
    yield ""
    yield f"  {'':<{width}}  {'points':<13}  {'to win':<13}{'  euchre  made  march' * counted}".rstrip()
    for text, choice in zip(offers, advice.choices, strict=True):
        points = f"{signed(choice.points.mean)}{_error(choice.points.error, '{:.2f}')}"
        chance = f"{max(choice.chance.mean, 0.0):.1%}{_error(choice.chance.error, '{:.1%}')}"
        yield f"  {text:<{width}}  {points:<13}  {chance:<13}{_shares(choice)}".rstrip()
    yield ""
    for reason in advice.reasons:
        yield from wrap(reason, _WIDTH - 2, initial_indent="- ", subsequent_indent="  ")


def _so_far(view: "View") -> Iterator[str]:
    """The hand so far as this seat knows it: its cards, the bidding, the tricks and the cards on the table."""
    from leftbower.engine.actions import Play
    from leftbower.notation import compass_name, describe, describe_trick, format_cards

    assert view.seat is not None
    dealt = f"{view.dealer.full_name} dealt {view.up_card.pretty}."
    yield f"{view.seat.full_name} holds {format_cards(view.cards)}. {dealt}"
    history = [action for action in view.actions if not isinstance(action, Play)]
    if history:
        yield from wrap(" ".join(describe(action, view.rules, dealer=view.dealer) for action in history), _WIDTH)
    for number, trick in enumerate(view.tricks, 1):
        yield f"Trick {number}: {describe_trick(trick)}."
    if view.trick:
        laid = zip(view.trick, view.seats, strict=True)
        yield f"On the table: {', '.join(f'{card.pretty} from {compass_name(who)}' for card, who in laid)}."


def _shares(choice: "ValuedChoice") -> str:
    shares = choice.shares
    if shares is None:
        return ""
    return f"  {shares.euchre:>6.0%}  {shares.made_it:>4.0%}  {shares.march:>5.0%}"


def _error(error: float | None, form: str) -> str:
    return "" if error is None else f" ± {form.format(error)}"


def _as_json(advice: "Advice") -> dict[str, object]:
    return {
        "seat": str(advice.seat),
        "layouts": advice.layouts,
        "choices": [_choice_as_json(choice) for choice in advice.choices],
        "headline": advice.headline,
        "reasons": list(advice.reasons),
    }


def _choice_as_json(choice: "ValuedChoice") -> dict[str, object]:
    from dataclasses import asdict

    from leftbower.notation import action_to_json, to_token

    return {
        "word": to_token(choice.action),
        "action": action_to_json(choice.action),
        "points": asdict(choice.points),
        "chance": asdict(choice.chance),
        "shares": None if choice.shares is None else asdict(choice.shares),
    }
