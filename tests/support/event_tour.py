"""A walk through an event that shows every page of it in every state."""

from collections.abc import AsyncIterator

from event_client import EventSite, Visitor, open_event
from leftbower.printing import PRINTOUTS
from leftbower.web.event.desk_sections import SECTIONS

RULING = "irregularity=renege&offender=E&maker=N&alone=no&corrected=no&called=no"


async def hall_pages(site: EventSite) -> AsyncIterator[tuple[str, str]]:
    """The pages of an event in a hall, each with a name."""
    organizer = site.organizer
    yield "new", await organizer.see("/events?rules=campus")
    await open_event(site, teams=("Ann & Bob", "Cid & Dot"), draw=False, fee="5", prizes="50%,30%", format="swiss")
    yield "opened", await organizer.see(f"/e/{site.event}/desk/opened")
    async for page in _desk_pages(site, "before the draw"):
        yield page
    await organizer.do("enter", names="Eve & Fay\nGus & Hal\nIda & Jon")
    await organizer.do("enter", names="Kim\nLee", single="yes")
    await organizer.do("mark", what="present", who="e1")
    yield "odd numbers", await organizer.see(f"/e/{site.event}/desk/draw")
    await organizer.do("draw")
    yield "phone without a match", await _phone_without_match(site)
    await organizer.do("clock", clock="set", minutes=4)
    await organizer.do("publish", page="yes", standings="yes")
    links = await organizer.new_links(command="wall") | await organizer.new_links(command="helper")
    links |= await organizer.new_links(command="players") | await organizer.new_links(command="tables")
    yield "new links", (await organizer.send(f"/e/{site.event}/desk/links", status=200, command="tables")).text
    yield "new link", (await organizer.send(f"/e/{site.event}/desk/links", status=200, command="helper")).text
    wall, player = await _follow(site, links, "Screen 1"), await _follow(site, links, "Ann")
    async for name, html in _phone_pages(site):
        yield f"phone, {name}", html
    for name, visitor, path in (("wall", wall, "wall"), ("player", player, "me"), ("public", organizer, "")):
        yield f"{name} during play", await visitor.see(f"/e/{site.event}/{path}".rstrip("/"))
    await site.organizer.do("paper", round=1, table=2, version=await _version(site, 2), games="10-9")
    async for page in _desk_pages(site, "during play"):
        yield page
    yield "score sheets during play", await organizer.see(f"/e/{site.event}/desk/printouts/sheets")
    ruling = f"/e/{site.event}/desk/ruling?round=1&table=2"
    yield "ruling asked", await organizer.see(ruling)
    yield "ruling", await organizer.see(f"{ruling}&{RULING}")
    await organizer.do("score", round=1, table=2, version=await _version(site, 2), games="10-9", why="the sheet")
    yield "round over", await organizer.see(f"/e/{site.event}/desk")
    await organizer.do("pause")
    for name, visitor, path in (("desk", organizer, "desk"), ("wall", wall, "wall"), ("player", player, "me")):
        yield f"{name} paused", await visitor.see(f"/e/{site.event}/{path}")
    await organizer.do("resume")
    for number in (2, 3):
        await organizer.do("draw")
        yield f"player in round {number}", await player.see(f"/e/{site.event}/me")
        for table in (1, 2):
            await site.settle(number, table, "10-9")
    for name, visitor, path in (("desk", organizer, "desk"), ("wall", wall, "wall"), ("player", player, "me")):
        yield f"{name} after the last round", await visitor.see(f"/e/{site.event}/{path}")
    async for page in _desk_pages(site, "after the last round"):
        yield page
    event = await site.server.context.events.get(site.event)
    await organizer.do("lots", who=" ".join(event.entrants))
    await organizer.do("close")
    for name, visitor, path in (("wall", wall, "wall"), ("player", player, "me"), ("public", organizer, "")):
        yield f"{name} at the end", await visitor.see(f"/e/{site.event}/{path}".rstrip("/"))
    async for page in _desk_pages(site, "at the end"):
        yield page
    for printout in PRINTOUTS:
        yield f"printout {printout}", await organizer.see(f"/e/{site.event}/desk/printouts/{printout}")


async def _desk_pages(site: EventSite, when: str) -> AsyncIterator[tuple[str, str]]:
    for section in SECTIONS:
        yield f"{section} {when}", await site.organizer.see(f"/e/{site.event}/desk/{section}")


async def _phone_pages(site: EventSite) -> AsyncIterator[tuple[str, str]]:
    """Both phones of table 1, which dispute a score, and of table 2, which stop by the clock."""
    ours, theirs = await _phones(site, 1)
    path = f"/e/{site.event}/table"
    yield "new", await ours.see(path)
    for tap in ("N3", "E2", "N5!", "E3"):
        await ours.tap(tap=tap)
    yield "scoring", await ours.see(path)
    yield "not scoring", await theirs.see(path)
    yield "penalty asked", await ours.see(f"{path}/ruling")
    yield "penalty", await ours.see(f"{path}/ruling?{RULING}")
    await ours.tap(command="incident", irregularity="renege", offender="E", maker="N")
    for tap in ("N5!", "N5!"):
        await _try_tap(ours, tap)
    yield "match over", await ours.see(path)
    await ours.tap(command="report")
    yield "reported", await ours.see(path)
    yield "to confirm", await theirs.see(path)
    await theirs.tap(command="dispute", why="we had nine")
    await theirs.tap(command="call", why="bring the sheet")
    yield "disputed", await theirs.see(path)
    yield "desk with a dispute", await site.organizer.see(f"/e/{site.event}/desk")
    event = await site.server.context.events.get(site.event)
    await site.organizer.do("score", round=1, table=1, version=event.table_version((1, 1)), games="10-6", why="sheet")
    yield "settled", await ours.see(path)
    ours, _ = await _phones(site, 2)
    await ours.tap(command="total", g1s0="8", g1s1="6", stopped="yes")
    yield "desk with a report", await site.organizer.see(f"/e/{site.event}/desk")


async def _phone_without_match(site: EventSite) -> str:
    """The phone of a table that a new draw leaves empty; then everyone is back, and drawn again."""
    _, phone = await _phones(site, 2)
    await site.organizer.do("mark", what="absent", who="e3 e4 e5")
    await site.organizer.do("redraw")
    page = await phone.see(f"/e/{site.event}/table")
    await site.organizer.do("mark", what="present", who="e3 e4 e5")
    await site.organizer.do("redraw")
    return page


async def _phones(site: EventSite, table: int) -> tuple[Visitor, Visitor]:
    links = await site.organizer.new_links(command="tables", which="all")
    return await _follow(site, links, f"Table {table}, NS"), await _follow(site, links, f"Table {table}, EW")


async def _follow(site: EventSite, links: dict[str, str], title: str) -> Visitor:
    """Follow the link with this title, which a pseudo-language puts into brackets."""
    return await site.follow_link(next(link for name, link in links.items() if title in name))


async def _try_tap(phone: Visitor, tap: str) -> None:
    """Tap, unless the match is over."""
    if 'name="tap"' in await phone.see(f"/e/{phone.event}/table"):
        await phone.tap(tap=tap)


async def _version(site: EventSite, table: int) -> int:
    return (await site.server.context.events.get(site.event)).table_version((1, table))
