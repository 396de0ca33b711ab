"""The guarantees of every store about people, sessions and links."""

from typing import Any

import pytest

from leftbower.errors import AlreadyThere, NotThere, Unstorable
from leftbower.store import Link, Person, Session, hash_token
from leftbower.store.accounts import MAX_LINKS


async def test_people_are_entered_found_and_renamed(backend: Any) -> None:
    """An id can be used only once."""
    async with await backend.open() as store:
        ada = await store.add_person("p2", "Ada ♥", now=100.5)
        await store.add_person("p1", "", now=7)
        assert ada == await store.person("p2") == Person(id="p2", name="Ada ♥", created=100.5)
        assert [person.id for person in await store.people()] == ["p1", "p2"]
        with pytest.raises(AlreadyThere):
            await store.add_person("p2", "Another")
        assert await store.rename_person("p2", "Ada L.")
        assert not await store.rename_person("p3", "Nobody")
        assert (await store.person("p2")).name == "Ada L."
        assert await store.person("p3") is None


async def test_what_cannot_be_kept_is_refused_at_the_door(backend: Any) -> None:
    """Ids are opaque, names are short text."""
    async with await backend.open() as store:
        for person, name in [("p 1", "Ada"), ("", "Ada"), ("p", "x" * 201), ("p", "\0"), ("p", "\ud800")]:
            with pytest.raises(Unstorable):
                await store.add_person(person, name)
        assert await store.people() == []


async def test_a_session_acts_for_a_person_until_it_is_revoked(backend: Any) -> None:
    """Only the hash of the token is stored; a revoked session can't be used again."""
    token = hash_token("a random token")
    async with await backend.open() as store:
        await store.add_person("p", "Ada")
        assert await store.session(token) is None
        session = await store.add_session(token, "p", now=1)
        assert session == await store.session(token)
        assert session == Session(token=token, person="p", log=None, created=1.0, last_used=1.0, revoked=None)
        with pytest.raises(AlreadyThere):
            await store.add_session(token, "p")
        await store.touch_sessions([token, hash_token("nobody's")], now=2)
        assert (await store.session(token)).last_used == 2.0
        assert await store.revoke_session(token, now=3)
        assert await store.session(token) is None
        await store.touch_sessions([token], now=4)
        assert not await store.revoke_session(token, now=4)
        assert [(session.last_used, session.revoked) for session in await store.sessions("p")] == [(2.0, 3.0)]
        with pytest.raises(NotThere):
            await store.add_session(hash_token("other"), "nobody")


async def test_a_person_has_one_good_session_for_a_log(backend: Any) -> None:
    """The next one ends it; sessions for everywhere, for other logs and of other people are not affected."""
    first, second, other, anywhere, hers = (hash_token(word) for word in ("1", "2", "other", "anywhere", "hers"))
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        await store.add_session(anywhere, "p")
        await store.add_session(other, "p", log="u")
        await store.add_session(hers, "q", log="t")
        assert (await store.add_session(first, "p", log="t", now=1)).log == "t"
        with pytest.raises(AlreadyThere):
            await store.add_session(first, "p", log="t")
        assert (await store.session(first)).log == "t"
        await store.add_session(second, "p", log="t", now=2)
        assert await store.session(first) is None
        assert await store.revoke_session_at("t", "p", now=3)
        assert not await store.revoke_session_at("t", "p", now=4)
        assert await store.session(second) is None
        assert [(await store.session(token)).log for token in (anywhere, other, hers)] == [None, "u", "t"]
        await store.add_session(hash_token("3"), "p", log="t", now=5)
        with pytest.raises(Unstorable):
            await store.add_session(hash_token("4"), "p", log="no log")
        with pytest.raises(NotThere):
            await store.add_session(hash_token("4"), "nobody", log="t")


async def test_words_are_kept_until_who_said_them_is_erased(backend: Any) -> None:
    """An id can be used only once."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
            await store.add_words(f"w-{person}", person, f"well played, {person} ♥")
        assert await store.words("w-p") == "well played, p ♥"
        assert await store.words("w-r") is None
        with pytest.raises(AlreadyThere):
            await store.add_words("w-p", "q", "again")
        with pytest.raises(NotThere):
            await store.add_words("w-r", "nobody", "hello")
        with pytest.raises(Unstorable):
            await store.add_words("w-r", "p", "\0")
        await store.erase_person("p")
        assert await store.words("w-p") is None
        assert await store.words("w-q") == "well played, q ♥"


async def test_bound_names_are_kept_until_the_person_is_erased(backend: Any) -> None:
    """A commitment is bound once; the results are in the order of the commitments."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
            for number in range(3):
                await store.add_bound_name(f"c{number}{person}", person, salt=f"5{number}", name=f"{person} ♥")
        both = await store.bound_names(["c1q", "c0p", "gone"])
        assert [(bound.commitment, bound.person, bound.salt, bound.name) for bound in both] == [
            ("c0p", "p", "50", "p ♥"),
            ("c1q", "q", "51", "q ♥"),
        ]
        assert await store.bound_names([]) == []
        assert len(await store.bound_names()) == 6
        with pytest.raises(AlreadyThere):
            await store.add_bound_name("c0p", "q", salt="5", name="again")
        with pytest.raises(NotThere):
            await store.add_bound_name("c9", "nobody", salt="5", name="")
        with pytest.raises(Unstorable):
            await store.add_bound_name("c9", "p", salt="5", name="\0")
        await store.erase_person("p")
        assert [bound.commitment for bound in await store.bound_names()] == ["c0q", "c1q", "c2q"]


def test_a_token_cannot_be_read_from_its_hash() -> None:
    """The hash has a domain prefix, so it is not the plain SHA-256 of the token, which may be known elsewhere."""
    assert hash_token("token") == "866d43bc8b57d148ab1964fd0af2647be2274a065961b1e432d4d505af4490ac"


async def test_erasing_a_person_leaves_no_name_and_no_session(backend: Any) -> None:
    """Other people stay, and logs stay: they have only the id."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, f"name of {person}")
            await store.add_session(hash_token(person), person)
        await store.append("t", 0, [{"fact": "sat", "v": 1, "person": "p"}])
        assert await store.erase_person("p")
        assert not await store.erase_person("p")
        assert await store.person("p") is None
        assert await store.session(hash_token("p")) is None
        assert await store.sessions("p") == []
        assert [person.id for person in await store.people()] == ["q"]
        assert await store.session(hash_token("q")) is not None
        assert len(await store.read("t")) == 1
        assert await store.verify() == []


SEAT, WATCH, DESK = hash_token("seat"), hash_token("watch"), hash_token("desk")


async def test_a_link_is_good_until_it_is_revoked(backend: Any) -> None:
    """A code can be used only once, ever."""
    async with await backend.open() as store:
        added = await store.add_link(SEAT, "t/1", "sit", now=5)
        await store.add_link(WATCH, "t/1", "watch", now=6)
        await store.add_link(DESK, "e/1", "keep", session=True, now=7)
        assert added == await store.link(SEAT)
        assert added == Link(token=SEAT, log="t/1", kind="sit", session=False, created=5.0, revoked=None)
        assert [link.token for link in await store.links("t/1")] == sorted([SEAT, WATCH])
        assert [link.token for link in await store.links()] == sorted([SEAT, WATCH, DESK])
        assert [link.session for link in await store.links("e/1")] == [True]
        assert await store.revoke_link(SEAT, now=8)
        assert not await store.revoke_link(SEAT, now=9)
        assert not await store.revoke_link(hash_token("nothing"))
        assert await store.link(SEAT) is None
        assert await store.link(SEAT, ended=True) is not None
        assert {link.token: link.revoked for link in await store.links("t/1")} == {SEAT: 8.0, WATCH: None}
        with pytest.raises(AlreadyThere):
            await store.add_link(SEAT, "t/1", "sit")


async def test_a_new_code_ends_the_old_one_and_not_its_sessions(backend: Any) -> None:
    async with await backend.open() as store:
        old, browser, new, other = map(hash_token, ("old", "browser", "new", "other"))
        await store.add_link(old, "e/1", "side:1:NS", now=1)
        await store.add_link(browser, "e/1", "side:1:NS", session=True, now=2)
        await store.add_link(other, "e/1", "side:1:EW", now=3)
        await store.replace_link(new, "e/1", "side:1:NS", now=4)
        good = {token for token in (old, browser, new, other) if await store.link(token)}
        assert good == {browser, new, other}
        assert await store.revoke_links("e/1", "side:1:NS", but=browser, now=5) == 1
        assert await store.revoke_links("e/1", "side:1:NS", now=6) == 1
        good = {token for token in (old, browser, new, other) if await store.link(token)}
        assert good == {other}


async def test_a_link_is_stored_by_its_hash_only(backend: Any) -> None:
    async with await backend.open() as store:
        for code in ("seat-xyz", "0" * 24, "", SEAT.upper(), SEAT + "0"):
            with pytest.raises(Unstorable):
                await store.add_link(code, "t/1", "sit")
        assert await store.links() == []


async def test_one_link_has_a_bounded_number_of_rows(backend: Any) -> None:
    """Ended ones are deleted first, then the oldest; sessions do not crowd out codes."""
    async with await backend.open() as store:
        code = hash_token("code")
        await store.add_link(code, "e/1", "wall", now=1)
        tokens = [hash_token(f"browser {number}") for number in range(MAX_LINKS + 2)]
        for number, token in enumerate(tokens):
            await store.add_link(token, "e/1", "wall", session=True, now=2 + number)
            if number == MAX_LINKS - 1:
                await store.revoke_link(token)
        rows = [link.token for link in await store.links("e/1") if link.session]
        assert set(rows) == {*tokens[1 : MAX_LINKS - 1], *tokens[MAX_LINKS:]}
        assert await store.link(code) is not None
