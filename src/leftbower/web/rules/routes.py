"""Routes and view models of the rules page: a rule set as a form, its differences from its sheet, its card and link.

The text of every value comes from `rules.clauses`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from leftbower.errors import BadLink, BadOption, LeftbowerError, UnknownOption, UnknownRules
from leftbower.i18n import gettext as _, gettext_noop, holds_texts, ngettext
from leftbower.rules.card import as_html, rule_card
from leftbower.rules.choices import Sheet
from leftbower.rules.clauses import sentence
from leftbower.rules.diff import Difference, diff
from leftbower.rules.formats import fingerprint, rules_by_name, to_link
from leftbower.rules.house import ASKED_FIRST, HouseRules, options, options_by_group
from leftbower.rules.link import MAX_LINK_CHARACTERS
from leftbower.rules.options import Amounts, Domain, Number, OneOf, Option, YesNo
from leftbower.rules.sheets import DEFAULT_RULES, Mark, Preset, Reading, base_preset, mark, preset, presets
from leftbower.server.api.rule_sets import drop_rules, keep_rules
from leftbower.server.auth import MaybeAccount, Visitor, set_cookie
from leftbower.server.context import Context
from leftbower.server.http.errors import status_of
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.server.http.lan import public_base_url
from leftbower.server.people.sanitize import placeholder_name
from leftbower.web.responses import as_sentence, message_for, page_router, render_page
from leftbower.web.rule_choices import RuleChoice, own_rules, rule_groups
from leftbower.web.rules.labels import choice_label

router = page_router()
MARK_LABELS: Final[Mapping[Mark, tuple[str, str]]] = {
    Mark.STATED: ("S", gettext_noop("On the sheet")),
    Mark.READ: ("r", gettext_noop("On the sheet, as we read it")),
    Mark.SILENT: ("d", gettext_noop("Not on the sheet: our default")),
    Mark.CHANGED: ("≠", gettext_noop("Changed by your table")),
    Mark.OWN: ("–", gettext_noop("No sheet")),
}
"""Symbol and text for the origin of an option's value; the template translates the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionValue:
    value: str
    label: str
    text: str
    """The rule text for this value."""
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    name: str
    question: str
    kind: str
    """`choice`, `yes-no`, `number` or `amounts`."""
    value: str
    text: str
    """The rule text for the chosen value."""
    values: tuple[OptionValue, ...]
    """The values to choose from; empty for a free number or amounts."""
    low: int
    high: int
    mark: Mark
    reading: Reading | None
    error: str
    """Why the value is not allowed; empty if it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionGroup:
    heading: str
    options: tuple[OptionRow, ...]
    is_open: bool

    @property
    def changed_count(self) -> int:
        """Options that differ from the sheet."""
        return sum(option.mark is Mark.CHANGED for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesViewModel:
    title: str
    about: str
    sheet: str
    preset: str
    """Name of the preset that the differences refer to; empty for the default rules."""
    preset_title: str
    groups: tuple[OptionGroup, ...]
    differences: tuple[Difference, ...] = ()
    """Empty if the form is invalid, like the fields below."""
    comparison: str = ""
    """A sentence with the number of differences and the rules they refer to."""
    card: str = ""
    """The rule card as HTML."""
    link: str = ""
    fingerprint: str = ""
    can_host: bool = False
    """Are they for four players, as at an event's tables?"""


@holds_texts
@lru_cache(maxsize=64)
def rules_view_model(rules: HouseRules) -> RulesViewModel:
    base = base_preset(rules)
    chosen = {name: _format_value(option.domain, getattr(rules, name)) for name, option in options().items()}
    differences = diff(rules, base.rules if base else HouseRules())
    return RulesViewModel(
        **_heading(rules, base),
        groups=tuple(_groups(rules, chosen, None)),
        differences=differences,
        comparison=_comparison(len(differences), base),
        card=as_html(rule_card(rules)),
        link=to_link(rules),
        fingerprint=fingerprint(rules),
        can_host=rules.players == 4,
    )


def rejected_view_model(chosen: Mapping[str, str], error: LeftbowerError) -> RulesViewModel:
    """The page for an invalid form: keeps the chosen values, has no rule set."""
    rules = _sheet_rules(chosen.get("sheet", ""))
    values = {
        name: chosen.get(name, _format_value(option.domain, getattr(rules, name))) for name, option in options().items()
    }
    groups = tuple(_groups(rules, values, error if isinstance(error, BadOption) else None))
    return RulesViewModel(**_heading(rules, base_preset(rules)), groups=groups)


def rules_from_form(form: Mapping[str, str]) -> HouseRules:
    """Options missing from the form keep the sheet's values."""
    for name in form:
        if name not in options():
            raise UnknownOption(name[:40])
    changes: dict[str, Any] = {
        name: option.domain.read(name, _parse_value(option.domain, form[name]))
        for name, option in options().items()
        if name in form
    }
    return replace(_sheet_rules(form.get("sheet", "")), **changes)


@router.get("/rules")
async def get_default_rules(request: Request, caller: Visitor, context: Context) -> Response:
    return await get_rules(DEFAULT_RULES, request, caller, context)


@router.get("/rules/{rules}")
async def get_rules(rules: str, request: Request, caller: Visitor, context: Context) -> Response:
    """A rule set by preset name or link."""
    try:
        view_model = rules_view_model(rules_by_name(rules))
    except (UnknownRules, BadLink) as error:
        return _render_no_such_rules(request, error)
    name = await context.people.name(caller.person) if caller.person else ""
    return _render_rules(request, view_model, name=name, own=await own_rules(context, caller.person))


@router.post("/rules/own")
async def post_own_rules(request: Request, caller: MaybeAccount, context: Context) -> Response:
    """Keep, rename or delete a rule set of the caller; an anonymous caller becomes a guest, so the browser keeps it."""
    form = parse_urlencoded(await request.body())
    link, name = form.get("rules", "")[:MAX_LINK_CHARACTERS], form.get("name", "")
    try:
        signed = await context.auth.signed_in_or_guest(request, caller, placeholder_name())
        if form.get("do") == "delete":
            await drop_rules(context, signed.person, form.get("old_name", ""))
        else:
            await keep_rules(context, signed.person, name, rules_by_name(link), old_name=form.get("old_name", ""))
    except LeftbowerError as error:
        return _render_rules(request, rules_view_model(_known_rules(link)), error=error)
    response = RedirectResponse(f"/rules/{to_link(_known_rules(link))}", 303)
    if signed.is_new:
        set_cookie(request, response, signed.token)
    return response


@router.post("/rules")
async def post_rules(request: Request) -> Response:
    """Redirect to the page of the form's rule set, or render the form with its error."""
    form: dict[str, str] = {}
    try:
        form = parse_urlencoded(await request.body())
        rules = rules_from_form(form)
    except LeftbowerError as error:
        return _render_rules(request, rejected_view_model(form, error), error=error)
    return RedirectResponse(f"/rules/{to_link(rules)}", 303)


def _known_rules(link: str) -> HouseRules:
    """The rules of a link; the default ones if it is broken, so that the page can still be shown."""
    try:
        return rules_by_name(link)
    except LeftbowerError:
        return preset(DEFAULT_RULES)


def _render_rules(
    request: Request,
    view_model: RulesViewModel,
    *,
    name: str = "",
    own: tuple[RuleChoice, ...] = (),
    error: LeftbowerError | None = None,
) -> Response:
    is_beside_option = isinstance(error, BadOption) and error.option != "sheet"
    return render_page(
        request,
        "rules/page.html",
        status=status_of(error) if error else 200,
        title=_("%(sheet)s – euchre rules", sheet=view_model.title),
        page=view_model,
        name=name,
        rule_groups=rule_groups(own),
        own=own,
        marks=MARK_LABELS,
        address=f"{public_base_url(request)}/rules/{view_model.link}",
        alert="" if error is None or is_beside_option else message_for(error),
    )


def _render_no_such_rules(request: Request, error: LeftbowerError) -> Response:
    links = [
        (f"/rules/{sheet.name}", _("%(sheet)s: %(about)s", sheet=sheet.title, about=sheet.about)) for sheet in presets()
    ]
    status = 404 if isinstance(error, UnknownRules) else 422
    return render_page(
        request, "not_found.html", status=status, title=_("Rules not found"), message=message_for(error), links=links
    )


def _heading(rules: HouseRules, base: Preset | None) -> dict[str, Any]:
    return {
        "title": base.title if base else _("Your own rules"),
        "about": base.about if base else _("They start from no sheet."),
        "sheet": str(rules.sheet),
        "preset": base.name if base else "",
        "preset_title": base.title if base else "",
    }


def _comparison(count: int, base: Preset | None) -> str:
    if base is None:
        return (
            ngettext("%(num)d difference from the default rules", "%(num)d differences from the default rules", count)
            if count
            else _("Default rules, unchanged")
        )
    if not count:
        return _("%(sheet)s, unchanged", sheet=base.title)
    return ngettext("%(num)d difference from %(sheet)s", "%(num)d differences from %(sheet)s", count, sheet=base.title)


def _groups(rules: HouseRules, chosen: Mapping[str, str], error: BadOption | None) -> Iterator[OptionGroup]:
    """Every option once: `ASKED_FIRST`, then the others by group."""
    for index, (heading, names) in enumerate(_form_groups().items()):
        rows = tuple(_option_row(rules, options()[name], chosen[name], error) for name in names)
        yield OptionGroup(heading=_(heading), options=rows, is_open=index == 0 or any(row.error for row in rows))


@cache
def _form_groups() -> dict[str, tuple[str, ...]]:
    """Option names by heading, without the sheet, which has its own control."""
    apart = {"sheet", *ASKED_FIRST}
    groups = {
        str(group): tuple(option.name for option in members if option.name not in apart)
        for group, members in options_by_group().items()
    }
    return {gettext_noop("The basics"): ASKED_FIRST} | {heading: names for heading, names in groups.items() if names}


def _option_row(rules: HouseRules, option: Option, chosen: str, error: BadOption | None) -> OptionRow:
    base, domain = base_preset(rules), option.domain
    values = tuple(
        OptionValue(
            value=_format_value(domain, value),
            label=choice_label(value),
            text=_rule_text(rules, option, value),
            is_chosen=_format_value(domain, value) == chosen,
        )
        for value in _choices(domain)
    )
    chosen_value = _parse_value(domain, chosen)
    is_unchanged = chosen == _format_value(domain, getattr(rules, option.name))
    return OptionRow(
        name=option.name,
        question=_(option.question),
        kind=_kind(domain),
        value=chosen,
        text=_rule_text(rules, option, chosen_value),
        values=values,
        low=domain.allowed[0] if isinstance(domain, Number) else 0,
        high=domain.allowed[-1] if isinstance(domain, Number) else 0,
        mark=mark(rules, option.name) if is_unchanged else Mark.CHANGED,
        reading=base.readings.get(option.name)
        if base and is_unchanged and mark(rules, option.name) is not Mark.CHANGED
        else None,
        error=as_sentence(error.reason) if error and error.option == option.name else "",
    )


def _rule_text(rules: HouseRules, option: Option, value: Any) -> str:
    """The rule text for a value, or why the other choices exclude it."""
    current = getattr(rules, option.name)
    try:
        return sentence(rules if value == current else replace(rules, **{option.name: value}), option.name)
    except BadOption as error:
        return _("Doesn't go with your other rules: %(reason)s.", reason=error.reason)


def _choices(domain: Domain) -> tuple[object, ...]:
    """The listed values of a domain; empty for a range or amounts."""
    match domain:
        case OneOf():
            return tuple(domain.choices)
        case YesNo():
            return True, False
        case Number() if isinstance(domain.allowed, tuple):
            return domain.allowed
        case _:
            return ()


def _kind(domain: Domain) -> str:
    if isinstance(domain, YesNo):
        return "yes-no"
    if isinstance(domain, Amounts):
        return "amounts"
    return "choice" if _choices(domain) else "number"


def _format_value(domain: Domain, value: object) -> str:
    """A value as forms send it."""
    encoded = domain.write(value)
    if isinstance(encoded, bool):
        return "yes" if encoded else "no"
    return ", ".join(map(str, encoded)) if isinstance(encoded, list) else str(encoded)


def _parse_value(domain: Domain, text: str) -> object:
    """Convert a form's text to a domain's type; invalid text is returned for the domain to reject.

    A checkbox sends `no`, and `no yes` when it is checked.
    """
    match domain:
        case YesNo():
            return {"yes": True, "no": False}.get(text.rpartition(" ")[2], text)
        case Number():
            return _parse_number(text)
        case Amounts():
            return [_parse_number(amount) for amount in re.split(r"[\s,;$]+", text[:100]) if amount]
        case _:
            return text


def _parse_number(text: str) -> int | str:
    text = text.strip()
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else text


def _sheet_rules(sheet: str) -> HouseRules:
    """The rules of a sheet; the default rules if it is unknown, so that the page can still be shown."""
    sheets = {str(choice) for choice in Sheet if choice is not Sheet.OWN}
    return preset(sheet) if sheet in sheets else HouseRules()
