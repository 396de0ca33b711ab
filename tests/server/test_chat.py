"""Chat: phrases always, typed messages if the host allows them, and anyone can be muted."""

import asyncio
from contextlib import aclosing

from leftbower.server.auth import Caller
from leftbower.server.feeds.table_feed import follow_table
from leftbower.server.http.rate_limit import RateLimit
from leftbower.store.memory import MemoryStore
from server_client import FAST, NO_CUTS, checked, free_limits, seated, serving


async def test_phrases_are_said_by_who_sits_there_and_heard_by_all() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        said = await bob.command(table, "say", phrase="nice-hand")
        assert [(message["person"], message["phrase"], message["text"]) for message in said["chat"]["messages"]] == [
            (bob.person, "nice-hand", "")
        ]
        assert (await server.anonymous().see(table))["chat"]["messages"] == said["chat"]["messages"]
        await eve.refused(
            "POST",
            f"/api/tables/{table}/commands",
            {"command": "say", "phrase": "sorry"},
            status=409,
            code="not-seated",
        )
        await bob.refused(
            "POST",
            f"/api/tables/{table}/commands",
            {"command": "say", "phrase": "rats"},
            status=422,
            code="bad-request",
        )
        for _ in range(30):
            await ann.command(table, "say", phrase="thanks")
        assert len((await ann.see(table))["chat"]["messages"]) == 20


async def test_talk_makes_no_act_stale() -> None:
    """Ann's action is for the version before Bob's message, and is still accepted."""
    async with serving(MemoryStore()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], rules="club2", changes={"deal_cut": "none"})
        while True:
            state = await ann.see(table)
            if state["phase"] == "playing":
                break
        client = {"N": ann, "S": bob}[state["hand"]["to_act"]]
        other = bob if client is ann else ann
        await other.command(table, "say", phrase="one-moment")
        action = (await client.see(table))["hand"]["legal"][0]
        acted = await client.act(table, action, state["version"])
        assert acted["action_version"] == state["version"] + 2


async def test_free_text_needs_the_host_and_is_erased_with_its_author() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="S")
        path, words = f"/api/tables/{table}/commands", {"command": "chat", "text": "  fine\u202e \u200b<b>play</b>\n"}
        await bob.refused("POST", path, words, status=409, code="only-phrases")
        await bob.refused("POST", path, {"command": "allow-chat", "allowed": True}, status=403, code="not-the-host")
        await ann.command(table, "allow-chat", allowed=True)
        said = await bob.call("POST", path, words)
        assert [message["text"] for message in said["chat"]["messages"]] == ["fine <b>play</b>"]
        assert "play</b>" not in str([stored.fact for stored in await server.context.store.read(table)])
        await bob.call("DELETE", "/api/me", status=204)
        state = await ann.see(table)
        assert [message["text"] for message in state["chat"]["messages"]] == [""]
        assert state["people"][bob.person] == ""
        await ann.command(table, "allow-chat", allowed=False)
        await ann.refused("POST", path, words, status=409, code="only-phrases")


async def test_who_is_muted_is_not_heard_and_does_not_know() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="S")
        await bob.command(table, "say", phrase="sorry")
        muted = await ann.command(table, "mute", person=bob.person, muted=True)
        assert (muted["chat"]["muted"], muted["chat"]["messages"]) == ([bob.person], [])
        theirs = await bob.command(table, "say", phrase="hello")
        assert (theirs["chat"]["muted"], len(theirs["chat"]["messages"])) == ([], 2)
        assert (await eve.see(table))["chat"]["muted"] == []
        assert len((await ann.command(table, "mute", person=bob.person, muted=False))["chat"]["messages"]) == 2


async def test_the_clock_and_what_is_left_of_it_are_shown() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**NO_CUTS, clock="quick")
        state = await ann.see(table)
        assert (state["clock"], state["seconds_left"]) == ({"kind": "quick", "per_decision": 10.0, "banks": {}}, None)
        await ann.command(table, "set-clock", clock="relaxed")
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="S")
        for seat in "EW":
            await ann.command(table, "seat-bot", seat=seat, level="novice")
        for client in (ann, bob):
            await client.command(table, "agree")
        state = await ann.see(table)
        while state["seconds_left"] is None:
            state = await ann.see(table)
        assert state["clock"]["banks"] == {"N": 180.0, "S": 180.0}
        assert 0 < state["seconds_left"] <= 210.0
        await bob.refused(
            "POST",
            f"/api/tables/{table}/commands",
            {"command": "set-clock", "clock": "slow"},
            status=422,
            code="bad-request",
        )


async def test_a_feed_that_ends_is_noticed_and_one_that_begins_too() -> None:
    async with serving(MemoryStore(), disconnect_delay=0.02) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        presence, caller = server.context.tables.presence, Caller(person=bob.person, token=bob.token)
        async with aclosing(await follow_table(server.context, table, caller)) as feed:
            await anext(feed)
            assert presence.is_listening(table, bob.person)
        async with asyncio.timeout(10):
            while (await server.anonymous().see(table))["away"] != [bob.person]:
                await asyncio.sleep(0.01)
        async with aclosing(await follow_table(server.context, table, caller)) as feed:
            await anext(feed)
            assert (await server.anonymous().see(table))["away"] == []


async def test_chat_is_rate_limited() -> None:
    async with serving(MemoryStore(), limits=free_limits(chat=RateLimit(burst=3, rate=0.1))) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        for _ in range(3):
            await ann.command(table, "say", phrase="hello")
        await ann.refused(
            "POST", f"/api/tables/{table}/commands", {"command": "say", "phrase": "hello"}, status=429, code="too-often"
        )
        await ann.command(table, "agree")


async def test_only_people_at_the_table_can_be_muted() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await ann.open(**FAST)
        await bob.command(table, "sit", seat="E")
        version = (await ann.see(table))["version"]
        for person in (eve.person, "p0123456789abcdef", "x"):
            checked(await bob.command(table, "mute", person=person, muted=True, status=409), "nobody-there")
        assert (await ann.see(table))["version"] == version
        for person in (bob.person, ann.person):
            await eve.command(table, "mute", person=person, muted=True)
