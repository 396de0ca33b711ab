"""`leftbower referee`: ask a few questions about an irregularity, then print the ruling and the rule."""

import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from leftbower.cli.common.output import print_json, report
from leftbower.errors import BadIncident, BadUsage, LeftbowerError
from leftbower.i18n import gettext

if TYPE_CHECKING:
    from leftbower.rules import HouseRules, Irregularity, Ruling

T = TypeVar("T")

EXAMPLES: Final = (
    "Examples:  leftbower referee;  leftbower referee --rules club --irregularity renege --offender E --alone;  "
    "leftbower referee --json - < incidents.jsonl"
)
_NO_FACTS: Final = ("source", "rules", "players", "json")
"""Options that are no facts of the incident."""


def referee(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(help="- to read incidents as JSON, one object per line.", show_default=False)
    ] = None,
    rules: Annotated[str | None, typer.Option(help="A preset, a TOML file, or a link.", show_default=False)] = None,
    players: Annotated[
        int | None, typer.Option(help="Number of players, if different from the rules.", show_default=False)
    ] = None,
    irregularity: Annotated[str | None, typer.Option(help="What happened.", show_default=False)] = None,
    offender: Annotated[str | None, typer.Option(help="Who did it: N, E, S or W.", show_default=False)] = None,
    maker: Annotated[str | None, typer.Option(help="Who made trump.", show_default=False)] = None,
    dealer: Annotated[str | None, typer.Option(help="Who dealt.", show_default=False)] = None,
    alone: Annotated[bool | None, typer.Option(help="Was the hand called alone?", show_default=False)] = None,
    corrected: Annotated[bool | None, typer.Option(help="Was it corrected in time?", show_default=False)] = None,
    called: Annotated[
        bool | None, typer.Option(help="Was it called before it was corrected?", show_default=False)
    ] = None,
    earlier_warnings: Annotated[
        int | None, typer.Option(help="Number of earlier warnings to the offender.", show_default=False)
    ] = None,
    up_card_shown: Annotated[bool | None, typer.Option(help="Was the up-card turned?", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Rule on an irregularity, and cite the rule.

    Asks a few questions, except those that you answer with an option or that don't matter under the rules.
    Irregularities: renege, out-of-turn, failure-to-discard, no-cut-offered, wrong-card-count.
    """
    facts = {name: value for name, value in context.params.items() if name not in _NO_FACTS and value is not None}
    if source is None:
        _rule_at_the_table(rules, players, facts, as_json=json)
    elif source == "-" and not facts and rules is None and players is None:
        _rule_on_lines(as_json=json)
    else:
        raise BadUsage("give the facts as options, or - to read them from standard input", path="referee")


def _rule_on_lines(*, as_json: bool) -> None:
    """Print a ruling or an error for each object on standard input; the first error also goes to standard error."""
    from leftbower.cli.common.input import json_object, lines

    wrong: list[LeftbowerError] = []
    for path, line in lines():
        try:
            _print_ruling(*_rule_on_object(json_object(line)), as_json=as_json)
        except LeftbowerError as error:
            wrong.append(error.at(path))
            print_json({"error": error.as_json()})
    if wrong:
        report(wrong[0], as_json=False)
        raise typer.Exit(2)


def _rule_on_object(plain: dict[str, object]) -> "tuple[Ruling, HouseRules]":
    from leftbower.cli.common.input import read_rules
    from leftbower.rules import Incident, ruling

    named = plain.pop("rules", None)
    if not isinstance(named, str):
        raise BadIncident("name the rules: a preset, a TOML file or a link", path="rules")
    rules = _with_players(read_rules(named), plain.pop("players", None))
    return ruling(rules, Incident.from_json(plain)), rules


def _rule_at_the_table(named: str | None, players: int | None, facts: dict[str, Any], *, as_json: bool) -> None:
    """Ask for the missing facts that matter, then rule."""
    from leftbower.rules import Incident, ruling

    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        rules, answers = _ask_for_the_rest(named, players, facts)
    _print_ruling(ruling(rules, Incident.from_json(answers)), rules, as_json=as_json)


def _ask_for_the_rest(
    named: str | None, players: int | None, facts: dict[str, Any]
) -> "tuple[HouseRules, dict[str, Any]]":
    """The rules and every fact that matters; asks for the missing ones."""
    from leftbower.cli.common.input import read_rules
    from leftbower.rules import Incident, facts_needed

    rules = read_rules(named) if named is not None else _ask(_WHICH_RULES, read_rules, "club")
    rules = _with_players(rules, players)
    kind = (
        Incident.from_json({"irregularity": facts["irregularity"]}).irregularity
        if "irregularity" in facts
        else _ask_kind()
    )
    for fact in facts_needed(rules, kind):
        if fact not in facts and not (fact == "dealer" and "offender" in facts):
            facts[fact] = _ask_fact(rules, fact)
    return rules, facts | {"irregularity": kind}


def _with_players(rules: "HouseRules", players: object) -> "HouseRules":
    from dataclasses import replace

    return rules if players is None else replace(rules, players=players)  # type: ignore[arg-type]  # checked by HouseRules


def _print_ruling(ruled: "Ruling", rules: "HouseRules", *, as_json: bool) -> None:
    from leftbower.rules import announce, cite

    if as_json:
        plain = ruled.as_json()
        print_json({key: plain[key] for key in _PRINTED} | {"rule": cite(ruled, rules)})
    else:
        print(announce(ruled, rules))
        print(f"Rule: {cite(ruled, rules)}")


_PRINTED: Final = ("points", "warning", "hand_ends", "deal_passes")
_WHICH_RULES: Final = (
    "Which rules (round-robin, campus, school-cup, prize-night, club, club3, club2, a file or a link)?"
)


def _ask_kind() -> "Irregularity":
    from leftbower.rules import Incident, Irregularity

    print("What happened?")
    kinds = list(Irregularity)
    for number, kind in enumerate(kinds, 1):
        print(f"  {number}  {str(kind).replace('-', ' ')}")

    def read(answer: str) -> Irregularity:
        if answer in [str(number) for number in range(1, len(kinds) + 1)]:
            return kinds[int(answer) - 1]
        return Incident.from_json({"irregularity": answer.replace(" ", "-")}).irregularity

    return _ask("Number or name", read)


def _ask_fact(rules: "HouseRules", fact: str) -> object:
    from leftbower.rules.announcements import QUESTIONS

    question = gettext(QUESTIONS[fact])
    if fact in ("offender", "maker", "dealer"):
        seats = ", ".join(str(seat) for seat in rules.seats)
        return _ask(f"{question.removesuffix('?')} ({seats})?", lambda answer: _seat_at(rules, answer))
    if fact == "earlier_warnings":
        return _ask(question, _number, "0")
    return _ask(f"{question.removesuffix('?')} (y/n)?", _yes_no, "n")


def _seat_at(rules: "HouseRules", answer: str) -> str:
    from leftbower.rules import Seat

    seat = Seat.parse(answer)
    rules.side_of(seat)
    return str(seat)


def _number(answer: str) -> int:
    if answer.isdecimal() and len(answer) < 3:
        return int(answer)
    raise BadUsage("write a number, or 0 for none")


def _yes_no(answer: str) -> bool:
    if answer.lower() in ("y", "yes", "n", "no"):
        return answer.lower().startswith("y")
    raise BadUsage("write y or n")


def _ask(question: str, read: Callable[[str], T], default: str | None = None) -> T:
    """Ask until the answer can be read."""
    while True:
        try:
            answer = typer.prompt(question, default=default, prompt_suffix=" ")
        except typer.Abort:
            raise BadIncident("the answers ended at this question: %(question)s", question=question) from None
        try:
            return read(answer.strip())
        except LeftbowerError as error:
            print(error)
