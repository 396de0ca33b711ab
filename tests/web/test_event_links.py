"""Role links of an event are stored as hashes, shown once, and replaced without ending sessions."""

import logging
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from event_client import TEAMS, EventSite, Visitor, event_site, new_links_in, open_event
from leftbower.store import backup, hash_token, open_store, restore
from leftbower.store.accounts import MAX_LINKS
from leftbower.web.app import install
from leftbower.web.qr import qr_svg
from server_client import free_limits, listening, seeded, unlimited

CODE = re.compile(r"/join/\w+")


def code_in(link: str) -> str:
    return link.rsplit("/", 1)[1]


async def every_link(site: EventSite) -> dict[str, str]:
    """A new link of every kind."""
    desk = site.organizer
    links: dict[str, str] = {}
    for form in (
        {"command": "tables"},
        {"command": "helper"},
        {"command": "wall"},
        {"command": "players", "which": "all"},
    ):
        links |= await desk.new_links(**form)
    return links | await desk.new_links(command="new", role="organizer")


async def secrets_of(site: EventSite) -> set[str]:
    """Every code, and every cookie, of an event with all kinds of visitors."""
    links = await every_link(site)
    secrets = {code_in(link) for link in links.values()}
    for link in links.values():
        visitor = await site.follow_link(link)
        secrets |= set(visitor.http.cookies.values())
    return secrets | {cookie.value for cookie in site.organizer.http.cookies.jar if cookie.value}


async def test_no_database_backup_log_or_metric_has_a_code_or_a_cookie(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    file, dumped, copy = tmp_path / "hall.db", tmp_path / "hall.jsonl", tmp_path / "copy.db"
    async with await open_store(str(file)) as store, event_site(store, entropy=seeded(41)) as site:
        await open_event(site, teams=TEAMS[:4])
        secrets = await secrets_of(site)
        assert len(secrets) > 30
        ledger = await site.organizer.see(f"/e/{site.event}/desk/ledger.jsonl")
        guest = await site.server.guest("Ann")
        invitation = await guest.call("POST", f"/api/tables/{await guest.open()}/links", status=201)
        secrets |= {invitation["code"], guest.token}
        await backup(str(file), dumped)
        await backup(str(file), copy)
        outputs = [path.read_bytes() for path in tmp_path.iterdir()]
        messages = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]
        outputs += [ledger.encode(), "\n".join(messages).encode(), (await site.server.http.get("/metrics")).content]
    outputs += [path.read_bytes() for path in tmp_path.iterdir()]
    assert not [secret for secret in secrets for text in outputs if secret.encode() in text]
    copied = copy.read_bytes()
    assert not [secret for secret in secrets if hash_token(secret).encode() not in copied]  # it was there to be found


async def test_what_the_database_has_opens_nothing() -> None:
    async with event_site(limits=free_limits(wrong_codes=unlimited())) as site:
        await open_event(site, teams=TEAMS[:4])
        await every_link(site)
        visitor = site.anonymous()
        for link in await site.server.context.store.links():
            await visitor.see(f"/e/{site.event}/join/{link.token}", status=404)
            bearer = {"Authorization": f"Bearer {link.token}"}
            for page in ("desk", "table", "me", "wall"):
                assert (await visitor.http.get(f"/e/{site.event}/{page}", headers=bearer)).status_code == 403


async def test_links_work_after_a_dump_was_restored(tmp_path: Path) -> None:
    """Printed codes and existing sessions."""
    dumped = tmp_path / "hall.jsonl"
    async with await open_store(str(tmp_path / "a.db")) as store, event_site(store) as site:
        await open_event(site, teams=TEAMS[:4])
        link = (await site.organizer.new_links(command="tables"))["Table 1, NS"]
        name, cookies = site.event, (await site.follow_link(link)).http.cookies
        await backup(str(tmp_path / "a.db"), dumped)
    await restore(dumped, str(tmp_path / "b.db"))
    async with await open_store(str(tmp_path / "b.db")) as store, event_site(store) as restored:
        restored.event = name
        await (await restored.follow_link(link)).see(f"/e/{name}/table")
        phone = restored.anonymous()
        phone.http.cookies = cookies
        await phone.see(f"/e/{name}/table")


async def test_looking_at_links_shows_none_and_makes_none() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        before = await site.server.context.store.links()
        for path in ("links", "links", "printouts/tents", "print"):
            page = await site.organizer.see(f"/e/{site.event}/desk/{path}")
            assert not CODE.search(page)
            assert "<svg" not in page
        assert await site.server.context.store.links() == before
        await site.organizer.new_links(command="tables")
        page = await site.organizer.see(f"/e/{site.event}/desk/links")
        assert not CODE.search(page)
        assert "not used yet" in page


async def test_a_new_link_ends_the_old_one_and_devices_stay_in() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        for role, title, page in (
            ("side:1:NS", "Table 1, NS", "table"),
            ("organizer", "This desk", "desk"),
            ("player:0:e1", "Ann", "me"),
        ):
            old = (await site.organizer.new_links(command="new", role=role))[title]
            visitor = await site.follow_link(old)
            new = (await site.organizer.new_links(command="new", role=role))[title]
            assert new != old
            await site.anonymous().see(old, status=403)
            await visitor.see(f"/e/{site.event}/{page}")
            await (await site.follow_link(new)).see(f"/e/{site.event}/{page}")
        assert "in use on 2 devices" in await site.organizer.see(f"/e/{site.event}/desk/links")


async def test_the_same_form_sent_twice_leaves_the_first_answer_good() -> None:
    """The first response's links stay valid; a form from a newer page replaces them."""
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        page = await site.organizer.see(f"/e/{site.event}/desk/links")
        found = re.search(r'name="shown_at" value="(\d+)"', page)
        assert found
        form: dict[str, Any] = {"command": "tables", "shown_at": found[1]}
        links = await site.organizer.new_links(**form)
        repeated = await site.organizer.send(f"/e/{site.event}/desk/links", status=409, **form)
        assert "New links were just made" in repeated.text
        assert not CODE.search(repeated.text)
        tents = f"/e/{site.event}/desk/printouts/tents"
        await site.organizer.send(tents, which="all", shown_at=found[1], status=409)
        await site.follow_link(links["Table 1, NS"])
        replaced = re.search(r'name="shown_at" value="(\d+)"', repeated.text)
        assert replaced
        assert await site.organizer.new_links(command="tables", shown_at=replaced[1]) != links
        for wrong in ("x", "-1", "9" * 16):
            await site.organizer.send(f"/e/{site.event}/desk/links", command="tables", shown_at=wrong, status=422)


async def test_who_opens_an_event_is_shown_the_way_back_for_a_while() -> None:
    """Only in that browser and for that code, however often the page is loaded."""
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        path = f"/e/{site.event}/desk/opened"
        await site.organizer.see(path)
        page = await site.organizer.see(path)
        assert "the only way back" in page
        link = new_links_in(page)["Prize night: the desk"]
        other = await site.follow_link(link)
        assert (await other.http.get(path)).headers["location"] == f"/e/{site.event}/desk"
        await site.anonymous().see(path, status=403)
        await site.organizer.new_links(command="new", role="organizer")
        assert (await site.organizer.http.get(path)).status_code == 403  # the code was replaced


async def test_tents_get_codes_for_all_the_missing_or_one() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4], rounds=2)
        path = f"/e/{site.event}/desk/printouts/tents"

        async def tents(**form: Any) -> list[str]:
            page = (await site.organizer.send(path, status=200, **form)).text
            assert page.count("<svg") == 4 * page.count('<article class="tent coded">')
            return re.findall(r"<strong>(\d+)</strong>", page)[::2]

        assert await tents(which="2", paper="a4") == ["2"]
        assert await tents(which="missing") == ["1"]
        assert await tents(which="missing") == []
        assert await tents(which="all") == ["1", "2"]
        assert await tents() == ["1", "2"]
        for wrong in ("3", "0", "x", "1" * 20):
            await site.organizer.send(path, which=wrong, status=422)
        await site.organizer.send(path, paper="napkin", status=422)
        helper = await site.follow_link((await site.organizer.new_links(command="helper"))["Helper 1"])
        await helper.send(path, status=403)
        assert "<svg" not in await helper.see(path)


@pytest.mark.parametrize(
    "address", ["http://10.0.0.2/e/0/join/1", f"https://{'a' * 250}.example/e/0123456789/join/{'0' * 32}"]
)
def test_a_code_is_drawn_whole_at_any_size(address: str) -> None:
    """CSS sets the size; a fixed size would cut off the codes of long URLs."""
    drawn = qr_svg(address)
    head = drawn[: drawn.index(">")]
    assert "viewBox" in head
    assert "width" not in head


async def test_what_is_no_link_of_the_event_is_refused() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        path = f"/e/{site.event}/desk/links"
        for role in ("", "side:9:NS", "player:0:e9", "helper:1", "server", "nonsense", "side:1:XX"):
            for command in ("new", "end", "rejoin"):
                await site.organizer.send(path, command=command, role=role, status=422)
        await site.organizer.send(path, command="rejoin", role="side:1:NS", status=422)
        await site.organizer.send(path, command="rejoin", role="player:0:e1", status=422)  # no device has joined
        await site.organizer.send(path, command="nothing", status=422)
        response = await site.organizer.send(path, command="nothing", status=422, script=True)
        assert response.json()["error"]["code"] == "bad-request"


async def test_a_link_followed_often_keeps_few_sessions() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        link = (await site.organizer.new_links(command="wall"))["Screen 1"]
        visitors = [await site.follow_link(link) for _ in range(MAX_LINKS + 2)]
        rows = [link for link in await site.server.context.store.links(f"event-{site.event}") if link.kind == "wall:1"]
        assert len(rows) == MAX_LINKS + 1
        await visitors[-1].see(f"/e/{site.event}/wall")


async def test_feeds_of_strangers_count_by_address() -> None:
    async with listening(limits=free_limits(feeds_per_address=1)) as (base, server):
        install(server.app)
        desk = Visitor(server.http)
        response = await desk.send("/events", title="Open", rules="club", format="swiss")
        desk.event = response.headers["location"].split("/")[2]
        await desk.do("publish", page="yes")
        path = f"/e/{desk.event}/feed"
        first_token, second_token = {"Authorization": "Bearer one"}, {"Authorization": "Bearer two"}
        async with (
            httpx.AsyncClient(base_url=base, timeout=10) as http,
            http.stream("GET", path, headers=first_token) as first,
            http.stream("GET", path, headers=second_token) as second,
        ):
            await anext(line async for line in second.aiter_lines() if line.startswith("data: "))
            await anext(line async for line in first.aiter_lines() if line == "event: end")
