"""The guarantees of every store about the rule sets that people keep."""

import asyncio
from typing import Any

import pytest

from leftbower.errors import AlreadyThere, NotThere, QuotaExceeded
from leftbower.store import RuleSet


async def test_rules_are_kept_renamed_replaced_and_deleted(backend: Any) -> None:
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        friday = await store.set_rules("p", "Friday ♥", "lb2-a", now=1)
        assert friday == RuleSet(person="p", name="Friday ♥", rules="lb2-a", changed=1.0)
        await store.set_rules("p", "Ann", "lb2-b", now=2)
        await store.set_rules("q", "Ann", "lb2-c", now=3)
        await store.set_rules("p", "Friday ♥", "lb2-d", now=4)
        assert [(rule_set.name, rule_set.rules) for rule_set in await store.rule_sets("p")] == [
            ("Ann", "lb2-b"),
            ("Friday ♥", "lb2-d"),
        ]
        assert not await store.rename_rules("q", "Friday ♥", "Monday")
        with pytest.raises(AlreadyThere):
            await store.rename_rules("p", "Ann", "Friday ♥")
        assert await store.rename_rules("p", "Ann", "Monday")
        assert not await store.remove_rules("p", "Ann")
        assert await store.remove_rules("p", "Monday")
        assert [(rule_set.person, rule_set.name) for rule_set in await store.rule_sets()] == [
            ("p", "Friday ♥"),
            ("q", "Ann"),
        ]
        with pytest.raises(NotThere):
            await store.set_rules("nobody", "Friday", "lb2-a")


async def test_the_limit_holds_for_writes_at_once_and_erasure_removes_all(backend: Any) -> None:
    async with await backend.open() as store:
        await store.add_person("p", "p")
        writes = [store.set_rules("p", f"r{number}", "lb2-a", limit=3) for number in range(8)]
        outcomes = await asyncio.gather(*writes, return_exceptions=True)
        assert sum(isinstance(outcome, QuotaExceeded) for outcome in outcomes) == 5
        rule_set = [rule_set.name for rule_set in await store.rule_sets("p")]
        assert len(rule_set) == 3
        await store.set_rules("p", rule_set[0], "lb2-b", limit=3)
        await store.erase_person("p")
        assert not await store.rule_sets()
