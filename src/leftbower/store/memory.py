"""A store that lives as long as its process: for tests, simulations and trying things out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import time
from typing import TypeVar

from leftbower.errors import AlreadyThere, NotThere
from leftbower.store.chain import Head, Row, end, start
from leftbower.store.contract import Entry, Hint, Store
from leftbower.store.credentials import Challenge, Login, Passkey
from leftbower.store.facts import Upcasters, parse
from leftbower.store.registry import MAX_LINKS, Link, Listing, Person, Session, TokenHash, Words, from_ms, to_ms


class MemoryStore(Store):
    """Plain dictionaries; nothing is awaited between looking and writing, so every method is one step."""

    def __init__(self, *, upcasters: Upcasters | None = None, clock: Callable[[], float] = time) -> None:
        super().__init__(upcasters=upcasters)
        self._clock = clock
        self._facts: dict[str, list[Row]] = {}
        self._ends: dict[str, Head] = {}
        self._people: dict[str, Person] = {}
        self._sessions: dict[TokenHash, Session] = {}
        self._words: dict[str, Words] = {}
        self._links: dict[TokenHash, Link] = {}
        self._listings: dict[str, Listing] = {}
        self._logins: dict[str, Login] = {}
        self._passkeys: dict[bytes, Passkey] = {}
        self._challenges: dict[str, Challenge] = {}
        self._concerned: dict[str, Sequence[str]] = {}

    async def now(self) -> float:
        return from_ms(to_ms(self._clock()))

    async def heads(self) -> dict[str, Head]:
        return dict(self._ends)

    async def close(self) -> None:
        self._closed = True

    async def _append(self, entry: Entry) -> Sequence[Row]:
        self._check_open()
        head = self._ends.get(entry.log) or start(entry.log)
        rows = entry.behind(head, to_ms(self._clock()))
        self._facts.setdefault(entry.log, []).extend(rows)
        self._ends[entry.log] = end(head, rows)
        if entry.listing is not None:
            people = self._concerned.get(entry.log, ()) if entry.people is None else entry.people
            await self._list(entry.log, rows[-1].seq, entry.listing, rows[-1].at, people)
        self._tell([Hint(entry.log, rows[-1].seq)])
        return rows

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        self._check_open()
        return [row for row in self._facts.get(log, []) if row.seq > after][:limit]

    async def _head(self, log: str) -> Head | None:
        return self._ends.get(log)

    async def _logs(self) -> Sequence[str]:
        return sorted(self._facts.keys() | self._ends.keys())

    # Ordinary tables

    async def person(self, id: str) -> Person | None:
        return self._people.get(id)

    async def people(self) -> Sequence[Person]:
        return [person for _, person in sorted(self._people.items())]

    async def erase_person(self, id: str) -> bool:
        for session in await self.sessions(id):
            del self._sessions[session.token]
        self._words = {key: words for key, words in self._words.items() if words.person != id}
        self._logins.pop(id, None)
        for passkey in await self.passkeys(id):
            del self._passkeys[passkey.id]
        self._challenges = {word: one for word, one in self._challenges.items() if one.person != id}
        self._ended()
        return self._people.pop(id, None) is not None

    async def sessions(self, person: str) -> Sequence[Session]:
        theirs = [session for session in self._sessions.values() if session.person == person]
        return sorted(theirs, key=lambda session: (session.created, session.token))

    async def words(self, id: str) -> str | None:
        return self._words[id].text if id in self._words else None

    async def links(self, log: str | None = None) -> Sequence[Link]:
        return [link for _, link in sorted(self._links.items()) if log is None or link.log == log]

    async def listing(self, log: str) -> Listing | None:
        return self._listings.get(log)

    async def listings(
        self, *, person: str | None = None, since: float | None = None, limit: int | None = None
    ) -> Sequence[Listing]:
        found = [one for one in self._listings.values() if person is None or person in self._concerned.get(one.log, ())]
        latest = [one for one in found if since is None or one.updated >= since]
        return sorted(latest, key=lambda one: (-one.updated, one.log))[:limit]

    async def _add_person(self, person: Person) -> None:
        _add(self._people, person.id, person, f"person {person.id}")

    async def _rename_person(self, id: str, name: str) -> bool:
        if id in self._people:
            self._people[id] = replace(self._people[id], name=name)
        return id in self._people

    async def _add_session(self, session: Session) -> None:
        self._check_there(session.person)
        if session.log is not None and session.token not in self._sessions:
            await self._revoke_session_at(session.log, session.person, session.created)
        _add(self._sessions, session.token, session, "this session")

    async def _session(self, token: TokenHash) -> Session | None:
        return self._sessions.get(token)

    async def _see_sessions(self, tokens: Sequence[TokenHash], now: float) -> None:
        for good in await self.some_sessions(tokens):
            self._sessions[good.token] = replace(good, seen=now)

    async def _revoke_session(self, token: TokenHash, now: float) -> bool:
        if good := await self.session(token):
            self._sessions[token] = replace(good, revoked=now)
        return good is not None

    async def _revoke_sessions(self, person: str, but: TokenHash, now: float) -> int:
        others = [one.token for one in await self.sessions(person) if one.token != but and one.revoked is None]
        for token in others:
            await self._revoke_session(token, now)
        return len(others)

    async def _revoke_session_at(self, log: str, person: str, now: float) -> bool:
        good = [one.token for one in await self.sessions(person) if one.log == log and one.revoked is None]
        for token in good:
            await self._revoke_session(token, now)
        return bool(good)

    async def _add_words(self, words: Words) -> None:
        if words.person not in self._people:
            raise NotThere(f"there is no person {words.person}")
        _add(self._words, words.id, words, "these words")

    async def _add_link(self, link: Link) -> None:
        _add(self._links, link.token, link, "this link")
        same = [one for one in self._links.values() if _sort_of(one) == _sort_of(link) and one != link]
        same.sort(key=lambda one: (one.revoked is not None, -one.created, one.token))
        for one in same[MAX_LINKS - 1 :]:
            del self._links[one.token]

    async def _link(self, token: TokenHash) -> Link | None:
        return self._links.get(token)

    async def _revoke_link(self, token: TokenHash, now: float) -> bool:
        if good := await self.link(token):
            self._links[token] = replace(good, revoked=now)
        return good is not None

    async def _revoke_links(self, log: str, kind: str, but: TokenHash, now: float, *, sessions: bool) -> int:
        good = [one for one in await self.links(log) if one.kind == kind and one.token != but and one.revoked is None]
        ended = [one for one in good if sessions or not one.session]
        for one in ended:
            self._links[one.token] = replace(one, revoked=now)
        return len(ended)

    # Credentials

    async def login(self, login: str) -> Login | None:
        return next((one for one in self._logins.values() if one.login == login), None)

    async def login_of(self, person: str) -> Login | None:
        return self._logins.get(person)

    async def logins(self) -> Sequence[Login]:
        return [login for _, login in sorted(self._logins.items())]

    async def passkey(self, id: bytes) -> Passkey | None:
        return self._passkeys.get(id)

    async def passkeys(self, person: str | None = None) -> Sequence[Passkey]:
        found = [one for one in self._passkeys.values() if person is None or one.person == person]
        return sorted(found, key=lambda one: (one.created, one.id))

    async def remove_passkey(self, id: bytes, person: str) -> bool:
        there = self._passkeys.get(id)
        if there is None or there.person != person:
            return False
        del self._passkeys[id]
        return True

    async def _set_login(self, login: Login) -> None:
        self._check_there(login.person)
        there = await self.login(login.login)
        if there and there.person != login.person:
            raise AlreadyThere("somebody else has this login")
        self._logins[login.person] = login

    async def _add_passkey(self, passkey: Passkey) -> None:
        self._check_there(passkey.person)
        _add(self._passkeys, passkey.id, passkey, "this passkey")

    async def _use_passkey(self, id: bytes, count: int, now: float) -> bool:
        there = self._passkeys.get(id)
        if there is None or not (there.count < count or there.count == count == 0):
            return False
        self._passkeys[id] = replace(there, count=count, used=now)
        return True

    async def _add_challenge(self, challenge: Challenge, now: float) -> None:
        if challenge.person is not None:
            self._check_there(challenge.person)
        self._challenges = {word: one for word, one in self._challenges.items() if one.until > now}
        _add(self._challenges, challenge.challenge, challenge, "this challenge")

    async def _take_challenge(self, challenge: str) -> Challenge | None:
        return self._challenges.pop(challenge, None)

    def _check_there(self, person: str) -> None:
        if person not in self._people:
            raise NotThere(f"there is no person {person}")

    # Listings

    async def _list(self, log: str, seq: int, body: str, updated: int, people: Sequence[str]) -> None:
        if not self._is_listed_beyond(log, seq):
            self._listings[log] = Listing(log=log, seq=seq, body=parse(body), updated=from_ms(updated))
            self._concerned[log] = people

    async def _unlist(self, log: str, seq: int) -> None:
        if not self._is_listed_beyond(log, seq):
            self._listings.pop(log, None)
            self._concerned.pop(log, None)

    def _is_listed_beyond(self, log: str, seq: int) -> bool:
        there = self._listings.get(log)
        return there is not None and there.seq > seq


def _sort_of(link: Link) -> tuple[str, str, bool]:
    return link.log, link.kind, link.session


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def _add(table: dict[_Key, _Value], key: _Key, value: _Value, what: str) -> None:
    if key in table:
        raise AlreadyThere(f"{what} is in the store already")
    table[key] = value
