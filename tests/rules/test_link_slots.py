"""The meaning of a link never changes: slots, link defaults and value numbers are fixed here."""

import base64
from binascii import crc_hqx
from dataclasses import make_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.errors import BadLink
from leftbower.rules import HouseRules, Option, from_link, options, to_json, to_link
from leftbower.rules.clauses import sections
from leftbower.rules.house import ASKED_FIRST, options_by_group
from leftbower.rules.link import decode_link, encode_link, is_link
from leftbower.rules.options import Amounts, Group, Number, OneOf, YesNo, option, options_of
from leftbower.testing import house_rules, option_values
from leftbower.testing.house import IN_A_HAND
from near_rules import near

SLOTS: dict[int, tuple[str, object, str]] = {
    1: ("sheet", "own", "own round-robin campus school-cup prize-night club standard"),
    2: ("players", 4, "number"),
    3: ("supervision", "strict", "strict honor"),
    4: ("deviations", "host-decides", "host-decides everyone-agrees"),
    5: ("target", 10, "number"),
    6: ("win_by", 1, "number"),
    7: ("game_ends", "at-target", "at-target after-8-hands after-12-hands"),
    8: ("tie_at_target", "play-on", "play-on all-win maker-first"),
    9: ("best_of", 1, "number"),
    10: ("score_keeping", "any-way", "any-way fours-and-sixes"),
    11: ("first_dealer", "first-jack", "first-jack first-black-jack"),
    12: ("dealer_draw", "each-game", "each-game each-match"),
    13: ("draw_cut", "none", "none left right"),
    14: ("deal_passes", "left", "left"),
    15: ("deal_cut", "none", "none left right"),
    16: ("deal_pattern", "two-three", "two-three ones either-order bundles"),
    17: ("misdeal", "same-dealer", "same-dealer deal-passes"),
    18: ("missing_cut", "until-played", "until-played before-the-first-call"),
    19: ("farmers_hand", "off", "off redeal swap"),
    20: ("natural_trump", False, "yes-no"),
    21: ("partner_orders_alone", False, "yes-no"),
    22: ("bury", "after-taking", "after-taking before-taking"),
    23: ("may_bury_up_card", True, "yes-no"),
    24: ("nobody_calls", "stick-the-dealer", "stick-the-dealer pass-out"),
    25: ("going_alone", "with-the-call", "with-the-call before-the-lead"),
    26: ("defend_alone", "off", "off against-a-loner always"),
    27: ("first_lead", "dealers-left", "dealers-left loners-left"),
    28: ("made_points", 1, "number"),
    29: ("march_points", 2, "number"),
    30: ("made_points_alone", 1, "number"),
    31: ("march_points_alone", 4, "number"),
    32: ("euchre_points", 2, "number"),
    33: ("euchre_points_alone", 2, "number"),
    34: ("looking_back", "nobody", "nobody trick-winner everyone"),
    35: ("disputes_open_tricks", False, "yes-no"),
    36: ("claims", "on-lead", "on-lead off"),
    37: ("claim_consent", "all-agree", "all-agree not-needed"),
    38: ("judge_claims", False, "yes-no"),
    39: ("throw_ins", "by-agreement", "by-agreement encouraged off"),
    40: ("renege_points", 2, "number"),
    41: ("renege_points_alone", 2, "number"),
    42: ("renege_alone", "either-side", "either-side by-the-lone-side against-the-lone-side"),
    43: ("renege_warnings", 0, "number"),
    44: ("warnings_for", "player", "player side"),
    45: ("warnings_last", "game", "game match"),
    46: ("correction", "never", "never unless-called even-when-called"),
    47: ("out_of_turn", "taken-back", "taken-back as-renege"),
    48: ("failure_to_discard", "table-waits", "table-waits penalty"),
    49: ("waiver", False, "yes-no"),
    50: ("penalty_ends_hand", True, "yes-no"),
    51: ("wrong_call_points", 0, "number"),
    52: ("event", "none", "none round-robin school-groups"),
    53: ("event_points", 0, "number"),
    54: ("participation", "none", "none tenth-per-team shared-pool"),
    55: ("co_ed", False, "yes-no"),
    56: ("gift_cards", [], "amounts"),
}
"""By slot: the option, its link default, and its words in the order of their numbers. Only add to it."""
RETIRED_SLOTS: frozenset[int] = frozenset()
"""Slots of removed options; never reused."""

PRINTED: dict[str, dict[str, object]] = {
    "lb2-TDI": {},
    "lb2-oeiKloIlKzIvlg": {
        "sheet": "round-robin",
        "deal_pattern": "ones",
        "natural_trump": True,
        "partner_orders_alone": True,
        "may_bury_up_card": False,
        "nobody_calls": "pass-out",
        "renege_points_alone": 4,
        "correction": "even-when-called",
        "event": "round-robin",
    },
    "lb2-topA2mz7xA": {
        "sheet": "campus",
        "deviations": "everyone-agrees",
        "best_of": 3,
        "claims": "off",
        "throw_ins": "off",
    },
    "lb2-kEEoxDLFqkkiIS4Vqk3v": {
        "sheet": "school-cup",
        "best_of": 3,
        "score_keeping": "fours-and-sixes",
        "deal_pattern": "bundles",
        "bury": "before-taking",
        "may_bury_up_card": False,
        "looking_back": "trick-winner",
        "disputes_open_tricks": True,
        "claim_consent": "not-needed",
        "throw_ins": "encouraged",
        "renege_warnings": 1,
        "event": "school-groups",
        "event_points": 20,
        "participation": "tenth-per-team",
        "co_ed": True,
    },
    "lb2-lFJJs8amwiAAABkMhMC3qQ": {
        "sheet": "prize-night",
        "first_dealer": "first-black-jack",
        "draw_cut": "left",
        "deal_pattern": "either-order",
        "may_bury_up_card": False,
        "claims": "off",
        "throw_ins": "off",
        "gift_cards": [75, 50, 25],
    },
    "lb2-mkGuShCEFEFMqoCLlg": {
        "sheet": "club",
        "players": 3,
        "deal_cut": "right",
        "deal_pattern": "bundles",
        "misdeal": "deal-passes",
        "going_alone": "before-the-lead",
        "euchre_points_alone": 4,
        "renege_points_alone": 4,
        "out_of_turn": "as-renege",
        "failure_to_discard": "penalty",
        "waiver": True,
    },
}
"""Links that may be on posters, with their meaning; never change them."""

KINDS = {Number: "number", YesNo: "yes-no", Amounts: "amounts"}


# What never changes


def test_slots_are_fixed_and_never_used_twice() -> None:
    """Every option has the slot it was released with, and no two share one."""
    assert {(slot, name) for slot, (name, _, _) in SLOTS.items() if slot not in RETIRED_SLOTS} == {
        (declared.slot, declared.name) for declared in options().values()
    }


@pytest.mark.parametrize("slot", SLOTS.keys() - RETIRED_SLOTS)
def test_what_links_leave_out_and_numbers_of_words_are_fixed(slot: int) -> None:
    """A default may change, and new words may be added: links keep their meaning."""
    name, left_out, words = SLOTS[slot]
    declared = options()[name]
    assert declared.domain.write(declared.link_default) == left_out
    if isinstance(declared.domain, OneOf):
        today = [str(declared.domain.from_number(name, number)) for number in range(len(declared.domain.choices))]
        assert today[: len(words.split())] == words.split()
    else:
        assert KINDS[type(declared.domain)] == words


@pytest.mark.parametrize("link", PRINTED)
def test_a_printed_link_means_what_it_says(link: str) -> None:
    """Every option is compared, whatever the presets and defaults are now."""
    left_out = {name: value for slot, (name, value, _) in SLOTS.items() if slot not in RETIRED_SLOTS}
    assert to_json(from_link(link)) == left_out | PRINTED[link]
    assert to_link(from_link(link)) == link


@pytest.mark.parametrize(("slot", "number"), [(2, 3), (5, 21), (5, 7), (29, 10), (56, 25), (56, 1000 << 10 | 1000)])
def test_numbers_and_amounts_are_written_as_they_are(slot: int, number: int) -> None:
    """A number is its own number; amounts have ten bits each."""
    declared = options()[SLOTS[slot][0]]
    value = getattr(from_link(link_of((slot, number))), declared.name)
    amounts = value if isinstance(value, tuple) else (value,)
    assert sum(amount << 10 * index for index, amount in enumerate(amounts)) == number


# What may change without changing a link


@st.composite
def changed_options(draw: st.DrawFn) -> dict[str, Option]:
    """The options of a later version: in another order, with other defaults, one of them new."""
    later = {
        name: option(
            draw(option_values(declared)),
            declared.question,
            declared.group,
            declared.domain,
            slot=declared.slot,
            link_default=declared.link_default,
        )
        for name, declared in options().items()
    }
    later["later"] = option(draw(st.integers(0, 9)), "And what else?", Group.PLAY, Number(range(10)), slot=99)
    names = draw(st.permutations(sorted(later)))
    return options_of(make_dataclass("LaterRules", [(name, Any, later[name]) for name in names]))


@settings(max_examples=50)
@given(house_rules(), changed_options())
def test_order_and_defaults_do_not_change_what_a_link_means(rules: HouseRules, later: dict[str, Option]) -> None:
    """A link means the same to a version with another order, other defaults and more options, and vice versa."""
    values = {name: getattr(rules, name) for name in options()}
    expected = values | {"later": later["later"].default}
    assert decode_link(to_link(rules), later) == expected
    assert encode_link(expected, later) == to_link(rules)


@settings(max_examples=25)
@given(house_rules())
def test_wider_domains_do_not_change_what_a_link_means(rules: HouseRules) -> None:
    """An option that gets more numbers keeps those it has."""
    wider = {
        name: replace(declared, domain=Number(range(200)))
        if isinstance(declared.domain, Number)
        else replace(declared, domain=Amounts(most=9, highest=1023))
        if isinstance(declared.domain, Amounts)
        else declared
        for name, declared in options().items()
    }
    values = {name: getattr(rules, name) for name in options()}
    assert decode_link(to_link(rules), wider) == values
    assert encode_link(values, wider) == to_link(rules)


@settings(max_examples=25)
@given(st.permutations([1, 5, 9]), st.integers(0, 9), st.integers(0, 9))
def test_an_option_says_in_links_what_it_was_first(order: list[int], default: int, value: int) -> None:
    """Without a `link_default` the default is left out; with one, the default is written like any other value."""
    digit = Number(range(10))
    first = {f"o{slot}": option(3, "?", Group.PLAY, digit, slot=slot) for slot in order}
    later = {f"o{slot}": option(default, "?", Group.PLAY, digit, slot=slot, link_default=3) for slot in sorted(order)}
    old, new = (
        options_of(make_dataclass("Rules", [(name, int, declared) for name, declared in rules.items()]))
        for rules in (first, later)
    )
    values = {"o1": 3, "o5": value, "o9": default}
    assert encode_link(values, new) == encode_link(values, old)
    assert decode_link(encode_link(values, old), new) == values


# Links that are refused


def link_of(*pairs: tuple[int, int], spare: str = "") -> str:
    """A link with a correct checksum around any slots and numbers, built bit by bit as the docs describe."""
    bits, before = "", 0
    for slot, number in pairs:
        for count in (slot - before, number + 1):
            bits += "0" * (count.bit_length() - 1) + bin(count)[2:]
        before = slot
    bits += spare
    bits += "0" * (-len(bits) % 8)
    body = bytes(int(bits[start : start + 8], 2) for start in range(0, len(bits), 8))
    check = crc_hqx(body, 0x4C32 ^ len(body)).to_bytes(2, "big")
    return "lb2-" + base64.urlsafe_b64encode(body + check).decode().rstrip("=")


@settings(max_examples=25)
@given(house_rules())
def test_a_link_is_the_pairs_that_differ(rules: HouseRules) -> None:
    """Slot and number of every option that isn't at its link default, in slot order."""
    pairs = [
        (slot, options()[name].domain.to_number(getattr(rules, name)))
        for slot, (name, left_out, _) in sorted(SLOTS.items())
        if slot not in RETIRED_SLOTS and to_json(rules)[name] != left_out
    ]
    assert to_link(rules) == link_of(*pairs)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (link_of((300, 1)), "the link has the unknown option 300; it was made by a newer leftbower"),
        (link_of((5, 7), (500, 0)), "the link has the unknown option 500"),
        (
            link_of((1, 7)),
            r"the link has an unknown value \(sheet = 7: it has only 7 choices\)",
        ),
        (link_of((5, 22)), r"the link has an unknown value \(target = 22: it must be a whole number from 5 to 21\)"),
        (link_of((49, 2)), r"the link has an unknown value \(waiver = 2: it must be 1 for yes or 0 for no\)"),
        (link_of((56, 25 << 10)), "gift_cards = 0"),
        (link_of((56, (1 << 60) - 1)), "gift_cards = "),
        (
            link_of((22, 1)),
            r"the link's rules contradict each other \(may_bury_up_card = true: a dealer who discards before",
        ),
        (link_of((5, 10)), "not written"),
        (link_of((5, 7), spare="00000000"), "not written"),
        (link_of((3, 1), spare="1"), "not written"),
        (link_of((3, 1), spare="00001"), "not written"),
        (link_of((5, 7), (6, 1)), "not written"),
        ("lb3-TDI", "a rules link starts with lb2- or lb1-"),
    ],
)
def test_a_link_with_a_right_check_is_still_judged(link: str, message: str) -> None:
    """Unknown slots, unknown values, clashes, and a second spelling of the same rules, each with its message."""
    with pytest.raises(BadLink, match=message) as caught:
        from_link(link)
    assert len(str(caught.value)) < 200


def test_a_link_of_one_version_is_none_of_another() -> None:
    """The checksum covers the version."""
    for link in PRINTED:
        for other in ("lb0-", "lb1-", "lb3-"):
            with pytest.raises(BadLink):
                from_link(other + link.removeprefix("lb2-"))


def test_links_of_any_version_are_taken_for_links() -> None:
    """So that a link from a later version is a bad link and not an unknown preset."""
    assert all(map(is_link, ["lb1-", "lb2-TDI", "lb12-x"]))
    assert not any(map(is_link, ["", "lb", "lb-", "club", "lbx-", "xlb2-TDI"]))


# Groups


def test_every_option_stands_in_one_group() -> None:
    """Groups come in the order of the card."""
    assert list(options_by_group()) == list(Group)
    assert sorted(member.name for members in options_by_group().values() for member in members) == sorted(options())
    assert set(ASKED_FIRST) < set(options())
    assert len(set(ASKED_FIRST)) == len(ASKED_FIRST)


def test_the_card_states_an_option_under_the_heading_of_its_group() -> None:
    """Page, card and docs use the same heading for an option."""
    headings: dict[str, set[str]] = {name: set() for name in options()}
    for start in (HouseRules(), HouseRules(players=3), from_link("lb2-kEEoxDLFqkkiIS4Vqk3v")):
        for rules in near(start):
            for heading, clauses in sections(rules):
                for name in {name for clause in clauses for name in clause.options}:
                    headings[name].add(heading)
    assert not headings.pop("sheet")
    assert {name: found for name, found in headings.items() if str(options()[name].group) not in found} == {}


def test_the_options_of_a_hand_are_those_of_its_groups() -> None:
    """Deal to points: the strategies for hands also draw a new option of bidding, loners or scoring."""
    beside = {"players", "farmers_hand", "first_lead"}
    grouped = {
        member.name for group in (Group.BIDDING, Group.ALONE, Group.SCORING) for member in options_by_group()[group]
    }
    assert set(IN_A_HAND) == beside | grouped
    assert grouped > {"natural_trump", "nobody_calls", "going_alone", "defend_alone", "made_points", "euchre_points"}
