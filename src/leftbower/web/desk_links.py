"""The links part of the desk: who has a link and uses it, and new links, each shown once, in the answer to its form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fastapi import Request
from markupsafe import Markup

from leftbower.errors import BadRequest, LinkInUse
from leftbower.server.addresses import base_for_others
from leftbower.server.auth import address_of
from leftbower.server.desk import Desk
from leftbower.server.event_workers import Checkpoint
from leftbower.server.events import RoleLink
from leftbower.server.online_match import player_roles
from leftbower.tournament import Event, EventFact, Kind, RejoinAllowed, Role
from leftbower.web.event_links import address_in
from leftbower.web.qr import qr_svg

MAX_QR_CODES: Final = 100
"""New links of one answer up to which each has a code to point a phone at; more would make a page of megabytes."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRow:
    """A role, and how people come in by it."""

    word: str
    """The role, as a form names it."""
    title: str
    made: str
    """How long ago its code was made; empty if it has none."""
    devices: int
    """How many browsers are in."""
    joined: bool = False
    """Has a player joined by it? Then it is bound to that device, and there are no new links."""
    may_rejoin: bool = False
    """Has the desk let the player join from another device, and none has joined since?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A link that was just made; nobody can show it again."""

    title: str
    address: str
    qr: Markup
    """The address as a code; empty where there are too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLinks:
    """What an answer shows once."""

    links: tuple[NewLink, ...]
    says: str = ""
    """What to do with it."""

    @property
    def text(self) -> str:
        """All of them, to be pasted elsewhere."""
        return "\n".join(f"{one.title}\t{one.address}" for one in self.links)


def side_roles(event: Event) -> list[Role]:
    """A role for each side of each table that is drawn."""
    labels: dict[int, dict[str, None]] = {}
    for drawn in event.rounds:
        for seating in drawn.tables:
            labels.setdefault(seating.table, {}).update(dict.fromkeys(seating.labels))
    return [
        Role(kind=Kind.SIDE, number=table, whose=label) for table, sides in sorted(labels.items()) for label in sides
    ]


def role_title(event: Event, role: Role) -> str:
    """What the desk calls a role."""
    match role.kind:
        case Kind.ORGANISER:
            return "This desk"
        case Kind.SIDE:
            return f"Table {role.number}, {role.whose}"
        case Kind.HELPER:
            return f"Helper {role.number}"
        case Kind.PLAYER:
            return event.entrants[role.whose].at(bool(role.number)) if role.whose in event.entrants else role.whose
        case _:
            return f"Screen {role.number}"


async def links_shown(desk: Desk, request: Request, name: str, event: Event) -> dict[str, Any]:
    """What the links part shows: nothing by which anybody could come in."""
    known = {link.role: link for link in await desk.events.links(name)}
    now = await desk.store.now()

    def rows(roles: Iterable[Role]) -> list[LinkRow]:
        return [_row(event, role, known.get(role), now) for role in roles]

    tables: dict[int, list[LinkRow]] = {}
    sides = [] if event.plan.online else side_roles(event)
    for role, row in zip(sides, rows(sides), strict=True):
        tables.setdefault(role.number, []).append(row)
    others = sorted((role for role in known if role.kind in (Kind.HELPER, Kind.WALL)), key=_in_order)
    players = player_roles(event)
    listed = players if event.plan.online else [role for role in players if role in known]
    missing = {role.number for role in sides if not _has_code(known.get(role))}
    return {
        "own": _row(event, _DESK, known.get(_DESK), now),
        "others": rows(others),
        "tables": tables,
        "missing": sorted(missing),
        "players": rows(listed),
        "unlinked": sum(not _has_code(known.get(role)) and not _has_joined(event, role) for role in players),
        "unjoined": sum(not _has_joined(event, role) for role in players),
        "seen": max((round(1000 * link.made) for link in known.values() if link.made is not None), default=0),
        "public": f"{base_for_others(request)}/e/{name}",
    }


async def tables_to_print(desk: Desk, name: str, event: Event, which: str) -> list[int]:
    """The tables whose tents a form asks for: `all`, those that are `missing` a code, or one by its number."""
    sides = side_roles(event)
    if which == "missing":
        known = {link.role: link for link in await desk.events.links(name)}
        return sorted({role.number for role in sides if not _has_code(known.get(role))})
    tables = sorted({role.number for role in sides})
    if which != "all" and (not which.isdecimal() or int(which[:9]) not in tables):
        raise BadRequest("no match is drawn for this table", place="which")
    return tables if which == "all" else [int(which)]


async def tent_codes(
    desk: Desk, request: Request, name: str, event: Event, tables: Sequence[int], *, seen: float | None
) -> dict[str, list[tuple[str, str]]]:
    """New codes for both sides of some tables, drawn for their tents."""
    roles = [role for role in side_roles(event) if role.number in tables]
    codes = await desk.events.linked(name, roles, seen=seen)
    addresses = {role: address_in(request, name, code) for role, code in codes.items()}
    client = address_of(request)
    drawn = await desk.events.workers.run(name, partial(_drawn, addresses), client=client, page=True)
    tents: dict[str, list[tuple[str, str]]] = {}
    for role, svg in drawn.items():
        tents.setdefault(str(role.number), []).append((role.whose, svg))
    return tents


async def changed_links(
    desk: Desk, request: Request, name: str, form: Mapping[str, str], organizer: str
) -> NewLinks | None:
    """Do what a form of the links part asks for; the new links, or None where it ended one.

    `organizer` is the token of the session that asks, which ending everybody else at the desk does not end.
    """
    event, seen = await desk.events.event(name), seen_in(form)
    match form.get("do"):
        case "helper" | "wall":
            kind = Kind(form["do"])
            numbers = [link.role.number for link in await desk.events.links(name) if link.role.kind is kind]
            return await _made(desk, request, name, event, [Role(kind=kind, number=max(numbers, default=0) + 1)])
        case "new":
            role = await _role_in(desk, name, event, form)
            if _has_joined(event, role) and not event.hall.may_rejoin((role.whose, role.number)):
                raise LinkInUse("this link is in use; let the player join from another device instead")
            return await _made(desk, request, name, event, [role], seen=seen)
        case "tables":
            numbers = await tables_to_print(desk, name, event, form.get("which", "all"))
            roles = [role for role in side_roles(event) if role.number in numbers]
            return await _made(desk, request, name, event, roles, seen=seen)
        case "players":
            known = {link.role: link for link in await desk.events.links(name)}
            roles = [role for role in player_roles(event) if not _has_joined(event, role)]
            if form.get("which") != "all":
                roles = [role for role in roles if not _has_code(known.get(role))]
            return await _made(desk, request, name, event, roles, seen=seen)
        case "rejoin":
            return await _moved(desk, request, name, await _role_in(desk, name, event, form), seen=seen)
        case "end":
            return await _ended(desk, request, name, event, await _role_in(desk, name, event, form), organizer)
    raise BadRequest("this cannot be asked", place="do")


def seen_in(form: Mapping[str, str]) -> float | None:
    """When the latest code was made that a page has seen, in seconds; None for programs, which send nothing."""
    value = form.get("seen", "")
    if not value:
        return None
    if not value.isdecimal() or len(value) > 15:
        raise BadRequest("a number is missing here", place="seen")
    return int(value) / 1000


async def _moved(desk: Desk, request: Request, name: str, role: Role, *, seen: float | None) -> NewLinks:
    """Let a player join from another device: on record, announced at the table, and with a new link."""
    if role.kind is not Kind.PLAYER:
        raise BadRequest("only players join", place="role")
    chair = role.whose, role.number

    def allowed(event: Event) -> list[EventFact]:
        return [] if event.hall.may_rejoin(chair) else [RejoinAllowed(entrant=role.whose, chair=role.number)]

    event = await desk.events.tell(name, _DESK, allowed)
    says = "Send it to the player. It is announced at the table, and the new device plays from the next match on."
    return await _made(desk, request, name, event, [role], says=says, seen=seen)


async def _ended(desk: Desk, request: Request, name: str, event: Event, role: Role, organizer: str) -> NewLinks | None:
    """End a link with everybody who came in by it; the desk keeps this session, and gets a new link."""
    if role != _DESK:
        await desk.events.end_link(name, role)
        return None
    await desk.events.end_link(name, role, but=organizer)
    return await _made(desk, request, name, event, [role])


async def _made(
    desk: Desk,
    request: Request,
    name: str,
    event: Event,
    roles: Sequence[Role],
    *,
    says: str = "",
    seen: float | None = None,
) -> NewLinks:
    if not roles:
        raise BadRequest("there is nobody who needs a new link", place="do")
    codes = await desk.events.linked(name, roles, seen=seen)
    addresses = {role: address_in(request, name, code) for role, code in codes.items()}
    drawn: Mapping[Role, str] = {}
    if len(roles) <= MAX_QR_CODES:
        client = address_of(request)
        drawn = await desk.events.workers.run(name, partial(_drawn, addresses), client=client, page=True)
    links = tuple(
        NewLink(title=role_title(event, role), address=address, qr=Markup(drawn.get(role, "")))  # drawn by us
        for role, address in addresses.items()
    )
    return NewLinks(links=links, says=says or _SAYS[roles[0].kind])


async def _role_in(desk: Desk, name: str, event: Event, form: Mapping[str, str]) -> Role:
    """The role that a form names, if this event has it."""
    role = Role.of(form.get("role", ""))
    known = {link.role for link in await desk.events.links(name)}
    if role is None or role not in {_DESK, *known, *side_roles(event), *player_roles(event)}:
        raise BadRequest("this event has no such link", place="role")
    return role


def _row(event: Event, role: Role, link: RoleLink | None, now: float) -> LinkRow:
    online_player = role.kind is Kind.PLAYER and event.plan.online
    return LinkRow(
        word=role.word,
        title=role_title(event, role),
        made="" if link is None or link.made is None else _ago(now - link.made),
        devices=0 if link is None else link.devices,
        joined=online_player and _has_joined(event, role),
        may_rejoin=online_player and event.hall.may_rejoin((role.whose, role.number)),
    )


def _has_code(link: RoleLink | None) -> bool:
    return link is not None and link.made is not None


def _has_joined(event: Event, role: Role) -> bool:
    return role.kind is Kind.PLAYER and (role.whose, role.number) in event.hall.people


def _drawn(addresses: Mapping[Role, str], checkpoint: Checkpoint) -> dict[Role, str]:
    drawn = {}
    for role, address in addresses.items():
        checkpoint()
        drawn[role] = qr_svg(address)
    return drawn


def _in_order(role: Role) -> tuple[int, int]:
    return list(Kind).index(role.kind), role.number


def _ago(seconds: float) -> str:
    """How long ago, as people say it."""
    if seconds < _MINUTE:
        return "just now"
    for unit, word in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if (count := int(seconds // unit)) > 0:
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    raise AssertionError("a minute is the shortest")


_DESK: Final = Role(kind=Kind.ORGANISER)
_SAYS: Final[Mapping[Kind, str]] = {
    Kind.ORGANISER: "Keep it: it opens this desk, and the link before it no longer does.",
    Kind.HELPER: "A helper enters and corrects scores, and nothing else.",
    Kind.SIDE: "The phone of that side opens it and keeps the score.",
    Kind.PLAYER: "Send every player their own. The first device that joins by it is the player's.",
    Kind.WALL: "Open it on the big screen.",
}
