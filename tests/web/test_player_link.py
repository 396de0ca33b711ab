"""A player's link belongs to the first device that joins by it: using it again gives no seat, and shows no card."""

import asyncio
from typing import Any

import httpx
import pytest

from leftbower.server.people.passwords import Passwords
from leftbower.store.memory import MemoryStore
from leftbower.tournament.hall.facts import RejoinAllowed
from leftbower.tournament.model.facts import ScoreEntered
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.scoring.scores import NoShow
from online_event import TEAMS
from online_players import OnlineEventSite
from server_client import AppServer, Client, cheap_hashes, checked, play_on, seeded, serving

JSON = {"Accept": "application/json"}
IN_USE = "already used on another device"
VIEWER = ("you", "seconds_left", "auto_last_card")
"""Fields of a table that depend on the viewer or the time."""


async def assert_refused(site: OnlineEventSite, browser: httpx.AsyncClient, says: str = IN_USE) -> None:
    """Joining is refused with a sentence on the page, and with a code as JSON."""
    response = await browser.post(f"/e/{site.name}/me/table")
    assert response.status_code == 409, response.text
    assert says in response.text
    checked((await browser.post(f"/e/{site.name}/me/table", headers=JSON)).json(), "link-in-use")


async def assert_sees_no_card(server: AppServer, browser: httpx.AsyncClient, table: str) -> None:
    """A browser gets exactly what an anonymous caller gets."""
    view, anonymous_view = (await browser.get(f"/api/tables/{table}")).json(), await server.anonymous().see(table)
    assert view["you"]["seat"] is None
    for viewer in VIEWER:
        view.pop(viewer, None)
        anonymous_view.pop(viewer, None)
    assert view == anonymous_view
    assert view["hand"]["cards"] == ""


async def play_with_spies(server: AppServer, people: list[Client], table: str, *spies: httpx.AsyncClient) -> int:
    """Play the match; no spy gets a card in any hand. Returns the number of hands."""
    dealers = [""]

    def dealt(view: dict[str, Any]) -> bool:
        return view["phase"] == "over" or bool(view["phase"] == "playing" and view["dealer"] != dealers[-1])

    while (view := await play_on(people, table, until=dealt))["phase"] != "over":
        dealers.append(view["dealer"])
        for spy in spies:
            await assert_sees_no_card(server, spy, table)
    return len(dealers) - 1


async def seated(site: OnlineEventSite, *teams: str) -> tuple[httpx.AsyncClient, list[Client], str]:
    """Seat whole teams: the first player's browser, all players as clients, and the table."""
    first = await site.browser(teams[0])
    path = await site.to_table(first)
    clients = [Client(site.server.http, "first", token=first.cookies["leftbower"])]
    for team in teams:
        for chair in (0, 1):
            if (team, chair) != (teams[0], 0):
                clients.append((await site.player(team, chair))[0])
    return first, clients, path.removeprefix("/t/")


async def test_a_players_link_used_again_gives_no_seat_and_no_card() -> None:
    """Neither in this hand nor in a later one of the match, though the organizer knows the code."""
    async with serving(MemoryStore(), entropy=seeded(31)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        code = await site.code("e1")
        player, organizer = await site.follow_link(code), await site.follow_link(code)
        table = (await site.to_table(player)).removeprefix("/t/")
        others = [await site.player(*chair) for chair in (("e1", 1), ("e2", 0), ("e2", 1))]
        people = [Client(server.http, "e1.0", token=player.cookies["leftbower"]), *(client for client, _ in others)]
        await play_on(people, table, until=lambda view: view["hand"] is not None)
        await assert_refused(site, organizer)
        page = await site.me(organizer)
        assert IN_USE in page
        assert "Go to my table" not in page
        seats = (await server.context.tables.get(table)).seats
        assert await play_with_spies(server, people, table, organizer) > 1
        assert (await server.context.tables.get(table)).last_seats == seats


async def test_a_new_link_is_no_way_to_a_seat_either() -> None:
    """The desk creates none for a player who has joined; another link shows the page and can't join."""
    async with serving(MemoryStore(), entropy=seeded(32)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        await site.to_table(await site.browser("e1"))
        desk = await site.desk()
        page = await desk.see(f"/e/{site.name}/desk/links")
        assert "Let Ann join from another device" in page
        assert "joined" in page
        response = await desk.send(f"/e/{site.name}/desk/links", command="new", role="player:0:e1", status=409)
        assert "in use" in response.text
        everyone = await desk.new_links(command="players", which="all")
        assert set(everyone) == {"Bob", "Cid", "Dot"}
        await assert_refused(site, await site.browser("e1"))
        await desk.send(f"/e/{site.name}/desk/links", command="end", role="player:0:e1")
        await assert_refused(site, await site.browser("e1"))


async def test_the_desk_moves_a_player_openly_from_the_next_match_on() -> None:
    async with serving(MemoryStore(), entropy=seeded(33)) as server:
        site = OnlineEventSite(server)
        await site.begin()
        event = await site.events.get(site.name)
        teams = event.seating(1, 1).entrants
        first, people, table = await seated(site, *teams)
        await play_on(people, table, until=lambda view: view["hand"] is not None)
        name, desk = event.entrants[teams[0]].players[0], await site.desk()
        await desk.do("publish", page="yes")
        links = await desk.new_links(command="rejoin", role=f"player:0:{teams[0]}")
        entries = await site.events.entries(site.name)
        allowed = RejoinAllowed(entrant=teams[0], chair=0)
        assert [entry.by for entry in entries if entry.fact == allowed] == ["desk"]
        async with asyncio.timeout(20):
            while not (await server.context.tables.get(table)).rejoins:
                await asyncio.sleep(0.01)
        seat = (await people[0].see(table))["you"]["seat"]
        for client in (*people, server.anonymous()):  # announced to everyone at the table
            assert (await client.see(table))["rejoins"] == [seat]
            headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
            page = (await server.http.get(f"/t/{table}", headers=headers)).text
            assert "join from another device. That device plays from the next match on." in page
        notice = f"the desk let {name} join from another device"
        assert notice in await site.me(await site.browser(teams[1]))
        assert notice in await desk.see(f"/e/{site.name}")
        second = await site.follow_link(links[name].rsplit("/", 1)[1])
        assert await site.to_table(second) == f"/e/{site.name}/me"  # joined, and not seated
        assert "You play here from your next match on" in await site.me(second)
        assert await site.to_table(first) == f"/t/{table}"  # the first device keeps the seat
        assert f"Another device plays for {name} from the next match on." in await site.me(first)
        assert await play_with_spies(server, people, table, second, desk.http) > 1
        async with asyncio.timeout(20):
            while (await site.events.get(site.name)).settled_score(1, 1) is None:
                await asyncio.sleep(0.01)
        await site.record(ScoreEntered(round=1, table=2, score=NoShow(absent=("NS",))))
        following = (await site.to_table(second)).removeprefix("/t/")
        assert following != table
        view = (await second.get(f"/api/tables/{following}")).json()
        assert view["rejoins"] == [view["you"]["seat"]]  # announced in the next match too
        await assert_refused(site, first)


async def test_no_role_sees_more_of_a_hand_than_a_stranger() -> None:
    async with serving(MemoryStore(), entropy=seeded(34)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        _, people, table = await seated(site, "e1", "e2")
        await play_on(people, table, until=lambda view: view["hand"] is not None)
        desk = await site.desk()
        roles = [Role(kind=RoleKind.HELPER, number=1), Role(kind=RoleKind.WALL, number=1)]
        codes = await site.events.create_links(site.name, roles)
        spies = [
            desk.http,
            await site.follow_link(codes[roles[0]], "desk"),
            await site.follow_link(codes[roles[1]], "wall"),
            await site.browser("e1"),  # the players' own links, in other browsers
            await site.browser("e2", 1),
        ]
        await desk.new_links(command="rejoin", role="player:0:e1")
        for spy in spies:
            await spy.post(f"/e/{site.name}/me/table")
            for command in ("sit", "leave", "seat-bot", "swap", "remove"):
                await spy.post(f"/t/{table}/commands", data={"command": command, "seat": "N", "name": "Spy"})
        assert await play_with_spies(server, people, table, *spies) > 1


async def test_an_account_comes_back_from_any_device() -> None:
    passwords = Passwords(cheap_hashes())
    async with serving(MemoryStore(), entropy=seeded(35), passwords=passwords) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        code = await site.code("e1")
        phone, laptop, tablet = site.new_browser(), site.new_browser(), site.new_browser()
        await phone.post("/account/begin", data={"name": "Annie"})
        await phone.post("/account/password", data={"login": "annie", "password": "correct horse"})
        await site.follow_link(code, browser=phone)
        assert "You join as <b>Annie</b>" in await site.me(phone)
        cookie = phone.cookies["leftbower"]
        path = await site.to_table(phone)
        assert phone.cookies["leftbower"] == cookie
        assert "Annie" in (await phone.get(path)).text
        await laptop.post("/account/sign-in", data={"login": "annie", "password": "correct horse"})
        await site.follow_link(code, browser=laptop)
        assert await site.to_table(laptop) == path
        await site.follow_link(code, browser=tablet)
        await assert_refused(site, tablet)
        assert "leftbower" not in tablet.cookies


async def test_a_browser_plays_for_one_player_and_keeps_who_it_was() -> None:
    """A guest of other tables stays that guest; a second player's link is refused."""
    async with serving(MemoryStore(), entropy=seeded(36)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        browser = site.new_browser()
        await browser.post("/account/begin", data={"name": "Zed"})
        cookie = browser.cookies["leftbower"]
        await site.follow_link(await site.code("e1"), browser=browser)
        path = await site.to_table(browser)
        await site.follow_link(await site.code("e1", 1), browser=browser)
        await assert_refused(site, browser, "already plays for Ann")
        assert browser.cookies["leftbower"] == cookie
        await site.follow_link(await site.code("e1"), browser=browser)
        assert await site.to_table(browser) == path


@pytest.mark.parametrize("role", ["helper", "player"])
async def test_only_the_organizer_moves_a_player(role: str) -> None:
    async with serving(MemoryStore(), entropy=seeded(37)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        player = await site.browser("e1")
        await site.to_table(player)
        helper = Role(kind=RoleKind.HELPER, number=1)
        code = (await site.events.create_links(site.name, [helper]))[helper]
        browser = player if role == "player" else await site.follow_link(code, "desk")
        form = {"command": "rejoin", "role": "player:0:e1"}
        assert (await browser.post(f"/e/{site.name}/desk/links", data=form)).status_code == 403
        assert (await site.events.get(site.name)).hall.rejoins == ()


async def test_two_devices_that_join_at_once_are_one_player() -> None:
    async with serving(MemoryStore(), entropy=seeded(38)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        code = await site.code("e1")
        browsers = [await site.follow_link(code) for _ in range(4)]
        answers = await asyncio.gather(*(browser.post(f"/e/{site.name}/me/table") for browser in browsers))
        assert sorted(response.status_code for response in answers) == [303, 409, 409, 409]
