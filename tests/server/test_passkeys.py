"""Passkeys, with a software authenticator that makes real keys and signatures."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from leftbower.errors import BadSettings, NoPasskeys
from leftbower.server.http.rate_limit import Backoff, RateLimit
from leftbower.server.people.passkeys import CHALLENGE_SECONDS, Site
from leftbower.server.people.passwords import Passwords
from leftbower.server.settings import read_settings
from leftbower.store import backup, open_store, restore
from leftbower.store.memory import MemoryStore
from proofs.requests.authenticator import PRESENT, VERIFIED, Authenticator, encode_base64url
from server_client import AppServer, Client, Plain, cheap_hashes, checked, free_limits, serving, unlimited

ORIGIN = "https://euchre.example"


@asynccontextmanager
async def serving_at(store: Any, browser_origin: str = ORIGIN, **settings: Any) -> AsyncIterator[AppServer]:
    """The application as a browser at this origin sees it."""
    limits = free_limits(sign_ins=unlimited(), login_attempts=Backoff(free=10**9))
    async with serving(store, **{"limits": limits} | settings) as server:
        server.http.base_url = httpx.URL(browser_origin)
        yield server


async def register(client: Client, device: Authenticator, label: str = "phone") -> Plain:
    """A new passkey of the client."""
    options = await client.call("POST", "/api/me/passkey-options")
    body = {"credential": device.create(options), "label": label}
    passkey: Plain = await client.call("POST", "/api/me/passkeys", body, status=201)
    return passkey


async def options_of(server: AppServer) -> Plain:
    """A challenge for signing in."""
    options: Plain = await server.anonymous().call("POST", "/api/sessions/passkey-options")
    return options


async def sign_in(server: AppServer, credential: Plain, *, status: int = 201, code: str = "") -> Any:
    """The response to a credential."""
    answer = await server.anonymous().call("POST", "/api/sessions/passkey", {"credential": credential}, status=status)
    server.http.cookies.clear()
    return checked(answer, code) if code else answer


async def refused(server: AppServer, credential: Plain) -> None:
    """The device is refused with one sentence that reveals nothing more."""
    await sign_in(server, credential, status=403, code="passkey-refused")


async def guest_with_passkey(server: AppServer, **device: Any) -> tuple[Client, Authenticator]:
    """A guest with a passkey, and the device that holds it."""
    ann = await server.guest("Ann")
    phone = Authenticator(ORIGIN, **device)
    await register(ann, phone)
    return ann, phone


@pytest.fixture(params=["memory", "sqlite"])
def address(request: pytest.FixtureRequest, tmp_path: Any) -> str:
    """The address of a store of each cheap kind."""
    return "memory:" if request.param == "memory" else str(tmp_path / "store.db")


async def test_a_passkey_is_made_and_signs_in_as_its_person(address: str) -> None:
    """Without a login, repeatedly; the list has the time."""
    async with await open_store(address) as store, serving_at(store) as server:
        ann = await server.guest("Ann")
        table = await ann.open()
        phone = Authenticator(ORIGIN)
        passkey = await register(ann, phone, "my\u200b  phone ♥")
        assert passkey["label"] == "my phone ♥"
        assert (passkey["id"], passkey["used"]) == (encode_base64url(phone.keys[0].id), None)
        for _ in range(2):
            signed = await sign_in(server, phone.get(await options_of(server)))
            assert (signed["person"], signed["name"]) == (ann.person, "Ann")
            back = Client(server.http, token=signed["token"])
            assert [listing["table"] for listing in await back.call("GET", "/api/tables")] == [table]
        [listed] = await ann.call("GET", "/api/me/passkeys")
        assert listed["used"] >= listed["created"] == passkey["created"]


async def test_options_ask_for_what_a_passkey_is() -> None:
    """Discoverable without a login, with user verification, for this site; excluding existing ones."""
    async with serving_at(MemoryStore()) as server:
        ann, phone = await guest_with_passkey(server)
        options = await ann.call("POST", "/api/me/passkey-options")
        assert options["rp"] == {"id": "euchre.example", "name": "leftbower"}
        assert options["user"]["name"] == "Ann"
        assert options["authenticatorSelection"] == {
            "residentKey": "required",
            "requireResidentKey": True,
            "userVerification": "required",
        }
        assert options["attestation"] == "none"
        assert [credential["id"] for credential in options["excludeCredentials"]] == [
            encode_base64url(phone.keys[0].id)
        ]
        sign_in_options = await options_of(server)
        assert (sign_in_options["rpId"], sign_in_options["allowCredentials"]) == ("euchre.example", [])
        assert sign_in_options["userVerification"] == "required"
        assert sign_in_options["challenge"] != options["challenge"]


async def test_a_challenge_is_met_once(address: str) -> None:
    """The same credential is refused again, and so is another for the same challenge, even if the first one failed."""
    async with await open_store(address) as store, serving_at(store) as server:
        ann, phone = await guest_with_passkey(server)
        options = await options_of(server)
        credential = phone.get(options)
        await sign_in(server, credential)
        await refused(server, credential)
        await refused(server, phone.get(options))
        spoiled = await options_of(server)
        away = Authenticator("https://elsewhere.example", keys=phone.keys)
        await refused(server, away.get(spoiled))
        await refused(server, phone.get(spoiled))
        again = await ann.call("POST", "/api/me/passkey-options")
        laptop = Authenticator(ORIGIN)
        body = {"credential": laptop.create(again)}
        await ann.call("POST", "/api/me/passkeys", body, status=201)
        await ann.refused("POST", "/api/me/passkeys", body, status=403, code="passkey-refused")
        assert len(await ann.call("GET", "/api/me/passkeys")) == 2


async def test_of_many_processes_one_takes_a_challenge(address: str) -> None:
    """Any of them can issue and take it, but only one does."""
    async with await open_store(address) as store, serving_at(store) as first, serving_at(store) as other:
        _, phone = await guest_with_passkey(first)
        credential = phone.get(await options_of(first))
        posts = (
            server.http.post("/api/sessions/passkey", json={"credential": credential}) for server in (first, other) * 3
        )
        answers = await asyncio.gather(*posts)
        assert sorted(answer.status_code for answer in answers) == [201, 403, 403, 403, 403, 403]


async def test_a_challenge_is_met_in_time_and_by_whom_it_was_given_for() -> None:
    """A challenge for signing in registers nothing, and neither does another person's or an invented one."""
    now = 1_800_000_000.0
    async with serving_at(MemoryStore(clock=lambda: now)) as server:
        ann, phone = await guest_with_passkey(server)
        bob = await server.guest("Bob")
        credential = phone.get(await options_of(server))
        now += CHALLENGE_SECONDS
        await refused(server, credential)
        credential = phone.get(await options_of(server))
        now += CHALLENGE_SECONDS - 1
        await sign_in(server, credential)
        hers = await ann.call("POST", "/api/me/passkey-options")
        await refused(server, phone.get(await options_of(server) | {"challenge": hers["challenge"]}))
        hers = await ann.call("POST", "/api/me/passkey-options")
        body = {"credential": Authenticator(ORIGIN).create(hers)}
        await bob.refused("POST", "/api/me/passkeys", body, status=403, code="passkey-refused")
        borrowed = hers | {"challenge": (await options_of(server))["challenge"]}
        for options in (borrowed, hers | {"challenge": encode_base64url(bytes(32))}):
            body = {"credential": Authenticator(ORIGIN).create(options)}
            await ann.refused("POST", "/api/me/passkeys", body, status=403, code="passkey-refused")
        assert [await client.call("GET", "/api/me/passkeys") for client in (bob,)] == [[]]
        assert len(await ann.call("GET", "/api/me/passkeys")) == 1


async def test_a_passkey_is_good_at_its_own_origin_only() -> None:
    """Refused for any other page, scheme, port or site."""
    async with serving_at(MemoryStore()) as server:
        ann, phone = await guest_with_passkey(server)
        for origin in ("https://euchre.example.evil", "http://euchre.example", f"{ORIGIN}:8443", "null"):
            away = Authenticator(origin, keys=phone.keys)
            await refused(server, away.get(await options_of(server)))
            options = await ann.call("POST", "/api/me/passkey-options")
            body = {"credential": Authenticator(origin).create(options)}
            await ann.refused("POST", "/api/me/passkeys", body, status=403, code="passkey-refused")
        [key] = phone.keys
        key.site = "evil.example"
        await refused(server, phone.get(await options_of(server), key))
        key.site = "euchre.example"
        await sign_in(server, phone.get(await options_of(server)))


async def test_only_the_right_signature_is_good() -> None:
    """Not one by another key, over other data, broken, without user presence, unverified, or for another person."""
    async with serving_at(MemoryStore()) as server:
        ann, phone = await guest_with_passkey(server)
        bob, other = await guest_with_passkey(server)
        [key], [hers] = phone.keys, other.keys
        right, key.secret = key.secret, hers.secret
        await refused(server, phone.get(await options_of(server)))
        key.secret = right
        key.handle, handle = bob.person.encode(), key.handle
        await refused(server, phone.get(await options_of(server)))
        key.handle = handle
        for name, value in (("signature", encode_base64url(b"\x30\x06\x02\x01\x01\x02\x01\x01")), ("signature", "")):
            credential = phone.get(await options_of(server))
            credential["response"][name] = value
            await refused(server, credential)
        credential, foreign = phone.get(await options_of(server)), phone.get(await options_of(server))
        credential["response"]["authenticatorData"] = foreign["response"]["authenticatorData"]
        await refused(server, credential)
        without = phone.get(await options_of(server))
        del without["response"]["userHandle"]
        await refused(server, without)
        for flags in (0, PRESENT, VERIFIED):
            phone.flags = flags
            await refused(server, phone.get(await options_of(server)))
            body = {"credential": Authenticator(ORIGIN, flags=flags).create(await ann.call("POST", OPTIONS_URL))}
            await ann.refused("POST", "/api/me/passkeys", body, status=403, code="passkey-refused")
        phone.flags = PRESENT | VERIFIED
        assert (await sign_in(server, phone.get(await options_of(server))))["person"] == ann.person
        assert (await sign_in(server, other.get(await options_of(server))))["person"] == bob.person


OPTIONS_URL = "/api/me/passkey-options"


async def test_a_count_that_falls_or_stands_still_tells_of_a_copy() -> None:
    """A device that never counts is valid, until it does."""
    async with serving_at(MemoryStore()) as server:
        ann, phone = await guest_with_passkey(server)
        [key] = phone.keys
        key.count = 10
        await sign_in(server, phone.get(await options_of(server)))
        for behind in (10, 5, -1):
            key.count = behind
            await refused(server, phone.get(await options_of(server)))
        key.count = 11
        await sign_in(server, phone.get(await options_of(server)))
        silent = Authenticator(ORIGIN, counts=False)
        await register(ann, silent, "silent")
        for _ in range(2):
            await sign_in(server, silent.get(await options_of(server)))


async def test_a_passkey_has_one_owner_and_ends_when_it_is_removed() -> None:
    """Others cannot remove it, and cannot register a copy of it."""
    async with serving_at(MemoryStore()) as server:
        ann, phone = await guest_with_passkey(server)
        bob = await server.guest("Bob")
        [key] = phone.keys
        name = encode_base64url(key.id)

        copy = Authenticator(ORIGIN, next_id=key.id).create(await bob.call("POST", OPTIONS_URL))
        assert copy["id"] == name
        await bob.refused("POST", "/api/me/passkeys", {"credential": copy}, status=403, code="passkey-refused")
        for client in (bob, ann):
            for wrong in ("x", "é", "%00", name[:-4]):
                await client.refused("DELETE", f"/api/me/passkeys/{wrong}", status=404, code="not-found")
        await bob.refused("DELETE", f"/api/me/passkeys/{name}", status=404, code="not-found")
        await ann.call("DELETE", f"/api/me/passkeys/{name}", status=204)
        await ann.refused("DELETE", f"/api/me/passkeys/{name}", status=404, code="not-found")
        assert await ann.call("GET", "/api/me/passkeys") == []
        await refused(server, phone.get(await options_of(server)))


async def test_an_erased_person_signs_in_by_no_passkey(address: str) -> None:
    """Not even with an earlier challenge."""
    async with await open_store(address) as store, serving_at(store) as server:
        ann, phone = await guest_with_passkey(server)
        credential = phone.get(await options_of(server))
        await ann.call("DELETE", "/api/me", status=204)
        await refused(server, credential)
        await refused(server, phone.get(await options_of(server)))


async def test_the_cookie_of_a_sign_in_under_https_stays_there() -> None:
    """No page can read it, and it is never sent without TLS."""
    async with serving_at(MemoryStore()) as server:
        ann, phone = await guest_with_passkey(server)
        body = {"credential": phone.get(await options_of(server))}
        answer = await server.http.post("/api/sessions/passkey", json=body)
        assert all(word in answer.headers["set-cookie"] for word in ("HttpOnly", "SameSite=lax", "Secure"))
        assert (await server.http.get("/api/me")).json()["person"] == ann.person
        cross = await server.http.post("/api/sessions/passkey", json=body, headers={"Sec-Fetch-Site": "cross-site"})
        checked(cross.json(), "cross-site")


async def test_people_sign_in_again_after_a_restore(tmp_path: Path) -> None:
    """By password and by passkey; earlier tokens are invalid, and a copied counter is still noticed."""
    cheap: Plain = {"passwords": Passwords(cheap_hashes())}
    async with await open_store(str(tmp_path / "store.db")) as store, serving_at(store, **cheap) as server:
        ann, phone = await guest_with_passkey(server)
        await ann.call("PUT", "/api/me/password", {"login": "ann", "password": "correct horse"})
        await sign_in(server, phone.get(await options_of(server)))
        await backup(str(tmp_path / "store.db"), tmp_path / "backup.jsonl")
    await restore(tmp_path / "backup.jsonl", str(tmp_path / "restored.db"))
    async with await open_store(str(tmp_path / "restored.db")) as store, serving_at(store, **cheap) as server:
        await Client(server.http, token=ann.token).refused("GET", "/api/me", status=401, code="not-signed-in")
        phone.keys[0].count -= 1
        await refused(server, phone.get(await options_of(server)))
        assert (await sign_in(server, phone.get(await options_of(server))))["person"] == ann.person
        body = {"login": "Ann", "password": "correct horse"}
        assert (await server.anonymous().call("POST", "/api/sessions", body, status=201))["person"] == ann.person


@pytest.mark.parametrize(
    "spoil",
    [
        lambda credential: {},
        lambda credential: credential | {"response": "x"},
        lambda credential: credential | {"id": 7},
        lambda credential: credential | {"id": "é"},
        lambda credential: credential | {"response": {"clientDataJSON": encode_base64url(b"[" * 5000)}},
        lambda credential: credential | {"response": {"clientDataJSON": encode_base64url(b'{"challenge": "\\u0000"}')}},
        lambda credential: credential | {"response": {"clientDataJSON": encode_base64url(b"[]")}},
        lambda credential: credential | {"response": credential["response"] | {"userHandle": 7}},
    ],
)
async def test_what_is_no_credential_is_refused_in_one_sentence(spoil: Callable[[Plain], Plain]) -> None:
    """If it can't be parsed, before any challenge is used up."""
    async with serving_at(MemoryStore()) as server:
        _, phone = await guest_with_passkey(server)
        credential = phone.get(await options_of(server))
        await sign_in(server, spoil(credential), status=422, code="bad-request")
        await sign_in(server, credential)


@pytest.mark.parametrize(
    "response",
    [
        {"attestationObject": ""},
        {"attestationObject": encode_base64url(b"\x81" * 5000)},
        {"attestationObject": encode_base64url(b"\xa3cfmtdnone")},
        {"attestationObject": 7},
        {"attestationObject": None},
    ],
)
async def test_a_broken_attestation_is_refused_and_nothing_fails(response: Plain) -> None:
    """No matter what a parser stumbles over."""
    async with serving_at(MemoryStore()) as server:
        ann = await server.guest("Ann")
        credential = Authenticator(ORIGIN).create(await ann.call("POST", OPTIONS_URL))
        credential["response"] |= response
        await ann.refused("POST", "/api/me/passkeys", {"credential": credential}, status=403, code="passkey-refused")


async def test_attempts_are_limited_by_address() -> None:
    """For requesting a challenge and for answering it."""
    async with serving_at(MemoryStore(), limits=free_limits(sign_ins=RateLimit(burst=3, rate=0.01))) as server:
        _, phone = await guest_with_passkey(server)
        options = await options_of(server)
        await options_of(server)
        await sign_in(server, phone.get(options))
        await server.anonymous().refused("POST", "/api/sessions/passkey-options", status=429, code="too-often")


# Where passkeys are good

GOOD_ORIGINS = {
    "https://euchre.example": "euchre.example",
    "https://EUCHRE.example:8443": "euchre.example",
    "http://localhost:8000": "localhost",
    "http://two.localhost": "two.localhost",
}
BAD_ORIGINS = ["http://euchre.example", "http://127.0.0.1:8000", "https://192.168.0.7", "http://hall.local:8000"]


@pytest.mark.parametrize("origin", GOOD_ORIGINS)
async def test_passkeys_work_where_the_request_came_to(origin: str) -> None:
    """By default the site is the host of the request."""
    async with serving_at(MemoryStore(), origin) as server:
        ann = await server.guest("Ann")
        phone = Authenticator(Site.of(origin).origin)
        await register(ann, phone)
        assert phone.keys[0].site == GOOD_ORIGINS[origin]
        assert (await sign_in(server, phone.get(await options_of(server))))["person"] == ann.person


@pytest.mark.parametrize("origin", BAD_ORIGINS)
async def test_there_are_no_passkeys_under_plain_http_or_at_a_number(origin: str) -> None:
    """The same error on every route; existing passkeys can still be listed."""
    async with serving_at(MemoryStore(), origin) as server:
        ann = await server.guest("Ann")
        requests: list[tuple[Client, str, Plain | None]] = [
            (ann, "/api/me/passkey-options", None),
            (ann, "/api/me/passkeys", {"credential": {}}),
            (server.anonymous(), "/api/sessions/passkey-options", None),
            (server.anonymous(), "/api/sessions/passkey", {"credential": {}}),
        ]
        for client, path, body in requests:
            await client.refused("POST", path, body, status=403, code="no-passkeys")
        assert await ann.call("GET", "/api/me/passkeys") == []


async def test_an_operator_can_say_where_the_server_is_found() -> None:
    """Behind a proxy that terminates TLS; the configured origin is the site, no matter the host of the request."""
    async with serving_at(MemoryStore(), "http://127.0.0.1:8000", origin=ORIGIN) as server:
        ann, phone = await guest_with_passkey(server)
        assert phone.keys[0].site == "euchre.example"
        assert (await sign_in(server, phone.get(await options_of(server))))["person"] == ann.person


@pytest.mark.parametrize("host", ["", "a b", "[::1]", "euchre.example/x", "a@b", "euchre.example:port"])
def test_what_is_no_host_has_no_passkeys(host: str) -> None:
    """Nothing of it reaches an authenticator."""
    with pytest.raises(NoPasskeys):
        Site.at("https", host)


@pytest.mark.parametrize(
    "origin", [*BAD_ORIGINS, "euchre.example", "https://euchre.example/", "ftp://localhost", "https://"]
)
def test_an_origin_that_has_no_passkeys_is_no_setting(origin: str) -> None:
    """Reported when the server starts, not at the first sign-in."""
    with pytest.raises(BadSettings) as error:
        read_settings(None, {"origin": origin})
    assert error.value.path == "origin"
    assert read_settings(None, {"origin": ORIGIN}).origin == ORIGIN
    assert read_settings(None, {}).origin is None
