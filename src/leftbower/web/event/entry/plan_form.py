"""The form of an event's plan: its fields as text, what each sheet plays, and the plan that a form describes."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from leftbower.errors import BadUsage, LeftbowerError
from leftbower.i18n import N_, gettext as _, ngettext
from leftbower.rules.choices import GameEnds
from leftbower.rules.formats import rules_by_name, to_link
from leftbower.rules.house import HouseRules
from leftbower.rules.link import is_link
from leftbower.rules.sheets import preset, presets
from leftbower.server.people.sanitize import clean_title, strip_invisible
from leftbower.tournament.formats.base import DEFAULT_ROUNDS
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue, ExtraCategory, OddNumbers, ScoreApproval, TieBreak
from leftbower.tournament.model.plan import MAX_PLACE_LENGTH, EventPlan, Stage, default_plan
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.text.parse import (
    format_dollars,
    parse_cents,
    parse_choice,
    parse_prizes,
    parse_tie_breaks,
)
from leftbower.web.rule_choices import RuleChoice, RuleGroup, rule_groups

PlanForm = Mapping[str, str]
MAX_RULES_CHARS: Final = 100
EIGHT_HANDS: Final = "eight-hands"
"""The form's name for a progressive evening: the club's rules, eight hands a round."""
_EXTRA_PRIZES: Final = {
    ExtraCategory.LONERS: N_("Most loners"),
    ExtraCategory.EUCHRES: N_("Most euchres"),
    ExtraCategory.HIGH_GAME: N_("Highest game"),
    ExtraCategory.LAST: N_("Last place"),
}
TIE_BREAK_TEXTS: Final = {
    TieBreak.BRACKET: N_("how far they got in the bracket"),
    TieBreak.MATCHES: N_("matches won"),
    TieBreak.GAMES: N_("games won"),
    TieBreak.POINTS: N_("points scored"),
    TieBreak.POINTS_PER_ROUND: N_("points per round played"),
    TieBreak.DIFFERENCE: N_("points scored minus points allowed"),
    TieBreak.HEAD_TO_HEAD: N_("who beat whom"),
    TieBreak.AMONG_TIED: N_("matches and points among the tied"),
    TieBreak.OPPONENTS: N_("how strong their opponents were"),
    TieBreak.LONERS: N_("lone hands with all five tricks"),
    TieBreak.DRAW: N_("a random draw"),
}
_BYE_TEXTS: Final = {
    ByeValue.NOTHING: N_("Sitting out counts for nothing"),
    ByeValue.WIN: N_("Sitting out counts as a win"),
}
MAX_TIE_BREAKS: Final = 4
"""Tie-breaks that the form asks for."""
SAFE_FIELDS: Final = (
    *("title", "starts", "place", "rounds", "minutes", "no_show_minutes", "prizes", "gift_cards", "approval"),
    *map(str, ExtraCategory),
)
"""Fields that can change after the first draw."""


def parse_plan(form: PlanForm) -> EventPlan:
    name = form.get("rules") or "club"
    rules = eight_hands() if name == EIGHT_HANDS else rules_by_name(name[:MAX_RULES_CHARS])
    title = clean_title(form.get("title", "")) or _("Euchre")
    defaults = default_plan(title, rules)
    usual = defaults.stage if not form.get("format") else Stage(format=parse_choice(Format, form["format"], "format"))
    stage = replace(usual, rounds=_parse_count(form, "rounds") or usual.rounds, best_of=_parse_count(form, "best_of"))
    extras = [f"{category}={value}" for category in ExtraCategory if (value := form.get(category.value, ""))]
    people = 2 if form.get("fee_per") == "person" and not stage.singles else 1
    return default_plan(
        title,
        rules,
        stage,
        fee=people * parse_cents(form.get("fee") or "0"),
        prizes=parse_prizes(form.get("prizes", ""), form.get("gift_cards", ""), extras, defaults.prizes),
        ties=parse_tie_breaks(",".join(form.get("ties", "").split())),
        odd_numbers=parse_choice(OddNumbers, form.get("odd_numbers") or "byes", "odd_numbers"),
        seeded=form.get("seeded") == "yes",
        approval=parse_choice(ScoreApproval, form.get("approval") or "both-sides", "approval"),
        minutes=_parse_count(form, "minutes"),
        online=form.get("online") == "yes",
        no_show_minutes=_parse_count(form, "no_show_minutes") or 10,
        starts=form.get("starts", "").strip()[:16],
        place=" ".join(strip_invisible(form.get("place", "")).split())[:MAX_PLACE_LENGTH],
        **({"bye": parse_choice(ByeValue, form["bye"], "bye")} if form.get("bye") else {}),
    )


def eight_hands() -> HouseRules:
    return replace(preset("club"), game_ends=GameEnds.AFTER_8_HANDS)


def form_of(plan: EventPlan) -> dict[str, str]:
    """The form that describes a plan: `parse_plan` returns the same plan."""
    names = {known.rules: known.name for known in presets()} | {eight_hands(): EIGHT_HANDS}
    prizes = plan.prizes
    shares = (
        f"{float(100 * share):g}%" if share.denominator in _ROUND else f"{100 * share}%" for share in prizes.shares
    )
    numbers = {"rounds": plan.stage.rounds, "best_of": plan.stage.best_of, "minutes": plan.minutes}
    return {
        "title": plan.title,
        "rules": names.get(plan.rules) or to_link(plan.rules),
        "format": plan.stage.format.value,
        **{name: str(number or "") for name, number in numbers.items()},
        "fee": _dollars(plan.fee) if plan.fee else "",
        "fee_per": "team",
        "prizes": ",".join([*map(_dollars, prizes.cash), *shares]),
        "gift_cards": ",".join(map(_dollars, prizes.cards)) or "none",
        **{str(category): _dollars(cents) for category, cents in prizes.extras},
        "ties": " ".join(map(str, plan.ties)),
        "bye": str(plan.bye),
        "odd_numbers": str(plan.odd_numbers),
        "seeded": "yes" if plan.seeded else "",
        "approval": str(plan.approval),
        "online": "yes" if plan.online else "",
        "no_show_minutes": str(plan.no_show_minutes),
        "starts": plan.starts,
        "place": plan.place,
    }


_ROUND: Final = (1, 2, 4, 5, 10, 20, 25, 50, 100)
"""Denominators of shares that are whole percents."""


def changed_plan(event: Event, form: PlanForm) -> EventPlan:
    """The plan that a form describes; after the first draw only its safe fields count."""
    if not event.rounds:
        return parse_plan(form)
    return parse_plan(form_of(event.plan) | {name: form[name] for name in SAFE_FIELDS if name in form})


def form_context(form: PlanForm, own_rules: Iterable[RuleChoice] = ()) -> dict[str, Any]:
    """What the template of the form needs besides its values; `own_rules` are those that the person keeps."""
    ties = form.get("ties", "").replace(",", " ").split()
    own = _own_rules(form.get("rules", ""))
    offered = {choice: rules for choice in own_rules if (rules := _own_rules(choice.value)) and rules.players == 4}
    own_texts = {choice.value: describe_plan(default_plan("–", rules)) for choice, rules in offered.items()}
    return {
        "has_own_rules": own is not None,
        "rule_groups": (
            *rule_groups(offered, players=4),
            RuleGroup(_("For progressive evenings"), "", (RuleChoice(EIGHT_HANDS, _("Eight hands a round")),)),
        ),
        "sheet_texts": dict(_sheet_texts())
        | own_texts
        | ({form["rules"]: describe_plan(default_plan("–", own))} if own else {}),
        "formats": [known.definition for known in Format],
        "three_handed": join_names([_(known.definition.title) for known in Format if known.definition.three_handed]),
        "extra_prizes": {category.value: _(text) for category, text in _EXTRA_PRIZES.items()},
        "tie_texts": {tie.value: _(text) for tie, text in TIE_BREAK_TEXTS.items()},
        "ties": (ties + [""] * MAX_TIE_BREAKS)[: max(MAX_TIE_BREAKS, len(ties))],
        "usual_ties": {
            known.value: join_names([_(TIE_BREAK_TEXTS[tie]) for tie in known.definition.tie_breaks])
            for known in Format
        },
        "byes": {bye.value: _(text) for bye, text in _BYE_TEXTS.items()},
    }


def _own_rules(name: str) -> HouseRules | None:
    """The rules of a link; None for a preset or a broken link."""
    with suppress(LeftbowerError):
        return rules_by_name(name[:MAX_RULES_CHARS]) if is_link(name) else None
    return None


def _sheet_texts() -> Iterator[tuple[str, str]]:
    """What an event by each sheet is like, if the form leaves the rest open."""
    for known in presets():
        if known.rules.players == 4:
            yield known.name, describe_plan(default_plan(known.title, known.rules))
    yield EIGHT_HANDS, describe_plan(default_plan(EIGHT_HANDS, eight_hands()))


def describe_plan(plan: EventPlan) -> str:
    """A plan in one sentence: format, rounds, games and prizes."""
    definition, rules = plan.stage.definition, plan.rules
    parts = [_(definition.title)]
    if plan.stage.rounds or not (definition.bracket or definition.scheduled):
        rounds = plan.stage.rounds or DEFAULT_ROUNDS
        parts.append(ngettext("%(num)d round", "%(num)d rounds", rounds))
    parts.append(_game(rules, plan.stage.best_of or rules.best_of))
    if plan.prizes.cards:
        amounts = ", ".join(map(short_dollars, plan.prizes.cards))
        parts.append(_("gift cards of %(amounts)s", amounts=amounts))
    return " · ".join(parts)


def _game(rules: HouseRules, best_of: int) -> str:
    if best_of > 1:
        return _("best of %(games)d games to %(target)d", games=best_of, target=rules.target)
    if rules.fixed_hands:
        return ngettext("%(num)d hand a round", "%(num)d hands a round", rules.fixed_hands)
    return _("one game to %(target)d", target=rules.target)


def prize_note(event: Event) -> str:
    """Says so if the prizes in dollars are more than the pot will have when everyone has paid; else empty."""
    prizes = event.plan.prizes
    fixed = sum(prizes.cash) + sum(prizes.cards) + sum(cents for _category, cents in prizes.extras)
    pot = event.pot + sum(entrant.owes for entrant in event.entrants.values())
    if not fixed or fixed <= pot or event.paid_out:
        return ""
    return _(
        "The prizes are %(prizes)s, the pot will be %(pot)s: you need %(missing)s from elsewhere, or more entries.",
        prizes=format_dollars(fixed),
        pot=format_dollars(pot),
        missing=format_dollars(fixed - pot),
    )


def _dollars(cents: int) -> str:
    return format_dollars(cents).removeprefix("$").removesuffix(".00")


def short_dollars(cents: int) -> str:
    """`$10`, or `$12.50`."""
    return f"${_dollars(cents)}"


def _parse_count(form: PlanForm, name: str) -> int:
    value = form.get(name, "").strip()
    if value and not (value.isdecimal() and len(value) < 6):
        raise BadUsage("enter a number", path=name)
    return int(value or 0)
