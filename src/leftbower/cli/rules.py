"""`leftbower rules`: list, show, compare and check rule sets."""

import textwrap
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json

if TYPE_CHECKING:
    from leftbower.rules import Difference, Preset, RuleCard

app = typer.Typer(help="Rule sets: list, show, compare and check them.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Named = Annotated[str, typer.Argument(help="A preset, a TOML file, or a link.", show_default=False)]
_WIDTH: Final = 78


class Form(Enum):
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    TOML = "toml"
    LINK = "link"


@app.command("list", epilog="Example:  leftbower rules list --short")
def list_(
    short: Annotated[
        bool, typer.Option("--short", help="Print what is special about each of the five sheets.")
    ] = False,
    json: Json = False,
) -> None:
    """List Standard, the five tournament sheets, and the club's games for three and two."""
    from leftbower.rules import highlights, presets

    if json:
        print_json([_listed(preset, short=short) for preset in presets()])
        return
    for preset in presets():
        if short and preset.rules.players == 4:
            print(textwrap.fill(f"{preset.name.upper()}  {preset.about}", _WIDTH, subsequent_indent="    "))
            for line in highlights(preset.rules):
                print(textwrap.fill(line, _WIDTH, initial_indent="  - ", subsequent_indent="    "))
            print()
        elif not short:
            print(
                textwrap.fill(
                    f"{preset.name:<12} {preset.rules.players} players  {preset.about}",
                    _WIDTH,
                    subsequent_indent=" " * 24,
                )
            )
    if short:
        print("The full card of a sheet:    leftbower rules show club")
        print("Compare two sheets:          leftbower rules diff club campus")
        print("Get a ruling at your table:  leftbower referee")


@app.command(epilog="Examples:  leftbower rules show club;  leftbower rules show campus --form html > campus.html")
def show(
    name: Named,
    form: Annotated[Form, typer.Option(help="The output format.")] = Form.TEXT,
    players: Annotated[int | None, typer.Option(help="Show it for 2, 3 or 4 players.", show_default=False)] = None,
    json: Json = False,
) -> None:
    """Show the card of any rule set.

    The card has every rule that a new player at the table needs.
    """
    from dataclasses import replace

    from leftbower.cli.common.input import read_rules
    from leftbower.rules import as_markdown, as_text, mark, options, rule_card, to_json, to_link, to_toml

    rules = read_rules(name)
    if players is not None:
        rules = replace(rules, players=players)
    card = rule_card(rules)
    if json:
        marks = {option: mark(rules, option).value for option in options() if option != "sheet"}
        print_json({"rules": to_json(rules), "marks": marks, "fingerprint": card.fingerprint, "link": card.link})
        return
    match form:
        case Form.TEXT:
            print(as_text(card), end="")
        case Form.MARKDOWN:
            print(as_markdown(card), end="")
        case Form.HTML:
            print(_page(card), end="")
        case Form.TOML:
            print(to_toml(rules), end="")
        case Form.LINK:
            print(to_link(rules))


@app.command(epilog="Example:  leftbower rules diff club campus")
def diff(ours: Named, theirs: Named, json: Json = False) -> None:
    """List the differences between two rule sets."""
    from leftbower.cli.common.input import read_rules
    from leftbower.rules import diff as differences

    found_differences = differences(read_rules(ours), read_rules(theirs))
    if json:
        print_json([difference.as_json() for difference in found_differences])
    else:
        _print_differences(found_differences, ours, theirs)


@app.command(epilog="Example:  leftbower rules check our-table.toml")
def check(
    file: Annotated[str, typer.Argument(help="A rules file in TOML.", show_default=False)], json: Json = False
) -> None:
    """Check a rules file, and compare it with its sheet."""
    from leftbower.cli.common.input import read_rules_file
    from leftbower.rules import HouseRules, base_preset, diff as differences, fingerprint, to_link

    rules = read_rules_file(file)
    base = base_preset(rules)
    found = differences(rules, base.rules if base else HouseRules())
    if json:
        changed = [difference.as_json() for difference in found]
        print_json({"fingerprint": fingerprint(rules), "link": to_link(rules), "differences": changed})
        return
    print(f"{file} is valid: {fingerprint(rules)}   {to_link(rules)}")
    _print_differences(found, "your table", base.name if base else "the defaults")


def _listed(preset: "Preset", *, short: bool) -> dict[str, object]:
    from leftbower.rules import fingerprint, highlights, to_link

    line = {"name": preset.name, "title": preset.title, "about": preset.about, "players": preset.rules.players}
    apart = {"highlights": highlights(preset.rules)} if short else {}
    return line | {"fingerprint": fingerprint(preset.rules), "link": to_link(preset.rules)} | apart


def _print_differences(found: "tuple[Difference, ...]", ours: str, theirs: str) -> None:
    number = f"{len(found)} difference{'' if len(found) == 1 else 's'}" if found else "no differences"
    print(f"{ours} v. {theirs}: {number}")
    for difference in found:
        print(f"\n{difference.question} ({difference.option})")
        for name, words in ((ours, difference.our_words), (theirs, difference.their_words)):
            print(textwrap.fill(f"{name}: {words}", _WIDTH, initial_indent="  ", subsequent_indent="    "))


def _page(card: "RuleCard") -> str:
    """The card as a standalone HTML page for printing."""
    from html import escape

    from leftbower.rules import as_html

    head = f'<meta charset="utf-8"><title>{escape(card.title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{as_html(card)}</body></html>\n'


_STYLE: Final = """
  body { font: 11pt/1.4 Georgia, serif; max-width: 44em; margin: 2em auto; padding: 0 1em; color: #111; }
  h1 { font-size: 1.5em; margin-bottom: .2em } h2 { font-size: 1.1em; margin: 1em 0 .2em }
  section { break-inside: avoid } ul { margin: .2em 0 } small { color: #444; font-style: italic; font-size: 1em }
  .silent { color: #333 } .silent > p { margin: .4em 0 0; font-style: italic }
  footer { margin-top: 1.5em; font-size: .8em; color: #444 }
"""
