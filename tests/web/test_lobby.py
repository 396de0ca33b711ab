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
from table_fixture import ANN, BOB, CAT, TableFixture, seated as seated_fixture

N, E, S, W = Seat
NAMES = {ANN: "Ann", BOB: "Bob", CAT: "Cat"}
BEST_OF_5: dict[str, Any] = {name: replace(preset(name), best_of=5) for name in ("club", "campus")}
CHANGED = "The host changed the rules"


def lobby_for(fixture: TableFixture, person: str | None) -> LobbyViewModel:
    return lobby_view_model(fixture.table, person, NAMES, "http://hall/t/t")


def ready(sheet: str) -> TableFixture:
    """Ann is the host; she and Bob are ready, Cat is not."""
    fixture = TableFixture(preset(sheet))
    for person, seat in ((ANN, N), (BOB, E), (CAT, S)):
        fixture.command(person, Sat(person=person, seat=seat))
    for person in (ANN, BOB):
        fixture.command(person, Agreed(person=person))
    return fixture


async def page(server: AppServer, client: Client, path: str, *, status: int = 200) -> str:
    headers = {"Cookie": f"leftbower={client.token}"} if client.token else {}
    response = await server.http.get(path, headers=headers)
    assert response.status_code == status, (path, response.status_code, response.text[:300])
    return unescape(response.text)


# What the host changed


def test_club_a_ready_player_sees_the_hosts_change_and_stays_ready() -> None:
    fixture = ready("club")
    fixture.command(ANN, RulesChanged(rules=BEST_OF_5["club"]), TimeControlChanged(clock=TimeControl.QUICK))
    bob = lobby_for(fixture, BOB)
    assert len(bob.changes) == 2
    assert "Quick clock: 10 seconds per move" in bob.changes[0]
    assert bob.changes[1] == "A match is the best of five games: three wins take it."
    assert bob.agreement_text.startswith("You’re still ready.")
    assert not bob.may_agree
    assert [seat.has_agreed for seat in bob.seats] == [False, True, False, False]
    assert lobby_for(fixture, ANN).changes == lobby_for(fixture, CAT).changes == lobby_for(fixture, None).changes == ()
    assert CHANGED in render_table("t", fixture.table, BOB, NAMES, address="")
    assert CHANGED not in render_table("t", fixture.table, CAT, NAMES, address="")
    fixture.command(ANN, RulesChanged(rules=preset("club")))
    assert "The host changed the clock" in render_table("t", fixture.table, BOB, NAMES, address="")
    fixture.command(ANN, TimeControlChanged(clock=TimeControl.OFF))
    assert lobby_for(fixture, BOB).changes == ()


def test_campus_a_ready_player_sees_the_hosts_change_and_agrees_again() -> None:
    fixture = ready("campus")
    fixture.command(ANN, RulesChanged(rules=BEST_OF_5["campus"]))
    bob = lobby_for(fixture, BOB)
    assert len(bob.changes) == 1
    assert bob.agreement_text == "Check the change, then get ready again."
    assert bob.may_agree
    fixture.command(BOB, Agreed(person=BOB))
    assert lobby_for(fixture, BOB).changes == ()


def test_a_change_of_sheet_is_summed_up_in_a_few_lines() -> None:
    fixture = ready("club")
    fixture.command(ANN, RulesChanged(rules=preset("school-cup")))
    *changes, more = lobby_for(fixture, BOB).changes
    assert "school cup" in changes[0]
    assert len(changes) == 6
    assert all(changes)
    assert more.startswith("And ")


def test_after_a_match_its_players_see_what_changed_for_the_next() -> None:
    fixture = seated_fixture(preset("club"), people=(ANN, BOB), seed=3)
    fixture.play_on()
    fixture.command(ANN, RulesChanged(rules=BEST_OF_5["club"]))
    assert len(lobby_for(fixture, BOB).changes) == 1
    assert lobby_for(fixture, BOB).agreement_text == ""
    assert lobby_for(fixture, CAT).changes == ()
    fixture.command(BOB, RematchRequested(person=BOB))
    assert lobby_for(fixture, BOB).changes == ()


@pytest.mark.parametrize("old", ["club", "campus", "club3", "club2"])
def test_a_lobby_stands_when_more_or_fewer_are_to_play_the_next_match(old: str) -> None:
    """Score, story and hands stay those of the match that is over, by its own rules and names."""
    fixture = seated_fixture(preset(old), people=(ANN, BOB), seed=3)
    table = fixture.play_on()
    before = finished_hands(table, ANN, NAMES)
    for new in ("club", "campus", "club3", "club2"):
        for best_of in (1, 3):
            changed = apply_fact(table, RulesChanged(rules=replace(preset(new), best_of=best_of)), 1.0)
            for person in (ANN, BOB, CAT, None):
                over = lobby_view_model(table, person, NAMES, "").over
                assert over is not None
                assert f"<h2>{over.title}</h2>" in render_table("t", changed, person, NAMES, address="")
            assert finished_hands(changed, ANN, NAMES) == before


# Matches that were played before


async def test_the_lobby_links_earlier_matches_and_needs_no_script() -> None:
    async with serving(MemoryStore(), entropy=seeded(1)) as server:
        install(server.app)
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await seated(ann, [bob], bots="SW", **NO_CUTS)
        first = await play_on([ann, bob], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
        assert "Earlier matches" not in await page(server, ann, f"/t/{table}")
        for client in (ann, bob):
            await client.command(table, "rematch")
        playing = await page(server, ann, f"/t/{table}/hands")
        assert "No game is over yet" in playing
        assert f'href="/t/{table}/matches/1"' in playing
        await play_on([ann, bob], table)
        text = await page(server, bob, f"/t/{table}")
        assert "Earlier matches" in text
        points = "–".join(map(str, sorted(first["scores"], reverse=True)))
        winners = "You and Wade" if first["scores"][1] > first["scores"][0] else "Ann and Sam"
        assert f"{winners} won {points}." in text
        [address] = {part.split('"')[0] for part in text.split('href="') if part.startswith("/api/") and "/1/" in part}
        response = await server.http.get(address, headers={"Cookie": f"leftbower={bob.token}"})
        assert response.text == record
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
        await ann.command(table, "rematch")
        for client in (eve, server.anonymous()):
            text = await page(server, client, f"/t/{table}/matches/1", status=403)
            assert "Only the players of this match can see it." in text
            assert 'class="mini' not in text
        assert 'class="mini' in await page(server, ann, f"/t/{table}/matches/1")
        assert "no such match" in await page(server, ann, f"/t/{table}/matches/7", status=404)
        assert "That didn't work" in await page(server, ann, f"/t/{table}/matches/first", status=422)


async def test_a_player_who_left_is_still_named_as_the_winner() -> None:
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        install(server.app)
        people = await server.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(people[0], people[1:], **NO_CUTS)
        over = await play_on(people, table)
        for client in people[1:]:
            await client.command(table, "leave")
        winners = "You and Cat" if over["scores"][0] > over["scores"][1] else "Bob and Dan"
        assert f"{winners} win!" in await page(server, people[0], f"/t/{table}")


def test_the_lobby_lists_the_latest_matches_and_the_page_of_hands_all() -> None:
    fixture = seated_fixture(replace(preset("club2"), target=5, deal_cut=Cut.NONE), people=(ANN,), seed=3)
    for _ in range(7):
        fixture.play_on()
        fixture.command(ANN, RematchRequested(person=ANN))
    fixture.play_on()
    lobby = lobby_for(fixture, ANN)
    assert [match.number for match in lobby.earlier] == [7, 6, 5, 4, 3]
    assert lobby.has_more_matches
    assert not lobby_for(fixture, BOB).earlier
