"""Actions and errors: an action is executed once, and every refusal is an error response with a stable code."""

import json
from random import Random
from typing import Any

import pytest

from leftbower.notation import view_from_json
from leftbower.rules import DECK
from leftbower.server.http.rate_limit import RateLimit
from leftbower.store.memory import MemoryStore
from server_client import CARD, FAST, AppServer, Client, checked, choose, free_limits, play_on, seated, seeded, serving

NAMES = ("Annabel", "Bertrand", "Catriona", "Desdemona")


async def four(server: AppServer, **rules: Any) -> tuple[list[Client], str]:
    """Four people who are dealt a hand."""
    people = await server.guests(*NAMES)
    table = await seated(people[0], people[1:], **(rules or {**FAST, "changes": {"target": 5, "deal_cut": "none"}}))
    await play_on(people, table, until=lambda view: view["phase"] == "playing")
    return people, table


async def to_act(people: list[Client], table: str) -> tuple[Client, dict[str, Any]]:
    """The client to act, and its view of the table."""
    for client in people:
        view = await client.see(table)
        if view["hand"]["to_act"] == view["you"]["seat"]:
            return client, view
    raise AssertionError("no client has to act")


async def test_a_repeated_action_gets_the_first_response() -> None:
    """Also later, when the table has a newer version; nothing is executed twice."""
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        people, table = await four(server)
        client, view = await to_act(people, table)
        action = {"act": "pass", "seat": view["you"]["seat"]}
        first = await client.act(table, action, view["version"], action_id="mine")
        assert first["action_version"] == first["version"] == view["version"] + 1
        again = await client.act(table, action, view["version"], action_id="mine")
        assert again == first
        other, later = await to_act(people, table)
        await other.act(table, {"act": "pass", "seat": later["you"]["seat"]}, later["version"], action_id="mine")
        late = await client.act(table, action, view["version"], action_id="mine")
        assert (late["action_version"], late["version"]) == (first["action_version"], later["version"] + 1)
        log = [row.fact for row in await server.context.store.read(table)]
        assert [fact["action_id"] for fact in log if fact["fact"] == "acted"] == ["mine", "mine"]


async def test_an_id_belongs_to_one_person() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        people, table = await four(server)
        client, view = await to_act(people, table)
        action = {"act": "pass", "seat": view["you"]["seat"]}
        await client.act(table, action, view["version"], action_id="mine")
        other = next(person for person in people if person is not client)
        version = view["version"] + 1
        refused = await other.act(table, action, version, action_id="mine", status=409)
        assert checked(refused, "not-your-turn")["version"] == version
        looking_on = await server.guest("Eve")
        refused = await looking_on.act(table, action, version, action_id="mine", status=409)
        checked(refused, "not-seated")


async def test_a_stale_request_is_refused_with_the_current_version() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        people, table = await four(server)
        client, view = await to_act(people, table)
        action = {"act": "pass", "seat": view["you"]["seat"]}
        for version in (1, view["version"] - 1, view["version"] + 1, 2**31):
            refused = await client.act(table, action, version, status=409)
            assert checked(refused, "stale")["version"] == view["version"]
        refused = await client.command(table, "leave", version=1, status=409)
        assert checked(refused, "stale")["version"] == view["version"]


async def test_an_illegal_card_is_refused_with_a_code_and_no_card() -> None:
    """The player tries every card of the deck: only those listed in the view are accepted."""
    async with serving(MemoryStore(), entropy=seeded(5)) as server:
        people, table = await four(server)
        await play_on(people, table, until=lambda view: bool(view["hand"] and view["hand"]["trick"]))
        client, view = await to_act(people, table)
        seat = view["you"]["seat"]
        legal = {action["card"] for action in view["hand"]["legal"] if action["act"] == "play"}
        codes = set()
        for card in map(str, DECK):
            if card not in legal:
                play = {"act": "play", "seat": seat, "card": card}
                refused = await client.act(table, play, view["version"], status=409)
                error = refused["error"]
                codes.add(error["code"])
                assert error["version"] == view["version"]
                assert not CARD.search(json.dumps(refused).encode())
        assert "card-not-held" in codes <= {"card-not-held", "must-follow-suit"}
        for action, code in (
            ({"act": "pass", "seat": seat}, "not-now"),
            ({"act": "bury", "seat": seat, "card": "??"}, "not-now"),
            ({"act": "ready", "seat": seat}, "not-now"),
        ):
            checked(await client.act(table, action, view["version"], status=409), code)
        assert (await client.see(table))["version"] == view["version"]


async def test_an_unknown_card_is_never_buried() -> None:
    async with serving(MemoryStore(), entropy=seeded(6)) as server:
        people, table = await four(server)
        client, view = await to_act(people, table)
        await client.act(table, {"act": "order", "seat": view["you"]["seat"]}, view["version"])
        dealer, view = await to_act(people, table)
        bury = {"act": "bury", "seat": view["you"]["seat"], "card": "??"}
        checked(await dealer.act(table, bury, view["version"], status=409), "card-not-held")


MALFORMED: list[Any] = [
    {},
    [],
    None,
    7,
    "act",
    {"version": 1},
    {"version": 1, "action_id": "a"},
    {"version": 0, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": 10**30, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": True, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": "1", "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "", "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "a b", "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "a" * 65, "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "a", "action": []},
    {"version": 1, "action_id": "a", "action": {}},
    {"version": 1, "action_id": "a", "action": {"act": "fly", "seat": "N"}},
    {"version": 1, "action_id": "a", "action": {"act": ["pass"], "seat": "N"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "X"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": None}},
    {"version": 1, "action_id": "a", "action": {"act": "play", "seat": "N", "card": "Jx"}},
    {"version": 1, "action_id": "a", "action": {"act": "play", "seat": "N", "card": "??"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N", "Jd": 1}},
    {"version": 1, "action_id": "a", "action": {"act": "throw-in", "seat": "N", "makers_tricks": 10**9}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N"}, "Jd": 1},
]


async def test_malformed_requests_are_refused_and_not_quoted() -> None:
    async with serving(MemoryStore()) as server:
        ann = await server.guest("Ann")
        table = await ann.open()
        for body in MALFORMED:
            refused = await ann.call("POST", f"/api/tables/{table}/actions", body, status=422)
            assert refused["error"]["code"] in {"bad-request", "bad-record", "bad-seat", "bad-card"}, body
            assert not CARD.search(json.dumps(refused).encode()), refused
        for command in (
            {},
            {"command": "Jd"},
            {"command": "sit"},
            {"command": "sit", "seat": "n"},
            {"command": "agree", "Jd": 1},
        ):
            refused = await ann.call("POST", f"/api/tables/{table}/commands", command, status=422)
            assert not CARD.search(json.dumps(checked(refused, "bad-request")).encode())


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b'{"name": "\xff"}', b'{"name": "\\ud800"}', b"[" * 8_000, b"1" * 6000, b"NaN", b"\0"],
)
async def test_a_body_that_is_not_json_gets_an_error_response(content: bytes) -> None:
    async with serving(MemoryStore()) as server:
        for kind in ("application/json", "text/plain", "application/json; charset=utf-16", "*/*"):
            response = await server.http.post("/api/guests", content=content, headers={"Content-Type": kind})
            assert response.status_code == 422, response.text
            checked(response.json(), "bad-request")
            assert response.headers["content-type"] == "application/json"


async def test_a_body_too_long_is_refused_whatever_its_content_length() -> None:
    async with serving(MemoryStore()) as server:

        async def endless() -> Any:
            for _ in range(100):
                yield b" " * 1000

        for content in (b" " * 70_000, endless()):
            response = await server.http.post(
                "/api/guests", content=content, headers={"Content-Type": "application/json"}
            )
            assert response.status_code == 413
            checked(response.json(), "too-large")


async def test_every_error_has_the_same_shape() -> None:
    async with serving(MemoryStore()) as server:
        ann, anonymous = await server.guest("Ann"), server.anonymous()
        table = await ann.open()
        for method, path, status, code in (
            ("GET", "/", 404, "not-found"),
            ("GET", "/api", 404, "not-found"),
            ("GET", "/api/tables/" + "x" * 5000, 404, "unknown-table"),
            ("GET", "/api/tables/no", 404, "unknown-table"),
            ("GET", "/api/tables/%00", 404, "unknown-table"),
            ("GET", "/api/tables/%F0%9F%82%A1", 404, "unknown-table"),
            ("GET", "/api/tables/no/feed", 404, "unknown-table"),
            ("GET", "/api/tables/no/hands", 404, "unknown-table"),
            ("GET", f"/api/tables/{table}/record", 404, "unknown-table"),
            ("GET", "/api/links/%00", 404, "unknown-link"),
            ("DELETE", "/api/links/no", 404, "unknown-link"),
            ("DELETE", f"/api/tables/{table}", 405, "wrong-method"),
            ("PATCH", "/api/me", 405, "wrong-method"),
        ):
            await ann.refused(method, path, status=status, code=code)
        for method, path, body in (
            ("GET", "/api/me", None),
            ("PUT", "/api/me", {"name": "Eve"}),
            ("DELETE", "/api/me", None),
            ("POST", "/api/tokens", None),
            ("DELETE", "/api/tokens/this", None),
            ("GET", "/api/tables", None),
            ("POST", "/api/tables", FAST),
            ("POST", f"/api/tables/{table}/commands", {"command": "agree"}),
            (
                "POST",
                f"/api/tables/{table}/actions",
                {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
            ),
            ("POST", f"/api/tables/{table}/links", None),
            ("DELETE", "/api/links/no", None),
        ):
            await anonymous.refused(method, path, body, status=401, code="not-signed-in")
            anonymous.token = "no token at all"
            await anonymous.refused(method, path, body, status=401, code="not-signed-in")
            anonymous.token = ""
        response = await server.http.get("/api/me")
        assert response.headers["www-authenticate"] == "Bearer"


async def test_impossible_rules_are_refused_by_name() -> None:
    async with serving(MemoryStore()) as server:
        ann = await server.guest("Ann")
        for body, code in (
            ({"rules": "clob"}, "unknown-rules"),
            ({"rules": "lb2-xyz"}, "bad-link"),
            ({"changes": {"trump": "always"}}, "unknown-option"),
            ({"changes": {"target": -1}}, "bad-option"),
            ({"changes": {"target": 1e400}}, "bad-option"),
            ({"changes": {"seats": 2, "best_of": 2}}, None),
        ):
            content = json.dumps(body)
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {ann.token}"}
            response = await server.http.post("/api/tables", content=content, headers=headers)
            assert response.status_code == 422, (body, response.text)
            assert code is None or checked(response.json(), code)


async def test_too_many_requests_get_a_retry_after() -> None:
    now = 0.0
    limits = free_limits(anonymous=RateLimit(2, 0.5, lambda: now), token=RateLimit(3, 1.0, lambda: now))
    async with serving(MemoryStore(), limits=limits) as server:
        ann = await server.guest("Ann")
        bob = await server.guest("Bob")
        response = await server.http.post("/api/guests", json={"name": "Cat"})
        assert (response.status_code, response.headers["retry-after"]) == (429, "2")
        checked(response.json(), "too-often")
        for _ in range(3):
            await ann.call("GET", "/api/me")
        await ann.refused("GET", "/api/me", status=429, code="too-often")
        await bob.call("GET", "/api/me")
        now = 1.0
        await ann.call("GET", "/api/me")
        await ann.refused("GET", "/api/me", status=429, code="too-often")
        anonymous = server.anonymous()
        for _ in range(3):
            await anonymous.refused("GET", "/api/tables/no", status=404, code="unknown-table")
        await anonymous.refused("GET", "/api/tables/no", status=429, code="too-often")


async def test_a_page_of_another_site_cannot_use_the_cookie() -> None:
    """A token in a header is not a cookie: a program may send it from anywhere."""
    async with serving(MemoryStore()) as server:
        await server.http.post("/api/guests", json={"name": "Ann"})
        assert server.http.cookies["leftbower"]
        for headers, status in (
            ({}, 201),
            ({"Sec-Fetch-Site": "same-origin"}, 201),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Origin": "http://leftbower"}, 201),
            ({"Origin": "http://leftbower:81"}, 403),
            ({"Origin": "null"}, 403),
        ):
            response = await server.http.post("/api/tokens", headers=headers)
            assert response.status_code == status, headers
            if status == 403:
                checked(response.json(), "cross-site")
        assert (await server.http.get("/api/me", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 200
        ann = await server.guest("Ann")
        await ann.call("POST", "/api/tokens", status=201, headers={"Sec-Fetch-Site": "cross-site"})


async def test_legal_actions_are_those_of_the_view() -> None:
    """The API's legal actions are those of the engine's view, for players and spectators."""
    async with serving(MemoryStore(), entropy=seeded(7)) as server:
        people, table = await four(server)
        for client in (*people, server.anonymous()):
            view = await client.see(table)
            hand = view_from_json(view["hand"])
            assert (hand.seat and str(hand.seat)) == view["you"]["seat"]
            assert bool(choose(view["hand"], Random(1))) == (hand.to_act is hand.seat)
