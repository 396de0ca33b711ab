"""`leftbower expire` removes what a server would, prints how much, and leaves a store that verifies."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leftbower.rules import preset
from leftbower.server.context import build_context
from leftbower.store import hash_token, open_store
from leftbower.table import Sat
from leftbower.tournament.model.plan import default_plan

DAY = 86_400.0
LONG_AGO = 1_000_000_000.0


@pytest.fixture
def store(tmp_path: Path) -> str:
    """An old store: two guests, one of them with a login, an empty table, and an unopened event."""
    path = str(tmp_path / "store.db")

    async def fill() -> None:
        async with await open_store(path, clock=lambda: LONG_AGO) as store:
            context = build_context(store)
            for person in ("p", "q"):
                await store.add_person(person, person)
                await store.add_session(hash_token(person), person)
            await store.set_login("q", "q", "hash")
            await context.tables.create("t", "p", preset("club"), "novice")
            await context.tables.execute("t", "p", Sat(person="p", seat=preset("club").seats[0]))
            await context.events.create(default_plan("Friday", preset("club")))
            await context.close()

    asyncio.run(fill())
    return path


def test_expire_counts_before_it_removes(store: str, leftbower: Callable[..., Any], tmp_path: Path) -> None:
    """An earlier backup still matches: an expired log is no flaw."""
    backup = str(tmp_path / "before.jsonl")
    leftbower("backup", store, backup)
    expected = {"guests": 1, "sessions": 2, "links": 0, "words": 0, "challenges": 0, "tables": 1, "events": 1}
    for _ in range(2):
        assert json.loads(leftbower("expire", store, "--dry-run", "--json").stdout) == expected | {"dry_run": True}
    says = leftbower("expire", store, "--dry-run").stdout
    assert says == f"{store}: would remove guests 1, sessions 2, tables 1, events 1.\n"
    found = json.loads(leftbower("expire", store, "--json").stdout)
    assert found == expected | {"dry_run": False}
    assert leftbower("expire", store).stdout == f"{store}: removed nothing.\n"
    assert json.loads(leftbower("verify", store, "--since", backup, "--json").stdout)["flaws"] == []


def test_expire_reads_the_lifetimes_of_the_server(store: str, leftbower: Callable[..., Any], tmp_path: Path) -> None:
    settings = tmp_path / "server.toml"
    settings.write_text("port = 8080\n[lifetimes]\nguests = 36500\ntables = 36500\nevents = 36500\nsessions = 36500\n")
    says = leftbower("expire", store, "--settings", str(settings)).stdout
    assert says == f"{store}: removed nothing.\n"


def test_expire_leaves_a_store_in_use_alone(store: str, refused: Callable[..., str], tmp_path: Path) -> None:
    """Counting works while its server runs; and no store is created if there is none."""

    async def run() -> None:
        async with await open_store(store):
            await asyncio.to_thread(refused, "expire", store, code="store-locked")

    asyncio.run(run())
    refused("expire", str(tmp_path / "no.db"), code="store-unreachable")
    assert not (tmp_path / "no.db").exists()
    refused("expire", store, "--settings", str(tmp_path / "no.toml"), code="unreadable-file")
