"""A store that lives as long as its process: for tests, simulations and trying things out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import time
from typing import Any, TypeVar

from leftbower.errors import AlreadyThere, NotThere, QuotaExceeded
from leftbower.store.accounts import MAX_LINKS, BoundName, Link, Listing, Person, Session, Words, from_ms, to_ms
from leftbower.store.base import MAX_GUARDED, Entry, Guard, Hint, Store
from leftbower.store.chain import Head, Row, end, start
from leftbower.store.credentials import MAX_CHALLENGES, Challenge, Login, Passkey
from leftbower.store.facts import Upcasters, parse
from leftbower.store.retention import Rows
from leftbower.store.token_hash import TokenHash


class MemoryStore(Store):
    """Plain dictionaries; nothing is awaited between reading and writing, so every method is atomic."""

    def __init__(self, *, upcasters: Upcasters | None = None, clock: Callable[[], float] = time) -> None:
        super().__init__(upcasters=upcasters)
        self._clock = clock
        self._facts: dict[str, list[Row]] = {}
        self._heads: dict[str, Head] = {}
        self._people: dict[str, Person] = {}
        self._sessions: dict[TokenHash, Session] = {}
        self._words: dict[str, Words] = {}
        self._bound_names: dict[str, BoundName] = {}
        self._links: dict[TokenHash, Link] = {}
        self._listings: dict[str, Listing] = {}
        self._logins: dict[str, Login] = {}
        self._passkeys: dict[bytes, Passkey] = {}
        self._challenges: dict[str, Challenge] = {}
        self._concerned: dict[str, Sequence[str]] = {}
        self._usage: dict[tuple[str, str], tuple[float, int]] = {}
        self._turns: dict[str, float] = {}
        self._removed: dict[str, tuple[Head, float]] = {}

    async def now(self) -> float:
        return from_ms(to_ms(self._clock()))

    async def heads(self) -> dict[str, Head]:
        return dict(self._heads)

    async def close(self) -> None:
        self._closed = True

    async def _append(self, entry: Entry) -> Sequence[Row]:
        self._check_open()
        head = self._heads.get(entry.log) or start(entry.log)
        rows = entry.behind(head, to_ms(self._clock()))
        if entry.guard is not None:
            await self._check_guard(entry.guard)
        self._facts.setdefault(entry.log, []).extend(rows)
        self._heads[entry.log] = end(head, rows)
        if entry.listing is not None:
            people = self._concerned.get(entry.log, ()) if entry.people is None else entry.people
            await self._list(entry.log, rows[-1].seq, entry.listing, rows[-1].at, people)
        self._notify([Hint(entry.log, rows[-1].seq)])
        return rows

    async def _check_guard(self, guard: Guard) -> None:
        guard.check([listing.body for listing in await self.listings(person=guard.person, limit=MAX_GUARDED)])

    async def _remove_log(self, log: str, expected: int, now: float) -> bool:
        self._check_open()
        head = self._heads.get(log)
        if head is None or head.seq != expected:
            return False
        del self._heads[log], self._facts[log]
        self._listings.pop(log, None)
        self._concerned.pop(log, None)
        self._links = {code: link for code, link in self._links.items() if link.log != log}
        self._sessions = {token: session for token, session in self._sessions.items() if session.log != log}
        self._removed[log] = head, now
        self._notify([Hint(log, 0)])
        return True

    async def removed_logs(self) -> dict[str, Head]:
        return {log: head for log, (head, _) in self._removed.items()}

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        self._check_open()
        return [row for row in self._facts.get(log, []) if row.seq > after][:limit]

    async def _head(self, log: str) -> Head | None:
        return self._heads.get(log)

    async def _logs(self) -> Sequence[str]:
        return sorted(self._facts.keys() | self._heads.keys())

    # Ordinary tables

    async def person(self, id: str) -> Person | None:
        return self._people.get(id)

    async def people(self) -> Sequence[Person]:
        return [person for _, person in sorted(self._people.items())]

    async def erase_person(self, id: str) -> bool:
        for session in await self.sessions(id):
            del self._sessions[session.token]
        self._words = {key: words for key, words in self._words.items() if words.person != id}
        self._bound_names = {key: bound for key, bound in self._bound_names.items() if bound.person != id}
        self._logins.pop(id, None)
        for passkey in await self.passkeys(id):
            del self._passkeys[passkey.id]
        others = [challenge for challenge in self._challenges.values() if challenge.person != id]
        self._challenges = {other.challenge: other for other in others}
        self._ended()
        return self._people.pop(id, None) is not None

    async def sessions(self, person: str) -> Sequence[Session]:
        theirs = [session for session in self._sessions.values() if session.person == person]
        return sorted(theirs, key=lambda session: (session.created, session.token))

    async def words(self, id: str) -> str | None:
        return self._words[id].text if id in self._words else None

    async def bound_names(self, commitments: Sequence[str] | None = None) -> Sequence[BoundName]:
        wanted = self._bound_names if commitments is None else set(commitments)
        return [bound for commitment, bound in sorted(self._bound_names.items()) if commitment in wanted]

    async def links(self, log: str | None = None) -> Sequence[Link]:
        return [link for _, link in sorted(self._links.items()) if log is None or link.log == log]

    async def listing(self, log: str) -> Listing | None:
        return self._listings.get(log)

    async def listings(
        self, *, person: str | None = None, since: float | None = None, limit: int | None = None
    ) -> Sequence[Listing]:
        found = [
            listing
            for log, listing in self._listings.items()
            if (person is None or person in self._concerned.get(log, ()))
            and (since is None or listing.updated >= since)
        ]
        return sorted(found, key=lambda listing: (-listing.updated, listing.log))[:limit]

    async def _add_person(self, person: Person) -> None:
        _add(self._people, person.id, person, f"person {person.id}")

    async def _rename_person(self, id: str, name: str) -> bool:
        if id in self._people:
            self._people[id] = replace(self._people[id], name=name)
        return id in self._people

    async def _add_session(self, session: Session, limit: int | None) -> bool:
        self._check_there(session.person)
        if session.log is not None and session.token not in self._sessions:
            await self._revoke_session_at(session.log, session.person, session.created)
        _add(self._sessions, session.token, session, "this session")
        others = [other for other in await self.sessions(session.person) if other.token != session.token]
        others.sort(
            key=lambda other: (other.revoked is None, other.last_used if other.revoked is None else other.revoked)
        )
        dropped = others[: max(len(others) + 1 - limit, 0)] if limit is not None else []
        for other in dropped:
            del self._sessions[other.token]
        return bool(dropped)

    async def _session(self, token: TokenHash) -> Session | None:
        return self._sessions.get(token)

    async def _touch_sessions(self, tokens: Sequence[TokenHash], now: float) -> None:
        for good in await self.sessions_by_token(tokens):
            self._sessions[good.token] = replace(good, last_used=now)

    async def _revoke_session(self, token: TokenHash, now: float) -> bool:
        if good := await self.session(token):
            self._sessions[token] = replace(good, revoked=now)
        return good is not None

    async def _revoke_sessions(self, person: str, but: TokenHash, now: float) -> int:
        others = [
            session.token for session in await self.sessions(person) if session.token != but and session.revoked is None
        ]
        for token in others:
            await self._revoke_session(token, now)
        return len(others)

    async def _revoke_session_at(self, log: str, person: str, now: float) -> bool:
        good = [
            session.token for session in await self.sessions(person) if session.log == log and session.revoked is None
        ]
        for token in good:
            await self._revoke_session(token, now)
        return bool(good)

    async def _add_bound_name(self, bound: BoundName) -> None:
        self._check_there(bound.person)
        _add(self._bound_names, bound.commitment, bound, "this commitment")

    async def _add_words(self, words: Words, limit: int | None) -> None:
        self._check_there(words.person)
        _add(self._words, words.id, words, "these words")
        others = [other for other in self._words.values() if other.person == words.person and other.id != words.id]
        others.sort(key=lambda other: other.created)
        for other in others[: max(len(others) + 1 - limit, 0)] if limit is not None else []:
            del self._words[other.id]

    async def _add_link(self, link: Link) -> None:
        _add(self._links, link.token, link, "this link")
        others = [other for other in self._links.values() if _kind_of(other) == _kind_of(link) and other != link]
        others.sort(key=lambda other: (other.revoked is not None, -other.created, other.token))
        for other in others[MAX_LINKS - 1 :]:
            del self._links[other.token]

    async def _link(self, token: TokenHash) -> Link | None:
        return self._links.get(token)

    async def _revoke_link(self, token: TokenHash, now: float) -> bool:
        if good := await self.link(token):
            self._links[token] = replace(good, revoked=now)
        return good is not None

    async def _revoke_links(self, log: str, kind: str, but: TokenHash, now: float, *, sessions: bool) -> int:
        good = [link for link in await self.links(log) if link.kind == kind and link.revoked is None]
        ended = [link for link in good if link.token != but and (sessions or not link.session)]
        for link in ended:
            self._links[link.token] = replace(link, revoked=now)
        return len(ended)

    # Credentials

    async def login(self, login: str) -> Login | None:
        return next((stored for stored in self._logins.values() if stored.login == login), None)

    async def login_of(self, person: str) -> Login | None:
        return self._logins.get(person)

    async def logins(self) -> Sequence[Login]:
        return [login for _, login in sorted(self._logins.items())]

    async def passkey(self, id: bytes) -> Passkey | None:
        return self._passkeys.get(id)

    async def passkeys(self, person: str | None = None) -> Sequence[Passkey]:
        found = [passkey for passkey in self._passkeys.values() if person is None or passkey.person == person]
        return sorted(found, key=lambda passkey: (passkey.created, passkey.id))

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
            raise AlreadyThere("another person has this login")
        self._logins[login.person] = login

    async def _add_passkey(self, passkey: Passkey, limit: int) -> None:
        self._check_there(passkey.person)
        if passkey.id not in self._passkeys and len(await self.passkeys(passkey.person)) >= limit:
            raise QuotaExceeded(f"you have {limit} passkeys; remove one first")
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
        self._challenges = {text: stored for text, stored in self._challenges.items() if stored.until > now}
        theirs = [stored for stored in self._challenges.values() if stored.person == challenge.person is not None]
        for stored in sorted(theirs, key=lambda stored: -stored.until)[MAX_CHALLENGES - 1 :]:
            del self._challenges[stored.challenge]
        _add(self._challenges, challenge.challenge, challenge, "this challenge")

    async def _take_challenge(self, challenge: str) -> Challenge | None:
        return self._challenges.pop(challenge, None)

    def _check_there(self, person: str) -> None:
        if person not in self._people:
            raise NotThere(f"there is no person {person}")

    # Counters and expiry

    async def _use(self, person: str, kind: str, amount: int, limit: int | None, day: float) -> bool:
        used = await self._used(person, kind, day) + amount
        if limit is not None and used > limit:
            return False
        self._usage[person, kind] = day, used
        return True

    async def _used(self, person: str, kind: str, day: float) -> int:
        counted, used = self._usage.get((person, kind), (day, 0))
        return used if counted == day else 0

    async def _take_turn(self, name: str, every: float, now: float) -> bool:
        last = self._turns.get(name)
        if last is not None and now - every < last <= now:
            return False
        self._turns[name] = now
        return True

    async def idle_guests(self, before: float, *, after: str = "", limit: int) -> Sequence[str]:
        return [person for person in sorted(self._people) if person > after and self._is_idle_guest(person, before)][
            :limit
        ]

    async def erase_idle_guest(self, id: str, before: float) -> bool:
        return self._is_idle_guest(id, before) and await self.erase_person(id)

    def _is_idle_guest(self, id: str, before: float) -> bool:
        person = self._people.get(id)
        if person is None or person.created >= before or id in self._logins:
            return False
        used = any(session.person == id and session.last_used >= before for session in self._sessions.values())
        return not used and all(passkey.person != id for passkey in self._passkeys.values())

    async def idle_listings(self, before: float, *, after: Listing | None = None, limit: int) -> Sequence[Listing]:
        idle = [listing for listing in self._listings.values() if listing.updated < before]
        idle.sort(key=lambda listing: listing.log, reverse=True)
        idle.sort(key=lambda listing: listing.updated)
        return [listing for listing in idle if after is None or _is_behind(listing, after)][:limit]

    async def count_expired(self, rows: Rows, before: float) -> int:
        return len(self._expired(rows, before)[1])

    async def expire(self, rows: Rows, before: float) -> int:
        table, keys = self._expired(rows, before)
        for key in keys:
            del table[key]
        self._ended()
        return len(keys)

    def _expired(self, rows: Rows, before: float) -> tuple[dict[Any, Any], list[Any]]:
        """The rows of a kind, and the keys of those that are older than a time."""
        table: dict[Any, Any]
        match rows:
            case Rows.UNUSED_SESSIONS:
                table = self._sessions
                return table, [key for key, row in table.items() if row.revoked is None and row.last_used < before]
            case Rows.ENDED_SESSIONS | Rows.ENDED_LINKS:
                table = self._sessions if rows is Rows.ENDED_SESSIONS else self._links
                return table, [key for key, row in table.items() if row.revoked is not None and row.revoked < before]
            case Rows.WORDS:
                table = self._words
                return table, [key for key, row in table.items() if row.created < before]
            case Rows.CHALLENGES:
                table = self._challenges
                return table, [key for key, row in table.items() if row.until < before]
            case Rows.USAGE:
                table = self._usage
                return table, [key for key, (day, _) in table.items() if day < before]
            case Rows.REMOVED_LOGS:
                table = self._removed
                return table, [key for key, (_, at) in table.items() if at < before]

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


def _kind_of(link: Link) -> tuple[str, str, bool]:
    return link.log, link.kind, link.session


def _is_behind(listing: Listing, other: Listing) -> bool:
    """Does it come after the other, from the oldest on? Those of one time are in the reverse order of their logs."""
    return listing.updated > other.updated or (listing.updated == other.updated and listing.log < other.log)


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def _add(table: dict[_Key, _Value], key: _Key, value: _Value, what: str) -> None:
    if key in table:
        raise AlreadyThere(f"{what} is in the store already")
    table[key] = value
