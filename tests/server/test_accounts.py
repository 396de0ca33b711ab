"""Accounts by password: a guest keeps person, name and tables; wrong passwords are delayed; sessions are revoked."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from typing import Any

import httpx
import pytest
from pwdlib import PasswordHash

from leftbower.dealing.verify import verify
from leftbower.engine import MatchOver
from leftbower.errors import TooOften
from leftbower.notation.record import loads
from leftbower.server.http.rate_limit import Backoff, RateLimit
from leftbower.server.people import service
from leftbower.server.people.passwords import Passwords, normalize_login
from leftbower.store import Store, hash_token, open_store
from leftbower.store.memory import MemoryStore
from naive_chain import without_name
from server_client import (
    NO_CUTS,
    AppServer,
    Client,
    Plain,
    cheap_hashes,
    checked,
    free_limits,
    play_on,
    seated,
    seeded,
    serving,
    unlimited,
)

PASSWORD = "correct horse ♥"
OTHER = "battery staple ♠"


class CountingHash(PasswordHash):
    """A cheap hash that counts its calls and can be paused."""

    def __init__(self) -> None:
        super().__init__(cheap_hashes().hashers)
        self.works = 0
        self.open = threading.Event()
        self.open.set()
        self.begun = threading.Semaphore(0)

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self._work()
        return super().hash(password, salt=salt)

    def verify(self, password: str | bytes, hash: str | bytes) -> bool:
        self._work()
        return super().verify(password, hash)

    def _work(self) -> None:
        self.works += 1
        self.begun.release()
        assert self.open.wait(20)


def quick(passwords: Passwords | None = None, **limits: Any) -> dict[str, Any]:
    """Settings with cheap hashes and without rate limits, except for these."""
    free = {"sign_ins": unlimited(), "login_attempts": Backoff(free=10**9)}
    return {"passwords": passwords or Passwords(CountingHash()), "limits": free_limits(**free | limits)}


async def set_password(client: Client, login: str = "Ann", password: str = PASSWORD, **more: Any) -> Any:
    """Set a login and a password."""
    return await client.call("PUT", "/api/me/password", {"login": login, "password": password}, **more)


async def sign_in(server: AppServer, login: str = "Ann", password: str = PASSWORD, *, status: int = 201) -> Any:
    """Sign in; returns a client with a new token, or the error."""
    back = server.anonymous()
    response = await back.call("POST", "/api/sessions", {"login": login, "password": password}, status=status)
    server.http.cookies.clear()
    if status != 201:
        return response
    back.name, back.person, back.token = response["name"], response["person"], response["token"]
    return back


@pytest.fixture(params=["memory", "sqlite"])
def opening(request: pytest.FixtureRequest, tmp_path: Any) -> Callable[[], Any]:
    """Opens a store in memory or in SQLite."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        async with await open_store("memory:" if request.param == "memory" else str(tmp_path / "store.db")) as store:
            yield store

    return opened


async def test_a_guest_who_gets_an_account_keeps_person_name_and_tables(opening: Callable[[], Any]) -> None:
    """Signing in from anywhere gives another token for the same person."""
    async with opening() as store, serving(store, **quick()) as server:
        ann = await server.guest("Ann ♥")
        table = await ann.open()
        assert await ann.call("GET", "/api/me/password") == {"login": None}
        assert await set_password(ann, "  Ann\u200b Ｌ. ") == {"login": "ann l."}
        assert await ann.call("GET", "/api/me/password") == {"login": "ann l."}
        back = await sign_in(server, "ANN L.")
        assert (back.person, back.name) == (ann.person, "Ann ♥")
        assert back.token != ann.token
        assert [listing["table"] for listing in await back.call("GET", "/api/tables")] == [table]
        assert (await ann.call("GET", "/api/me"))["person"] == ann.person


async def test_a_sign_in_sets_the_session_cookie() -> None:
    """Pages can't read it, and a page of another site can't make a browser sign in."""
    async with serving(MemoryStore(), **quick()) as server:
        ann = await server.guest("Ann")
        await set_password(ann)
        body = {"login": "ann", "password": PASSWORD}
        response = await server.http.post("/api/sessions", json=body)
        cookie = response.headers["set-cookie"]
        assert all(word in cookie for word in ("leftbower=", "HttpOnly", "SameSite=lax"))
        assert (await server.http.get("/api/me")).json()["person"] == ann.person
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://elsewhere"}):
            refused = await server.http.post("/api/sessions", json=body, headers=headers)
            assert refused.status_code == 403
            checked(refused.json(), "cross-site")


async def test_a_password_is_changed_only_by_who_knows_it() -> None:
    """Nothing of the old one is left; the login can change with it, and the old login is free."""
    async with serving(MemoryStore(), **quick()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        await set_password(ann)
        body: Plain = {"login": "ann", "password": OTHER}
        for old in ({}, {"old": OTHER}, {"old": ""}):
            await ann.refused("PUT", "/api/me/password", body | old, status=403, code="wrong-password")
        await sign_in(server)
        assert await ann.call("PUT", "/api/me/password", body | {"login": "Anna", "old": PASSWORD}) == {"login": "anna"}
        await sign_in(server, "anna", OTHER)
        for login, password in (("ann", PASSWORD), ("ann", OTHER), ("anna", PASSWORD)):
            checked(await sign_in(server, login, password, status=403), "wrong-password")
        await bob.refused("PUT", "/api/me/password", body | {"login": "ANNA"}, status=409, code="login-taken")
        assert await bob.call("GET", "/api/me/password") == {"login": None}
        await set_password(bob, "ann")


async def test_a_wrong_login_gets_the_same_response_as_a_wrong_password() -> None:
    """Identical bytes; and each costs one hash, so that timing reveals nothing."""
    hasher = CountingHash()
    async with serving(MemoryStore(), **quick(passwords=Passwords(hasher))) as server:
        await set_password(await server.guest("Ann"))
        answers, works = [], []
        for login in ("ann", "nobody"):
            before = hasher.works
            response = await server.http.post("/api/sessions", json={"login": login, "password": OTHER})
            answers.append((response.status_code, response.content, sorted(response.headers)))
            works.append(hasher.works - before)
        assert answers[0] == answers[1]
        assert answers[0][0] == 403
        assert works == [1, 1]


@pytest.mark.parametrize(
    ("login", "password"),
    [
        ("ann", "1234567"),
        ("ann", "x" * 201),
        ("ann", "tabs\tare not printable"),
        ("ann", "nothing hidden\u200b"),
        ("", PASSWORD),
        ("\u200b \u202e", PASSWORD),
        ("ﷺ" * 40, PASSWORD),
        ("x" * 41, PASSWORD),
        (7, PASSWORD),
    ],
)
async def test_what_is_no_login_or_password_is_refused_in_one_sentence(login: Any, password: str) -> None:
    """When it is set and when it is used; the input is not quoted."""
    async with serving(MemoryStore(), **quick()) as server:
        ann = await server.guest("Ann")
        body = {"login": login, "password": password}
        for client, method, path in ((ann, "PUT", "/api/me/password"), (server.anonymous(), "POST", "/api/sessions")):
            problem = await client.refused(method, path, body, status=422, code="bad-request")
            assert problem["path"] in ("body.login", "body.password")
            assert password not in problem["message"]


@pytest.mark.parametrize("password", ["12345678", "x" * 200, "        ", "пароль♥♦♣♠", "e\u0301te\u0301 2026"])
async def test_any_printable_password_is_good(password: str) -> None:
    """An accent that one keyboard types as a separate character is the same on another."""
    async with serving(MemoryStore(), **quick()) as server:
        ann = await server.guest("Ann")
        await set_password(ann, password=password)
        assert (await sign_in(server, "ann", password.replace("e\u0301", "é"))).person == ann.person


def test_a_login_is_the_same_however_it_is_typed() -> None:
    """Normalizing is idempotent, and logins that differ in width, case or invisible characters are the same."""
    for typed, login in {
        "Straße": "strasse",
        "ＡＮＮ": "ann",
        "\u202eann\u202c": "ann",
        "İ": "i̇",
        "ﬁ x": "fi x",
    }.items():
        assert normalize_login(typed) == login
        assert normalize_login(login) == login


class AddressTransport(httpx.ASGITransport):
    """The application as seen from one client address."""

    def __init__(self, server: AppServer, host: str) -> None:
        super().__init__(server.app, raise_app_exceptions=False, client=(host, 1234))


def from_address(server: AppServer, host: str) -> AppServer:
    """The same server from another client address."""
    return AppServer(
        server.app, httpx.AsyncClient(transport=AddressTransport(server, host), base_url="http://leftbower")
    )


async def test_wrong_passwords_are_delayed_by_address_and_login_together() -> None:
    """The delay doubles; other logins at the address, and the owner elsewhere, do not wait."""
    now = [0.0]
    guessing = Backoff(free=3, first=2, longest=60, clock=lambda: now[0])
    async with serving(MemoryStore(), **quick(login_attempts=guessing)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        await set_password(ann)
        await set_password(bob, "Bob")
        for login in ("ann", "Ann", "ＡＮＮ"):
            await sign_in(server, login, OTHER, status=403)
        waits = []
        for _ in range(8):
            response = await server.http.post("/api/sessions", json={"login": "ann", "password": PASSWORD})
            assert response.status_code == 429
            waits.append(int(response.headers["retry-after"]))
            now[0] += waits[-1]
            await sign_in(server, "ann", OTHER, status=403)
        assert waits == [2, 4, 8, 16, 32, 60, 60, 60]
        assert (await sign_in(server, "bob")).person == bob.person
        assert (await sign_in(from_address(server, "10.9.8.7"), "ann")).person == ann.person
        await sign_in(server, "ann", status=429)
        now[0] += 60
        assert (await sign_in(server, "ann")).person == ann.person
        for _ in range(3):
            await sign_in(server, "ann", OTHER, status=403)


async def test_wrong_passwords_never_lock_a_login() -> None:
    """No matter how often a login is guessed, and from how many addresses, its owner can sign in from another."""
    async with serving(MemoryStore(), **quick(login_attempts=Backoff())) as server:
        ann = await server.guest("Ann")
        await set_password(ann)
        for number in range(20):
            client = from_address(server, f"10.1.0.{number}")
            statuses = [
                (await client.http.post("/api/sessions", json={**SIGN_IN, "password": OTHER})).status_code
                for _ in range(7)
            ]
            assert statuses == [403] * 5 + [429] * 2
        assert (await sign_in(server)).person == ann.person


async def test_networks_of_one_ipv6_site_share_the_delay_of_a_login() -> None:
    """A site has 65,536 networks: guesses from any of them count together, and no other site waits."""
    async with serving(MemoryStore(), **quick(login_attempts=Backoff())) as server:
        ann = await server.guest("Ann")
        await set_password(ann)
        statuses = []
        for number in range(52):
            client = from_address(server, f"2001:db8:7:{number:x}::1")
            response = await client.http.post("/api/sessions", json={**SIGN_IN, "password": OTHER})
            statuses.append(response.status_code)
        assert statuses == [403] * 50 + [429] * 2
        for owner in ("2001:db8:8::1", "10.1.2.3"):
            assert (await sign_in(from_address(server, owner))).person == ann.person


async def test_an_old_password_is_not_guessed_without_delay() -> None:
    async with serving(MemoryStore(), **quick(login_attempts=Backoff(free=2))) as server:
        bob = await server.guest("Bob")
        await set_password(bob, "Bob")
        change = {"login": "bob", "password": OTHER, "old": OTHER}
        for _ in range(2):
            await bob.call("PUT", "/api/me/password", change, status=403)
        await bob.call("PUT", "/api/me/password", {**change, "old": PASSWORD}, status=429)


async def test_sign_ins_are_limited_by_address_and_passkeys_apart() -> None:
    async with serving(MemoryStore(), **quick(sign_ins=RateLimit(burst=3, rate=0.01))) as server:
        for login in ("a", "b", "c"):
            await sign_in(server, login, status=403)
        checked(await sign_in(server, "d", status=429), "too-often")
        local = {"Host": "localhost"}
        assert (await server.http.post("/api/sessions/passkey-options", headers=local)).status_code == 200


async def test_hashing_is_bounded_and_off_the_event_loop() -> None:
    """While two hashes run and the queue is full, the next is refused, and all other requests are served."""
    hasher = CountingHash()
    passwords = Passwords(hasher, max_queued=3)
    async with serving(MemoryStore(), **quick(passwords=passwords)) as server:
        ann = await server.guest("Ann")
        await set_password(ann)
        hasher.open.clear()
        hasher.begun = threading.Semaphore(0)
        before = hasher.works
        waiting = [asyncio.create_task(server.http.post("/api/sessions", json=SIGN_IN)) for _ in range(5)]
        for _ in range(2):
            assert await asyncio.to_thread(hasher.begun.acquire, timeout=20)
        while passwords._slots._value:
            await asyncio.sleep(0.01)
        refused = await server.http.post("/api/sessions", json=SIGN_IN)
        assert refused.status_code == 429
        assert "retry-after" in refused.headers
        assert hasher.works - before == 2
        assert (await ann.call("GET", "/api/me"))["person"] == ann.person
        assert not any(task.done() for task in waiting)
        hasher.open.set()
        assert [response.status_code for response in await asyncio.gather(*waiting)] == [201] * 5
        assert (await sign_in(server)).person == ann.person


SIGN_IN = {"login": "ann", "password": PASSWORD}


async def test_a_canceled_hash_keeps_its_slot_until_it_is_done() -> None:
    """A hash that has started keeps its slot until it is done, so that work does not pile up behind it."""
    hasher = CountingHash()
    passwords = Passwords(hasher, max_queued=0)
    hasher.open.clear()
    tasks = [asyncio.create_task(passwords.hash(PASSWORD)) for _ in range(2)]
    for _ in range(2):
        assert await asyncio.to_thread(hasher.begun.acquire, timeout=20)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    with pytest.raises(TooOften):
        await passwords.hash(PASSWORD)
    hasher.open.set()
    stored_hash = ""
    async with asyncio.timeout(20):
        while not stored_hash:
            with suppress(TooOften):
                stored_hash = await passwords.hash(PASSWORD)
            await asyncio.sleep(0.001)
    assert await passwords.verify(PASSWORD, stored_hash)
    await passwords.close()


async def test_sessions_are_listed_and_ended_one_by_one(opening: Callable[[], Any]) -> None:
    """The list has no token; a seat token is listed with its table; a revoked token is refused."""
    async with opening() as store, serving(store, **quick()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        await set_password(ann)
        table = await seated(ann, bots="ESW", **NO_CUTS)
        seat = (await ann.call("POST", f"/api/tables/{table}/token", status=201))["token"]
        back = await sign_in(server)
        sessions = await back.call("GET", "/api/me/sessions")
        assert [(session["this"], session["table"]) for session in sessions] == [
            (False, None),
            (False, table),
            (True, None),
        ]
        assert all(session["created"] <= session["last_used"] for session in sessions)
        tokens = [ann.token, back.token, seat]
        assert not {session["id"] for session in sessions} & {*tokens, *map(hash_token, tokens)}
        assert not any(token in str(sessions) for token in tokens)
        first, at_seat, _ = (session["id"] for session in sessions)
        for wrong in ("nothing", first[:8], ann.token):
            await back.refused("DELETE", f"/api/me/sessions/{wrong}", status=404, code="not-found")
        await bob.refused("DELETE", f"/api/me/sessions/{first}", status=404, code="not-found")
        await back.call("DELETE", f"/api/me/sessions/{first}", status=204)
        await ann.refused("GET", "/api/me", status=401, code="not-signed-in")
        await back.call("DELETE", f"/api/me/sessions/{at_seat}", status=204)
        await Client(server.http, token=seat).refused("GET", f"/api/tables/{table}", status=401, code="not-signed-in")
        assert [session["this"] for session in await back.call("GET", "/api/me/sessions")] == [True]
        await back.refused("DELETE", f"/api/me/sessions/{first}", status=404, code="not-found")


async def test_all_other_sessions_are_ended_at_once(opening: Callable[[], Any]) -> None:
    """The session of the request stays, and so do those of other people."""
    async with opening() as store, serving(store, **quick()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        await set_password(ann)
        backs = [await sign_in(server) for _ in range(3)]
        await backs[1].call("DELETE", "/api/me/sessions", status=204)
        for revoked in (ann, backs[0], backs[2]):
            await revoked.refused("GET", "/api/me", status=401, code="not-signed-in")
        assert len(await backs[1].call("GET", "/api/me/sessions")) == 1
        assert (await bob.call("GET", "/api/me"))["person"] == bob.person
        assert (await sign_in(server)).person == ann.person


async def test_the_use_of_a_session_is_saved_at_most_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """No matter how often it is used, in any process; a late use is saved late."""
    monkeypatch.setattr(service, "_BATCH_PAUSE_SECONDS", 0.0)
    now = 1_800_000_000.0
    saved = []

    class RecordingStore(MemoryStore):
        shared = True

        async def touch_sessions(self, tokens: Any, *, now: float | None = None) -> None:
            if tokens:
                saved.append(await self.now() if now is None else now)
            await super().touch_sessions(tokens, now=now)

    store = RecordingStore(clock=lambda: now)
    settings = quick() | {"clock": lambda: now}
    async with serving(store, **settings) as first, serving(store, **settings) as second:
        ann = await first.guest("Ann")
        same = Client(second.http, token=ann.token)
        for _ in range(30):
            now += 20
            for client in (ann, same):
                for _ in range(3):
                    await client.call("GET", "/api/me")
        assert 5 <= len(saved) <= 10
        assert all(later - sooner >= 60 for sooner, later in pairwise(saved))
        [session] = await ann.call("GET", "/api/me/sessions")
        assert 0 <= now - session["last_used"] <= 120


async def test_uses_of_sessions_at_the_same_time_are_saved_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that started together are due together; one write each would be thousands during play."""
    monkeypatch.setattr(service, "_BATCH_PAUSE_SECONDS", 0.1)
    now, written = 1_800_000_000.0, list[int]()

    class RecordingStore(MemoryStore):
        async def touch_sessions(self, tokens: Any, *, now: float | None = None) -> None:
            written.append(len(tokens))
            await super().touch_sessions(tokens, now=now)

    store = RecordingStore(clock=lambda: now)
    people = service.PeopleService(store, clock=lambda: now)
    tokens = [(await people.create_guest(f"guest {number}"))[1] for number in range(600)]
    now += 61
    for token in (*tokens, *tokens):
        await people.session(hash_token(token))
    while sum(written) < len(tokens):
        await asyncio.sleep(0.01)
    assert len(written) <= 8
    assert {
        session.last_used for session in await store.sessions_by_token([hash_token(token) for token in tokens])
    } == {now}
    await people.close()


async def test_a_token_for_one_seat_cannot_touch_an_account() -> None:
    """It can neither read nor change it; without a token the request is refused too."""
    async with serving(MemoryStore(), **quick()) as server:
        ann = await server.guest("Ann")
        await set_password(ann)
        table = await seated(ann, bots="ESW", **NO_CUTS)
        seat = Client(server.http, token=(await ann.call("POST", f"/api/tables/{table}/token", status=201))["token"])
        session = (await ann.call("GET", "/api/me/sessions"))[0]["id"]
        credential: Plain = {"credential": {}}
        for method, path, body in [
            ("GET", "/api/me/password", None),
            ("PUT", "/api/me/password", {"login": "x", "password": PASSWORD}),
            ("GET", "/api/me/sessions", None),
            ("DELETE", "/api/me/sessions", None),
            ("DELETE", f"/api/me/sessions/{session}", None),
            ("GET", "/api/me/passkeys", None),
            ("POST", "/api/me/passkey-options", None),
            ("POST", "/api/me/passkeys", credential),
            ("DELETE", "/api/me/passkeys/x", None),
            ("DELETE", "/api/me", None),
        ]:
            await seat.refused(method, path, body, status=403, code="seat-only")
            await server.anonymous().refused(method, path, body, status=401, code="not-signed-in")
        assert (await sign_in(server)).person == ann.person


async def test_an_erased_person_leaves_no_credentials_but_readable_games(opening: Callable[[], Any]) -> None:
    """The record still verifies without the name; the login is free for another person."""
    async with opening() as store, serving(store, entropy=seeded(10), **quick()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        await set_password(bob, "bob")
        back = await sign_in(server, "bob")
        await store.add_passkey(b"id", bob.person, b"key")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
        assert '"Bob"' in record
        await back.call("DELETE", "/api/me", status=204)
        for erased in (bob, back):
            await erased.refused("GET", "/api/me", status=401, code="not-signed-in")
        assert await store.person(bob.person) is None
        assert (await store.login("bob"), await store.login_of(bob.person)) == (None, None)
        assert (await store.passkeys(bob.person), await store.sessions(bob.person)) == ([], [])
        checked(await sign_in(server, "bob", status=403), "wrong-password")
        after = await ann.call("GET", f"/api/tables/{table}/record")
        assert after == without_name(record, "Bob")
        report = verify(after)
        assert report.misfit is None
        assert all(hand.opened == hand.of for hand in report.hands)
        assert isinstance(loads(after).fold(), MatchOver)
        assert await store.verify() == []
        other = await server.guest("Other")
        await set_password(other, "bob", OTHER)
        assert (await sign_in(server, "bob", OTHER)).person == other.person
