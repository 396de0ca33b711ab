"""Names at a table: the same for every viewer at every version, and no two alike."""

import json
from html import unescape
from random import Random

import pytest
from hypothesis import given, strategies as st

from leftbower.errors import LeftbowerError
from leftbower.notation.describe import YOU
from leftbower.rules import Seat, preset
from leftbower.server.feeds.json_cache import TableJsonCache
from leftbower.store.memory import MemoryStore
from leftbower.table import (
    BotSeated,
    BotSubstituted,
    Disconnected,
    Left,
    Reconnected,
    RematchRequested,
    Sat,
    SeatedBot,
    SeatedPerson,
    TableFact,
    free_name,
    name_key,
    seat_names,
)
from leftbower.web.app import install
from leftbower.web.table.lobby import lobby_view_model
from leftbower.web.table.view_model import table_view_model
from server_client import Client, seeded, serving
from table_fixture import ANN, BOB, TableFixture

N, E, S, W = Seat
NAMES = {ANN: "Nora", BOB: "Bob", "eve": "Eve"}
VIEWERS = (ANN, BOB, "eve")
API_CLIENT = None


def names_in_json(table_json: TableJsonCache, fixture: TableFixture) -> dict[str, str]:
    names: dict[str, str] = json.loads(table_json.text("t", fixture.table, API_CLIENT, NAMES, {}))["names"]
    return names


def names_on_page(fixture: TableFixture, person: str) -> dict[str, str]:
    """The names beside the seats: of the lobby, and of a hand, where a viewer is "You"."""
    table = fixture.table
    if table.gathering:
        lobby = lobby_view_model(table, person, NAMES, "")
        return {seat.seat: seat.name for seat in lobby.seats if seat.name}
    own = next((seat for seat, occupant in table.seats.items() if occupant == SeatedPerson(person)), None)
    names = {seat.seat: seat.name for seat in table_view_model("t", table, person, NAMES).seats}
    assert [seat for seat, name in names.items() if name == YOU] == [str(own)] * (own is not None)
    return names | ({str(own): NAMES[person]} if own else {})


def comings_and_goings(fixture: TableFixture, rng: Random) -> None:
    """One of the two drops out, is covered, comes back, leaves, or sits down again."""
    table, person = fixture.table, rng.choice((ANN, BOB))
    if table.seat_of(person) is None:
        fact: TableFact = Sat(person=person, seat=rng.choice(list(Seat)))
    elif person in table.substituted or (person in table.away and rng.random() < 0.5):
        fact = Reconnected(person=person)
    elif person in table.away:
        fact = BotSubstituted(person=person)
    else:
        fact = Left(person=person) if rng.random() < 0.3 else Disconnected(person=person)
    if isinstance(fact, Sat | Left):
        try:
            fixture.command(person, fact)
        except LeftbowerError:
            return
    else:
        fixture.add(fact)


@pytest.mark.parametrize("seed", range(6))
def test_every_viewer_sees_the_same_names_at_every_version(seed: int) -> None:
    """Two people, one a namesake of a bot, a spectator and an API client, through drop-outs and a rematch."""
    fixture, rng, table_json = TableFixture(preset("standard"), seed=seed), Random(seed), TableJsonCache()
    fixture.command(ANN, Sat(person=ANN, seat=S), BotSeated(seat=N, level="novice"), BotSeated(seat=W, level="novice"))
    fixture.command(BOB, Sat(person=BOB, seat=E))
    bots: dict[Seat, set[str]] = {}
    for _ in range(120):
        expected = names_in_json(table_json, fixture)
        assert len(set(expected.values())) == len(expected)
        for person in VIEWERS:
            assert names_on_page(fixture, person) == expected, (fixture.table.version, person)
        for seat, occupant in fixture.table.seats.items():
            if isinstance(occupant, SeatedBot):
                bots.setdefault(seat, set()).add(expected[str(seat)])
        if rng.random() < 0.1 and fixture.table.people:
            comings_and_goings(fixture, rng)
        elif fixture.table.gathering:
            for person in sorted(fixture.table.people):
                fixture.command(person, RematchRequested(person=person))
            for seat in set(Seat) - set(fixture.table.seats):
                if fixture.table.host:
                    fixture.command(fixture.table.host, BotSeated(seat=seat, level="novice"))
        else:
            fixture.step()
    assert "Nell" in bots[N]
    assert all(names <= {"Nell", "Nora"} if seat is N else len(names) == 1 for seat, names in bots.items())


def test_a_bot_keeps_its_name_from_the_lobby_to_the_result() -> None:
    for own, person in ((S, "Sam"), (N, "nora"), (W, "Ann")):
        seats = {seat: SeatedPerson("p") if seat is own else SeatedBot("expert") for seat in Seat}
        names = seat_names(seats, {"p": person})
        assert len({name_key(name) for name in names.values()}) == 4
        assert {seat: names[seat] for seat in Seat if seat is not own} == {
            seat: name for seat, name in zip(Seat, ("Nora", "Ellis", "Sam", "Wade"), strict=True) if seat is not own
        }
    assert seat_names({N: SeatedBot("novice"), E: SeatedPerson("p")}, {"p": "NORA"})[N] == "Nell"
    assert seat_names({N: SeatedPerson("erased")}, {"erased": ""}) == {N: "Someone"}


@pytest.mark.parametrize("twin", ["nora", "NORA ", "Nórà", "Nоrа", "N.o.r.a", "Nora!"])
def test_names_that_look_alike_are_one_name(twin: str) -> None:
    """By case, accents, marks, spaces, and Cyrillic letters."""
    assert free_name(twin, ["Nora"]) == f"{twin} B."
    assert free_name("Ann", [twin]) == "Ann"


@given(st.text(min_size=1, max_size=30), st.lists(st.text(min_size=1, max_size=30), max_size=8))
def test_a_suggestion_is_free(name: str, taken: list[str]) -> None:
    free = free_name(name, taken)
    assert name_key(free) not in set(map(name_key, taken))
    assert free_name(free, taken) == free


# At the server


async def test_a_doubled_name_is_refused_with_a_suggestion() -> None:
    async with serving(MemoryStore(), entropy=seeded(1)) as server:
        install(server.app)
        host, twin, bots_twin = await server.guests("Nora", "Nоra", "Ellis")
        table = await opened(host)
        refusal = await twin.command(table, "sit", seat="S", status=409)
        assert refusal["error"]["code"] == "name-taken"
        assert refusal["error"]["message"] == "Nоra is here already; how about Nоra B.?"
        assert (await bots_twin.command(table, "sit", seat="S", status=409))["error"]["code"] == "name-taken"
        page = await send(twin, f"/t/{table}/commands", command="sit", seat="S", status=409)
        assert "Nоra is here already; how about Nоra B.?" in page
        await send(twin, f"/t/{table}/commands", command="sit", seat="S", name="Nоra B.", status=303)
        assert (await host.see(table))["names"] == {"N": "Nora", "E": "Ellis", "S": "Nоra B."}
        for name in ("NORA", "Ellis"):
            await twin.refused("PUT", "/api/me", {"name": name}, status=409, code="name-taken")
            assert "is here already" in await send(twin, "/account/name", name=name, status=409)
        assert (await twin.call("PUT", "/api/me", {"name": "Norbert"}))["name"] == "Norbert"
        assert (await host.see(table))["names"]["S"] == "Norbert"


async def test_a_spectator_who_sits_down_is_asked_for_a_name() -> None:
    async with serving(MemoryStore(), entropy=seeded(2)) as server:
        install(server.app)
        host, guest = await server.guests("Ann", "Guest")
        table = await opened(host)
        nobody = server.anonymous()
        page = await send(nobody, f"/t/{table}/commands", command="sit", seat="S", status=409)
        assert "Tell the others your name first." in page
        assert 'name="name"' in page
        assert (await guest.command(table, "sit", seat="S", status=409))["error"]["code"] == "name-needed"
        await send(guest, f"/t/{table}/commands", command="sit", seat="S", name=" ", status=409)
        await send(guest, f"/t/{table}/commands", command="sit", seat="S", name="Cat", status=303)
        assert (await host.see(table))["names"]["S"] == "Cat"
        assert "Tell the others your name first." in await send(nobody, "/tables", status=409)


async def test_alone_with_bots_nobody_needs_a_name() -> None:
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        install(server.app)
        nobody = server.anonymous()
        await send(nobody, "/play", status=303)


async def test_nobody_is_called_you() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        for name in ("You", " yoU", "Y.o.u", "Yоu"):
            await server.anonymous().refused("POST", "/api/guests", {"name": name}, status=422, code="bad-name")
        ann = await server.guest("Ann")
        await ann.refused("PUT", "/api/me", {"name": "You"}, status=422, code="bad-name")


async def opened(host: Client) -> str:
    """A table with its host in the North and a bot in the East."""
    table = await host.open()
    await host.command(table, "sit", seat="N")
    await host.command(table, "seat-bot", seat="E")
    return table


async def send(client: Client, path: str, *, status: int, **form: str) -> str:
    """Post a form as a browser does without a script."""
    headers = {"Cookie": f"leftbower={client.token}"} if client.token else {}
    response = await client.http.post(path, data=form, headers=headers)
    assert response.status_code == status, response.text[:300]
    return unescape(response.text)
