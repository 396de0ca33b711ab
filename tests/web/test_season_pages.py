"""A season through its forms, without script: evenings, who is who, links, corrections, playoffs, erasure."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from typing import Any

import httpx
import pytest

from event_ledger import new_ledger, played
from leftbower.errors import BadUsage
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from leftbower.server.live.seasons import SeasonRole
from leftbower.store.memory import MemoryStore
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.commands import correct_score
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.web.app import install
from leftbower.web.season.forms import parse_event_link
from matrix_world import World, matrix_server
from season_world import NAMES, ORGANIZER, SeasonOnServer, open_season
from server_client import AppServer, serving

LINK = re.compile(r"<output>https?://[^/]+(/(?:e|seasons)/\w+/join/\w+)</output>")


@asynccontextmanager
async def server() -> AsyncIterator[AppServer]:
    async with serving(MemoryStore()) as served:
        install(served.app)
        yield served


def client(served: AppServer) -> httpx.AsyncClient:
    """A browser of its own."""
    transport = httpx.ASGITransport(served.app)
    return httpx.AsyncClient(transport=transport, base_url="http://leftbower", follow_redirects=True)


@asynccontextmanager
async def organizer(served: AppServer, season: SeasonOnServer) -> AsyncIterator[httpx.AsyncClient]:
    async with client(served) as http:
        await http.get(f"/seasons/{season.name}/join/{season.organizer_code}")
        yield http


async def send(http: httpx.AsyncClient, season: str, status: Any = 200, **form: Any) -> str:
    response = await http.post(f"/seasons/{season}/desk/commands", data=form)
    assert response.status_code == status, response.text[:500]
    return unescape(response.text)


def rows(page: str) -> dict[str, list[str]]:
    """The words of each row of the standings, by name."""
    found = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page.partition("<caption>")[0], re.DOTALL):
        cells = [unescape(re.sub(r"<[^>]+>", " ", cell)).split() for cell in re.findall(r"<t[dh].*?</t[dh]>", row)]
        if name := re.search(r'<th scope="row" class="name[^"]*">([^<]+)', row):
            found[name[1].strip()] = [" ".join(cell) for cell in cells]
    return found


async def test_a_season_from_its_first_evening_to_its_playoffs() -> None:
    """Created by a browser, which finds it again; evenings by the link of their desk, and made by the season."""
    async with server() as served, client(served) as host:
        page = (await host.post("/seasons", data={"title": "Tuesdays", "best": "2", "playoffs": "4"})).text
        [path] = LINK.findall(page)
        season = path.split("/")[2]
        assert "Tuesdays" in (await host.get("/seasons")).text
        events = served.app.state.context.events

        event, code = await events.import_event(week(["Ann", "Bob", "Cid", "Dot"], (10, 2), (10, 4), (10, 6)))
        await send(host, season, command="add", link=f"http://leftbower/e/{event}/join/{code}")
        standings = rows((await host.get(f"/seasons/{season}/desk")).text)
        assert {name: row[-1] for name, row in standings.items()} == {
            "Ann": "30",
            "Dot": "20",
            "Cid": "18",
            "Bob": "16",
        }
        assert "in the season already" in await send(host, season, 422, command="add", link=f"/e/{event}/join/{code}")

        desk = await send(host, season, command="evening")
        assert "Tuesdays, week 2" in desk
        [following] = set(re.findall(r"/e/(\w+)/desk", desk))
        people = (await host.get(f"/e/{following}/desk/people")).text
        assert all(name in people for name in ("Ann", "Bob", "Cid", "Dot"))
        assert "week 2" in (await host.get(f"/seasons/{season}/desk")).text

        final = await send(host, season, command="playoffs")
        assert "Tuesdays: playoffs" in final
        assert "Playoffs" in (await host.get(f"/seasons/{season}/desk")).text
        assert "have started" in await send(host, season, 422, command="playoffs")
        await send(host, season, command="call-off")

        await send(host, season, command="close")
        assert "is over" in await send(host, season, 409, command="evening")
        opened = await send(host, season, command="next", title="Next Tuesdays", absent_share="1/2")
        assert LINK.findall(opened)
        await send(host, season, command="reopen")


def week(names: list[str], *points: tuple[int, int]) -> Any:
    ledger = new_ledger(Format.PODS, names, rounds=3)
    ledger.pair()
    for number, scored in enumerate(points, 1):
        ledger.score(number, 1, scored)
    return ledger.ledger


async def test_only_an_organizer_of_an_event_can_add_it() -> None:
    async with server() as served:
        season = await open_season(served.app.state.context, weeks=2)
        events = served.app.state.context.events
        event, _ = await events.import_event(week(["Ann", "Bob", "Cid", "Dot"]))
        wall = await events.create_link(event, Role(kind=RoleKind.WALL, number=1))
        async with organizer(served, season) as host, client(served) as other:
            for link, status in (
                (f"/e/{event}/join/{wall}", 403),
                (f"/e/{event}/join/{'0' * 32}", 403),
                ("hello", 422),
            ):
                await send(host, season.name, status, command="add", link=link)
            await send(host, season.name, 403, command="add", event=event)
            assert (await other.post(f"/seasons/{season.name}/desk/commands", data={})).status_code == 403
            assert f'<option value="{event}"' not in (await host.get(f"/seasons/{season.name}/desk")).text
            opened = (await host.post("/events", data={"title": "Own", "rules": "club"})).text
            [own] = set(re.findall(r"/e/(\w+)/desk", opened))
            assert f'<option value="{own}"' in (await host.get(f"/seasons/{season.name}/desk")).text
            await send(host, season.name, command="add", event=own)
            assert "Own" in (await host.get(f"/seasons/{season.name}/desk")).text


@pytest.mark.parametrize("text", ["", "/e/abc", "https://example.com/e/xyz/join/abc", "/e/abcd/join/" + "g" * 20])
def test_what_is_no_link_of_a_desk_is_refused(text: str) -> None:
    with pytest.raises(BadUsage):
        parse_event_link(text)


async def test_players_read_with_their_link_and_change_nothing() -> None:
    async with server() as served:
        season = await open_season(served.app.state.context)
        async with client(served) as reader, organizer(served, season) as host:
            url = f"/seasons/{season.name}"
            assert (await reader.get(f"{url}/standings")).status_code == 403
            page = await reader.get(f"{url}/join/{season.reader_code}")
            assert page.url.path == f"{url}/standings"
            assert len(rows(page.text)) >= 24
            assert "Who is who" not in page.text
            for path in ("desk", "desk/settings", f"desk/who/{season.events[0]}"):
                assert (await reader.get(f"{url}/{path}")).status_code == 403
            assert (await reader.post(f"{url}/desk/commands", data={"command": "close"})).status_code == 403
            assert (await reader.get(f"{url}/standings/season.csv")).text.startswith("division,place,name,W1")
            assert (await reader.get(f"{url}/standings/season.json")).json()["standings"][0]["place"] == 1
            assert "Standings after 7 evenings" in (await reader.get(f"{url}/standings/print?paper=a4")).text

            new = await send(host, season.name, command="link", role="reader")
            [link] = LINK.findall(new)
            assert (await reader.get(f"{url}/standings")).status_code == 403  # the old link and its sessions ended
            assert (await reader.get(link)).status_code == 200
            mine = LINK.findall(await send(host, season.name, command="link", role="organizer"))
            assert (await host.get(f"{url}/desk")).status_code == 200  # this browser stays in
            assert (await host.get(f"{url}/join/{season.organizer_code}")).status_code == 403
            assert (await host.get(mine[0])).status_code == 200


async def test_a_correction_in_week_2_moves_week_7_and_is_announced() -> None:
    async with server() as served:
        context = served.app.state.context
        season = await open_season(context, ratings=False)
        async with organizer(served, season) as host:
            before = rows((await host.get(f"/seasons/{season.name}/desk")).text)
            event = season.events[1]
            state = await context.events.get(event)
            seating = state.seating(2, 1)
            sides = [{state.names[entrant] for entrant in seating.entrants_on(side)} for side in (0, 1)]
            score: Any = state.settled_score(2, 1)
            ours, theirs = score.games[0].points
            turned = played((theirs, ours))
            await context.events.execute(event, ORGANIZER, lambda now: [correct_score(now, 2, 1, turned, "misread")])
            page = unescape((await host.get(f"/seasons/{season.name}/desk")).text)
            after = rows(page)
            assert "Changed since last week" in page
            assert f"Week 2, round 2, table 1 was corrected from {ours}-{theirs} to {theirs}-{ours}" in page
            points = [{name: int(row[3].split()[0]) for name, row in table.items()} for table in (before, after)]
            gains = {name: points[1][name] - points[0][name] for name in sides[0] | sides[1]}
            assert gains == {name: (theirs - ours) * (1 if name in sides[0] else -1) for name in gains}


async def test_names_are_confirmed_and_erased_by_forms() -> None:
    async with server() as served:
        season = await open_season(served.app.state.context, weeks=3)
        event = season.events[-1]
        async with organizer(served, season) as host:
            url = f"/seasons/{season.name}"
            page = unescape((await host.get(f"{url}/desk/who/{event}")).text)
            [chair] = re.findall(r'<b>Zack Zane</b>.*?name="chair-(\w+)"', page, re.DOTALL)
            assert rows((await host.get(f"{url}/desk")).text)["Zach Zane"][4] == "away"
            await send(host, season.name, 422, command="confirm", event=event, **{f"chair-{chair}": "p1"})
            await send(host, season.name, command="confirm", event=event, **{f"chair-{chair}": "p2"})
            assert rows((await host.get(f"{url}/desk")).text)["Zach Zane"][4] != "away"
            await send(host, season.name, command="erase", player="p2")
            for path in ("desk", "desk/season.csv", "desk/season.json", "desk/print", "desk/settings"):
                text = (await host.get(f"{url}/{path}")).text
                assert "Zach Zane" not in text, path
                assert "Player 2" in text or path == "desk/settings"
            await send(host, season.name, command="rate", player="p1", rated="")
            ratings = unescape((await host.get(f"{url}/desk")).text).partition("Ratings")[2]
            assert NAMES[2] in ratings
            assert NAMES[0] not in ratings
            await send(host, season.name, command="remove", event=event)
            assert "W3" not in (await host.get(f"{url}/desk")).text


async def test_settings_and_refusals_come_back_on_the_page() -> None:
    async with server() as served:
        season = await open_season(served.app.state.context, weeks=2)
        async with organizer(served, season) as host:
            form = {"title": "New name", "divisions": "Gold, Silver", "promoted": "1", "absent_share": "1/3"}
            await send(host, season.name, command="plan", **form)
            page = await send(host, season.name, command="divide", **{"division-p1": "Gold"})
            assert "New name" in (await host.get(f"/seasons/{season.name}/desk")).text
            assert "Gold" in page
            assert "is not a share" in await send(host, season.name, 422, command="plan", title="x", absent_share="a")
            assert (
                "enter a number" in (await send(host, season.name, 422, command="plan", title="x", best="-1")).lower()
            )
            await send(host, season.name, 422, command="divide", **{"division-p1": "Bronze"})
            await send(host, season.name, 422, command="nothing")
            bad = await host.post("/seasons", data={"title": " "})
            assert bad.status_code == 422
            assert "1 to 80 characters" in bad.text
            assert (await host.get("/seasons/none/desk")).status_code == 403
            assert (await host.get(f"/seasons/none/join/{season.reader_code}")).status_code == 404
            assert (await host.post("/seasons/none/open")).status_code == 403


async def test_tables_and_events_are_no_seasons() -> None:
    """The logs of seasons are not served as tables, and a code of one season opens no other."""
    async with server() as served:
        context = served.app.state.context
        season, other = await open_season(context, weeks=2), await open_season(context, weeks=2)
        async with client(served) as http:
            assert (await http.get(f"/api/tables/season-{season.name}")).status_code == 404
            assert (await http.get(f"/seasons/{other.name}/join/{season.organizer_code}")).status_code == 404
        assert await context.seasons.role(season.name, season.reader_code) is SeasonRole.READER
        assert not context.tables.edited


async def test_matches_at_a_table_of_the_organizer_are_rated() -> None:
    """Only those who played there can add it, and by its address."""
    async with matrix_server() as app:
        world = World(app, is_played=True)
        table, (_, token) = await world.value("table", "account"), await world.person("account")
        season, code = await app.state.context.seasons.create(SeasonPlan(title="Rated", ratings=True))
        transport, address = httpx.ASGITransport(app), f"http://leftbower/t/{table}"
        async with httpx.AsyncClient(transport=transport, base_url="http://leftbower", follow_redirects=True) as http:
            await http.get(f"/seasons/{season}/join/{code}")
            await send(http, season, 403, command="add-table", table=address)
            http.cookies.set(SESSION_COOKIE_NAME, token)
            await send(http, season, 422, command="add-table", table="not a table")
            page = await send(http, season, command="add-table", table=address)
            assert "1 match" in page
            assert "in the season already" in await send(http, season, 422, command="add-table", table=table)
            assert "Everyone is confirmed" in (await http.get(f"/seasons/{season}/desk/who/{table}")).text
            await send(http, season, command="remove", event=table)
            assert "Rated tables" not in (await http.get(f"/seasons/{season}/desk")).text
