"""Jinja rendering: whole pages, and fragments as one line of HTML for a feed."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from jinja2.ext import Extension
from markupsafe import Markup

from leftbower.i18n import gettext, ngettext, pgettext
from leftbower.rules.cards import DECK
from leftbower.table import Table
from leftbower.web.static_files import static_url
from leftbower.web.table.cards import sprite
from leftbower.web.table.lobby import lobby_view_model
from leftbower.web.table.view_model import table_view_model

_FACE_SVGS: Final = {card: Markup(f'<svg class="f s{card.suit}"><use href="#{card}"/></svg>') for card in DECK}
_BACKS_BY_COUNT: Final = tuple(Markup('<svg class="card"><use href="#back"/></svg>' * count) for count in range(9))
_JINJA: Final = r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}"
_BREAK: Final = r"\s*\n\s*"
_LAYOUT: Final = re.compile(
    rf"(?P<jinja>{_JINJA})|(?P<tag><[a-zA-Z](?:{_JINJA}|[^<>])*>)"
    rf"|(?P<edge>(?:\A|(?<=>)|(?<=[%#]\}})){_BREAK}|{_BREAK}(?=<|\{{[%#]|\Z))|(?P<gap>{_BREAK})",
    re.DOTALL,
)
_TAG_LAYOUT: Final = re.compile(rf"(?P<jinja>{_JINJA})|(?P<edge>{_BREAK}(?=[{{/>]))|(?P<gap>{_BREAK})", re.DOTALL)


class LayoutRemover(Extension):
    """Removes line breaks and indentation when a template is compiled, so that a readable template renders no larger.

    As in JSX: a line break next to a tag or a statement is dropped, one between words or expressions becomes a space,
    and a space that must stay at the edge of a line is written `{{ " " }}`. Inside a tag a line break separates
    attributes; a line that starts with `{%` or `{{` brings its own space.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The source without its layout; its line breaks stay in comments, to keep the line numbers of errors."""
        return _LAYOUT.sub(_without_layout, source)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("leftbower.web"),
        autoescape=True,
        extensions=[LayoutRemover, "jinja2.ext.i18n"],
        undefined=StrictUndefined,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.globals["static_url"] = static_url
    environment.globals.update(_=gettext, gettext=gettext, ngettext=ngettext, pgettext=pgettext)
    environment.globals.update(
        face=_FACE_SVGS, backs=_BACKS_BY_COUNT
    )  # rendered once, because they are most of a table
    return environment


def render(template: str, **context: Any) -> str:
    """Render a whole page."""
    return _template(template).render(sprite=sprite, **context)


def render_table(
    name: str,
    table: Table,
    person: str | None,
    names: Mapping[str, str],
    *,
    address: str,
    seconds_left: float | None = None,
    trick_seconds_left: float = 0.0,
) -> str:
    """Render a table or its lobby as one line of HTML."""
    template, context = table_context(
        name, table, person, names, address=address, seconds_left=seconds_left, trick_seconds_left=trick_seconds_left
    )
    return render_fragment(template, **context)


def render_fragment(template: str, **context: Any) -> str:
    """Render a template as one line of HTML, the data of one feed message."""
    return "".join(_template(template).render(**context).split("\n"))


def table_context(
    name: str,
    table: Table,
    person: str | None,
    names: Mapping[str, str],
    *,
    address: str,
    seconds_left: float | None = None,
    trick_seconds_left: float = 0.0,
) -> tuple[str, dict[str, Any]]:
    """The template for the table's phase, and its context."""
    context: dict[str, Any] = {
        "table": table_view_model(
            name, table, person, names, seconds_left=seconds_left, trick_seconds_left=trick_seconds_left
        )
    }
    if not table.gathering:
        return "table/table.html", context
    return "table/lobby.html", context | {"lobby": lobby_view_model(table, person, names, address)}


def _without_layout(match: re.Match[str]) -> str:
    text = match[0]
    if match.lastgroup == "jinja":
        return text
    if match.lastgroup == "tag":
        return _TAG_LAYOUT.sub(_without_layout, text)
    lines = "\n" * text.count("\n")
    return f"{' ' if match.lastgroup == 'gap' else ''}{{#{lines}#}}"


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)
