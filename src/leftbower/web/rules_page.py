"""The rules page: any rule set as a form, what each choice means, how it differs from its sheet, its card and its link.

What rules mean stands in `rules.clauses` alone: the page quotes it, for the value chosen and for every other one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import BadLink, BadOption, LeftbowerError, UnknownOption, UnknownRules
from leftbower.rules.card import as_html, rule_card
from leftbower.rules.choices import Sheet
from leftbower.rules.clauses import sentence
from leftbower.rules.diff import Difference, diff
from leftbower.rules.forms import LINK_PREFIX, fingerprint, from_link, to_link
from leftbower.rules.house import HouseRules, options
from leftbower.rules.options import Amounts, Domain, Number, OneOf, Option, YesNo
from leftbower.rules.sheets import Mark, Preset, Reading, basis, mark, preset, presets
from leftbower.server.addresses import base_for_others
from leftbower.server.auth import Visitor
from leftbower.server.desk import AtDesk
from leftbower.web.answering import PageRoute, form_of, page, says

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute)
DEFAULT: Final = "club"
MARKS: Final[Mapping[Mark, tuple[str, str]]] = {
    Mark.STATED: ("S", "the sheet states it"),
    Mark.READ: ("r", "the sheet speaks of it, and this is how we read it"),
    Mark.SILENT: ("d", "the sheet is silent: this is the default"),
    Mark.CHANGED: ("≠", "your table changed it"),
    Mark.OWN: ("–", "your table plays by no sheet"),
}
"""Where the value of an option comes from, as the page shows it."""
_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "First of all": (
        *("seats", "target", "nobody_calls", "alone_said", "defend_alone", "partner_orders_alone"),
        *("natural_trump", "farmers_hand", "supervision"),
    ),
    "Points": ("made", "march", "alone_made", "alone_march", "euchre", "euchre_alone"),
    "Game and match": ("win_by", "game_ends", "tie_at_target", "best_of", "score_kept", "deviations"),
    "Deal": (
        *("first_dealer", "dealer_drawn", "draw_cut", "deal_passes", "deal_cut", "deal_pattern", "misdeal"),
        "missing_cut",
    ),
    "Bidding and alone": ("bury", "up_card_buried", "first_lead"),
    "Play": ("looking_back", "disputes_open_tricks", "claims", "claim_consent", "claims_judged", "throw_ins"),
    "When something goes wrong": (
        *("renege_points", "renege_points_alone", "renege_alone", "renege_warnings", "warnings_for", "warnings_last"),
        *("correction", "out_of_turn", "failure_to_discard", "waiver", "penalty_ends_hand", "wrong_call"),
    ),
    "Event": ("event", "event_points", "participation", "co_ed", "gift_cards"),
}
"""Which options stand together, those that most tables ask about first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A value that an option can have."""

    value: str
    label: str
    words: str
    """What the rules say then."""
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One option, as the form asks for it."""

    name: str
    question: str
    kind: str
    """`choice`, `yes-no`, `number` or `amounts`."""
    value: str
    words: str
    """What the rules say with the value that is chosen."""
    meanings: tuple[Meaning, ...]
    """Every value there is, of a choice."""
    low: int
    high: int
    mark: Mark
    reading: Reading | None
    wrong: str
    """Why the value cannot be had; empty where it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Options under one heading."""

    heading: str
    asked: tuple[Asked, ...]
    is_open: bool

    @property
    def changed(self) -> int:
        """How many of them the table plays differently from its sheet."""
        return sum(one.mark is Mark.CHANGED for one in self.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesPage:
    """What the page shows of a rule set."""

    title: str
    about: str
    sheet: str
    against: str
    """The name of what it is compared with."""
    groups: tuple[Group, ...]
    differences: tuple[Difference, ...]
    card: str
    """In HTML."""
    link: str
    """Empty where the form asks for what cannot be."""
    fingerprint: str


@lru_cache(maxsize=64)
def rules_page(rules: HouseRules) -> RulesPage:
    """The page of a rule set."""
    base = basis(rules)
    chosen = {name: _write(one.domain, getattr(rules, name)) for name, one in options().items()}
    return RulesPage(
        **_heading(rules, base),
        groups=tuple(_groups(rules, chosen, None)),
        differences=diff(rules, base.rules if base else HouseRules()),
        card=as_html(rule_card(rules)),
        link=to_link(rules),
        fingerprint=fingerprint(rules),
    )


def refused_page(chosen: Mapping[str, str], error: LeftbowerError) -> RulesPage:
    """The page of a form that asks for what cannot be: what was chosen is kept, and no rule set comes of it."""
    rules = _start(chosen.get("sheet", ""))
    kept = {name: chosen.get(name, _write(one.domain, getattr(rules, name))) for name, one in options().items()}
    groups = tuple(_groups(rules, kept, error if isinstance(error, BadOption) else None))
    return RulesPage(**_heading(rules, basis(rules)), groups=groups, differences=(), card="", link="", fingerprint="")


def read_rules(name: str) -> HouseRules:
    """The rules that an address names: a preset, or a link."""
    return from_link(name) if name.startswith(LINK_PREFIX) else preset(name)


def read_form(form: Mapping[str, str]) -> HouseRules:
    """The rules that a form describes; what it leaves out is as on its sheet."""
    for name in form:
        if name not in options():
            raise UnknownOption(name[:40])
    read = {name: one.domain.read(name, _plain(one.domain, form[name])) for name, one in _given(form)}
    changes: dict[str, Any] = dict(read)
    return replace(_start(form.get("sheet", "")), **changes)


@router.get("/rules")
async def default_rules(request: Request, caller: Visitor, desk: AtDesk) -> Response:
    """The sheet that most begin with."""
    return await rules_of(DEFAULT, request, caller, desk)


@router.get("/rules/{rules}")
async def rules_of(rules: str, request: Request, caller: Visitor, desk: AtDesk) -> Response:
    """Any rule set, by the name of a preset or by its link."""
    try:
        shown = rules_page(read_rules(rules))
    except (UnknownRules, BadLink) as error:
        return _nothing_there(request, error)
    name = await desk.people.name(caller.person) if caller.person else ""
    return _answer(request, shown, name=name)


@router.post("/rules")
async def change(request: Request) -> Response:
    """What the form asks for, as a rule set with an address; or the form again, with what cannot be."""
    form: dict[str, str] = {}
    try:
        form = await form_of(request)
        rules = read_form(form)
    except LeftbowerError as error:
        return _answer(request, refused_page(form, error), error=error)
    return RedirectResponse(f"/rules/{to_link(rules)}", 303)


def _answer(request: Request, shown: RulesPage, *, name: str = "", error: LeftbowerError | None = None) -> Response:
    beside = isinstance(error, BadOption) and error.option != "sheet"
    return page(
        request,
        "rules.html",
        status=422 if error else 200,
        title=f"{shown.title} – euchre rules",
        r=shown,
        name=name,
        sheets=presets(),
        marks=MARKS,
        address=f"{base_for_others(request)}/rules/{shown.link}",
        alert="" if error is None or beside else says(error),
    )


def _nothing_there(request: Request, error: LeftbowerError) -> Response:
    ways = [(f"/rules/{one.name}", f"{one.title}: {one.about}") for one in presets()]
    status = 404 if isinstance(error, UnknownRules) else 422
    return page(request, "sorry.html", status=status, title="No such rules", says=says(error), ways=ways)


def _heading(rules: HouseRules, base: Preset | None) -> dict[str, Any]:
    return {
        "title": base.title if base else "Rules of your own",
        "about": base.about if base else "By no sheet.",
        "sheet": str(rules.sheet),
        "against": base.name if base else "the defaults",
    }


def _groups(rules: HouseRules, chosen: Mapping[str, str], error: BadOption | None) -> Iterator[Group]:
    """Every option once; one that is new stands at the end until it finds its place."""
    placed = {name for names in _GROUPS.values() for name in names} | {"sheet"}
    new = tuple(name for name in options() if name not in placed)
    for at, (heading, names) in enumerate([*_GROUPS.items(), *([("More", new)] if new else [])]):
        asked = tuple(_asked(rules, options()[name], chosen[name], error) for name in names)
        yield Group(heading=heading, asked=asked, is_open=at == 0 or any(one.wrong for one in asked))


def _asked(rules: HouseRules, one: Option, chosen: str, error: BadOption | None) -> Asked:
    base, domain = basis(rules), one.domain
    meanings = tuple(
        Meaning(
            value=_write(domain, value),
            label=_label(domain, value),
            words=_words(rules, one, value),
            is_chosen=_write(domain, value) == chosen,
        )
        for value in _values(domain)
    )
    plain = _plain(domain, chosen)
    is_here = chosen == _write(domain, getattr(rules, one.name))
    return Asked(
        name=one.name,
        question=one.question,
        kind=_kind(domain),
        value=chosen,
        words=_words(rules, one, plain),
        meanings=meanings,
        low=domain.allowed[0] if isinstance(domain, Number) else 0,
        high=domain.allowed[-1] if isinstance(domain, Number) else 0,
        mark=mark(rules, one.name) if is_here else Mark.CHANGED,
        reading=base.readings.get(one.name) if base and is_here and mark(rules, one.name) is not Mark.CHANGED else None,
        wrong=_sentence(error.reason) if error and error.option == one.name else "",
    )


def _words(rules: HouseRules, one: Option, value: Any) -> str:
    """What the rules would say with this value, or why they cannot have it beside the others."""
    has = getattr(rules, one.name)
    try:
        return sentence(rules if value == has else replace(rules, **{one.name: value}), one.name)
    except BadOption as why:
        return f"Not beside your other choices: {why.reason}."


def _values(domain: Domain) -> tuple[object, ...]:
    """What can be chosen from, where that is few."""
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
    return "choice" if _values(domain) else "number"


def _label(domain: Domain, value: object) -> str:
    return _write(domain, value).replace("-", " ").capitalize()


def _write(domain: Domain, value: object) -> str:
    """A value as forms send it."""
    plain = domain.write(value)
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    return ", ".join(map(str, plain)) if isinstance(plain, list) else str(plain)


def _plain(domain: Domain, text: str) -> object:
    """What a form sent, as its domain reads it; whatever it cannot be is left for the domain to refuse.

    A box sends `no`, and when it is ticked `no yes`.
    """
    match domain:
        case YesNo():
            return {"yes": True, "no": False}.get(text.rpartition(" ")[2], text)
        case Number():
            return _number(text)
        case Amounts():
            return [_number(word) for word in re.split(r"[\s,;$]+", text[:100]) if word]
        case _:
            return text


def _number(text: str) -> int | str:
    text = text.strip()
    return int(text) if re.fullmatch(r"[0-9]{1,6}", text) else text


def _given(form: Mapping[str, str]) -> Iterator[tuple[str, Option]]:
    return ((name, one) for name, one in options().items() if name in form)


def _start(sheet: str) -> HouseRules:
    """The rules of a sheet; there is a page to show even where there is no such sheet."""
    known = {str(one) for one in Sheet if one is not Sheet.OWN}
    return preset(sheet) if sheet in known else HouseRules()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"
