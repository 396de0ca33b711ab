"""Rule sets that people keep under names of their own; erased with the person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.errors import AlreadyThere, QuotaExceeded
from leftbower.store.accounts import NO_LIMIT, Steps, to_row
from leftbower.store.credentials import Credentials
from leftbower.store.facts import check_names, check_text


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """A rule set of a person."""

    person: str
    name: str
    rules: str
    """The rules link."""
    changed: float


class RuleSets(Credentials):
    async def set_rules(
        self, person: str, name: str, rules: str, *, limit: int | None = None, now: float | None = None
    ) -> RuleSet:
        """Keep rules under a name, in place of those that had it; NotThere if there is no such person.

        QuotaExceeded if the person has `limit` rule sets under other names.
        """
        check_names([person])
        stored = RuleSet(person=person, name=check_text(name), rules=check_text(rules), changed=await self._moment(now))

        def steps() -> Steps[bool]:
            return bool((yield _SET_RULES, [*to_row(stored), NO_LIMIT if limit is None else limit]))

        if not await self._transact(steps, lock=f"rules of {person}"):
            await self._check_there(person)
            raise QuotaExceeded("you have %(limit)s rule sets; delete one first", limit=limit)
        return stored

    async def rule_sets(self, person: str | None = None) -> Sequence[RuleSet]:
        """The rule sets of a person by name, or all."""
        if person is None:
            return await self._records(RuleSet, f"{_RULE_SETS} order by person, name")
        return await self._records(RuleSet, f"{_RULE_SETS} where person = $1 order by name", person)

    async def rename_rules(self, person: str, name: str, new: str) -> bool:
        """Rename a rule set; returns whether there was one. AlreadyThere if another has the name."""
        if name != new and await self._query(f"{_RULE_SETS} where person = $1 and name = $2", person, new):
            raise AlreadyThere("you have other rules under this name")
        return bool(await self._execute(_RENAME_RULES, person, name, check_text(new)))

    async def remove_rules(self, person: str, name: str) -> bool:
        """Delete a rule set; returns whether there was one."""
        return bool(await self._execute(_REMOVE_RULES, person, name))


_RULE_SETS: Final = "select person, name, rules, changed from rule_sets"
_SET_RULES: Final = """
insert into rule_sets (person, name, rules, changed)
select id, $2, $3, $4 from people
where id = $1 and (select count(*) from rule_sets where person = $1 and name <> $2) < $5
on conflict (person, name) do update set rules = excluded.rules, changed = excluded.changed
returning person"""
_RENAME_RULES: Final = "update rule_sets set name = $3 where person = $1 and name = $2 returning person"
_REMOVE_RULES: Final = "delete from rule_sets where person = $1 and name = $2 returning person"
