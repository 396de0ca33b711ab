"""Dump of a whole store as JSON lines, to move it between databases; every later version can read it.

The first line has the format's version, the head of every log, and the numbers of people, links, credentials and bound
names that follow:

    {"heads":{"table/1":[1,"5f…"]},"leftbower-store":3,"links":1,"logins":1,"passkeys":1,"people":1}
    {"created":1790000000000,"name":"Ada","person":"p1"}
    {"created":1790000000000,"kind":"sit","link":"9a…","log":"table/1","revoked":null,"session":false}
    {"changed":1790000000000,"hash":"$argon2id$…","login":"ada","person":"p1"}
    {"count":7,"created":1790000000000,"key":"a5…","label":"phone","passkey":"c0…","person":"p1","used":null}
    {"bound_name":"7e…","name":"Ada","person":"p1","salt":"4c…"}
    {"at":1790000000000,"fact":{"fact":"opened","v":1},"hash":"5f…","log":"table/1","seq":1}

Times are in milliseconds. Links, and the browser sessions they opened, are stored as hashes. Sessions of people are not
included, because people sign in again, nor listings, because they are rebuilt from the logs. Version 1 has no
credentials; versions 1 and 2 have the codes of links, which are hashed when read.
"""

import json
from asyncio import gather
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from leftbower.errors import BadDump, LeftbowerError, NotEmpty, StoreBroken
from leftbower.i18n import gettext_noop
from leftbower.store.accounts import TIME_TYPES, BoundName, Link, Person, from_ms, from_row, to_ms
from leftbower.store.base import Store, parse_row
from leftbower.store.chain import Head, Row, fits, start
from leftbower.store.credentials import Login, Passkey
from leftbower.store.facts import canonical, is_text
from leftbower.store.rule_sets import RuleSet
from leftbower.store.token_hash import hash_token, is_hash
from leftbower.store.verify import CHUNK_ROWS

DUMP_VERSION: Final = 3
READABLE_VERSIONS: Final = (1, 2, DUMP_VERSION)
LOGS_PER_BATCH: Final = 200
"""Logs restored at the same time, so that their commits are grouped."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a dump, with the totals of the rest."""

    heads: Mapping[str, Head]
    counts: Counter[str]


@dataclass(frozen=True, slots=True)
class FactLine:
    log: str
    row: Row


Record: TypeAlias = Person | Link | Login | Passkey | BoundName | RuleSet
Line: TypeAlias = Header | Record | FactLine


class RecordFormat(NamedTuple):
    """The format of one kind of record in a dump."""

    counted: str
    """The key of their number in the first line."""
    name: str
    """The key that identifies their lines."""
    field: str
    """The field stored under this key; the others have their own names."""


RECORDS: Final[dict[type[Record], RecordFormat]] = {
    Login: RecordFormat("logins", "login", "login"),
    Passkey: RecordFormat("passkeys", "passkey", "id"),
    BoundName: RecordFormat("bound_names", "bound_name", "commitment"),
    RuleSet: RecordFormat("rule_sets", "rule_set", "name"),
    Person: RecordFormat("people", "person", "id"),
    Link: RecordFormat("links", "link", "token"),
}
"""In the order in which lines are matched; the first four also have a person."""


class LogRemoved(Exception):
    """A log was removed after its head was written to the first line; dumping again avoids this."""


async def dump(store: Store) -> AsyncIterator[str]:
    """The lines of a dump of the current store, which may grow at the same time. StoreBroken if a log has a flaw.

    LogRemoved if a log was removed during the dump.
    """
    heads, people, links = await store.heads(), await store.people(), await store.links()
    if not all(map(is_text, heads)):
        raise StoreBroken("a log's name is damaged (not UTF-8); verify the store")
    ids = {person.id for person in people}  # people added or erased during the dump have no credentials in it
    logins = [login for login in await store.logins() if login.person in ids]
    passkeys = [passkey for passkey in await store.passkeys() if passkey.person in ids]
    names = [bound for bound in await store.bound_names() if bound.person in ids]
    rule_sets = [rules for rules in await store.rule_sets() if rules.person in ids]
    records: list[Record] = [*people, *links, *logins, *passkeys, *names, *rule_sets]
    yield _encode(Header(heads, Counter(RECORDS[type(record)].counted for record in records)))
    for record in records:
        yield _encode(record)
    for log, head in sorted(heads.items()):
        end = start(log)
        while end.seq < head.seq:
            rows = await store.rows(log, end.seq, min(CHUNK_ROWS, head.seq - end.seq))
            if not rows and log in await store.removed_logs():
                raise LogRemoved
            if not rows:
                raise StoreBroken(
                    "log %(log)s ends at %(seq)s instead of %(expected)s; verify the store",
                    log=log,
                    seq=end.seq,
                    expected=head.seq,
                )
            for row in rows:
                end = _follow(log, end, row, StoreBroken)
                yield _encode(FactLine(log, row))
        if end != head:
            raise StoreBroken("log %(log)s doesn't match its head; verify the store", log=log)


def check(lines: Iterable[str]) -> Header:
    """Check that a dump is complete and unchanged: every chain must end at the head in the first line."""
    read = _read(lines)
    header = next(read, None)
    if not isinstance(header, Header):
        raise BadDump("the dump has no first line")
    ends: dict[str, Head] = {}
    people: set[str] = set()
    counts: Counter[str] = Counter()
    for line in read:
        match line:
            case Header():
                raise BadDump("there are two dumps in this file")
            case FactLine(log, row):
                ends[log] = _follow(log, ends.get(log) or start(log), row, BadDump)
                continue
            case Login() | Passkey() | BoundName() | RuleSet() if line.person not in people:
                raise BadDump("a login, passkey, name or rule set has no person in the dump")
            case Person():
                people.add(line.id)
        counts[RECORDS[type(line)].counted] += 1
    for log, head in header.heads.items():
        if ends.pop(log, start(log)) != head:
            raise BadDump(
                "log %(log)s should end at %(seq)s: the dump is truncated or was changed", log=log, seq=head.seq
            )
    counts["people"] = len(people)
    if ends or counts != header.counts:
        raise BadDump("the dump doesn't match its first line: it is truncated or was changed")
    return header


async def load(lines: Iterable[str], store: Store) -> dict[str, Head]:
    """Fill an empty store from a checked dump; returns the head of every log, which is that of the dump."""
    if await store.heads() or await store.people() or await store.links():
        raise NotEmpty("the store is not empty; restore into an empty one")
    read = _read(lines)
    header = next(read)
    waiting: list[tuple[str, list[Row]]] = []
    for log, group in groupby(read, key=lambda line: line.log if isinstance(line, FactLine) else None):
        if log is None:
            for line in group:
                await _load_record(store, line)
            continue
        waiting.append((log, [line.row for line in group if isinstance(line, FactLine)]))
        if len(waiting) == LOGS_PER_BATCH:
            await gather(*(_load_log(store, log, rows) for log, rows in waiting))
            waiting = []
    await gather(*(_load_log(store, log, rows) for log, rows in waiting))
    heads = await store.heads()
    if not isinstance(header, Header) or heads != header.heads:
        raise BadDump("the restored logs don't end where the dump says")
    return heads


async def _load_record(store: Store, line: Line) -> None:
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
        case RuleSet(person=person, name=name, rules=rules, changed=changed):
            await store.set_rules(person, name, rules, now=changed)


async def _load_log(store: Store, log: str, rows: Sequence[Row]) -> None:
    """Restore a log by appending: the same facts at the same times have the same hashes."""
    for at, group in groupby(rows, key=lambda row: row.at):
        same = list(group)
        written = await store.append(log, same[0].seq - 1, [json.loads(row.body) for row in same], now=from_ms(at))
        if written[-1].hash != same[-1].hash:
            raise BadDump("fact %(seq)s of log %(log)s differs from the dump", seq=same[-1].seq, log=log)


def _follow(log: str, head: Head, row: Row, kind: type[LeftbowerError]) -> Head:
    if row.seq != head.seq + 1 or not fits(log, head, row):
        raise kind(gettext_noop("fact %(seq)s of log %(log)s is missing or was changed"), seq=head.seq + 1, log=log)
    return Head(row.seq, row.hash)


def _encode(line: Line) -> str:
    return json.dumps(_plain(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(line: Line) -> dict[str, Any]:
    if isinstance(line, Header):
        ends = {log: [head.seq, head.hash.hex()] for log, head in line.heads.items()}
        return {"leftbower-store": DUMP_VERSION, "heads": ends, **dict.fromkeys(_COUNTED, 0), **line.counts}
    if isinstance(line, FactLine):
        row = line.row
        fact = parse_row(line.log, row)
        return {"log": line.log, "seq": row.seq, "at": row.at, "fact": fact, "hash": row.hash.hex()}
    form = RECORDS[type(line)]
    plain = {}
    for field in fields(line):
        value = getattr(line, field.name)
        if value is not None and field.type in TIME_TYPES:
            value = to_ms(value)
        plain[form.name if field.name == form.field else field.name] = (
            value.hex() if isinstance(value, bytes) else value
        )
    return plain


def _read(lines: Iterable[str]) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        try:
            read = _parse(json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError, LeftbowerError) as error:
            raise BadDump("this line is not part of a known dump", path=f"line {number}") from error
        yield read


def _parse(plain: Any) -> Line:
    if "leftbower-store" in plain:
        if plain["leftbower-store"] not in READABLE_VERSIONS:
            raise ValueError
        heads = {log: Head(seq, bytes.fromhex(digest)) for log, (seq, digest) in plain["heads"].items()}
        required = _COUNTED if plain["leftbower-store"] > 1 else _COUNTED_IN_VERSION_1
        counts = {name: plain[name] for name in required} | {name: plain.get(name, 0) for name in _COUNTED_IF_ANY}
        return Header(heads, Counter(counts))
    if "link" in plain and "session" not in plain:
        plain |= {"link": hash_token(plain["link"]), "session": False}
    for kind, form in RECORDS.items():
        if form.name in plain:
            return _parse_record(kind, form, plain)
    return FactLine(
        plain["log"], Row(plain["seq"], plain["at"], canonical(plain["fact"]), bytes.fromhex(plain["hash"]))
    )


def _parse_record(kind: type[Record], form: RecordFormat, plain: Mapping[str, Any]) -> Record:
    if kind is Link and not is_hash(plain["link"]):
        raise ValueError
    row = []
    for field in fields(kind):
        value = plain[form.name if field.name == form.field else field.name]
        row.append(bytes.fromhex(value) if field.type is bytes else value)
    return from_row(kind, row)


_COUNTED_IN_VERSION_1: Final = ("people", "links")
_COUNTED: Final = (*_COUNTED_IN_VERSION_1, "logins", "passkeys")
"""Numbers that are always in the first line."""
_COUNTED_IF_ANY: Final = ("bound_names", "rule_sets")
