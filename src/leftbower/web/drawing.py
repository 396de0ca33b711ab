"""Templates and what they are given: pages, and the one line of HTML that a feed carries."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from leftbower.rules.cards import DECK
from leftbower.table import Table
from leftbower.web.cards import sprite
from leftbower.web.lobby import lobby
from leftbower.web.picture import picture

_FACES: Final = {card: Markup(f'<svg class="f s{card.suit}"><use href="#{card}"/></svg>') for card in DECK}
_BACKS: Final = tuple(Markup('<svg class="card"><use href="#back"/></svg>' * many) for many in range(9))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("leftbower.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.globals.update(face=_FACES, backs=_BACKS)  # spelled once, for they are most of a table
    return made


def drawn(template: str, **given: Any) -> str:
    """A whole page."""
    return _template(template).render(sprite=sprite, **given)


def fragment(
    name: str,
    table: Table,
    person: str | None,
    names: Mapping[str, str],
    *,
    address: str,
    left: float | None = None,
    trick_left: float = 0.0,
) -> str:
    """The table alone, as one line."""
    inner, given = table_given(name, table, person, names, address=address, left=left, trick_left=trick_left)
    return part(inner, **given)


def part(template: str, **given: Any) -> str:
    """The part of a page that is live, as one line."""
    return "".join(_template(template).render(**given).split("\n"))


def table_given(
    name: str,
    table: Table,
    person: str | None,
    names: Mapping[str, str],
    *,
    address: str,
    left: float | None = None,
    trick_left: float = 0.0,
) -> tuple[str, dict[str, Any]]:
    """The template of a table as it stands, and what it is given."""
    given: dict[str, Any] = {"p": picture(name, table, person, names, left=left, trick_left=trick_left)}
    if not table.gathering:
        return "table.html", given
    return "lobby.html", given | {"l": lobby(table, person, names, address)}


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)
