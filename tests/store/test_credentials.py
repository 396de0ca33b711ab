"""The guarantees of every store about logins, passkeys and challenges."""

import asyncio
from typing import Any

import pytest

from leftbower.errors import AlreadyThere, NotThere, Unstorable
from leftbower.store import Challenge, Login, Passkey, hash_token


async def test_a_person_has_one_login_and_no_two_have_the_same(backend: Any) -> None:
    """The next one replaces it, and the old one is free again."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        assert await store.login("ada ♥") is None
        assert await store.login_of("p") is None
        stored = await store.set_login("p", "ada ♥", "hash 1", now=1)
        assert stored == Login(person="p", login="ada ♥", hash="hash 1", changed=1.0)
        assert stored == await store.login("ada ♥") == await store.login_of("p")
        with pytest.raises(AlreadyThere):
            await store.set_login("q", "ada ♥", "hash 2")
        assert await store.login_of("q") is None
        assert (await store.set_login("p", "ada ♥", "hash 3", now=2)).hash == "hash 3"
        await store.set_login("p", "lovelace", "hash 4", now=3)
        assert await store.login("ada ♥") is None
        await store.set_login("q", "ada ♥", "hash 5", now=4)
        with pytest.raises(AlreadyThere):
            await store.set_login("p", "ada ♥", "hash 6")
        assert [(login.person, login.login, login.hash) for login in await store.logins()] == [
            ("p", "lovelace", "hash 4"),
            ("q", "ada ♥", "hash 5"),
        ]
        with pytest.raises(NotThere):
            await store.set_login("nobody", "free", "hash")
        for login in ("", "x" * 201, "\0"):
            with pytest.raises(Unstorable):
                await store.set_login("p", login, "hash")


async def test_of_many_who_want_a_login_at_once_one_gets_it(backend: Any) -> None:
    """Newcomers and people who change theirs; the others are refused, and keep what they had."""
    async with await backend.open() as store:
        people = [f"p{number}" for number in range(12)]
        for person in people:
            await store.add_person(person, person)
        for person in people[:6]:
            await store.set_login(person, person, "old")
        owners = {person: person for person in people[:6]}
        for wanted in map(str, range(15)):
            wants = [store.set_login(person, wanted, "new") for person in people]
            got = await asyncio.gather(*wants, return_exceptions=True)
            assert [type(outcome) for outcome in got if not isinstance(outcome, AlreadyThere)] == [Login]
            owners[(await store.login(wanted)).person] = wanted
            assert {login.person: login.login for login in await store.logins()} == owners


async def test_a_passkey_is_kept_until_it_is_taken_away(backend: Any) -> None:
    """Its id can be used only once; only its own person can remove it."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        passkey = await store.add_passkey(b"\0\xff", "p", b"key", count=3, label="phone ♥", now=5)
        assert passkey == Passkey(
            id=b"\0\xff", person="p", key=b"key", count=3, label="phone ♥", created=5.0, used=None
        )
        assert passkey == await store.passkey(b"\0\xff")
        await store.add_passkey(b"a", "p", b"key", now=4)
        await store.add_passkey(b"b", "q", b"key", now=4)
        assert [passkey.id for passkey in await store.passkeys("p")] == [b"a", b"\0\xff"]
        assert [passkey.id for passkey in await store.passkeys()] == [b"a", b"b", b"\0\xff"]
        for person in ("p", "q"):
            with pytest.raises(AlreadyThere):
                await store.add_passkey(b"a", person, b"other key")
        with pytest.raises(NotThere):
            await store.add_passkey(b"c", "nobody", b"key")
        for name, key, count in [(b"", b"key", 0), (b"c", b"", 0), (b"c" * 5000, b"key", 0), (b"c", b"key", 1 << 32)]:
            with pytest.raises(Unstorable):
                await store.add_passkey(name, "p", key, count=count)
        assert not await store.remove_passkey(b"a", "q")
        assert await store.remove_passkey(b"a", "p")
        assert not await store.remove_passkey(b"a", "p")
        assert await store.passkey(b"a") is None


async def test_the_count_of_a_passkey_only_goes_up(backend: Any) -> None:
    """Of two sign-ins with the same count the second is refused, in any process; 0 stays 0."""
    async with await backend.open() as store:
        await store.add_person("p", "Ada")
        await store.add_passkey(b"counts", "p", b"key", count=3)
        await store.add_passkey(b"never", "p", b"key")
        assert not await store.use_passkey(b"counts", 3, now=1)
        assert not await store.use_passkey(b"counts", 0, now=1)
        assert (await store.passkey(b"counts")).used is None
        assert await store.use_passkey(b"counts", 4, now=2)
        assert not await store.use_passkey(b"counts", 4, now=3)
        assert [(passkey.count, passkey.used) for passkey in [await store.passkey(b"counts")]] == [(4, 2.0)]
        assert await store.use_passkey(b"never", 0, now=4)
        assert await store.use_passkey(b"never", 0, now=5)
        assert await store.use_passkey(b"never", 1, now=6)
        assert not await store.use_passkey(b"never", 0, now=7)
        assert not await store.use_passkey(b"nothing", 1)


async def test_a_challenge_is_met_once_and_in_time(backend: Any) -> None:
    """Of concurrent callers one gets it; expired ones are deleted."""
    async with await backend.open() as store:
        await store.add_person("p", "Ada")
        challenge = await store.add_challenge("word-1", lasting=60, now=100)
        assert challenge == Challenge(challenge="word-1", person=None, until=160.0)
        hers = await store.add_challenge("word-2", person="p", lasting=60, now=100)
        with pytest.raises(AlreadyThere):
            await store.add_challenge("word-1", lasting=60, now=100)
        with pytest.raises(AlreadyThere):
            await store.add_challenge("word-2", person="p", lasting=60, now=100)
        with pytest.raises(NotThere):
            await store.add_challenge("word-3", person="nobody", lasting=60, now=100)
        taken = await asyncio.gather(*(store.take_challenge("word-1", now=110) for _ in range(5)))
        assert [stored for stored in taken if stored] == [challenge]
        assert await store.take_challenge("word-2", now=159) == hers
        assert await store.take_challenge("nothing") is None
        await store.add_challenge("late", lasting=60, now=200)
        assert await store.take_challenge("late", now=260) is None
        await store.add_challenge("swept", lasting=60, now=300)
        await store.add_challenge("sweeps", lasting=60, now=400)
        assert await store.take_challenge("swept", now=301) is None
        assert await store.take_challenge("sweeps", now=401) is not None


async def test_all_sessions_but_one_are_ended_at_once(backend: Any) -> None:
    """Also those for one log; other people's are not affected, and sessions ended before keep their time."""
    current, other, seat, hers, ended = (hash_token(word) for word in ("current", "other", "seat", "hers", "ended"))
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        for token, person, log in [(current, "p", None), (other, "p", None), (seat, "p", "t"), (ended, "p", None)]:
            await store.add_session(token, person, log=log)
        await store.add_session(hers, "q")
        await store.revoke_session(ended, now=1)
        assert await store.revoke_sessions("p", but=current, now=2) == 2
        assert await store.revoke_sessions("p", but=current, now=3) == 0
        assert {session.token: session.revoked for session in await store.sessions("p")} == {
            current: None,
            other: 2.0,
            seat: 2.0,
            ended: 1.0,
        }
        assert await store.session(hers) is not None


async def test_credentials_go_with_their_person(backend: Any) -> None:
    """Others keep theirs; the login is free again."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
            await store.set_login(person, f"login of {person}", "hash")
            await store.add_passkey(person.encode(), person, b"key")
            await store.add_challenge(f"word-{person}", person=person, lasting=60)
        assert await store.erase_person("p")
        assert await store.login("login of p") is None
        assert await store.passkey(b"p") is None
        assert await store.take_challenge("word-p") is None
        assert [login.person for login in await store.logins()] == ["q"]
        assert [passkey.person for passkey in await store.passkeys()] == ["q"]
        assert await store.take_challenge("word-q") is not None
        await store.set_login("q", "login of p", "hash")
