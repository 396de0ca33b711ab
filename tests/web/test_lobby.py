"""The lobby: what the host changed since the viewer agreed, earlier matches, and who may look at them."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from leftbower.rules import Seat, preset
from leftbower.rules.choices import Cut
from leftbower.store.memory import MemoryStore
from leftbower.table import Agreed, RematchRequested, RulesChanged, Sat, TimeControl, TimeControlChanged, apply_fact
from leftbower.web.app import install
from leftbower.web.render import render_table
from leftbower.web.table.history import finished_hands
from leftbower.web.table.lobby import LobbyViewModel, lobby_view_model
from server_client import NO_CUTS, AppServer, Client, play_on, seated, seeded, serving
from table_fixture import ANN, BOB, CAT, TableFixture
from table_fixture import seated as seated_evening

N, E, S, W = Seat
NAMES = {ANN: "Ann", BOB: "Bob", CAT: "Cat"}
BEST_OF_5: dict[str, Any] = {name: replace(preset(name), best_of=5) for name in ("club", "campus")}
CHANGED = "The host changed the rules"


def lobby_for(evening: TableFixture, person: str | None) -> LobbyViewModel:
    return lobby_view_model(evening.table, person, NAMES, "http://hall/t/t")


def ready(sheet: str) -> TableFixture:
    """Ann is the host; she and Bob are ready, Cat is not."""
    evening = TableFixture(preset(sheet))
    for person, seat in ((ANN, N), (BOB, E), (CAT, S)):
        evening.command(person, Sat(person=person, seat=seat))
    for person in (ANN, BOB):
        evening.command(person, Agreed(person=person))
    return evening


async def page(server: AppServer, client: Client, path: str, *, status: int = 200) -> str:
    headers = {"Cookie": f"leftbower={client.token}"} if client.token else {}
    answer = await server.http.get(path, headers=headers)
    assert answer.status_code == status, (path, answer.status_code, answer.text[:300])
    return unescape(answer.text)


# What the host changed


def test_club_who_is_ready_sees_what_the_host_changed_and_stays_ready() -> None:
    evening = ready("club")
    evening.command(ANN, RulesChanged(rules=BEST_OF_5["club"]), TimeControlChanged(clock=TimeControl.QUICK))
    bob = lobby_for(evening, BOB)
    assert len(bob.changes) == 2
    assert "The clock is quick: 10 seconds for each decision" in bob.changes[0]
    assert bob.changes[1] == "A match is the best of five games: three wins take it."
    assert bob.agreement_text.startswith("You are still ready.")
    assert not bob.may_agree
    assert [seat.has_agreed for seat in bob.seats] == [False, True, False, False]
    assert lobby_for(evening, ANN).changes == lobby_for(evening, CAT).changes == lobby_for(evening, None).changes == ()
    assert CHANGED in render_table("t", evening.table, BOB, NAMES, address="")
    assert CHANGED not in render_table("t", evening.table, CAT, NAMES, address="")
    evening.command(ANN, RulesChanged(rules=preset("club")))
    assert "The host changed the clock" in render_table("t", evening.table, BOB, NAMES, address="")
    evening.command(ANN, TimeControlChanged(clock=TimeControl.OFF))
    assert lobby_for(evening, BOB).changes == ()


def test_campus_who_was_ready_sees_what_the_host_changed_and_is_asked_again() -> None:
    evening = ready("campus")
    evening.command(ANN, RulesChanged(rules=BEST_OF_5["campus"]))
    bob = lobby_for(evening, BOB)
    assert len(bob.changes) == 1
    assert bob.agreement_text == "You have to agree again before the match begins."
    assert bob.may_agree
    evening.command(BOB, Agreed(person=BOB))
    assert lobby_for(evening, BOB).changes == ()


def test_another_sheet_is_told_in_a_few_lines() -> None:
    evening = ready("club")
    evening.command(ANN, RulesChanged(rules=preset("school-cup")))
    *changes, more = lobby_for(evening, BOB).changes
    assert "school cup" in changes[0]
    assert len(changes) == 6
    assert all(changes)
    assert more.startswith("And ")


def test_after_a_match_those_who_played_see_what_is_changed_for_the_next() -> None:
    evening = seated_evening(preset("club"), people=(ANN, BOB), seed=3)
    evening.play_on()
    evening.command(ANN, RulesChanged(rules=BEST_OF_5["club"]))
    assert len(lobby_for(evening, BOB).changes) == 1
    assert lobby_for(evening, BOB).agreement_text == ""
    assert lobby_for(evening, CAT).changes == ()
    evening.command(BOB, RematchRequested(person=BOB))
    assert lobby_for(evening, BOB).changes == ()


@pytest.mark.parametrize("old", ["club", "campus", "club3", "club2"])
def test_a_lobby_stands_when_more_or_fewer_are_to_play_the_next_match(old: str) -> None:
    """Score, story and hands stay those of the match that is over, by its own rules and names."""
    evening = seated_evening(preset(old), people=(ANN, BOB), seed=3)
    table = evening.play_on()
    before = finished_hands(table, ANN, NAMES)
    for new in ("club", "campus", "club3", "club2"):
        for best_of in (1, 3):
            changed = apply_fact(table, RulesChanged(rules=replace(preset(new), best_of=best_of)), 1.0)
            for person in (ANN, BOB, CAT, None):
                won = lobby_view_model(table, person, NAMES, "").winner_text
                assert f"<h2>{won}</h2>" in render_table("t", changed, person, NAMES, address="")
            assert finished_hands(changed, ANN, NAMES) == before


# Matches that were played before


async def test_the_lobby_lists_earlier_matches_with_pages_that_need_no_script() -> None:
    async with serving(MemoryStore(), entropy=seeded(1)) as server:
        install(server.app)
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await seated(ann, [bob], bots="SW", **NO_CUTS)
        first = await play_on([ann, bob], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
        assert "Earlier matches" not in await page(server, ann, f"/t/{table}")
        for client in (ann, bob):
            await client.ask(table, "rematch")
        playing = await page(server, ann, f"/t/{table}/hands")
        assert "No game of this match is over yet" in playing
        assert f'href="/t/{table}/matches/1"' in playing
        await play_on([ann, bob], table)
        text = await page(server, bob, f"/t/{table}")
        assert "Earlier matches" in text
        points = "–".join(map(str, sorted(first["scores"], reverse=True)))
        who = "You and Nora" if first["scores"][1] > first["scores"][0] else "Ann and Wade"
        assert f"{who} won {points}." in text
        [address] = {part.split('"')[0] for part in text.split('href="') if part.startswith("/api/") and "/1/" in part}
        answer = await server.http.get(address, headers={"Cookie": f"leftbower={bob.token}"})
        assert answer.text == record
        hands = await page(server, bob, f"/t/{table}/matches/1")
        assert "All hands of match 1" in hands
        assert 'class="mini' in hands
        assert f'href="{address}"' in hands
        assert f'href="/t/{table}/matches/2"' in hands
        assert "Earlier matches" not in await page(server, eve, f"/t/{table}")


async def test_a_page_of_an_earlier_match_is_for_those_who_played_it() -> None:
    async with serving(MemoryStore(), entropy=seeded(2)) as server:
        install(server.app)
        ann, eve = await server.guests("Ann", "Eve")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await play_on([ann], table)
        assert 'class="mini' in await page(server, eve, f"/t/{table}/matches/1")
        await ann.ask(table, "rematch")
        for client in (eve, server.stranger()):
            text = await page(server, client, f"/t/{table}/matches/1", status=403)
            assert "Only those who played this match can look at it." in text
            assert 'class="mini' not in text
        assert 'class="mini' in await page(server, ann, f"/t/{table}/matches/1")
        assert "no match of that number" in await page(server, ann, f"/t/{table}/matches/7", status=404)
        assert "Not this time" in await page(server, ann, f"/t/{table}/matches/first", status=422)


async def test_who_left_after_a_match_is_still_named_as_its_winner() -> None:
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        install(server.app)
        people = await server.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(people[0], people[1:], **NO_CUTS)
        over = await play_on(people, table)
        for client in people[1:]:
            await client.ask(table, "leave")
        who = "You and Cat" if over["scores"][0] > over["scores"][1] else "Bob and Dan"
        assert f"{who} win!" in await page(server, people[0], f"/t/{table}")


def test_the_lobby_lists_the_latest_matches_and_the_page_of_hands_all() -> None:
    evening = seated_evening(replace(preset("club2"), target=5, deal_cut=Cut.NONE), people=(ANN,), seed=3)
    for _ in range(7):
        evening.play_on()
        evening.command(ANN, RematchRequested(person=ANN))
    evening.play_on()
    lobby = lobby_for(evening, ANN)
    assert [match.number for match in lobby.earlier] == [7, 6, 5, 4, 3]
    assert lobby.has_more_matches
    assert not lobby_for(evening, BOB).earlier
