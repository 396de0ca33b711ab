"""Forms of a season's pages as facts of its log."""

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final

from leftbower.errors import BadRequest, BadUsage, show
from leftbower.server.people.sanitize import clean_title
from leftbower.tournament.season.facts import (
    DivisionChanged,
    EveningRemoved,
    Identity,
    PlanChanged,
    PlayerErased,
    PlayersConfirmed,
    PlayoffsStarted,
    RatingChosen,
    SeasonClosed,
    SeasonFact,
    SeasonReopened,
)
from leftbower.tournament.season.plan import Counting, SeasonPlan
from leftbower.tournament.season.view import SeasonView
from leftbower.tournament.text.parse import parse_choice

Form = Mapping[str, str]
_EVENT_LINK: Final = re.compile(r"/e/([0-9a-f]{4,64})/join/([0-9a-f]{8,128})")
_TABLE: Final = re.compile(r"(?:https?://[^/\s]+/t/)?([A-Za-z0-9]{1,64})(?:[/?#]\S*)?")
NEW_PLAYER: Final = "new"
MAX_CHAIRS_PER_FORM: Final = 40
"""Names on one page of who is who, so that a form stays within the limit of fields."""


def parse_plan(form: Form) -> SeasonPlan:
    return SeasonPlan(
        title=clean_title(form.get("title", "")),
        evenings=_parse_count(form, "evenings"),
        best=_parse_count(form, "best"),
        counting=parse_choice(Counting, form.get("counting") or "points", "counting"),
        attendance=_parse_count(form, "attendance"),
        absent_share=_parse_share(form, "absent_share", "1/2"),
        substitute_share=_parse_share(form, "substitute_share", "0"),
        teams=form.get("teams") == "yes",
        divisions=tuple(filter(None, (clean_title(name) for name in form.get("divisions", "")[:400].split(",")))),
        promoted=_parse_count(form, "promoted"),
        playoffs=_parse_count(form, "playoffs"),
        needed=_parse_count(form, "needed"),
        ratings=form.get("ratings") == "yes",
    )


def parse_event_link(text: str) -> tuple[str, str]:
    """The event and the code of the link of its desk."""
    match = _EVENT_LINK.search(text[:500])
    if match is None:
        raise BadUsage("paste the link of the evening's desk", path="link")
    return match[1], match[2]


def parse_table(text: str) -> str:
    """The name of a table, from its address or alone."""
    match = _TABLE.fullmatch(text.strip()[:500])
    if match is None:
        raise BadUsage("paste the address of the table", path="table")
    return match[1]


def _parse_count(form: Form, name: str) -> int:
    value = form.get(name, "").strip()
    if value and not (value.isdecimal() and len(value) < 6):
        raise BadUsage("enter a number", path=name)
    return int(value or 0)


def _parse_share(form: Form, name: str, usual: str) -> Fraction:
    value = form.get(name) or usual
    try:
        return Fraction(value[:10])
    except (ValueError, ZeroDivisionError):
        raise BadUsage("%(share)s is not a share; write 1/2", path=name, share=show(value)) from None


def _confirm(view: SeasonView, form: Form) -> Iterable[SeasonFact]:
    """Confirm the names on the form; those without an answer stay open."""
    event, new, identities = form.get("event", ""), view.season.next_player_number, []
    for chair, name in view.chairs.get(event, {}).items():
        player = form.get(f"chair-{chair}", "")
        if not player:
            continue
        if player == NEW_PLAYER:
            player, new = f"p{new}", new + 1
        elif player not in view.season.players:
            raise BadRequest("no player is called %(name)s", path=name, name=show(player))
        identities.append(Identity(chair=chair, player=player, absent=form.get(f"absent-{chair}", "")))
    return [PlayersConfirmed(event=event, identities=tuple(identities))] if identities else []


def _divide(view: SeasonView, form: Form) -> Iterable[SeasonFact]:
    for player in view.season.players.values():
        division = form.get(f"division-{player.id}")
        if division is not None and division != player.division:
            yield DivisionChanged(player=player.id, division=division)


COMMANDS: Final[Mapping[str, Callable[[SeasonView, Form], Iterable[SeasonFact]]]] = {
    "plan": lambda view, form: [PlanChanged(plan=parse_plan(form))],
    "remove": lambda view, form: [EveningRemoved(event=form.get("event", ""), why=form.get("why", "")[:200])],
    "confirm": _confirm,
    "divide": _divide,
    "rate": lambda view, form: [RatingChosen(player=form.get("player", ""), rated=form.get("rated") == "yes")],
    "erase": lambda view, form: [PlayerErased(player=form.get("player", ""))],
    "call-off": lambda view, form: [PlayoffsStarted(event="")],
    "close": lambda view, form: [SeasonClosed()],
    "reopen": lambda view, form: [SeasonReopened(why=form.get("why", "")[:200])],
}
"""Commands that need nothing but the season."""
