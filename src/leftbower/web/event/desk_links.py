"""The desk's links section: links by role with the devices that use them, and new links, each shown only once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from markupsafe import Markup

from leftbower.errors import BadRequest, LinkInUse
from leftbower.i18n import gettext as _, gettext_noop, ngettext
from leftbower.server.http.lan import public_base_url
from leftbower.server.live.event_workers import Checkpoint
from leftbower.server.live.events import RoleLink
from leftbower.server.live.online_match import player_roles
from leftbower.tournament.hall.facts import RejoinAllowed
from leftbower.tournament.model.facts import EventFact
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.csv import to_csv
from leftbower.web.event.entry.addresses import mail_url
from leftbower.web.event.entry.mine import forget_other_organizers
from leftbower.web.event.links import EventPage, link_url
from leftbower.web.qr import qr_svg

MAX_QR_CODES: Final = 100
"""New links per response that get a QR code; more would make the page megabytes long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRow:
    """A role, its link and the devices that use it."""

    role: str
    """The role's key, as forms send it."""
    title: str
    created_ago: str
    """Age of its code; empty if it has none."""
    devices: int
    """Browsers with a session."""
    has_joined: bool = False
    """Has a player joined with it? Then it is bound to that device, and no new link is offered."""
    may_rejoin: bool = False
    """Did the desk allow another device that has not joined yet?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A link that was just created; it is not shown again."""

    title: str
    address: str
    qr: Markup
    """QR code of the address; empty beyond `MAX_QR_CODES`."""
    mail: str
    """Opens the organizer's mail program with the address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLinks:
    """The new links in one response."""

    links: tuple[NewLink, ...]
    message: str = ""
    """What to do with them."""

    @property
    def text(self) -> str:
        """All links as tab-separated lines, to paste elsewhere."""
        return "\n".join(f"{link.title}\t{link.address}" for link in self.links)

    @property
    def csv_url(self) -> str:
        """All links as a CSV file inside a URL, because the server forgets them with this response."""
        rows = to_csv(("name", "link"), [(link.title, link.address) for link in self.links])
        return f"data:text/csv;charset=utf-8,{quote(rows)}"


def side_roles(event: Event) -> list[Role]:
    """One role per side of each drawn table."""
    labels: dict[int, dict[str, None]] = {}
    for round_ in event.rounds:
        for seating in round_.tables:
            labels.setdefault(seating.table, {}).update(dict.fromkeys(seating.labels))
    return [
        Role(kind=RoleKind.SIDE, number=table, subject=label)
        for table, sides in sorted(labels.items())
        for label in sides
    ]


def role_title(event: Event, role: Role) -> str:
    match role.kind:
        case RoleKind.ORGANIZER:
            return _("This desk")
        case RoleKind.SIDE:
            return _("Table %(table)d, %(side)s", table=role.number, side=role.subject)
        case RoleKind.HELPER:
            return _("Helper %(number)d", number=role.number)
        case RoleKind.PLAYER:
            return (
                event.entrants[role.subject].player_name(bool(role.number))
                if role.subject in event.entrants
                else role.subject
            )
        case _:
            return _("Screen %(number)d", number=role.number)


async def links_context(page: EventPage, event: Event) -> dict[str, Any]:
    """The context of the links section; it contains no codes."""
    links, now = await _links_by_role(page), await page.context.store.now()

    def rows(roles: Iterable[Role]) -> list[LinkRow]:
        return [_link_row(event, role, links.get(role), now) for role in roles]

    tables: dict[int, list[LinkRow]] = {}
    sides = [] if event.plan.online else side_roles(event)
    for role, row in zip(sides, rows(sides), strict=True):
        tables.setdefault(role.number, []).append(row)
    others = [role for role in links if role.kind in (RoleKind.HELPER, RoleKind.WALL)]
    others.sort(key=lambda role: (role.kind is RoleKind.WALL, role.number))
    players = player_roles(event)
    listed = players if event.plan.online else [role for role in players if role in links]
    missing = {role.number for role in sides if not _has_code(links.get(role))}
    return {
        "desk_link": _link_row(event, _ORGANIZER, links.get(_ORGANIZER), now),
        "other_links": rows(others),
        "tables": tables,
        "missing": sorted(missing),
        "players": rows(listed),
        "unlinked": sum(not _has_code(links.get(role)) and not _has_joined(event, role) for role in players),
        "unjoined": sum(not _has_joined(event, role) for role in players),
        "newest": max(
            (round(1000 * link.created_at) for link in links.values() if link.created_at is not None), default=0
        ),
        "public_url": (public_url := f"{public_base_url(page.request)}/e/{page.name}"),
        "public_mail": mail_url(event.plan.title, _("Tables, scores and standings: %(address)s", address=public_url)),
    }


async def _links_by_role(page: EventPage) -> dict[Role, RoleLink]:
    return {link.role: link for link in await page.context.events.links(page.name)}


async def tables_to_print(page: EventPage, event: Event, which: str) -> list[int]:
    """The tables that a form selects: `all`, those `missing` a code, or one table number."""
    sides = side_roles(event)
    if which == "missing":
        links = await _links_by_role(page)
        return sorted({role.number for role in sides if not _has_code(links.get(role))})
    tables = sorted({role.number for role in sides})
    if which != "all" and (not which.isdecimal() or int(which[:9]) not in tables):
        raise BadRequest("this table has no match yet", path="which")
    return tables if which == "all" else [int(which)]


async def tent_codes(
    page: EventPage, event: Event, tables: Sequence[int], *, shown_at: float | None
) -> dict[str, list[tuple[str, str]]]:
    """Create codes for both sides of the tables; returns their QR codes by table number."""
    roles = [role for role in side_roles(event) if role.number in tables]
    addresses = await _create_addresses(page, roles, shown_at)
    codes_by_table: dict[str, list[tuple[str, str]]] = {}
    for role, svg in (await page.run(partial(_render_qr_codes, addresses))).items():
        codes_by_table.setdefault(str(role.number), []).append((role.subject, svg))
    return codes_by_table


async def card_codes(page: EventPage, event: Event, *, shown_at: float | None) -> dict[str, list[tuple[str, str]]]:
    """Create a code for every player who hasn't joined; returns their QR codes by the name on the card."""
    roles = [role for role in player_roles(event) if not _has_joined(event, role)]
    addresses = await _create_addresses(page, roles, shown_at)
    codes_by_card: dict[str, list[tuple[str, str]]] = {}
    for role, svg in (await page.run(partial(_render_qr_codes, addresses))).items():
        entrant = event.entrants[role.subject]
        codes_by_card.setdefault(entrant.name, []).append((role_title(event, role), svg))
    return codes_by_card


async def update_links(page: EventPage, form: Mapping[str, str], organizer: str) -> NewLinks | None:
    """Execute a form of the links section; returns the new links, or None if it only ended one.

    `organizer` is the caller's session token; signing out the desk's other devices keeps that session.
    """
    event, shown_at = await page.event(), parse_shown_at(form)
    links = await _links_by_role(page)
    match form.get("command"):
        case "helper" | "wall":
            kind = RoleKind(form["command"])
            number = max((role.number for role in links if role.kind is kind), default=0) + 1
            return await _create_links(page, event, [Role(kind=kind, number=number)])
        case "new":
            role = _parse_role(event, links, form)
            if _has_joined(event, role) and not event.hall.may_rejoin((role.subject, role.number)):
                raise LinkInUse("this link is in use; let the player join from another device instead")
            return await _create_links(page, event, [role], shown_at=shown_at)
        case "tables":
            numbers = await tables_to_print(page, event, form.get("which", "all"))
            roles = [role for role in side_roles(event) if role.number in numbers]
            return await _create_links(page, event, roles, shown_at=shown_at)
        case "players":
            roles = [role for role in player_roles(event) if not _has_joined(event, role)]
            if form.get("which") != "all":
                roles = [role for role in roles if not _has_code(links.get(role))]
            return await _create_links(page, event, roles, shown_at=shown_at)
        case "rejoin":
            return await _allow_rejoin(page, _parse_role(event, links, form), shown_at)
        case "end":
            return await _end_link(page, event, _parse_role(event, links, form), organizer)
    raise BadRequest("unknown command", path="command")


def parse_shown_at(form: Mapping[str, str]) -> float | None:
    """Creation time of the newest code on the page, in seconds; None for API clients, which do not send it."""
    value = form.get("shown_at", "")
    if not value:
        return None
    if not value.isdecimal() or len(value) > 15:
        raise BadRequest("enter a number", path="shown_at")
    return int(value) / 1000


async def _allow_rejoin(page: EventPage, role: Role, shown_at: float | None) -> NewLinks:
    """Let a player join from another device: record it, announce it at the table, create a new link."""
    if role.kind is not RoleKind.PLAYER:
        raise BadRequest("only players can join", path="role")
    chair = role.subject, role.number

    def build_facts(event: Event) -> list[EventFact]:
        return [] if event.hall.may_rejoin(chair) else [RejoinAllowed(entrant=role.subject, chair=role.number)]

    event = await page.context.events.execute(page.name, _ORGANIZER, build_facts)
    message = _("Send it to the player. The table is told, and the new device plays from the next match on.")
    return await _create_links(page, event, [role], message=message, shown_at=shown_at)


async def _end_link(page: EventPage, event: Event, role: Role, organizer: str) -> NewLinks | None:
    """End a link and all its sessions; the organizer keeps this session and gets a new link."""
    events = page.context.events
    if role != _ORGANIZER:
        await events.revoke_links(page.name, role)
        return None
    await events.revoke_links(page.name, role, except_token=organizer)
    await forget_other_organizers(page.context, page.request, page.name)
    return await _create_links(page, event, [role])


async def _create_links(
    page: EventPage, event: Event, roles: Sequence[Role], *, message: str = "", shown_at: float | None = None
) -> NewLinks:
    if not roles:
        raise BadRequest("no new link is needed", path="command")
    addresses = await _create_addresses(page, roles, shown_at)
    qr_codes: Mapping[Role, str] = {}
    if len(roles) <= MAX_QR_CODES:
        qr_codes = await page.run(partial(_render_qr_codes, addresses))
    links = tuple(
        NewLink(
            title=role_title(event, role),
            address=address,
            qr=Markup(qr_codes.get(role, "")),  # our own SVG
            mail=mail_url(event.plan.title, _("Your link: %(address)s", address=address)),
        )
        for role, address in addresses.items()
    )
    return NewLinks(links=links, message=message or _(_MESSAGES[roles[0].kind]))


async def _create_addresses(page: EventPage, roles: Sequence[Role], shown_at: float | None) -> dict[Role, str]:
    codes = await page.context.events.create_links(page.name, roles, shown_at=shown_at)
    return {role: link_url(page.request, page.name, code) for role, code in codes.items()}


def _parse_role(event: Event, linked: Iterable[Role], form: Mapping[str, str]) -> Role:
    """The role in a form; rejects one that this event does not have."""
    role = Role.parse(form.get("role", ""))
    if role is None or role not in {_ORGANIZER, *linked, *side_roles(event), *player_roles(event)}:
        raise BadRequest("this event has no such link", path="role")
    return role


def _link_row(event: Event, role: Role, link: RoleLink | None, now: float) -> LinkRow:
    online_player = role.kind is RoleKind.PLAYER and event.plan.online
    return LinkRow(
        role=role.key,
        title=role_title(event, role),
        created_ago="" if link is None or link.created_at is None else _format_ago(now - link.created_at),
        devices=0 if link is None else link.devices,
        has_joined=online_player and _has_joined(event, role),
        may_rejoin=online_player and event.hall.may_rejoin((role.subject, role.number)),
    )


def _has_code(link: RoleLink | None) -> bool:
    return link is not None and link.created_at is not None


def _has_joined(event: Event, role: Role) -> bool:
    return role.kind is RoleKind.PLAYER and (role.subject, role.number) in event.hall.people


def _render_qr_codes(addresses: Mapping[Role, str], checkpoint: Checkpoint) -> dict[Role, str]:
    qr_codes = {}
    for role, address in addresses.items():
        checkpoint()
        qr_codes[role] = qr_svg(address)
    return qr_codes


def _format_ago(seconds: float) -> str:
    """An age in the largest whole unit: `3 hours ago`."""
    if days := int(seconds // 86_400):
        return ngettext("%(num)d day ago", "%(num)d days ago", days)
    if hours := int(seconds // 3600):
        return ngettext("%(num)d hour ago", "%(num)d hours ago", hours)
    if minutes := int(seconds // 60):
        return ngettext("%(num)d minute ago", "%(num)d minutes ago", minutes)
    return _("just now")


_ORGANIZER: Final = Role(kind=RoleKind.ORGANIZER)
_MESSAGES: Final[Mapping[RoleKind, str]] = {
    RoleKind.ORGANIZER: gettext_noop("Save it: it opens this desk. The old link no longer works."),
    RoleKind.HELPER: gettext_noop("With it, a helper can enter and correct scores, nothing else."),
    RoleKind.SIDE: gettext_noop("Open it on that side's phone to keep score."),
    RoleKind.PLAYER: gettext_noop("Send each player their own link. It works on the first device that joins with it."),
    RoleKind.WALL: gettext_noop("Open it on the big screen."),
}
