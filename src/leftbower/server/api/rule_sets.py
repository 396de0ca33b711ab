"""Rule sets that a person keeps under names of their own: routes, and what pages share with them."""

from fastapi import APIRouter

from leftbower.errors import BadName, NameTaken, NotFound
from leftbower.rules import HouseRules, to_link
from leftbower.server.api.requests import Name, RuleSetRequest
from leftbower.server.api.responses import RuleSetView
from leftbower.server.auth import AccountHolder
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import error_responses
from leftbower.server.people.sanitize import clean_title

router = APIRouter(prefix="/api/me/rules", tags=["people"], responses=error_responses(401, 403, 429, 503))


@router.get("")
async def list_rule_sets(caller: AccountHolder, context: Context) -> list[RuleSetView]:
    """List the rule sets that you keep, by name."""
    return [
        RuleSetView(name=rule_set.name, rules=rule_set.rules)
        for rule_set in await context.store.rule_sets(caller.person)
    ]


@router.put("", responses=error_responses(404, 409, 413, 422))
async def set_rule_set(body: RuleSetRequest, caller: AccountHolder, context: Context) -> RuleSetView:
    """Keep rules under a name, in place of those that had it; `old_name` renames the rules that have that name."""
    rules = body.house_rules()
    name = await keep_rules(context, caller.person, body.name, rules, old_name=body.old_name)
    return RuleSetView(name=name, rules=to_link(rules))


@router.delete("", status_code=204, responses=error_responses(404, 422))
async def delete_rule_set(name: Name, caller: AccountHolder, context: Context) -> None:
    """Delete the rules that you keep under a name. Tables and links with them stay as they are."""
    await drop_rules(context, caller.person, name)


async def keep_rules(context: AppContext, person: str, name: str, rules: HouseRules, *, old_name: str = "") -> str:
    """Keep rules under a name, after renaming those under the old one; returns the name as it is stored."""
    clean = clean_title(name)
    if not clean:
        raise BadName("give your rules a name", path="name")
    if old_name and old_name != clean:
        if any(rule_set.name == clean for rule_set in await context.store.rule_sets(person)):
            raise NameTaken("you have other rules called %(name)s", path="name", name=clean)
        if not await context.store.rename_rules(person, old_name, clean):
            raise NotFound("you have no rules called %(name)s", name=old_name)
    await context.store.set_rules(person, clean, to_link(rules), limit=context.tables.quotas.rule_sets)
    return clean


async def drop_rules(context: AppContext, person: str, name: str) -> None:
    if not await context.store.remove_rules(person, name):
        raise NotFound("you have no rules called %(name)s", name=name)
