"""A whole store as JSON lines: what moves it between databases, and what any later version can read.

The first line has the format's version, where every log ends, and how many people, links, credentials and bound names
follow:

    {"heads":{"table/1":[1,"5f…"]},"leftbower-store":3,"links":1,"logins":1,"passkeys":1,"people":1}
    {"created":1790000000000,"name":"Ada","person":"p1"}
    {"created":1790000000000,"kind":"sit","link":"9a…","log":"table/1","revoked":null,"session":false}
    {"changed":1790000000000,"hash":"$argon2id$…","login":"ada","person":"p1"}
    {"count":7,"created":1790000000000,"key":"a5…","label":"phone","passkey":"c0…","person":"p1","used":null}
    {"bound_name":"7e…","name":"Ada","person":"p1","salt":"4c…"}
    {"at":1790000000000,"fact":{"fact":"opened","v":1},"hash":"5f…","log":"table/1","seq":1}

Times are milliseconds. Of links, and of browsers that came in by them, it has hashes only. Sessions of people are not
in it, as people sign in again; listings are not, as they are built from the logs. Version 1 has no credentials; links
of versions 1 and 2 are codes, and are hashed when they are read.
"""

import json
from asyncio import gather
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

from leftbower.errors import BadDump, LeftbowerError, NotEmpty, StoreBroken
from leftbower.store.accounts import BoundName, Link, Person, from_ms, to_ms
from leftbower.store.base import Store, parse_row
from leftbower.store.chain import Head, Row, fits, start
from leftbower.store.credentials import Login, Passkey
from leftbower.store.facts import canonical, is_text, parse
from leftbower.store.token_hash import hash_token, is_hash
from leftbower.store.verify import CHUNK_ROWS

DUMP_VERSION: Final = 3
READABLE_VERSIONS: Final = (1, 2, DUMP_VERSION)
LOGS_PER_BATCH: Final = 200
"""Logs that are restored concurrently, so that their commits are grouped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a dump: what the rest must add up to."""

    heads: Mapping[str, Head]
    people: int
    links: int
    logins: int = 0
    passkeys: int = 0
    bound_names: int = 0


@dataclass(frozen=True, slots=True)
class FactLine:
    """A line with one fact."""

    log: str
    row: Row


Line: TypeAlias = Header | Person | Link | Login | Passkey | BoundName | FactLine

_COUNTED_IN_VERSION_1: Final = ("people", "links")
_COUNTED_KINDS: Final = (*_COUNTED_IN_VERSION_1, "logins", "passkeys")


class LogRemoved(Exception):
    """A log was removed after its head was written into the first line; a second dump does not meet it."""


async def dump(store: Store) -> AsyncIterator[str]:
    """The lines of a store as it is now; it may grow meanwhile. A log with a flaw is refused with StoreBroken.

    Raises LogRemoved if a log was removed meanwhile.
    """
    heads, people, links = await store.heads(), await store.people(), await store.links()
    if not all(map(is_text, heads)):
        raise StoreBroken("the name of a log is damaged and not UTF-8 text; verify the store")
    ids = {person.id for person in people}  # people added or erased meanwhile have no credentials in this dump
    logins = [login for login in await store.logins() if login.person in ids]
    passkeys = [passkey for passkey in await store.passkeys() if passkey.person in ids]
    names = [bound for bound in await store.bound_names() if bound.person in ids]
    numbers = {"people": len(people), "links": len(links), "logins": len(logins), "passkeys": len(passkeys)}
    yield _encode(Header(heads=heads, **numbers, bound_names=len(names)))
    entries: list[Line] = [*people, *links, *logins, *passkeys, *names]
    for entry in entries:
        yield _encode(entry)
    for log, head in sorted(heads.items()):
        end = start(log)
        while end.seq < head.seq:
            rows = await store.rows(log, end.seq, min(CHUNK_ROWS, head.seq - end.seq))
            if not rows and log in await store.removed_logs():
                raise LogRemoved
            if not rows:
                raise StoreBroken(f"log {log} ends at {end.seq} and not at {head.seq}; verify the store")
            for row in rows:
                end = _follow(log, end, row, StoreBroken)
                yield _encode(FactLine(log, row))
        if end != head:
            raise StoreBroken(f"log {log} does not end in its head; verify the store")


def check(lines: Iterable[str]) -> Header:
    """Is a dump whole and unchanged? Every chain is followed to the end that the first line gives it."""
    read = _read(lines)
    header = next(read, None)
    if not isinstance(header, Header):
        raise BadDump("the first line of a dump is missing")
    ends: dict[str, Head] = {}
    people: set[str] = set()
    links = logins = passkeys = names = 0
    for line in read:
        match line:
            case Person():
                people.add(line.id)
            case Link():
                links += 1
            case Login() | Passkey() | BoundName() if line.person not in people:
                raise BadDump("a login, passkey or bound name stands in the dump without its person")
            case Login():
                logins += 1
            case Passkey():
                passkeys += 1
            case BoundName():
                names += 1
            case FactLine(log, row):
                ends[log] = _follow(log, ends.get(log) or start(log), row, BadDump)
            case Header():
                raise BadDump("a second dump begins in the middle of the first")
    for log, head in header.heads.items():
        if ends.pop(log, start(log)) != head:
            raise BadDump(f"log {log} does not end at {head.seq}, as its first line says: it was cut short or changed")
    expected = header.people, header.links, header.logins, header.passkeys, header.bound_names
    if ends or (len(people), links, logins, passkeys, names) != expected:
        raise BadDump("the dump does not hold what its first line says: it was cut short or changed")
    return header


async def load(lines: Iterable[str], store: Store) -> dict[str, Head]:
    """Fill an empty store from a dump that was checked; return where every log ends: where the dump says."""
    if await store.heads() or await store.people() or await store.links():
        raise NotEmpty("the store is not empty, and a restore would mix two stores")
    read = _read(lines)
    header = next(read)
    waiting: list[tuple[str, list[Row]]] = []
    for log, group in groupby(read, key=lambda line: line.log if isinstance(line, FactLine) else None):
        if log is None:
            for line in group:
                await _load_entry(store, line)
            continue
        waiting.append((log, [line.row for line in group if isinstance(line, FactLine)]))
        if len(waiting) == LOGS_PER_BATCH:
            await gather(*(_load_log(store, log, rows) for log, rows in waiting))
            waiting = []
    await gather(*(_load_log(store, log, rows) for log, rows in waiting))
    heads = await store.heads()
    if not isinstance(header, Header) or heads != header.heads:
        raise BadDump("the restored logs do not end where the dump says")
    return heads


async def _load_entry(store: Store, line: Line) -> None:
    match line:
        case Person(id=id, name=name, created=created):
            await store.add_person(id, name, now=created)
        case Link(token=token, log=log, kind=kind, session=session, created=created, revoked=revoked):
            await store.add_link(token, log, kind, session=session, now=created)
            if revoked is not None:
                await store.revoke_link(token, now=revoked)
        case Login(person=person, login=login, hash=hash, changed=changed):
            await store.set_login(person, login, hash, now=changed)
        case Passkey(id=key_id, person=person, key=key, count=count, label=label, created=created, used=used):
            if used is None:
                await store.add_passkey(key_id, person, key, count=count, label=label, now=created)
            else:
                await store.add_passkey(key_id, person, key, label=label, now=created)
                await store.use_passkey(key_id, count, now=used)
        case BoundName():
            await store.add_bound_name(line.commitment, line.person, salt=line.salt, name=line.name)


async def _load_log(store: Store, log: str, rows: Sequence[Row]) -> None:
    """The same facts at the same times have the same hashes, so appending them again is restoring them."""
    for at, group in groupby(rows, key=lambda row: row.at):
        same = list(group)
        written = await store.append(log, same[0].seq - 1, [parse(row.body) for row in same], now=from_ms(at))
        if written[-1].hash != same[-1].hash:
            raise BadDump(f"fact {same[-1].seq} of log {log} is not what the dump says")


def _follow(log: str, head: Head, row: Row, kind: type[LeftbowerError]) -> Head:
    if row.seq != head.seq + 1 or not fits(log, head, row):
        raise kind(f"fact {head.seq + 1} of log {log} is missing or was changed")
    return Head(row.seq, row.hash)


def _encode(line: Line) -> str:
    return json.dumps(_plain(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(line: Line) -> dict[str, Any]:
    match line:
        case Header(heads=heads):
            ends = {log: [head.seq, head.hash.hex()] for log, head in heads.items()}
            counted = {name: getattr(line, name) for name in _COUNTED_KINDS} | (
                {"bound_names": line.bound_names} if line.bound_names else {}
            )
            return {"leftbower-store": DUMP_VERSION, "heads": ends} | counted
        case Person(id=id, name=name, created=created):
            return {"person": id, "name": name, "created": to_ms(created)}
        case Link():
            return {
                "link": line.token,
                "log": line.log,
                "kind": line.kind,
                "session": line.session,
                "created": to_ms(line.created),
                "revoked": None if line.revoked is None else to_ms(line.revoked),
            }
        case Login(person=person, login=login, hash=hash, changed=changed):
            return {"login": login, "person": person, "hash": hash, "changed": to_ms(changed)}
        case Passkey():
            return {
                "passkey": line.id.hex(),
                "person": line.person,
                "key": line.key.hex(),
                "count": line.count,
                "label": line.label,
                "created": to_ms(line.created),
                "used": None if line.used is None else to_ms(line.used),
            }
        case BoundName():
            return {"bound_name": line.commitment, "person": line.person, "salt": line.salt, "name": line.name}
        case FactLine(log, row):
            return {"log": log, "seq": row.seq, "at": row.at, "fact": parse_row(log, row), "hash": row.hash.hex()}


def _read(lines: Iterable[str]) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        try:
            read = _parse(json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError, LeftbowerError) as error:
            raise BadDump("this is no line of a dump that this leftbower knows", path=f"line {number}") from error
        yield read


def _parse(plain: Any) -> Line:
    if "leftbower-store" in plain:
        if plain["leftbower-store"] not in READABLE_VERSIONS:
            raise ValueError
        heads = {log: Head(seq, bytes.fromhex(digest)) for log, (seq, digest) in plain["heads"].items()}
        counted = _COUNTED_KINDS if plain["leftbower-store"] > 1 else _COUNTED_IN_VERSION_1
        return Header(heads=heads, **{name: plain[name] for name in counted}, bound_names=plain.get("bound_names", 0))
    if "login" in plain:
        changed = from_ms(plain["changed"])
        return Login(person=plain["person"], login=plain["login"], hash=plain["hash"], changed=changed)
    if "passkey" in plain:
        return Passkey(
            id=bytes.fromhex(plain["passkey"]),
            person=plain["person"],
            key=bytes.fromhex(plain["key"]),
            count=plain["count"],
            label=plain["label"],
            created=from_ms(plain["created"]),
            used=None if plain["used"] is None else from_ms(plain["used"]),
        )
    if "bound_name" in plain:
        return BoundName(commitment=plain["bound_name"], person=plain["person"], salt=plain["salt"], name=plain["name"])
    if "person" in plain:
        return Person(id=plain["person"], name=plain["name"], created=from_ms(plain["created"]))
    if "link" in plain:
        token = plain["link"] if "session" in plain else hash_token(plain["link"])
        if not is_hash(token):
            raise ValueError
        return Link(
            token=token,
            log=plain["log"],
            kind=plain["kind"],
            session=bool(plain.get("session")),
            created=from_ms(plain["created"]),
            revoked=None if plain["revoked"] is None else from_ms(plain["revoked"]),
        )
    return FactLine(
        plain["log"], Row(plain["seq"], plain["at"], canonical(plain["fact"]), bytes.fromhex(plain["hash"]))
    )
