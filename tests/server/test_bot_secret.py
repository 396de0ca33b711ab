"""A bot's luck comes from the public history and a secret of the deal, which stays closed until the game is over."""

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


async def settled(house: TableService, name: str) -> Table:
    """The table when Ann is asked, or when the match is over."""
    while True:
        table = await house.table(name)
        if not house.busy and (person_to_act(table) == ANN or isinstance(table.match, MatchOver)):
            return table
        await asyncio.sleep(0.01)


async def opened(house: TableService, name: str) -> Table:
    """A match of Ann, who sits at N, and three bots."""
    await house.append(name, None, Created(person=ANN, rules=RULES, bot_level="novice"))
    for seat in RULES.seats[1:]:
        await house.execute(name, ANN, BotSeated(seat=seat, level="novice"))
    await house.execute(name, ANN, Sat(person=ANN, seat=Seat.N))
    house.presence.feed_opened(name, ANN)
    await house.execute(name, ANN, Agreed(person=ANN))
    return await settled(house, name)


async def ann_acts(house: TableService, name: str, table: Table) -> Table:
    """She never cuts, and always does the first of what is proper."""
    if table.hand is None:
        await house.execute(name, ANN, DeckCut(seat=Seat.N, lifted=0))
    else:
        act = proper_actions(view(table.hand, Seat.N))[0]
        await house.execute(name, ANN, Acted(action=act, action_id=f"a{table.version}"))
    return await settled(house, name)


def match(name: str, *, seed: int, chatter: bool = False) -> list[Plain]:
    """The cuts and acts of a whole match at a table of this name; Ann may chat, which makes versions."""

    async def played() -> list[Plain]:
        store = MemoryStore()
        house = TableService(store, entropy=seeded(seed), hand_pause=0.0, bot_delay=0.0)
        await house.open()
        table = await opened(house, name)
        while not isinstance(table.match, MatchOver):
            if chatter:
                await house.execute(name, ANN, ChatSent(person=ANN, phrase="hello"))
            table = await ann_acts(house, name, await settled(house, name))
        await house.close()
        facts = [dict(one.fact) for one in await store.read(name)]
        return [one.get("action", one) for one in facts if one["fact"] in ("acted", "deck-cut")]

    return in_virtual_time(played)


@pytest.fixture
def chosen_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every deck lies in an order that depends on nothing, so that secrets are all that differs between matches."""
    honest = dealing.seal

    def seal(entropy: bytes, deck: Sequence[Card], binding: dealing.Binding) -> dealing.Sealed:
        return replace(honest(entropy, deck, binding), deck=honest(bytes(32), deck).deck)

    monkeypatch.setattr(dealing, "seal", seal)


def test_the_same_deal_and_history_give_the_same_bot_at_any_table() -> None:
    """Duplicate deals need this; neither the table's name nor its versions matter."""
    one, other = match("one", seed=3), match("other", seed=3, chatter=True)
    assert [strip(fact) for fact in one] == [strip(fact) for fact in other]
    assert len(one) > 40


def strip(fact: Plain) -> Plain:
    return {name: value for name, value in fact.items() if name != "spent"}


def test_nothing_public_determines_a_bot(chosen_decks: None) -> None:
    """Two matches with the same name, rules, cards and history; only the sealed secrets differ, and so do the bots."""
    assert match("t", seed=3) == match("t", seed=3)
    assert len({json.dumps(match("t", seed=seed)) for seed in range(3, 8)}) == 5


def test_nothing_public_determines_the_cut_of_a_bot() -> None:
    """docs/dealing: the house could not know the cut when it sealed, and no player can either."""
    first = [
        next(fact["lifted"] for fact in match("t", seed=seed) if fact.get("fact") == "deck-cut") for seed in range(12)
    ]
    assert len(set(first)) > 4


async def facts_of(place: AppServer, table: str) -> list[Plain]:
    return [dict(one.fact) for one in await place.context.store.read(table)]


async def test_the_cut_of_a_bot_comes_from_the_sealed_secret() -> None:
    async with serving(MemoryStore(), entropy=seeded(61)) as place:
        [ann] = await place.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table)
        facts = await facts_of(place, table)
        pairs = [(one, two) for one, two in pairwise(facts) if two["fact"] == "deck-cut"]
        by_bots = [(one, two) for one, two in pairs if two["seat"] != "N"]
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


async def test_the_secret_is_shown_to_nobody_before_the_game_is_over() -> None:
    """No version of the table holds it, a player's or a spectator's; the record does, when the game is over."""
    async with serving(MemoryStore(), entropy=seeded(62)) as place:
        [ann] = await place.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table)
        facts = await facts_of(place, table)
        entropies = [one["entropy"] for one in facts if one["fact"] == "deck-sealed"]
        secrets = [dealing.bot_secret(bytes.fromhex(one)).hex() for one in entropies]
        assert len(secrets) > 2
        shown = [json.dumps(table_to_json(at, who)) for at in versions(facts) for who in (ann.person, None)]
        assert len(shown) > 100
        assert not [secret for secret in (*secrets, *entropies) if any(secret in text for text in shown)]
        record = await ann.call("GET", f"/api/tables/{table}/record")
        assert all(secret in record for secret in secrets)
        assert not any(entropy in record for entropy in entropies)


def test_after_an_undo_the_same_history_gives_the_same_bot() -> None:
    """Ann takes an act back and does the same again: the bots answer as before, though the version is another."""

    async def played() -> None:
        house = TableService(MemoryStore(), entropy=seeded(64), hand_pause=0.0, bot_delay=0.0)
        await house.open()
        table, undone = await opened(house, "t"), 0
        while undone < 8:
            before = table
            table = await ann_acts(house, "t", before)
            if before.hand is None or table.hand is None or table.hand.hand != before.hand.hand:
                continue
            actions = table.hand.actions
            await house.execute("t", ANN, UndoRequested(person=ANN))
            back = await settled(house, "t")
            assert back.hand == before.hand
            table = await ann_acts(house, "t", back)
            assert table.hand is not None
            assert table.hand.actions == actions
            undone += 1
        await house.close()

    in_virtual_time(played)


async def test_the_coach_says_the_same_about_the_same_history() -> None:
    """Asked again, and asked again after somebody has said something."""
    async with serving(MemoryStore(), entropy=seeded(65)) as place:
        [ann] = await place.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table, until=lambda shown: bool(shown["hand"]) and shown["hand"]["to_act"] == "N")
        house = place.context.tables
        first = await house.advise(table, ann.person)
        await house.execute(table, ann.person, ChatSent(person=ann.person, phrase="hello"))
        assert await house.advise(table, ann.person) == first


async def test_the_program_of_the_page_runs_every_bot_again(tmp_path: Path) -> None:
    """docs/dealing.md: with the record anybody can see that a bot did what its secret and the history make it do."""
    page = (Path(__file__).parents[2] / "docs" / "dealing.md").read_text(encoding="utf-8")
    _, script = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    async with serving(MemoryStore(), entropy=seeded(66)) as place:
        [ann] = await place.guests("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        await play_on([ann], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
    (tmp_path / "game.jsonl").write_text(record, encoding="utf-8")
    command = [sys.executable, "-c", script, "game.jsonl"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert ran.stderr == ""
    said = [line.split()[0] for line in ran.stdout.splitlines()]
    assert set(said) == {"same"}
    assert len(said) > 40
