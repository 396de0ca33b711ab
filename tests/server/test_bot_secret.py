"""A bot's random numbers come from the public history and a sealed secret of the deal, opened after the game."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from leftbower import dealing
from leftbower.engine import MatchOver, view
from leftbower.players.decision_rng import cut_rng
from leftbower.players.player import proper_actions
from leftbower.rules import Seat, preset
from leftbower.rules.cards import Card
from leftbower.server.live.presence import Timing
from leftbower.server.live.tables import TableService
from leftbower.store.memory import MemoryStore
from leftbower.table import (
    Acted,
    Agreed,
    BotSeated,
    ChatSent,
    Created,
    DeckCut,
    Sat,
    Table,
    UndoRequested,
    apply_fact,
    person_to_act,
    table_fact_from_json,
    table_to_json,
)
from server_client import FAST, AppServer, play_on, seated, seeded, serving
from virtual_time import in_virtual_time

Plain = dict[str, Any]
ANN = "ann"
RULES = replace(preset("club"), target=5)


async def wait_for_ann(service: TableService, name: str) -> Table:
    """The table when it is Ann's turn or the match is over."""
    while True:
        table = await service.get(name)
        if not service.busy and (person_to_act(table) == ANN or isinstance(table.match, MatchOver)):
            return table
        await asyncio.sleep(0.01)


async def start_match(service: TableService, name: str) -> Table:
    """A match of Ann, in seat N, and three bots."""
    await service.append(name, None, Created(person=ANN, rules=RULES, bot_level="novice"))
    for seat in RULES.seats[1:]:
        await service.execute(name, ANN, BotSeated(seat=seat, level="novice"))
    await service.execute(name, ANN, Sat(person=ANN, seat=Seat.N))
    service.presence.feed_opened(name, ANN)
    await service.execute(name, ANN, Agreed(person=ANN))
    return await wait_for_ann(service, name)


async def act_for_ann(service: TableService, name: str, table: Table) -> Table:
    """Ann never cuts, and takes the first regular action."""
    if table.hand is None:
        await service.execute(name, ANN, DeckCut(seat=Seat.N, lifted=0))
    else:
        action = proper_actions(view(table.hand, Seat.N))[0]
        await service.execute(name, ANN, Acted(action=action, action_id=f"a{table.version}"))
    return await wait_for_ann(service, name)


def play_match(name: str, *, seed: int, chatter: bool = False) -> list[Plain]:
    """The cuts and actions of a match at a table of this name; with `chatter`, chat messages add versions."""

    async def played() -> list[Plain]:
        store = MemoryStore()
        service = TableService(store, entropy=seeded(seed), timing=Timing(hand_pause=0.0, bot_delay=0.0))
        await service.open()
        table = await start_match(service, name)
        while not isinstance(table.match, MatchOver):
            if chatter:
                await service.execute(name, ANN, ChatSent(person=ANN, phrase="hello"))
            table = await act_for_ann(service, name, await wait_for_ann(service, name))
        await service.close()
        facts = [dict(row.fact) for row in await store.read(name)]
        return [fact.get("action", fact) for fact in facts if fact["fact"] in ("acted", "deck-cut")]

    return in_virtual_time(played)


@pytest.fixture
def chosen_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every deck has the same order, so that matches differ only in their secrets."""
    original = dealing.seal

    def seal(entropy: bytes, deck: Sequence[Card], binding: dealing.Binding) -> dealing.Sealed:
        return replace(original(entropy, deck, binding), deck=original(bytes(32), deck).deck)

    monkeypatch.setattr(dealing, "seal", seal)


def test_the_same_deal_and_history_give_the_same_bot_at_any_table() -> None:
    """Duplicate deals need this; neither the table's name nor its versions matter."""
    first, second = play_match("first", seed=3), play_match("second", seed=3, chatter=True)
    assert [without_time(fact) for fact in first] == [without_time(fact) for fact in second]
    assert len(first) > 40


def without_time(fact: Plain) -> Plain:
    return {name: value for name, value in fact.items() if name != "spent"}


def test_nothing_public_determines_a_bot(chosen_decks: None) -> None:
    """Two matches with the same name, rules, cards and history: only the sealed secrets differ, and so do the bots."""
    assert play_match("t", seed=3) == play_match("t", seed=3)
    assert len({json.dumps(play_match("t", seed=seed)) for seed in range(3, 8)}) == 5


def test_nothing_public_determines_the_cut_of_a_bot() -> None:
    """docs/how-it-works/dealing.md: the server couldn't know the cut when it sealed the deck, and neither can a
    player."""
    first = [
        next(fact["lifted"] for fact in play_match("t", seed=seed) if fact.get("fact") == "deck-cut")
        for seed in range(12)
    ]
    assert len(set(first)) > 4


async def facts_of(server: AppServer, table: str) -> list[Plain]:
    return [dict(row.fact) for row in await server.context.store.read(table)]


async def test_the_cut_of_a_bot_comes_from_the_sealed_secret() -> None:
    async with serving(MemoryStore(), entropy=seeded(61)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table)
        facts = await facts_of(server, table)
        pairs = [(before, fact) for before, fact in pairwise(facts) if fact["fact"] == "deck-cut"]
        by_bots = [(sealed, cut) for sealed, cut in pairs if cut["seat"] != "N"]
        assert by_bots
        for sealed, cut in by_bots:
            secret = dealing.bot_secret(bytes.fromhex(sealed["entropy"]))
            assert cut["lifted"] == cut_rng(secret, Seat(cut["seat"])).randrange(24)


def versions(facts: Sequence[Plain]) -> Iterator[Table]:
    """The table after each fact of its log."""
    table: Table | None = None
    for at, fact in enumerate(facts, 1):
        table = apply_fact(table, table_fact_from_json(fact), float(at))
        yield table


async def test_the_secret_is_hidden_until_the_game_is_over() -> None:
    """No version of the table has it, for a player or a spectator; the record does, when the game is over."""
    async with serving(MemoryStore(), entropy=seeded(62)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table)
        facts = await facts_of(server, table)
        entropies = [fact["entropy"] for fact in facts if fact["fact"] == "deck-sealed"]
        secrets = [dealing.bot_secret(bytes.fromhex(entropy)).hex() for entropy in entropies]
        assert len(secrets) > 2
        texts = [json.dumps(table_to_json(table, viewer)) for table in versions(facts) for viewer in (ann.person, None)]
        assert len(texts) > 100
        assert not [secret for secret in (*secrets, *entropies) if any(secret in text for text in texts)]
        record = await ann.call("GET", f"/api/tables/{table}/record")
        assert all(secret in record for secret in secrets)
        assert not any(entropy in record for entropy in entropies)


def test_after_an_undo_the_same_history_gives_the_same_bot() -> None:
    """Ann undoes an action and repeats it: the bots act as before, although the version is different."""

    async def played() -> None:
        service = TableService(MemoryStore(), entropy=seeded(64), timing=Timing(hand_pause=0.0, bot_delay=0.0))
        await service.open()
        table, undone = await start_match(service, "t"), 0
        while undone < 8:
            before = table
            table = await act_for_ann(service, "t", before)
            if before.hand is None or table.hand is None or table.hand.hand != before.hand.hand:
                continue
            actions = table.hand.actions
            await service.execute("t", ANN, UndoRequested(person=ANN))
            back = await wait_for_ann(service, "t")
            assert back.hand == before.hand
            table = await act_for_ann(service, "t", back)
            assert table.hand is not None
            assert table.hand.actions == actions
            undone += 1
        await service.close()

    in_virtual_time(played)


async def test_the_coach_says_the_same_about_the_same_history() -> None:
    """Immediately, and after a chat message."""
    async with serving(MemoryStore(), entropy=seeded(65)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on(
            [ann],
            table,
            until=lambda table_view: table_view["hand"] is not None and table_view["hand"]["to_act"] == "N",
        )
        service = server.context.tables
        first = await service.advise(table, ann.person)
        await service.execute(table, ann.person, ChatSent(person=ann.person, phrase="hello"))
        assert await service.advise(table, ann.person) == first


async def test_the_program_in_the_docs_reruns_every_bot(tmp_path: Path) -> None:
    """docs/how-it-works/dealing.md: the record proves that a bot did what its secret and the history determine."""
    page = (Path(__file__).parents[2] / "docs" / "how-it-works" / "dealing.md").read_text(encoding="utf-8")
    _, script = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    async with serving(MemoryStore(), entropy=seeded(66)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
    (tmp_path / "game.jsonl").write_text(record, encoding="utf-8")
    command = [sys.executable, "-c", script, "game.jsonl"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert ran.stderr == ""
    verdicts = [line.split()[0] for line in ran.stdout.splitlines()]
    assert set(verdicts) == {"same"}
    assert len(verdicts) > 40
