"""Who may do what at an event, over HTTP: links, cookies, phones, helpers, old pages, double taps, papers, files."""

import json
import logging
import re
from html import escape, unescape
from pathlib import Path
from typing import Any, Final

import pytest
from httpx import Response

from event_client import TEAMS, EventSite, event_site, open_event, version_of
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.rules import from_json, preset, to_json, to_link
from leftbower.rules.referee import Irregularity
from leftbower.server.http.lan import lan_address
from leftbower.store import open_store
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import HandReported
from leftbower.tournament.model.facts import ScoreRuled
from leftbower.tournament.model.state import Event, Settled
from leftbower.tournament.scoring.scores import game_scores
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.display import format_score
from payloads import BIDI, CONTROL, TAME

RENEGE: Final = "/e/{}/table/ruling?irregularity=renege&alone=no&corrected=no&called=yes"


async def current_event(site: EventSite) -> Event:
    return await site.server.context.events.get(site.event)


async def points(site: EventSite) -> tuple[tuple[int, ...], ...]:
    """The reported scores of table 1."""
    event = await current_event(site)
    return game_scores(event.rules, event.hall.tallies[1, 1].games)


def ruled_in(page: str) -> dict[str, Any]:
    """The fields of the form that writes a ruling into the score."""
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    assert fields.pop("command") == "incident"
    return fields


def own_cup(change: str) -> str:
    """The link of a school cup with one rule changed."""
    name, value = change.split("=")
    return to_link(from_json({**to_json(preset("school-cup")), name: value}))


async def test_a_code_becomes_an_http_only_cookie_and_leaves_the_url() -> None:
    async with event_site() as site:
        await open_event(site)
        link = (await site.organizer.links())["Table 1, NS"]
        response = await site.anonymous().http.get(link)
        assert response.status_code == 303
        assert response.headers["location"] == f"/e/{site.event}/table"
        cookie = response.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert f"Path=/e/{site.event}/table" in cookie
        assert "Secure" not in cookie  # a hall is plain HTTP
        assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("host", "requested_host", "room"),
    [
        ("0.0.0.0", "127.0.0.1:8000", True),
        ("0.0.0.0", "localhost:8000", True),
        ("0.0.0.0", "10.1.2.3:8000", False),
        ("127.0.0.1", "127.0.0.1:8000", False),
        ("0.0.0.0", "hall.test", False),
    ],
)
async def test_links_use_the_lan_address_and_not_the_loopback(host: str, requested_host: str, room: bool) -> None:
    async with event_site() as site:
        site.server.app.state.host = host
        await open_event(site, teams=TEAMS[:4])
        headers = {"Host": requested_host, "Origin": f"http://{requested_host}"}
        page = await site.organizer.http.post(
            f"/e/{site.event}/desk/links", data={"command": "tables"}, headers=headers
        )
        [base] = set(re.findall(r"<output>(http://[^/]+)/e/\w+/join/", page.text))
        assert base == (f"http://{lan_address()}:8000" if room else f"http://{requested_host}")


async def test_no_code_is_ever_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with event_site() as site:
        await open_event(site)
        links = await site.organizer.links()
        phone = await site.follow_link(links["Table 1, NS"])
        await phone.tap(tap="N3")
        await phone.tap(command="confirm", status=409)
        codes = {link.rsplit("/", 1)[1] for link in links.values()}
        ours = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]
        assert not [code for code in codes for message in ours if code in message]


async def test_a_link_that_was_ended_answers_403_at_once_and_everywhere() -> None:
    async with event_site() as site:
        await open_event(site)
        link = (await site.organizer.links())["Table 1, NS"]
        phone = await site.follow_link(link)
        await phone.tap(tap="N3")
        page = await site.organizer.send(f"/e/{site.event}/desk/links", command="end", role="side:1:NS")
        assert page.headers["location"].endswith("/links")
        assert "This link has ended" in await phone.see(f"/e/{site.event}/table", status=403)
        await phone.tap(tap="N3", round=1, version=99, status=403)
        await site.anonymous().see(link, status=403)
        await phone.see(f"/e/{site.event}/table/feed", status=403)
        fresh = (await site.organizer.links())["Table 1, NS"]
        assert fresh != link
        await (await site.follow_link(fresh)).tap(tap="N3")
        assert len((await current_event(site)).hall.tallies[1, 1].games[0].hands) == 2


async def test_who_ends_the_desks_link_stays_and_gets_a_new_one() -> None:
    async with event_site() as site:
        await open_event(site)
        old = (await site.organizer.new_links(command="new", role="organizer"))["This desk"]
        other = await site.follow_link(old)
        fresh = (await site.organizer.new_links(command="end", role="organizer"))["This desk"]
        await other.see(f"/e/{site.event}/desk", status=403)
        await site.anonymous().see(old, status=403)
        await site.organizer.see(f"/e/{site.event}/desk")
        await (await site.follow_link(fresh)).see(f"/e/{site.event}/desk")


async def test_pages_need_a_link_and_a_made_up_one_leads_nowhere() -> None:
    async with event_site() as site:
        await open_event(site)
        visitor = site.anonymous()
        for path in ("desk", "desk/people", "table", "wall", "desk/ledger.jsonl", "desk/printouts/tents"):
            await visitor.see(f"/e/{site.event}/{path}", status=403)
        await visitor.see(f"/e/{site.event}/join/{'0' * 24}", status=404)
        await visitor.see("/e/ffffffffff", status=404)
        await visitor.send(f"/e/{site.event}/desk/commands", command="draw", status=403)


async def test_a_phone_has_no_business_at_the_desk_nor_a_helper_with_money() -> None:
    async with event_site() as site:
        await open_event(site)
        await site.organizer.new_links(command="helper")
        links = await site.organizer.links()
        codes = {title: link.rsplit("/", 1)[1] for title, link in links.items()}
        visitor = site.anonymous()
        desk, table = f"/e/{site.event}/desk/commands", f"/e/{site.event}/table/commands"
        as_phone = {"Authorization": f"Bearer {codes['Table 1, NS']}"}
        response = await visitor.http.post(desk, data={"command": "pay"}, headers=as_phone)
        assert response.status_code == 403
        as_helper = {"Authorization": f"Bearer {codes['Helper 1']}"}
        assert (await visitor.http.post(table, data={"tap": "N3"}, headers=as_helper)).status_code == 403
        helper = await site.follow_link(links["Helper 1"])
        await helper.do("score", round=1, table=1, version=0, games="10-6")
        for what in ("pay", "close", "draw", "publish", "pause"):
            response = await helper.do(what, status=403, script=True)
            assert response.json()["error"]["code"] == "not-your-role"
        for section in ("money", "people", "links", "print", "draw", "ledger.jsonl"):
            await helper.see(f"/e/{site.event}/desk/{section}", status=403)
        entry = (await site.server.context.events.entries(site.event))[-1]
        assert entry.by == "helper 1"


async def test_a_phone_reports_for_its_side_and_cannot_confirm_itself() -> None:
    async with event_site() as site:
        await open_event(site)
        ns, ew = await site.phones()
        for token in ("N5!", "N5!", "N5"):
            await ns.tap(tap=token)
        await ns.tap(command="report")
        response = await ns.tap(command="confirm", status=403, script=True)
        assert response.json()["error"]["code"] == "not-your-table"
        await ew.tap(command="confirm")
        event = await current_event(site)
        assert isinstance(event.score_states[1, 1], Settled)
        assert (1, 2) not in event.score_states
        entries = await site.server.context.events.entries(site.event)
        assert [entry.by for entry in entries[-2:]] == ["table 1 NS", "table 1 EW"]
        assert all(entry.at > 0 for entry in entries)


async def test_a_double_tap_counts_once_and_an_old_page_gets_a_409() -> None:
    async with event_site() as site:
        await open_event(site)
        ns, ew = await site.phones()
        page = await ns.phone()
        for _ in range(3):
            await ns.tap(tap="N3", **page)
        event = await current_event(site)
        assert len(event.hall.tallies[1, 1].games[0].hands) == 1
        await ns.tap(tap="N3")  # the next hand, on a newer page
        assert len((await current_event(site)).hall.tallies[1, 1].games[0].hands) == 2
        old = await ew.phone()
        await ns.tap(command="total", g1s0=10, g1s1=4)
        response = await ew.tap(command="total", g1s0=4, g1s1=10, status=409, script=True, **old)
        conflict = response.json()
        assert conflict["error"]["code"] == "stale"
        assert conflict["now"] == {
            "round": 1,
            "table": 1,
            "state": "reported",
            "score": "10-4",
            "hands": 2,
            "version": (await current_event(site)).table_version((1, 1)),
        }
        page_too = await ew.tap(command="total", g1s0=4, g1s1=10, status=409, **old)
        assert "The other side says" in page_too.text
        assert "10-4" in page_too.text
        await ew.tap(command="confirm")
        stands = (await current_event(site)).table_version((1, 1))
        late = await site.organizer.do("score", round=1, table=1, version=0, games="4-10", status=409, script=True)
        assert late.json()["now"]["score"] == "10-4"
        assert (await current_event(site)).table_version((1, 1)) == stands


async def test_desk_forms_sent_twice_are_done_once() -> None:
    async with event_site() as site:
        await open_event(site, draw=False)
        page = version_of(await site.organizer.see(f"/e/{site.event}/desk"))
        for _ in range(2):
            await site.organizer.send(
                f"/e/{site.event}/desk/commands", command="enter", version=page, names="Yan & Zoe"
            )
            await site.organizer.send(
                f"/e/{site.event}/desk/commands", command="mark", version=page, what="present", who="e1"
            )
        assert len((await current_event(site)).entrants) == 13
        await site.organizer.send(f"/e/{site.event}/desk/commands", command="draw", version=page, status=409)
        await site.organizer.do("draw")
        assert len((await current_event(site)).rounds) == 1


async def test_a_dispute_and_a_call_reach_the_desk_and_a_ruling_ends_it() -> None:
    async with event_site() as site:
        await open_event(site)
        ns, ew = await site.phones()
        await ns.tap(command="total", g1s0=10, g1s1=8)
        await ew.tap(command="dispute", why="we had nine <b>points</b>")
        await ew.tap(command="call", why="bring the sheet")
        page = await site.organizer.see(f"/e/{site.event}/desk")
        assert "we had nine &lt;b&gt;points&lt;/b&gt;" in page
        opponents = (
            (await current_event(site)).entrants[(await current_event(site)).seating(1, 1).entrants_on(1)[0]].name
        )
        assert f"{escape(opponents)} called the director: bring the sheet" in page
        assert "The desk will decide." in await ns.see(f"/e/{site.event}/table")
        version = (await current_event(site)).table_version((1, 1))
        await site.organizer.do("score", round=1, table=1, version=version, games="10-9", why="nine it was")
        await site.organizer.do("arrived", round=1, table=1, version=(await current_event(site)).table_version((1, 1)))
        event = await current_event(site)
        assert event.settled_score(1, 1) is not None
        assert not event.hall.calls
        [ruled] = [entry.fact for entry in event.corrections]
        assert isinstance(ruled, ScoreRuled)
        assert ruled.why == "nine it was"
        version = event.table_version((1, 1))
        await site.organizer.do("correct", round=1, table=1, version=version, games="9-10", why="", status=422)
        await site.organizer.do("correct", round=1, table=1, version=version, games="9-10", why="sides mixed up")
        assert len((await current_event(site)).corrections) == 2


async def test_a_disputed_table_is_the_first_card_and_one_tap_settles_it() -> None:
    """The desk names teams, never sides."""
    async with event_site() as site:
        await open_event(site)
        ns, ew = await site.phones(3)
        for hand in ("N5!", "N5!", "N5"):
            await ns.tap(tap=hand)
        await ns.tap(command="report")
        await ew.tap(command="dispute", why="we had nine")
        page = await site.organizer.see(f"/e/{site.event}/desk")
        assert re.findall(r'<b aria-hidden="true">(\d)</b>', page) == ["3", "1", "2", "4", "5", "6"]
        assert "10-0 stands" in page
        assert not re.search(r">\s*(NS|EW)\s*<", page + await site.organizer.see(f"/e/{site.event}/desk/draw"))
        version = (await current_event(site)).table_version((1, 3))
        await site.organizer.do("stand", round=1, table=3, version=version)
        assert (await current_event(site)).settled_score(1, 3) is not None
        page = await site.organizer.see(f"/e/{site.event}/desk")
        assert re.findall(r'<b aria-hidden="true">(\d)</b>', page) == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("rules", ["club", "prize-night", "school-cup", "campus", "round-robin"])
async def test_the_wizard_rules_by_the_sheet_and_adds_the_penalty(rules: str) -> None:
    async with event_site() as site:
        await open_event(site, rules=rules, teams=TEAMS[:4])
        for kind in Irregularity:
            page = await site.organizer.see(f"/e/{site.event}/desk/ruling?round=1&table=1&irregularity={kind}")
            facts = re.findall(
                r'name="(offender|dealer|maker|alone|corrected|called|earlier_warnings|up_card_shown)"', page
            )
            assert "earlier_warnings" not in facts  # they are counted from the hands entered
            answers = {
                "offender": "E",
                "dealer": "E",
                "alone": "no",
                "corrected": "no",
                "called": "yes",
                "up_card_shown": "yes",
            }
            query = "".join(f"&{name}={answers[name]}" for name in facts)
            ruled = await site.organizer.see(f"/e/{site.event}/desk/ruling?round=1&table=1&irregularity={kind}{query}")
            assert 'class="ruled"' in ruled, (kind, query)
        ns, _ = await site.phones()
        page = await ns.see(f"{RENEGE.format(site.event)}&offender=E")
        await ns.tap(command="incident", **ruled_in(page))
        event = await current_event(site)
        [entry] = [
            entry
            for entry in await site.server.context.events.entries(site.event)
            if isinstance(entry.fact, HandReported)
        ]
        assert entry.by == "table 1 NS"
        names = event.entrants[event.seating(1, 1).entrants_on(0)[0]].name
        cost = "a warning" if rules == "school-cup" else f"{escape(names)} +2"
        assert re.search(rf"Renege: \w+ \(E\), {re.escape(cost)}", await ns.see(f"/e/{site.event}/table"))
        assert event.hall.tallies[1, 1].scorer == "NS"


async def test_school_cup_wizard_on_a_phone_counts_the_offenders_warnings() -> None:
    """A partner and an opponent who were warned make no other player a second offender."""
    async with event_site() as site:
        await open_event(site, rules="school-cup", teams=TEAMS[:4])
        ns, _ = await site.phones()
        for seat in "NEW":
            page = await ns.see(f"{RENEGE.format(site.event)}&offender={seat}")
            assert re.search(rf"Earlier warnings this game for \w+ \({seat}\): 0\.", page)
            assert "A warning. The play stands" in page
            await ns.tap(command="incident", **ruled_in(page))
            assert await points(site) == ((0, 0),)
        await ns.tap(tap="E3")
        second = await ns.see(f"{RENEGE.format(site.event)}&offender=W")
        assert re.search(r"Earlier warnings this game for \w+ \(W\): 1\.", second)
        assert "North and South score 2 points" in second
        await ns.tap(command="incident", **ruled_in(second))
        assert await points(site) == ((2, 1),)
        page = await ns.see(f"/e/{site.event}/table")
        assert re.findall(r'<li (?:value="(\d)"|class="aside")>', page) == [
            "",
            "",
            "",
            "1",
            "2",
        ]  # warnings are no hands
        await ns.tap(command="back")
        await ns.tap(command="back")
        await ns.tap(command="back")  # the warning of West
        for seat, count in (("W", 0), ("E", 1)):
            page = await ns.see(f"{RENEGE.format(site.event)}&offender={seat}")
            assert re.search(rf"Earlier warnings this game for \w+ \({seat}\): {count}\.", page)


async def test_school_cup_wizard_at_the_desk_counts_this_games_warnings() -> None:
    """The desk writes the second renege; when a game is over, the next one begins without warnings."""
    async with event_site() as site:
        await open_event(site, rules="school-cup", teams=TEAMS[:4])
        desk = f"/e/{site.event}/desk/ruling?round=1&table=1&irregularity=renege&offender=W"
        for expected in ((0, 0), (2, 0)):
            await site.organizer.do("incident", **ruled_in(await site.organizer.see(desk)))
            assert await points(site) == (expected,)
        ns, _ = await site.phones()
        for token in ("N5!", "N5!"):
            await ns.tap(tap=token)
        assert "A warning. The play stands" in await site.organizer.see(desk)
        await site.organizer.do("incident", **ruled_in(await site.organizer.see(desk)))
        assert await points(site) == ((10, 0), (0, 0))
        for token in ("N5!", "N5!"):
            await ns.tap(tap=token)
        await site.organizer.do("incident", **ruled_in(await site.organizer.see(desk)))
        assert await points(site) == ((10, 0), (10, 0))
        await ns.tap(command="report")
        assert "10-0, 10-0" in await site.organizer.see(f"/e/{site.event}/desk")
        assert "North and South score 2 points" in await site.organizer.see(desk)  # a finished match does not change


@pytest.mark.parametrize(
    ("changes", "warned", "second"),
    [
        ("warnings_for=side", "E", r"Earlier warnings this game for \w+ \(E\) and \w+ \(W\): 1\."),
        ("warnings_last=match", "W", r"Earlier warnings this match for \w+ \(W\): 1\."),
    ],
)
async def test_the_wizard_counts_warnings_by_side_or_in_the_match(changes: str, warned: str, second: str) -> None:
    """As the table's own rules have it: the partner's warning, or one of the game before."""
    async with event_site() as site:
        await open_event(site, rules=own_cup(changes), teams=TEAMS[:4])
        ns, _ = await site.phones()
        await ns.tap(command="incident", **ruled_in(await ns.see(f"{RENEGE.format(site.event)}&offender={warned}")))
        if "match" in changes:
            for _ in range(3):
                await ns.tap(tap="N5!")
        page = await ns.see(f"{RENEGE.format(site.event)}&offender=W")
        assert re.search(second, page)
        await ns.tap(command="incident", **ruled_in(page))
        assert (await points(site))[-1] == (2, 0)


async def test_paper_scores_are_compared_with_reported_ones() -> None:
    async with event_site() as site:
        await open_event(site)
        ns, _ = await site.phones(1)
        await ns.tap(command="total", g1s0=10, g1s1=8)
        other, _ = await site.phones(2)
        await other.tap(command="total", g1s0=10, g1s1=8)
        for table, paper in ((1, "10-8"), (2, "8-10"), (3, "10-2")):
            await site.organizer.do(
                "paper",
                round=1,
                table=table,
                version=(await current_event(site)).table_version((1, table)),
                games=paper,
            )
        event = await current_event(site)
        assert [event.settled_score(1, table) is not None for table in (1, 2, 3)] == [True, False, True]
        page = await site.organizer.see(f"/e/{site.event}/desk/paper")
        assert "1 difference" in page
        assert "reported <b>10-8</b>, on paper <b>8-10</b>" in page
        version = event.table_version((1, 2))
        await site.organizer.do("score", round=1, table=2, version=version, games="8-10", why="the paper is signed")
        assert (
            "difference"
            not in (await site.organizer.see(f"/e/{site.event}/desk/paper")).split("<h2>Scores from paper")[0]
        )
        assert "<h2>1 difference" not in await site.organizer.see(f"/e/{site.event}/desk/paper")


async def test_late_entries_and_drops_change_open_rounds_before_a_final() -> None:
    async with event_site() as site:
        await open_event(site, rounds=2, teams=TEAMS[:8], fee=5)
        await site.settle(1, 1, "10-6")
        await site.organizer.do("enter", names="Yan & Zoe")
        await site.organizer.do("mark", what="withdrawn", who="e2")
        for table in range(2, 5):
            await site.settle(1, table, f"10-{table}")
        assert "Draw the next round" in await site.organizer.see(f"/e/{site.event}/desk/draw")
        await site.organizer.do("draw")
        event = await current_event(site)
        playing = {who for seating in event.rounds[1].tables for who in seating.entrants} | set(event.rounds[1].byes)
        assert "e9" in playing
        assert "e2" not in playing
        await site.organizer.do("redraw", why="the wrong list")
        await site.organizer.do("substitute", player="Ann", by="Xena", rounds="2", credit="")
        for seating in (await current_event(site)).rounds[1].tables:
            await site.settle(2, seating.table, f"10-{seating.table + 3}")
        assert "Start the final" in await site.organizer.see(f"/e/{site.event}/desk/standings")
        await site.organizer.do("final", top=4, best_of=1)
        assert "No rounds drawn yet" in await site.organizer.see(f"/e/{site.event}/desk/draw")
        for _ in range(2):
            await site.organizer.do("draw")
            last = (await current_event(site)).rounds[-1]
            for seating in last.tables:
                await site.settle(last.number, seating.table, "10-3")
        page = await site.organizer.see(f"/e/{site.event}/desk/draw")
        assert "Draw the next round" not in page
        await site.organizer.do("close")
        event = await current_event(site)
        assert event.closed
        assert {line.entrant for line in standings(event)[:4]} == set(event.stages[1].entrants)
        await site.organizer.do("money", what="fee", who="Ann & Bob", amount="5")
        await site.organizer.do("money", what="gift", amount="12.50")
        assert (await current_event(site)).pot == 1750


async def test_page_and_standings_are_public_once_they_are_published() -> None:
    async with event_site() as site:
        await open_event(site)
        await site.settle(1, 1, "10-6")
        visitor = site.anonymous()
        for path in ("", "/results.json", "/standings.csv"):
            await visitor.see(f"/e/{site.event}{path}", status=404)
        await site.organizer.do("publish", page="yes")
        page = await visitor.see(f"/e/{site.event}")
        assert "Standings come at the end" in page
        assert json.loads(await visitor.see(f"/e/{site.event}/results.json"))["standings"] is None
        await visitor.see(f"/e/{site.event}/standings.csv", status=404)
        await site.organizer.do("publish", page="yes", standings="yes")
        results = json.loads(await visitor.see(f"/e/{site.event}/results.json"))
        assert results["standings"][0]["points"] == 10
        assert [line["score"] for line in results["rounds"]][:2] == ["10-6", None]
        assert (await visitor.see(f"/e/{site.event}/standings.csv")).startswith("place,name")
        assert (await visitor.see(f"/e/{site.event}/results.csv")).startswith("round,table")
        assert "set-cookie" not in (await visitor.http.get(f"/e/{site.event}")).headers


async def test_an_evening_is_carried_to_another_laptop_and_to_the_commands(tmp_path: Path) -> None:
    async with event_site() as site:
        await open_event(site)
        for table in range(1, 7):
            await site.settle(1, table, f"10-{table}")
        text = await site.organizer.see(f"/e/{site.event}/desk/ledger.jsonl")
        before = standings(await current_event(site))
    file = tmp_path / "night.jsonl"
    file.write_text(text, encoding="utf-8")
    assert standings(open_ledger(str(file)).event) == before
    async with event_site() as other:
        response = await other.organizer.http.post("/events/import", files={"ledger": ("night.jsonl", text)})
        assert response.status_code == 303, response.text
        other.event = other.organizer.event = response.headers["location"].split("/")[2]
        assert standings(await current_event(other)) == before
        await other.organizer.do("draw")
        assert len((await current_event(other)).rounds) == 2
        lines = text.splitlines()
        for wrong in ("", "{", "[]", "\n".join(lines[1:]), "\n".join([*lines, lines[-1]]), "x" * 100_000):
            refused = await other.organizer.http.post("/events/import", files={"ledger": ("x", wrong)})
            assert refused.status_code == 422
            assert 'role="alert"' in refused.text


async def test_a_restart_loses_nothing_and_links_go_on(tmp_path: Path) -> None:
    address = str(tmp_path / "hall.db")
    async with await open_store(address) as store, event_site(store) as site:
        await open_event(site)
        ns, _ = await site.phones()
        await ns.tap(tap="N5!")
        name, cookies = site.event, ns.http.cookies
    async with await open_store(address) as store, event_site(store) as again:
        again.event = again.organizer.event = name
        phone = again.anonymous()
        phone.http.cookies = cookies
        await phone.tap(tap="N5")
        event = await current_event(again)
        assert len(event.hall.tallies[1, 1].games[0].hands) == 2
        assert not await store.verify()


async def test_names_are_entered_from_files_of_either_kind() -> None:
    async with event_site() as site:
        await open_event(site, teams=("Ann & Bob",), draw=False)
        path = f"/e/{site.event}/desk/import"
        csv = "player,partner,school\nCid,Dot,North\nEve,Fay,South\n"
        assert (await site.organizer.http.post(path, files={"names": ("a.csv", csv)})).status_code == 303
        text = "1. Gus & Hal\n2. Ida and Jon (North)\n"
        assert (await site.organizer.http.post(path, files={"names": ("a.txt", text)})).status_code == 303
        found = {entrant.name: entrant.school for entrant in (await current_event(site)).entrants.values()}
        assert found == {
            "Ann & Bob": "",
            "Cid & Dot": "North",
            "Eve & Fay": "South",
            "Gus & Hal": "",
            "Ida & Jon": "North",
        }
        long = "\n".join(f"Player{number} & Partner{number}" for number in range(400))
        assert (await site.organizer.http.post(path, files={"names": ("a.txt", long)})).status_code == 303
        assert len((await current_event(site)).entrants) == 405


async def test_names_are_text_on_every_page_of_an_event() -> None:
    async with event_site() as site:
        await open_event(site, teams=("Ann & Bob", "Cid & Dot"), draw=False)
        for number, payload in enumerate((*TAME, *BIDI, *CONTROL)):
            cell = payload.replace("\n", " ").replace('"', '""')
            names = f'player,partner\n"{cell}",Zoe {number}'  # a cell of CSV is not split into names
            await site.organizer.http.post(f"/e/{site.event}/desk/commands", data={"command": "enter", "names": names})
        await site.organizer.do("draw")
        await site.organizer.do("publish", page="yes", standings="yes")
        event = await current_event(site)
        assert len(event.entrants) > 100
        base = f"/e/{site.event}"
        pages = [f"{base}/desk{part}" for part in ("", "/people", "/draw", "/standings", "/paper", "/printouts/chart")]
        for path in (*pages, base):
            page = await site.organizer.see(path)
            scripts = re.findall(r"<(script|img|iframe|svg|b|a)\b[^>]*(?:onerror|onload|javascript:|alert)", page)
            assert not scripts, (path, scripts[:3])
            assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", page), path


async def enter_names(site: EventSite, *, status: int = 303, **form: Any) -> Response:
    """Send the form of pasted names."""
    return await site.organizer.send(f"/e/{site.event}/desk/import", status=status, **form)


async def test_a_thousand_names_are_entered_and_one_more_refuses_them_all() -> None:
    names = [f"Bartholomew Featherstonehaugh-{number:04}" for number in range(1001)]
    async with event_site() as site:
        await open_event(site, teams=("Zoe",), draw=False, format="winners-move")
        assert "maxlength" not in (await site.organizer.see(f"/e/{site.event}/desk/people")).split("</textarea>")[0]
        response = await enter_names(site, names="\n".join(names), status=422)
        assert "A list has at most 1000 names." in response.text
        assert len((await current_event(site)).entrants) == 1
        await enter_names(site, names="\n".join(names[:999]))
        assert [entrant.name for entrant in (await current_event(site)).entrants.values()] == ["Zoe", *names[:999]]


@pytest.mark.parametrize(
    ("partners", "teams", "waiting"),
    [("listed", ["Cid & Dot"], ["Eve"]), ("wait", [], ["Cid", "Dot", "Eve"]), ("team", ["Cid", "Dot", "Eve"], [])],
)
async def test_single_names_in_a_team_event_are_asked_about(
    partners: str, teams: list[str], waiting: list[str]
) -> None:
    async with event_site() as site:
        await open_event(site, teams=("Ann & Bob",), draw=False)
        asked = await enter_names(site, names="Cid\nDot\nGus & Hal\nEve", status=422)
        assert "No partner is listed for Cid, Dot and Eve" in asked.text
        assert "Pair them up?" in asked.text
        assert "Cid\nDot\nGus &amp; Hal\nEve</textarea>" in asked.text
        assert len((await current_event(site)).entrants) == 1
        await enter_names(site, names="Cid\nDot\nGus & Hal\nEve", partners=partners)
        entrants = list((await current_event(site)).entrants.values())[1:]
        assert {entrant.name for entrant in entrants if not entrant.single} == {"Gus & Hal", *teams}
        assert [entrant.name for entrant in entrants if entrant.single] == waiting


async def test_single_names_are_paired_by_lot() -> None:
    names = [f"Player {letter}" for letter in "abcdefghij"]
    async with event_site() as site:
        await open_event(site, teams=("Ann & Bob",), draw=False)
        await enter_names(site, names="\n".join(names), partners="lot")
        drawn = [entrant.players for entrant in list((await current_event(site)).entrants.values())[1:]]
        assert sorted(name for players in drawn for name in players) == names
        assert drawn != list(zip(names[::2], names[1::2], strict=True))


async def test_an_earlier_round_is_corrected_on_the_draw_and_on_a_teams_page() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        for number in (1, 2):
            for table in (1, 2):
                await site.settle(number, table, "10-6")
            await site.organizer.do("draw")
        event = await current_event(site)
        team = event.seating(1, 1).entrants_on(0)[0]
        base = f"/e/{site.event}/desk"
        for path, back in (("/draw", ""), (f"/entrants/{team}", team)):
            page = await site.organizer.see(base + path)
            assert "Correct score of round 1, table 1" in page
            version = (await current_event(site)).table_version((1, 1))
            form: dict[str, Any] = {
                "command": "correct",
                "round": 1,
                "table": 1,
                "version": version,
                "why": "misread",
                "back": back,
            }
            points = 7 if back else 8
            response = await site.organizer.send(f"{base}/commands", part="draw", games=f"10-{points}", **form)
            assert response.headers["location"] == base + path
            score = (await current_event(site)).settled_score(1, 1)
            assert score is not None
            assert format_score(event, event.seating(1, 1), score) == f"10-{points}"
        assert f'href="{base}/entrants/{team}"' in await site.organizer.see(f"{base}/standings")


async def test_closing_says_what_is_unfinished_asks_and_can_be_undone() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        await site.settle(1, 1, "10-6")
        page = " ".join((await site.organizer.see(f"/e/{site.event}/desk/standings")).split())
        event = await current_event(site)
        names = event.entrants[event.seating(1, 2).entrants_on(0)[0]].name
        asked = page[page.index("Close the event") : page.index("Yes, close it")]
        assert "Still without a score:" in asked
        assert escape(names) in asked
        await site.organizer.do("close")
        await site.organizer.do("reopen")
        assert not (await current_event(site)).closed


async def test_a_struck_team_leaves_the_standings_and_a_waived_fee_is_not_owed() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4], fee="10")
        await site.organizer.do("mark", what="withdrawn", who="e1")
        await site.organizer.do("mark", what="waived", who="e1")
        assert (await current_event(site)).entrants["e1"].owes == 0
        assert "(gone home)" in await site.organizer.see(f"/e/{site.event}/desk/standings")
        await site.organizer.do("strike", who="e1", part="standings", back="e1")
        assert "e1" not in {line.entrant for line in standings(await current_event(site))}
        assert "struck from the standings" in await site.organizer.see(f"/e/{site.event}/desk/entrants/e1")
        await site.organizer.do("unstrike", who="e1")
        assert "e1" in {line.entrant for line in standings(await current_event(site))}


async def test_rounds_that_have_not_begun_are_not_playing() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4], format="round-robin")
        page = await site.organizer.see(f"/e/{site.event}/desk/draw")
        assert page.count('class="is-playing"') == 2
        assert page.count('class="is-upcoming"') == 4


async def test_all_are_here_leaves_the_absent_absent() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4], draw=False)
        await site.organizer.do("mark", what="absent", who="e2")
        await site.organizer.do("mark", what="withdrawn", who="e3")
        await site.organizer.do("mark", what="present", who="all")
        presence = [str(entrant.presence) for entrant in (await current_event(site)).entrants.values()]
        assert presence == ["present", "absent", "withdrawn", "present"]


@pytest.mark.parametrize("format", Format)
async def test_the_form_offers_every_format_of_the_registry(format: Format) -> None:
    """Each by its title and description, and the event that is created plays it."""
    definition = format.definition
    async with event_site() as site:
        page = await site.organizer.see("/events")
        [choices] = re.findall(r'<select name="format"[^>]*>.+?</select>', page, re.DOTALL)
        [text] = re.findall(rf'<option value="{definition.key}"[^>]*>\s*(.+?)\s*</option>', choices)
        entrants = " (single players)" if definition.singles else ""
        assert unescape(text) == f"{definition.title}{entrants}: {definition.description}"
        response = await site.organizer.send("/events", title="Friday", format=definition.key)
        event = await site.server.context.events.get(response.headers["location"].split("/")[2])
        assert event.stage.format is format


async def test_a_wrong_plan_is_shown_on_the_form_with_its_fields() -> None:
    async with event_site() as site:
        response = await site.organizer.send("/events", title="Kept", fee="ten", status=422)
        assert 'value="Kept"' in response.text
        assert "write 5 or 5.00" in response.text
        response = await site.organizer.send("/events", prizes="10,20", status=422)
        assert "A better place can&#39;t get less" in response.text


@pytest.mark.parametrize("link", [own_cup("deal_cut=left"), "lb1-I6ACFgDAABAAEBIkSkQkBAAQoiTkEg"])
async def test_a_wrong_plan_keeps_rules_that_are_a_link(link: str) -> None:
    """A link of either version stays chosen as rules of their own; a sheet is chosen by its name."""
    async with event_site() as site:
        response = await site.organizer.send("/events", rules=link, fee="ten", status=422)
        assert f'<option value="{link}" selected>Our own rules</option>' in response.text
        response = await site.organizer.send("/events", rules="club", fee="ten", status=422)
        assert "Our own rules" not in response.text
