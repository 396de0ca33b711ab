"""Every combination of options that no table can play is refused by name, and no other is."""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.errors import ImpossibleRules
from leftbower.rules import HouseRules, from_json, options, preset
from leftbower.rules.options import Amounts, Number, OneOf
from leftbower.testing import house_rules
from leftbower.testing.house import option_values

TOO_HIGH = frozenset(range(11, 22))
NOT_TEN = frozenset(range(5, 22)) - {10}
FIXED = frozenset({"after-8-hands", "after-12-hands"})
WITHOUT_PARTNERS = frozenset({2, 3})
SHARED_TARGET = frozenset({"all-win", "maker-first"})
ONE_SIDE = frozenset({"by-the-lone-side", "against-the-lone-side"})

Clash = tuple[dict[str, frozenset[Any]], str, str]

IMPOSSIBLE: list[Clash] = [
    (
        {"players": WITHOUT_PARTNERS, "partner_orders_alone": frozenset({True})},
        "partner_orders_alone",
        "the dealer has a partner only when four play",
    ),
    (
        {"players": WITHOUT_PARTNERS, "defend_alone": frozenset({"against-a-loner", "always"})},
        "defend_alone",
        "a defender has a partner to leave out only when four play",
    ),
    (
        {"players": WITHOUT_PARTNERS, "warnings_for": frozenset({"side"})},
        "warnings_for",
        "there are sides only when four play",
    ),
    (
        {"players": frozenset({3}), "score_keeping": frozenset({"fours-and-sixes"})},
        "score_keeping",
        "hearts and spades keep only two scores, and three play",
    ),
    (
        {"players": WITHOUT_PARTNERS, "event": frozenset({"school-groups"})},
        "event",
        "a group is two teams of two, so four must play",
    ),
    (
        {"players": frozenset({2}), "farmers_hand": frozenset({"redeal", "swap"})},
        "farmers_hand",
        "two players play without the nines",
    ),
    (
        {"players": frozenset({3}), "farmers_hand": frozenset({"swap"})},
        "farmers_hand",
        "three closed kitty cards, and with three players there are five",
    ),
    (
        {"players": frozenset({3}), "game_ends": frozenset({"after-8-hands"})},
        "game_ends",
        "8 hands can't be shared evenly by 3 dealers",
    ),
    ({"game_ends": FIXED, "target": NOT_TEN}, "target", "hands has no target; leave it at 10"),
    ({"game_ends": FIXED, "win_by": frozenset({2})}, "win_by", "hands can be won by one point"),
    (
        {"game_ends": FIXED, "score_keeping": frozenset({"fours-and-sixes"})},
        "score_keeping",
        "a four and a six show no more than ten points",
    ),
    (
        {"score_keeping": frozenset({"fours-and-sixes"}), "target": TOO_HIGH},
        "score_keeping",
        "a four and a six show no more than ten points",
    ),
    (
        {"score_keeping": frozenset({"fours-and-sixes"}), "win_by": frozenset({2})},
        "score_keeping",
        "a four and a six show no more than ten points",
    ),
    (
        {"dealer_draw": frozenset({"each-match"}), "best_of": frozenset({1})},
        "dealer_draw",
        "a match of one game has only one draw",
    ),
    (
        {"bury": frozenset({"before-taking"}), "may_bury_up_card": frozenset({True})},
        "may_bury_up_card",
        "discards before taking the up-card can't discard it",
    ),
    (
        {"claims": frozenset({"off"}), "judge_claims": frozenset({True})},
        "judge_claims",
        "there are no claims to judge",
    ),
    (
        {"claim_consent": frozenset({"not-needed"}), "judge_claims": frozenset({True})},
        "judge_claims",
        "certain winners need no consent, so there is nothing to judge",
    ),
    (
        {"claims": frozenset({"off"}), "claim_consent": frozenset({"not-needed"})},
        "claim_consent",
        "there are no claims to agree to",
    ),
    (
        {"deal_cut": frozenset({"none"}), "missing_cut": frozenset({"before-the-first-call"})},
        "missing_cut",
        "no cut is offered before a deal",
    ),
    (
        {"players": frozenset({2, 4}), "tie_at_target": SHARED_TARGET},
        "tie_at_target",
        "two players can reach the target on one hand only when three play",
    ),
    (
        {"game_ends": frozenset({"after-12-hands"}), "tie_at_target": SHARED_TARGET},
        "tie_at_target",
        "a game of 12 hands has no target",
    ),
    (
        {"win_by": frozenset({2}), "tie_at_target": SHARED_TARGET},
        "tie_at_target",
        "a game that must be won by two points has one winner",
    ),
    *(
        (
            {"renege_points": frozenset({cost}), "renege_points_alone": frozenset({cost}), "renege_alone": ONE_SIDE},
            "renege_alone",
            "a renege costs the same on a lone hand",
        )
        for cost in (1, 2, 3, 4)
    ),
    (
        {"renege_warnings": frozenset({0}), "warnings_for": frozenset({"side"})},
        "warnings_for",
        "no renege gets off with a warning",
    ),
    (
        {"renege_warnings": frozenset({0}), "warnings_last": frozenset({"match"})},
        "warnings_last",
        "no renege gets off with a warning",
    ),
    (
        {"event": frozenset({"none", "round-robin"}), "event_points": frozenset(range(1, 101))},
        "event_points",
        "only an event between schools has points to share",
    ),
    (
        {"event": frozenset({"none", "round-robin"}), "participation": frozenset({"tenth-per-team", "shared-pool"})},
        "participation",
        "only an event between schools has points to share",
    ),
]
"""Handwritten: the options, their values that contradict each other, the option that is named, and why."""


DEFAULTS = {name: option.domain.write(option.default) for name, option in options().items()}


def other_values(option: str) -> list[Any]:
    """Every value of an option except its default, in the form of files; for amounts one, for long ranges a few."""
    values: list[Any]
    match options()[option].domain:
        case OneOf(choices=choices):
            values = [str(choice) for choice in choices]
        case Number(allowed=allowed):
            beside = {min(allowed), options()[option].default + 1, max(allowed)}
            values = [value for value in allowed if len(allowed) < 6 or value in beside]
        case Amounts():
            values = [[75, 50, 25]]
        case _:
            values = [False, True]
    return [value for value in values if value != DEFAULTS[option]]


def clashes(plain: dict[str, Any]) -> set[str]:
    """The options that the table above names for a rule set."""
    whole = DEFAULTS | plain
    return {named for row, named, _ in IMPOSSIBLE if all(whole[name] in values for name, values in row.items())}


def named_in(plain: dict[str, Any]) -> str | None:
    """The option that is named when a rule set is refused, if it is."""
    try:
        HouseRules(**plain)
    except ImpossibleRules as clash:
        return clash.option
    return None


@pytest.mark.parametrize(("clashing", "named", "reason"), IMPOSSIBLE)
def test_options_that_cannot_all_hold_are_refused_by_name(
    clashing: dict[str, frozenset[Any]], named: str, reason: str
) -> None:
    """The error has the option, its value in the form of files, and the reason, as fields and in its message."""
    for values in product(*clashing.values()):
        plain = _SETTLED.get(tuple(clashing), {}) | dict(zip(clashing, values, strict=True))
        with pytest.raises(ImpossibleRules) as caught:
            from_json(plain)
        assert (caught.value.option, caught.value.value) == (named, plain[named])
        assert reason in caught.value.reason
        assert caught.value.code == "impossible-rules"
        assert str(caught.value) == f"{named} = {_as_written(plain[named])}: {caught.value.reason}"


_SETTLED: dict[tuple[str, ...], dict[str, Any]] = {
    ("players", "warnings_for"): {"renege_warnings": 1},
    ("game_ends", "tie_at_target"): {"players": 3},
    ("win_by", "tie_at_target"): {"players": 3},
}
"""Other options to set so that only these ones clash."""


def test_any_two_options_either_hold_together_or_one_of_them_is_named() -> None:
    """All options and pairs of options, with everything else default, are refused exactly if the table says so.

    Discarding before taking clashes with a default, so only there a third option is named.
    """
    singles = [{name: value} for name in options() for value in other_values(name)]
    for plain in singles + [first | other for first, other in combinations(singles, 2) if first.keys() != other.keys()]:
        named = named_in(plain)
        expected = clashes(plain)
        assert (named in expected) if expected else (named is None), plain
        assert named in (None, *plain) or (named == "may_bury_up_card" and "bury" in plain), plain


@settings(max_examples=50)
@given(st.fixed_dictionaries({}, optional={name: option_values(option) for name, option in options().items()}))
def test_any_options_at_all_either_hold_together_or_one_is_named(chosen: dict[str, Any]) -> None:
    """With any number of options set, the rule set is refused exactly if two of them clash."""
    plain = {name: options()[name].domain.write(value) for name, value in chosen.items()}
    named = named_in(plain)
    expected = clashes(plain)
    assert (named in expected) if expected else (named is None)


@settings(max_examples=25)
@given(house_rules(), st.data())
def test_a_change_is_checked_like_a_new_rule_set(rules: HouseRules, data: st.DataObject) -> None:
    """Replacing an option runs the same checks as creating a rule set, and leaves the old one unchanged."""
    name = data.draw(st.sampled_from(sorted(options())))
    value = data.draw(option_values(options()[name]))
    before = hash(rules)
    try:
        changed = replace(rules, **{name: value})
    except ImpossibleRules:
        plain = {other: option.domain.write(getattr(rules, other)) for other, option in options().items()}
        assert clashes(plain | {name: options()[name].domain.write(value)})
    else:
        assert getattr(changed, name) == value
    assert hash(rules) == before


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_published_strategy_covers_any_number_of_players(players: int) -> None:
    """`house_rules(players=…)` keeps the fixed options and adapts the others."""

    @settings(max_examples=10)
    @given(house_rules(players=players))
    def law(rules: HouseRules) -> None:
        assert rules.players == players

    law()


@pytest.mark.parametrize(
    ("name", "players", "option"),
    [
        ("round-robin", 3, "partner_orders_alone"),
        ("round-robin", 2, "partner_orders_alone"),
        ("school-cup", 3, "score_keeping"),
        ("school-cup", 2, "event"),
    ],
)
def test_a_sheet_that_fewer_cannot_play_names_the_option(name: str, players: int, option: str) -> None:
    """Only some sheets work for three or two."""
    with pytest.raises(ImpossibleRules) as caught:
        preset(name, players=players)
    assert caught.value.option == option


@pytest.mark.parametrize("name", ["campus", "prize-night", "club"])
def test_a_sheet_that_needs_no_partners_can_be_played_by_fewer(name: str) -> None:
    """The sheet's rules for deal, bidding and points also work for three and two."""
    assert preset(name, players=3) == replace(preset(name), players=3)
    assert preset(name, players=2).dummy_size == 3


POSSIBLE: list[dict[str, Any]] = [
    {"players": 3, "farmers_hand": "redeal"},
    {"players": 4, "farmers_hand": "swap"},
    {"players": 3, "game_ends": "after-12-hands"},
    {"players": 2, "game_ends": "after-8-hands"},
    {"players": 2, "score_keeping": "fours-and-sixes"},
    {"players": 2, "natural_trump": True},
    {"players": 3, "first_lead": "loners-left"},
    {"players": 3, "renege_warnings": 1, "warnings_last": "match"},
    {"defend_alone": "always", "partner_orders_alone": True},
    {"score_keeping": "fours-and-sixes", "target": 5},
    {"game_ends": "after-8-hands", "best_of": 3, "dealer_draw": "each-match"},
    {"event": "school-groups", "participation": "shared-pool"},
    {"players": 3, "tie_at_target": "all-win", "best_of": 3},
    {"players": 3, "tie_at_target": "maker-first", "penalty_ends_hand": False},
    {"deal_cut": "left", "missing_cut": "before-the-first-call"},
    {"renege_points": 4, "renege_alone": "by-the-lone-side"},
    {"players": 2, "renege_points_alone": 4, "renege_alone": "against-the-lone-side"},
    {"claim_consent": "not-needed", "throw_ins": "off"},
]


@pytest.mark.parametrize("plain", POSSIBLE, ids=str)
def test_a_combination_that_only_looks_odd_is_allowed(plain: dict[str, Any]) -> None:
    """Nothing is refused for being rare."""
    assert named_in(plain) is None


def _as_written(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case _:
            return str(value)
