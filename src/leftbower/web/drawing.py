"""Templates and what they are given: pages, and the one line of HTML that a feed carries."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from leftbower.table import Table
from leftbower.web.cards import sprite
from leftbower.web.lobby import lobby
from leftbower.web.picture import picture


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("leftbower.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def page(template: str, **given: Any) -> str:
    """A whole page."""
    return _template(template).render(**given)


def table_page(
    name: str, table: Table, person: str | None, names: Mapping[str, str], *, address: str, notice: str
) -> str:
    """The page of a table, with the table in it."""
    given = _given(name, table, person, names, address)
    return page("table_page.html", title="Euchre", sprite=sprite(), notice=notice, inner=_inner(table), **given)


def fragment(name: str, table: Table, person: str | None, names: Mapping[str, str], *, address: str) -> str:
    """The table alone, as one line."""
    text = _template(_inner(table)).render(**_given(name, table, person, names, address))
    return "".join(text.split("\n"))


def _given(name: str, table: Table, person: str | None, names: Mapping[str, str], address: str) -> dict[str, Any]:
    given: dict[str, Any] = {"p": picture(name, table, person, names)}
    if table.gathering:
        given["l"] = lobby(table, person, names, address)
    return given


def _inner(table: Table) -> str:
    return "lobby.html" if table.gathering else "table.html"


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)
