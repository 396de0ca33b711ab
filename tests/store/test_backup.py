"""A backup can be restored: every log has the same head, and an incomplete backup is refused."""

import asyncio
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leftbower.errors import BadDump, LeftbowerError, NotAStore, NotEmpty, NotText, StoreBroken, UnreadableFile
from leftbower.store import Store, backup, hash_token, open_store, restore
from leftbower.store.dump import DUMP_VERSION, check, dump, load

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.jsonl"))
WRITE = os.environ.get("LEFTBOWER_WRITE_GOLDEN") == "1"


async def fill(store: Store) -> None:
    """Some data of every kind, at fixed times."""
    await store.add_person("p1", 'Ada ♥ "the" Ace', now=1790000000.25)
    await store.add_person("p2", "", now=1790000001)
    await store.add_session(hash_token("token"), "p1", now=1790000002)
    await store.set_login("p1", "ada ♥", "$argon2id$kept", now=1790000002)
    await store.add_passkey(b"\0id", "p1", b"key\xff", count=7, label="phone ♥", now=1790000002)
    await store.add_passkey(b"used", "p1", b"key", now=1790000003)
    await store.use_passkey(b"used", 9, now=1790000004.5)
    await store.add_link(hash_token("seat-1"), "table/1", "sit", now=1790000003)
    await store.add_link(hash_token("seat-2"), "table/1", "sit", now=1790000003)
    await store.add_link(hash_token("browser"), "event:2", "wall:1", session=True, now=1790000003.5)
    await store.revoke_link(hash_token("seat-2"), now=1790000004)
    opened = {"fact": "opened", "v": 1, "rules": "club", "seats": ["N", "E", "S", "W"], "by": "p1"}
    await store.append("table/1", 0, [opened, {"fact": "sat", "v": 2, "person": "p1"}], now=1790000005.001)
    await store.append("table/1", 2, [{"fact": "said", "v": 1, "text": "gl hf ♠\u2028\n\0"}], now=1790000005.001)
    await store.append(
        "table/1", 3, [{"fact": "odd", "v": 1, "x": [1, -0.5, 1e22, None, True, {"": {}}]}], now=1790000009
    )
    await store.append("event:2", 0, [{"fact": "entered", "v": 1, "person": "p2"}], now=1790000008, listing={"n": 1})


async def lines_of(store: Store) -> list[str]:
    """A dump, in lines."""
    return [line async for line in dump(store)]


async def test_a_dump_is_restored_anywhere_as_the_same_store(backend: Any, tmp_path: Path) -> None:
    """To memory, SQLite and PostgreSQL: the same heads, people and links, and the same dump again."""
    async with await open_store("memory:") as source:
        await fill(source)
        await source.add_bound_name("c1", "p1", salt="5a", name="Ada ♥")
        lines = await lines_of(source)
        heads = await source.heads()
        people, links = await source.people(), await source.links()
        logins, passkeys = await source.logins(), await source.passkeys()
        facts = [await source.read(log) for log in heads]
    check(lines)
    async with await backend.open() as store:
        assert await load(lines, store) == heads == await store.heads()
        assert (await store.people(), await store.links()) == (people, links)
        assert (await store.logins(), await store.passkeys()) == (logins, passkeys)
        assert [(bound.person, bound.salt, bound.name) for bound in await store.bound_names()] == [
            ("p1", "5a", "Ada ♥")
        ]
        assert [await store.read(log) for log in heads] == facts
        assert await store.verify(remembered=heads) == []
        assert await lines_of(store) == lines
        assert await store.session(hash_token("token")) is None
        with pytest.raises(NotEmpty):
            await load(lines, store)


async def test_a_store_is_backed_up_beside_its_server_and_restored(durable: Any, tmp_path: Path) -> None:
    """The dump is private and complete while appends continue; after a restore, logs have the heads in it."""
    target = tmp_path / "backup.jsonl"
    async with await durable.open() as store:
        await fill(store)
        at = (await store.head("busy")).seq

        async def play() -> None:
            nonlocal at
            while True:
                at = (await store.append("busy", at, [{"fact": "played", "v": 1}]))[-1].seq

        playing = asyncio.ensure_future(play())
        await asyncio.sleep(0.05)
        heads = await backup(durable.url, target)
        playing.cancel()
        assert await store.verify(remembered=heads) == []
    assert heads["busy"].seq > 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert await restore(target, f"sqlite:///{tmp_path}/restored.db") == heads
    with pytest.raises(NotEmpty):
        await restore(target, f"sqlite:///{tmp_path}/restored.db")
    with pytest.raises(NotEmpty):
        await backup(durable.url, target)
    assert not target.with_name("backup.jsonl.part").exists()


async def test_a_file_is_copied_whole_and_opens_as_it_is(file: Any, tmp_path: Path) -> None:
    """With sessions and listings, while its server runs; there are no other files next to the copy."""
    (tmp_path / "copies").mkdir()
    copy = tmp_path / "copies" / "copy.db"
    async with await file.open() as store:
        await fill(store)
        assert await backup(str(file.path), copy) == await store.heads()
        await store.append("later", 0, [{"fact": "opened", "v": 1}])
        lines = await lines_of(store)
    assert [path.name for path in copy.parent.iterdir()] == ["copy.db"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    async with await open_store(str(copy)) as store:
        assert await store.session(hash_token("token")) is not None
        assert await store.listing("event:2") is not None
        await store.append("later", 0, [{"fact": "opened", "v": 1}], now=1)
        assert [line for line in await lines_of(store) if '"later"' not in line] == [
            line for line in lines if '"later"' not in line
        ]


async def test_a_flawed_store_is_not_backed_up_as_if_it_were_sound(durable: Any, tmp_path: Path) -> None:
    """The flaw is reported, and no file is left that looks like a backup."""
    async with await durable.open() as store:
        await fill(store)
        await durable.tamper(store, "table/1", lambda rows: [rows[0], rows[1]._replace(at=1), *rows[2:]])
    for name in ["backup.jsonl", "backup.db"] if durable.url.startswith("sqlite") else ["backup.jsonl"]:
        with pytest.raises(StoreBroken, match=r"table/1"):
            await backup(durable.url, tmp_path / name)
        assert not [path for path in tmp_path.iterdir() if path.name.startswith("backup")]


def without(pattern: str) -> Callable[[list[str]], list[str]]:
    """Leave out the lines that match a pattern."""
    return lambda lines: [line for line in lines if not re.search(pattern, line)]


SPOILED: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "empty": (lambda lines: [], "the dump has no first line"),
    "no first line": (lambda lines: lines[1:], "the dump has no first line"),
    "only the first line": (lambda lines: lines[:1], "truncated or was changed"),
    "last line missing": (lambda lines: lines[:-1], "log table/1 should end at 4"),
    "half a line": (lambda lines: [*lines[:-1], lines[-1][:40]], "line 14: this line is not part of a known dump"),
    "a fact missing": (without('"seq":2'), "fact 2 of log table/1 is missing or was changed"),
    "a log missing": (without('"log":"event:2"'), "log event:2 should end at 1"),
    "a name missing": (without('"name":""'), "doesn't match its first line"),
    "a link missing": (without(f'"link":"{hash_token("seat-1")}"'), "doesn't match its first line"),
    "a link that is no hash": (
        lambda lines: [line.replace(hash_token("seat-1"), "seat-1") for line in lines],
        "line 5: this line is not part of a known dump",
    ),
    "a login missing": (without('"login":"ada'), "doesn't match its first line"),
    "a passkey missing": (without('"passkey":"75736564"'), "doesn't match its first line"),
    "a login without its person": (without('"name":"Ada'), "has no person in the dump"),
    "facts exchanged": (lambda lines: [*lines[:-2], lines[-1], lines[-2]], "fact 3 of log table/1 is missing"),
    "a fact changed": (lambda lines: [line.replace('"club"', '"dive"') for line in lines], "fact 1 of log table/1"),
    "a time changed": (lambda lines: [line.replace("05001,", "05002,") for line in lines], "fact 1 of log table/1"),
    "a log too many": (lambda lines: [lines[0].replace("table/1", "table/2"), *lines[1:]], "log table/2 should end"),
    "a newer dump": (
        lambda lines: [lines[0].replace('store":3', 'store":4'), *lines[1:]],
        "line 1: this line is not part",
    ),
    "two dumps": (lambda lines: lines * 2, "there are two dumps"),
    "not JSON": (lambda lines: [lines[0], "nonsense"], "line 2: this line is not part of a known dump"),
    "not an object": (lambda lines: [lines[0], "5"], "line 2: this line is not part of a known dump"),
    "not a line of ours": (lambda lines: [lines[0], "{}"], "line 2: this line is not part of a known dump"),
}


@pytest.mark.parametrize("spoiled", SPOILED)
async def test_an_incomplete_dump_is_refused_before_any_write(spoiled: str, tmp_path: Path) -> None:
    """One sentence says what is wrong; the target is not even created."""
    spoil, words = SPOILED[spoiled]
    async with await open_store("memory:") as store:
        await fill(store)
        lines = await lines_of(store)
    (tmp_path / "dump.jsonl").write_text("".join(line + "\n" for line in spoil(lines)), encoding="utf-8")
    with pytest.raises(BadDump, match=words):
        await restore(tmp_path / "dump.jsonl", str(tmp_path / "target.db"))
    assert not (tmp_path / "target.db").exists()


async def test_bound_names_are_counted_and_belong_to_a_person() -> None:
    async with await open_store("memory:") as store:
        await fill(store)
        await store.add_bound_name("c1", "p2", salt="5a", name="Bob")
        lines = await lines_of(store)
    with pytest.raises(BadDump, match="doesn't match its first line"):
        check(without('"bound_name":"c1"')(lines))
    with pytest.raises(BadDump, match="has no person in the dump"):
        check(without('"name":""')(lines))


async def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    """No dump, not text, no folder, no file to copy from."""
    (tmp_path / "latin.jsonl").write_bytes(b'{"name":"\xe4"}\n')
    refused_calls: list[tuple[Any, type[LeftbowerError]]] = [
        (lambda: restore(tmp_path / "nothing.jsonl", "memory:"), UnreadableFile),
        (lambda: restore(tmp_path / "latin.jsonl", "memory:"), NotText),
        (lambda: backup("postgresql://127.0.0.1:1/store", tmp_path / "copy.db"), NotAStore),
    ]
    for call, error in refused_calls:
        with pytest.raises(error):
            await call()


def hashed(line: str) -> str:
    """A line of an old dump, in which links were codes, in today's format."""
    plain = json.loads(line)
    if "link" not in plain:
        return line
    plain |= {"link": hash_token(plain["link"]), "session": False}
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
async def test_dumps_of_earlier_versions_are_read_for_ever(path: Path, backend: Any) -> None:
    """Each restores, verifies, and ends at the heads in it; those of the current format are dumped identically."""
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    async with await backend.open() as store:
        heads = await load(lines, store)
        assert heads == check(lines).heads
        assert await store.verify(remembered=heads) == []
        if json.loads(lines[0])["leftbower-store"] == DUMP_VERSION:
            assert await lines_of(store) == lines
        else:
            assert sorted((await lines_of(store))[1:]) == sorted(map(hashed, lines[1:]))


async def test_the_present_format_has_a_golden_dump() -> None:
    """`LEFTBOWER_WRITE_GOLDEN=1` writes the file of a new format; files of old formats are never written again."""
    async with await open_store("memory:") as store:
        await fill(store)
        lines = await lines_of(store)
    path = Path(__file__).parent / "golden" / f"v{json.loads(lines[0])['leftbower-store']}.jsonl"
    if WRITE and not path.exists():
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    assert path.read_text(encoding="utf-8").removesuffix("\n").split("\n") == lines
