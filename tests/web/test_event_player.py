"""A player of an event, over HTTP: the link, the player's page, the table, and what is refused there."""

import asyncio
from typing import Any

from leftbower.dealing.verify import verify
from leftbower.engine import MatchOver
from leftbower.store.memory import MemoryStore
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import VisibilityChanged
from leftbower.tournament.model.facts import (
    EntrantAdded,
    EventClosed,
    EventPaused,
    EventResumed,
    ScoreEntered,
    Substituted,
)
from leftbower.tournament.scoring.scores import NoShow, Played, Totals
from online_event import SHORT, TEAMS
from online_players import OnlineEventSite
from server_client import checked, listening, play_on, seeded, serving


async def test_a_player_comes_by_a_link_and_one_button_leads_to_the_table() -> None:
    async with serving(MemoryStore(), entropy=seeded(1)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        browser = await site.browser("e1", 1)
        text = await site.me(browser)
        assert "<h1>Bob</h1>" in text
        assert "Round 1: table 1, South" in text
        assert "You and Ann play Cid &amp; Dot." in text
        assert "Go to my table" in text
        path = await site.to_table(browser)
        page = await browser.get(path)
        assert "Bob" in page.text
        assert "The match starts when everyone is here." in page.text
        for label in ("Sit here", "Add a bot", ">Ready<", 'value="leave"', ">Invite<"):
            assert label not in page.text
        assert f'href="/e/{site.name}/me"' in page.text
        people_before = (await site.events.get(site.name)).hall.people
        assert await site.to_table(browser) == path  # the same browser is the same person
        assert (await site.events.get(site.name)).hall.people == people_before
        about = await browser.get(f"{path}/about")
        assert "Your seat is yours for the whole match" in about.text


async def test_a_played_score_is_on_the_page_of_each_player() -> None:
    async with serving(MemoryStore(), entropy=seeded(2)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        people, table = await site.players("e1", "e2")
        over = await play_on(people, table)
        async with asyncio.timeout(20):
            while not isinstance((await site.events.get(site.name)).settled_score(1, 1), Played):
                await asyncio.sleep(0.01)
        ours, theirs = over["scores"]
        assert f"<em>{ours}-{theirs}</em>" in await site.me(await site.browser("e1"))
        text = await site.me(await site.browser("e2"))
        assert f"<em>{theirs}-{ours}</em>" in text
        assert "All matches are over" in text
        assert "Standings" in text
        await site.record(VisibilityChanged(public_page=False, show_standings=False))
        assert "Standings" not in await site.me(await site.browser("e2"))
        await site.record(EventClosed())
        assert "The event is over" in await site.me(await site.browser("e2"))


async def test_at_an_event_table_people_decide_only_how_they_play() -> None:
    """Sitting, bots, rules, clocks, hints, undo and leaving are refused with one code for every caller."""
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2], rules=SHORT)
        people, table = await site.players("e1", "e2")
        outsider = await server.guest("Zed")
        commands: list[dict[str, Any]] = [
            {"command": "sit", "seat": "N"},
            {"command": "leave"},
            {"command": "seat-bot", "seat": "N", "level": "novice"},
            {"command": "remove-bot", "seat": "N"},
            {"command": "swap", "seat": "N", "other": "E"},
            {"command": "change-rules", "rules": "club"},
            {"command": "set-clock", "clock": "off"},
            {"command": "allow-chat", "allowed": True},
            {"command": "allow-hints", "allowed": True},
            {"command": "undo"},
            {"command": "rematch"},
            {"command": "agree"},
        ]
        for client in (people[0], outsider):
            for command in commands:
                await client.refused("POST", f"/api/tables/{table}/commands", command, status=409, code="event-table")
        seated = (await people[0].see(table))["seats"]
        other = {"command": "remove", "person": seated["E"]["person"]}
        for command in (other, other | {"command": "hand-over"}):
            await people[0].refused("POST", f"/api/tables/{table}/commands", command, status=409, code="event-table")
        await people[0].command(table, "say", phrase="hello")
        await people[0].command(table, "set-tempo", tempo="brisk")
        await people[0].refused("POST", f"/api/tables/{table}/links", status=403, code="not-the-host")
        view = await play_on(people, table, until=lambda view: bool(view["hand"] and view["you"]["plays"]))
        response = await server.http.get(f"/t/{table}/hint", headers={"Authorization": f"Bearer {people[0].token}"})
        assert response.status_code == 409
        assert "Hints are off at this table" in response.text
        assert view["hints"] is False


async def test_hints_are_off_in_an_event_even_against_bots_alone() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:1], draw=False)
        await site.record(EntrantAdded(entrant="e2", name="House bot 1", house_player=True))
        await site.draw()
        people, table = await site.players("e1")
        state = await server.context.tables.get(table)
        assert not any(state.may_use_hints(person) for person in state.people)
        over = await play_on(people, table)
        assert over["phase"] == "over"


async def test_all_cards_are_shown_when_the_round_is_over_and_not_before() -> None:
    """Not in the record, the hand lines or on any page, for any caller; afterward the record verifies."""
    async with serving(MemoryStore(), entropy=seeded(5)) as server:
        site = OnlineEventSite(server)
        await site.begin()
        event = await server.context.events.get(site.name)
        people, table = await site.players(*event.seating(1, 1).entrants)
        over = await play_on(people, table)
        assert (await server.context.events.get(site.name)).current_round == 1
        for client in (people[0], server.anonymous()):
            for resource in ("record", "hands", "matches", "matches/1/record", "matches/1/hands"):
                await client.refused("GET", f"/api/tables/{table}/{resource}", status=409, code="round-is-on")
        for path, status in ((f"/t/{table}/hands", 409), (f"/t/{table}/matches/1", 409), (f"/t/{table}", 200)):
            response = await server.http.get(path, headers={"Authorization": f"Bearer {people[0].token}"})
            assert response.status_code == status
            assert "You can see all hands when the round is over" in response.text
            assert 'class="mini' not in response.text
        await site.record(ScoreEntered(round=1, table=2, score=NoShow(absent=("NS",))))
        report = verify(await people[0].call("GET", f"/api/tables/{table}/record"))
        assert report.misfit is None
        assert all(hand.opened == hand.of for hand in report.hands)
        lines = await server.anonymous().call("GET", f"/api/tables/{table}/hands")
        assert len(lines) == len(report.hands)
        assert await server.anonymous().call("GET", f"/api/tables/{table}/matches/1/hands") == lines
        [match] = await people[0].call("GET", f"/api/tables/{table}/matches")
        assert match["scores"] == over["scores"]
        assert 'class="mini' in (await server.http.get(f"/t/{table}/hands")).text
        state = await server.context.tables.get(table)
        assert isinstance(state.match, MatchOver)
        assert list(state.match.last.scores) == over["scores"]


async def test_a_page_says_what_to_do_whatever_the_event_does() -> None:
    async with serving(MemoryStore(), entropy=seeded(6)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:3], draw=False)
        browsers = [await site.browser(f"e{team}") for team in (1, 2, 3)]
        assert "Your table will show up here." in await site.me(browsers[0])
        assert await site.to_table(browsers[0]) == f"/e/{site.name}/me"
        await site.draw()
        event = await server.context.events.get(site.name)
        sits_out = int(event.round(1).byes[0][1:]) - 1
        assert "you sit out" in await site.me(browsers[sits_out])
        assert await site.to_table(browsers[sits_out]) == f"/e/{site.name}/me"
        plays = next(index for index in range(3) if index != sits_out)
        await site.record(EventPaused())
        text = await site.me(browsers[plays])
        assert "paused" in text
        assert "Go to my table" not in text
        await site.record(EventResumed())
        await site.record(ScoreEntered(round=1, table=1, score=NoShow(absent=("NS",))))
        north = event.seating(1, 1).entrants_on(0)[0]
        assert "you didn&#39;t show up" in await site.me(browsers[int(north[1:]) - 1])
        east = event.seating(1, 1).entrants_on(1)[0]
        assert "they didn&#39;t show up" in await site.me(browsers[int(east[1:]) - 1])


async def test_a_bot_in_an_absent_players_chair_says_for_whom_it_plays() -> None:
    """On the page of each viewer, in the table's JSON and in the list of tables."""
    async with serving(MemoryStore(), entropy=seeded(21), bot_delay=60.0) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        players = [await site.player(*chair) for chair in (("e1", 0), ("e2", 0), ("e2", 1))]
        ann, table = players[0][0], players[0][1].removeprefix("/t/")
        seating = (await site.events.get(site.name)).seating(1, 1)
        seat = "S" if "e1" in seating.entrants_on(0) else "W"
        assert (await ann.see(table))["seats"][seat] is None
        server.context.online._minute = 0.0
        await server.context.online.seat(site.name, "e1")
        for client, path in players:
            assert (await client.see(table))["seats"][seat] == {"bot": "regular", "stands_for": "Bob"}
            page = await server.http.get(path, headers={"Authorization": f"Bearer {client.token}"})
            assert "Bot for Bob" in page.text
            assert "Bot for Ann" not in page.text
        assert "Bot for Bob" in (await site.new_browser().get(players[0][1])).text
        [listed] = await ann.call("GET", "/api/tables")
        assert listed["seats"][seat]["stands_for"] == "Bob"
        assert "A bot plays for Bob." in await site.me(await site.browser("e2"))


async def test_who_came_is_told_that_they_won_when_the_other_side_did_not() -> None:
    async with serving(MemoryStore(), entropy=seeded(22)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        client, path = await site.player("e1", 0)
        server.context.online._minute = 0.0
        await server.context.online.seat(site.name, "e2")
        page = await server.http.get(path, headers={"Authorization": f"Bearer {client.token}"})
        assert "You won: they didn&#39;t show up." in page.text
        assert "One side didn&#39;t show up in time." in (await site.new_browser().get(path)).text
        for closed in (False, True):
            if closed:
                await site.record(EventClosed())
            assert "Round 1: you won: they didn&#39;t show up" in await site.me(await site.browser("e1"))
            assert "Round 1: you didn&#39;t show up" in await site.me(await site.browser("e2"))


async def test_a_player_with_a_score_waits_for_the_round() -> None:
    async with serving(MemoryStore(), entropy=seeded(7)) as server:
        site = OnlineEventSite(server)
        await site.begin()
        browser = await site.browser("e1")
        seating = (await server.context.events.get(site.name)).round(1).seating_of("e1")
        assert seating is not None
        score = Played(games=(Totals(points=(5, 1)),))
        await site.record(ScoreEntered(round=1, table=seating.table, score=score))
        assert "Your match is over" in await site.me(browser)
        assert await site.to_table(browser) == f"/e/{site.name}/me"


async def test_in_a_hall_the_page_says_where_to_sit() -> None:
    """A substitute is called by their own name."""
    async with serving(MemoryStore(), entropy=seeded(8)) as server:
        site = OnlineEventSite(server)
        await site.begin(("Ann", "Bob", "Cid", "Dot"), format=Format.PROGRESSIVE, online=False)
        browser = await site.browser("e1")
        await site.record(Substituted(entrant="e1", player="Ann", substitute="Zoe", rounds=(1, 9)))
        text = await site.me(browser)
        assert "<h1>Zoe</h1>" in text
        assert "Round 1: table 1, " in text
        assert "Go to my table" not in text
        assert await site.to_table(browser) == f"/e/{site.name}/me"


async def test_others_links_open_nothing() -> None:
    async with serving(MemoryStore(), entropy=seeded(9)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        assert (await server.http.get(f"/e/{site.name}/me")).status_code == 403
        response = await server.http.post(
            f"/e/{site.name}/me/table", headers={"Accept": "application/json", "Authorization": "Bearer unknown"}
        )
        checked(response.json(), "not-your-role")


async def test_an_erased_player_counts_as_dropped_out() -> None:
    """Seats in an event are not given up, so the match does not wait for an erased player."""
    async with serving(MemoryStore(), entropy=seeded(10)) as server:
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2])
        people, table = await site.players("e1", "e2")
        person = (await people[0].see(table))["you"]["person"]
        await people[0].call("DELETE", "/api/me", status=204)
        assert person in (await server.context.tables.get(table)).away


async def test_the_page_follows_the_event_by_a_feed() -> None:
    async with listening(entropy=seeded(11)) as (_, server):
        site = OnlineEventSite(server)
        await site.begin(TEAMS[:2], draw=False)
        browser = await site.browser("e1")
        assert f'data-feed="/e/{site.name}/me/feed"' in await site.me(browser)
        async with browser.stream("GET", f"/e/{site.name}/me/feed", params={"version": "0"}) as response:
            lines = response.aiter_lines()
            await anext(line async for line in lines if "Your table will show up here." in line)
            await site.draw()
            await anext(line async for line in lines if "Go to my table" in line)
