"""A rule set survives every format, and a broken input is refused by name."""

import base64
import copy
import json
import pickle
import re
import string
import time
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, replace
from functools import partial
from itertools import accumulate, combinations
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.errors import (
    BadLink,
    BadOption,
    BadToml,
    ImpossibleRules,
    LeftbowerError,
    TooLarge,
    UnknownOption,
    UnknownRules,
)
from leftbower.rules import (
    HouseRules,
    Option,
    diff,
    fingerprint,
    from_json,
    from_link,
    from_toml,
    options,
    preset,
    to_json,
    to_link,
    to_toml,
)
from leftbower.rules.choices import BuryOrder, Cut, DealPattern, EventKind, Sheet
from leftbower.rules.formats import MAX_TOML_CHARACTERS, rules_by_name
from leftbower.rules.link import LINK_PREFIX, MAX_LINK_CHARACTERS
from leftbower.rules.options import Amounts, Number, OneOf
from leftbower.testing import house_rules

URL_SAFE = string.ascii_letters + string.digits + "-_"
LINK_NOISE = URL_SAFE + "+/=.~ \n\0äß♠"
TOML_NOISE = "abegmrt_=[]{}\"'.,#:+-0189\\ \t\r\n\0ä♠"
TEN_MB = 10 * 1024 * 1024

LINKS = {
    "round-robin": "lb2-oeiKloIlKzIvlg",
    "campus": "lb2-topA2mz7xA",
    "school-cup": "lb2-kEEoxDLFqkkiIS4Vqk3v",
    "prize-night": "lb2-lFJJs8amwiAAABkMhMC3qQ",
    "club": "lb2-mHOShCEFEFMqoMJC",
    "club3": "lb2-mkGuShCEFEFMqoCLlg",
    "club2": "lb2-msa5KEIQUQUyqnM0",
    "own": "lb2-TDI",
}
FIRST_LINKS = {
    "round-robin": "lb1-IaACAgBAAAwBEBIkAgBEAAgQAf8y",
    "campus": "lb1-IqICBgAAAIAAEBIkgoAkAAAQt0o",
    "school-cup": "lb1-I6ACFgDAABAAEBIkSkQkBAAQoiTkEg",
    "prize-night": "lb1-JKACgiCAAAAAEBIkgoAkAAAQAMASMmTyfg",
    "club": "lb1-JaACAgDQAoAIEBIkBABEACAZ_YA",
    "club3": "lb1-HaACAgDQAoAIEBIkBABEACAZC88",
    "club2": "lb1-FaACAgDQAoAIEBIkBABEACAZ-qA",
}
PRINTED = [*LINKS.values(), *FIRST_LINKS.values()]
"""The links of both versions, as they may be on posters: never change them."""


# Round trips


@settings(max_examples=25)
@given(house_rules())
def test_any_rule_set_comes_back_from_toml(rules: HouseRules) -> None:
    """`from_toml` reads the output of `to_toml` as the same rules."""
    assert from_toml(to_toml(rules)) == rules


@settings(max_examples=25)
@given(house_rules())
def test_any_rule_set_comes_back_from_its_link(rules: HouseRules) -> None:
    """A link covers every option, and every rule set has one link."""
    assert from_link(to_link(rules)) == rules
    assert to_link(from_link(to_link(rules))) == to_link(rules)


@settings(max_examples=25)
@given(house_rules())
def test_any_rule_set_comes_back_from_json(rules: HouseRules) -> None:
    """The JSON form names every option, and uses only JSON types."""
    plain = to_json(rules)
    assert list(plain) == list(options())
    assert from_json(plain) == rules
    assert json.loads(json.dumps(plain)) == plain
    assert from_json(json.loads(json.dumps(plain))) == rules


@settings(max_examples=25)
@given(house_rules())
def test_any_rule_set_can_be_pickled_and_copied(rules: HouseRules) -> None:
    """Any kind of copy is equal, and has the same hash and fingerprint."""
    for same in (pickle.loads(pickle.dumps(rules)), copy.copy(rules), copy.deepcopy(rules), replace(rules)):
        assert same == rules
        assert hash(same) == hash(rules)
        assert fingerprint(same) == fingerprint(rules)


@settings(max_examples=25)
@given(house_rules())
def test_any_rule_set_is_spelled_out_by_its_repr(rules: HouseRules) -> None:
    """The repr names every option."""
    assert repr(rules).startswith("HouseRules(")
    assert all(f"{name}=" in repr(rules) for name in options())


@settings(max_examples=25)
@given(house_rules())
def test_a_toml_file_states_only_what_its_sheet_does_not(rules: HouseRules) -> None:
    """After its sheet, a file lists only the options that the table changed, each under its question."""
    start = HouseRules() if rules.sheet is Sheet.OWN else preset(str(rules.sheet))
    stated = [line.split(" = ")[0] for line in to_toml(rules).splitlines() if " = " in line and line[0] != "#"]
    left = [name for name in options() if getattr(rules, name) != getattr(start, name)]
    assert stated == ["sheet", *left]
    assert all(f"# {options()[name].question}\n{name} = " in to_toml(rules) for name in left)


@settings(max_examples=25)
@given(house_rules())
def test_any_single_option_left_out_of_json_has_its_default(rules: HouseRules) -> None:
    """A missing option isn't taken from anywhere else."""
    assert from_json({}) == HouseRules()
    stated = {name: value for name, value in to_json(rules).items() if getattr(rules, name) != options()[name].default}
    assert from_json(stated) == rules


def test_a_sheet_alone_is_a_whole_rules_file() -> None:
    """A file of one line plays by the sheet it names."""
    assert from_toml('sheet = "school-cup"') == preset("school-cup")
    assert from_toml("") == HouseRules()
    assert from_toml('sheet = "club"\nplayers = 3\ntarget = 7') == replace(preset("club3"), target=7)


def test_a_rules_file_is_the_sheet_and_its_differences() -> None:
    """Each option under the question it answers."""
    assert to_toml(replace(preset("school-cup"), target=7)) == (
        'sheet = "school-cup"\n\n# What score wins the game?\ntarget = 7\n'
    )


def test_a_difference_is_told_in_values_and_in_words() -> None:
    """Both sides, in the order of the arguments."""
    [difference] = diff(preset("club"), replace(preset("club"), target=7))
    assert difference.as_json() == {
        "option": "target",
        "question": "What score wins the game?",
        "values": [10, 7],
        "words": [
            "The first side to reach 10 points wins the game.",
            "The first side to reach 7 points wins the game.",
        ],
    }


# Links


@settings(max_examples=25)
@given(house_rules())
def test_any_link_is_short_and_fits_an_address(rules: HouseRules) -> None:
    """At most 80 characters, and none that a URL would have to escape."""
    assert len(to_link(rules)) <= MAX_LINK_CHARACTERS
    assert set(to_link(rules)) <= set(URL_SAFE)


def test_the_longest_possible_link_has_at_most_80_characters() -> None:
    """With every option at its longest, checksum and prefix included, there is still room for more options."""
    bits = sum(max(map(partial(bits_of, option), values_of(option))) for option in options().values())
    longest = len(LINK_PREFIX) + ceil((ceil(bits / 8) + 2) * 8 / 6)
    assert longest <= MAX_LINK_CHARACTERS == 80
    assert len(to_link(HouseRules(sheet=Sheet.CAMPUS, gift_cards=(1000,) * 5))) == 27


def test_rules_near_a_sheet_have_a_link_for_a_poster() -> None:
    """The default has 7 characters, a sheet at most 26, and a changed option adds three, or a few for prizes."""
    assert len(to_link(HouseRules())) == 7
    assert max(len(link) for link in LINKS.values()) == 26
    for name, first in FIRST_LINKS.items():
        assert len(LINKS[name]) < len(first)
        near = [rules for rules in one_change_away(preset(name)) if rules.gift_cards == preset(name).gift_cards]
        assert max(len(to_link(rules)) for rules in near) <= len(LINKS[name]) + 3


def test_every_value_of_an_option_has_its_number() -> None:
    """The numbers of values are distinct, and decode."""
    for name, option in options().items():
        numbers = {value: option.domain.to_number(value) for value in values_of(option)}
        assert len(set(numbers.values())) == len(numbers)
        for value, number in numbers.items():
            assert number >= 0
            assert option.domain.from_number(name, number) == value


@pytest.mark.parametrize("name", LINKS)
def test_the_link_of_a_sheet_is_read_and_printed(name: str) -> None:
    """Links of both versions mean the preset, and the second version is what we print."""
    rules = HouseRules() if name == "own" else preset(name)
    assert from_link(LINKS[name]) == rules
    assert to_link(rules) == LINKS[name]
    assert from_link(FIRST_LINKS.get(name, LINKS[name])) == rules


@pytest.mark.parametrize("link", PRINTED)
def test_any_one_wrong_character_in_a_link_is_noticed(link: str) -> None:
    """Any character replaced by any other is detected."""
    for index, right in enumerate(link):
        for wrong in URL_SAFE + "+/= \nä":
            if wrong != right:
                refuse_link(link[:index] + wrong + link[index + 1 :])


@pytest.mark.parametrize("link", PRINTED)
def test_exchanged_neighbors_in_a_link_are_noticed(link: str) -> None:
    """The most common typing error never gives another rule set."""
    for index in range(len(link) - 1):
        if link[index] != link[index + 1]:
            refuse_link(link[:index] + link[index + 1] + link[index] + link[index + 2 :])


@pytest.mark.parametrize("link", PRINTED)
def test_a_link_cut_short_or_run_on_is_noticed(link: str) -> None:
    """A link that lost or gained characters in copying, at either end or in the middle."""
    for start, end in combinations(range(len(link) + 1), 2):
        if end - start < len(link):
            refuse_link(link[start:end])
    for index in range(len(link) + 1):
        refuse_link(link[:index] + link[index + 1 :] if index < len(link) else "")
        for more in URL_SAFE:
            refuse_link(link[:index] + more + link[index:], unless=link)
    refuse_link(link + link)
    refuse_link(link + "=" * (-(len(link) - 4) % 4 or 4))


@settings(max_examples=25)
@given(house_rules(), st.data())
def test_a_slip_in_any_link_is_noticed(rules: HouseRules, data: st.DataObject) -> None:
    """One wrong character is detected in the link of any rule set, not only of the presets."""
    link = to_link(rules)
    index = data.draw(st.integers(0, len(link) - 1))
    wrong = data.draw(st.sampled_from(URL_SAFE.replace(link[index], "")))
    refuse_link(link[:index] + wrong + link[index + 1 :])


@settings(max_examples=50)
@given(house_rules(), st.integers(1, 4))
def test_zeros_behind_any_link_are_noticed(rules: HouseRules, zeros: int) -> None:
    """The checksum covers the length, so extra zero bytes don't pass."""
    whole = base64.urlsafe_b64decode(to_link(rules).removeprefix(LINK_PREFIX) + "==")
    refuse_link(LINK_PREFIX + base64.urlsafe_b64encode(whole + bytes(zeros)).decode().rstrip("="))


@settings(max_examples=25)
@given(st.text(LINK_NOISE, max_size=80))
def test_noise_is_no_link(noise: str) -> None:
    """Whatever is typed, the error is BadLink."""
    refuse_link(noise)
    refuse_link(LINK_PREFIX + noise)


def test_a_first_link_beyond_its_version_is_refused() -> None:
    """Bits after the options of the first version, unknown words, a trailing zero: nothing is guessed."""
    bits = packed(HouseRules())
    assert from_link(first_link_of(bits)) == HouseRules()
    with pytest.raises(BadLink, match="options that are too new for its version"):
        from_link(first_link_of(bits | 1 << 208))
    with pytest.raises(BadLink, match=r"sheet = 7: it has only 7 choices"):
        from_link(first_link_of(bits | 7))
    with pytest.raises(BadLink, match="not written"):
        from_link(first_link_of(bits, zeros=1))


@settings(max_examples=25)
@given(house_rules())
def test_any_first_link_means_what_it_meant(rules: HouseRules) -> None:
    """Links of the first version, packed here as that version did; later options have their link defaults."""
    later = {name: option.link_default for name, option in options().items() if name not in FIRST_BITS}
    assert from_link(first_link_of(packed(rules))) == replace(rules, **later)


def test_a_link_to_impossible_rules_names_the_clash() -> None:
    """A link with a correct checksum is still refused if its options clash."""
    up_card_held_back = packed(HouseRules(bury=BuryOrder.BEFORE_TAKING, may_bury_up_card=False))
    bit = 1 << FIRST_SHIFTS["may_bury_up_card"]
    with pytest.raises(BadLink, match=r"may_bury_up_card = true: a dealer who discards before"):
        from_link(first_link_of(up_card_held_back | bit))


def test_amounts_with_a_gap_are_no_link() -> None:
    """A link with a second prize but no first is refused."""
    with pytest.raises(BadLink, match="gift_cards = 0"):
        from_link(first_link_of(packed(HouseRules()) | 25 << FIRST_SHIFTS["gift_cards"] + 10))


def test_rules_are_found_by_link_or_name() -> None:
    """Anything that looks like a link of any version is parsed as a link."""
    assert rules_by_name(LINKS["club3"]) == rules_by_name(FIRST_LINKS["club3"]) == rules_by_name("club3")
    for wrong, kind in (("clubb", UnknownRules), ("lb2", UnknownRules), ("lb2-", BadLink), ("lb3-TDI", BadLink)):
        with pytest.raises(kind):
            rules_by_name(wrong)


# Differences and fingerprints


@settings(max_examples=25)
@given(house_rules())
def test_a_rule_set_does_not_differ_from_itself(rules: HouseRules) -> None:
    """The diff of a rule set with itself, or a copy, is empty."""
    assert diff(rules, rules) == ()
    assert diff(rules, copy.deepcopy(rules)) == ()


@settings(max_examples=25)
@given(house_rules(), house_rules())
def test_a_diff_names_exactly_the_options_that_differ(ours: HouseRules, theirs: HouseRules) -> None:
    """It is empty only for equal rules; each side has its own value; swapped arguments give the mirror image."""
    differences = diff(ours, theirs)
    assert [difference.option for difference in differences] == [
        n for n in options() if getattr(ours, n) != getattr(theirs, n)
    ]
    assert bool(differences) is (ours != theirs)
    for difference in differences:
        assert (difference.ours, difference.theirs) == (
            to_json(ours)[difference.option],
            to_json(theirs)[difference.option],
        )
        assert difference.question == options()[difference.option].question
        assert json.loads(json.dumps(difference.as_json()))["values"] == [difference.ours, difference.theirs]
    assert [(difference.option, difference.ours, difference.our_words) for difference in differences] == [
        (difference.option, difference.theirs, difference.their_words) for difference in diff(theirs, ours)
    ]


@settings(max_examples=25)
@given(house_rules(), house_rules())
def test_equal_fingerprints_mean_equal_rules(ours: HouseRules, theirs: HouseRules) -> None:
    """Fingerprints and links agree exactly when the rules do."""
    assert (fingerprint(ours) == fingerprint(theirs)) is (ours == theirs)
    assert (to_link(ours) == to_link(theirs)) is (ours == theirs)


def test_every_single_change_of_a_preset_changes_the_fingerprint() -> None:
    """All rule sets one option away from a sheet, or from the default, have distinct fingerprints."""
    for start in (HouseRules(), preset("school-cup"), preset("club3")):
        near = list(one_change_away(start))
        assert len(near) > 130
        by_fingerprint = {fingerprint(rules): rules for rules in [start, *near]}
        assert len(by_fingerprint) == len({to_json_text(rules) for rules in [start, *near]})
        assert all(by_fingerprint[fingerprint(rules)] == rules for rules in near)


@settings(max_examples=25)
@given(house_rules())
def test_a_fingerprint_is_eight_letters_and_digits(rules: HouseRules) -> None:
    """It can be read out loud at a table."""
    assert len(fingerprint(rules)) == 8
    assert set(fingerprint(rules)) <= set("abcdefghijklmnopqrstuvwxyz234567")


# Bad rules files

WRONG_FILES: dict[str, tuple[str, type[LeftbowerError], str]] = {
    "an unknown option": ("targt = 9", UnknownOption, 'line 1: "targt" is not an option; did you mean target?'),
    "an unknown option further down": ("\n\n# so\nmerch = 2\n", UnknownOption, "line 4"),
    "an unknown option in quotes": ('players = 4\n"euchre-alone" = 4', UnknownOption, "line 2"),
    "an unknown option like no other": ("zzzz = 1", UnknownOption, 'line 1: "zzzz" is not an option'),
    "an option of another spelling": ("Target = 9", UnknownOption, "did you mean target?"),
    "a word for a number": ('target = "ten"', BadOption, 'line 1: target = "ten": it must be a whole number from 5'),
    "a yes for a number": ("target = true", BadOption, "line 1: target = true: it must be a whole number from 5 to 21"),
    "a broken number": ("target = 10.0", BadOption, "line 1: target = 10.0: it must be a whole number"),
    "not even a number": ("target = nan", BadOption, "target = nan"),
    "a date for a number": ("target = 2024-05-01", BadOption, "target = 2024-05-01"),
    "a number too high": ("players = 4\ntarget = 22", BadOption, "line 2: target = 22: it must be a whole number"),
    "a number between": ("best_of = 2", BadOption, "line 1: best_of = 2: it must be 1, 3, 5 or 7"),
    "one player": ("players = 1", BadOption, "line 1: players = 1: it must be 2, 3 or 4"),
    "a number for yes or no": ("waiver = 1", BadOption, "line 1: waiver = 1: it must be true or false"),
    "a word for yes or no": ('waiver = "yes"', BadOption, 'waiver = "yes": it must be true or false'),
    "a word that is no choice": ('claims = "of"', BadOption, 'line 1: claims = "of": it must be "on-lead" or "off"'),
    "a choice in capitals": ('claims = "OFF"', BadOption, 'it must be "on-lead" or "off"'),
    "a number for a choice": ("claims = 1", BadOption, "line 1: claims = 1: it must be"),
    "the one choice missed": ('deal_passes = "right"', BadOption, 'deal_passes = "right": it must be "left"'),
    "an unknown sheet": ('sheet = "clubb"', BadOption, 'sheet = "clubb": it must be "own", "round-robin", '),
    "a game for a sheet": ('sheet = "club3"', BadOption, '"club" or "standard"'),
    "a list of sheets": ('sheet = ["club"]', BadOption, "sheet = ['club']"),
    "an amount without a list": ("gift_cards = 5", BadOption, "gift_cards = 5: it must be a list of at most 5 whole"),
    "too many amounts": ("gift_cards = [6, 5, 4, 3, 2, 1]", BadOption, "at most 5 whole numbers"),
    "a word among amounts": ('gift_cards = ["75"]', BadOption, "a whole number from 1 to 1000"),
    "an amount of nothing": ("gift_cards = [75, 0]", BadOption, "gift_cards = 0: it must be"),
    "rising amounts": ("gift_cards = [25, 50]", BadOption, "a later place can't win more than an earlier one"),
    "impossible rules": ("players = 2\n\npartner_orders_alone = true", ImpossibleRules, "line 3: partner_orders_alone"),
    "impossible by the sheet": ('players = 3\nsheet = "round-robin"', ImpossibleRules, "line 1: partner_orders_alone"),
    "a table of options": ("[stated]\ntarget = 9", UnknownOption, 'line 1: "stated" is not an option'),
    "a table for an option": ("# so\n[target]\nscore = 9", BadOption, "line 2: target = {'score': 9}"),
    "a list of tables": ("[[target]]\nscore = 9", BadOption, "line 1: target = [{'score': 9}]"),
    "a dotted option": ("target.score = 9", BadOption, "line 1: target = {'score': 9}"),
    "an inline table": ("target = {score = 9}", BadOption, "line 1: target = {'score': 9}"),
    "not TOML": ("target: 10", BadToml, "(at line 1, column 7)"),
    "not TOML further down": ("target = 10\nplayers = four\n", BadToml, "(at line 2, column 11)"),
    "an option given twice": ("target = 10\ntarget = 11", BadToml, "this is not TOML"),
    "a NUL": ("target = 10\0", BadToml, "this is not TOML"),
    "a NUL in a word": ('sheet = "cl\0ub"', BadToml, "this is not TOML"),
    "a page of HTML": ("<!doctype html>\n<title>404</title>", BadToml, "this is not TOML"),
    "JSON": ('{"target": 10}', BadToml, "this is not TOML"),
    "a link": (LINKS["club"], BadToml, "this is not TOML"),
    "deep lists": ("a = " + "[\n" * 20_000, BadToml, "this is not TOML"),
    "deep tables": ("a = " + "{a = " * 150, BadToml, "this is not TOML"),
    "a number of 5,000 digits": ("target = " + "9" * 5_000, LeftbowerError, ""),
    "a number of 5,000 hexadecimal digits": ("target = 0x" + "f" * 5_000, LeftbowerError, ""),
    "a long word": (f'sheet = "{"x" * 800}"', BadOption, "…"),
    "a long option": (f"{'x' * 800} = 1", UnknownOption, "…"),
    "a character too many": ("#" * (MAX_TOML_CHARACTERS + 1), TooLarge, "at most"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_rules_file_is_refused_in_one_sentence(name: str) -> None:
    """The error has a code, the line if it is known, and a short quotation."""
    text, kind, says = WRONG_FILES[name]
    with pytest.raises(kind) as caught:
        from_toml(text)
    sentence = str(caught.value)
    assert says in sentence
    assert "\n" not in sentence
    assert len(sentence) < 250
    assert kind in (LeftbowerError, type(caught.value))
    assert caught.value.as_json() == {
        "code": caught.value.code,
        "message": caught.value.message,
        "path": caught.value.path,
    }


@pytest.mark.parametrize("escape", [r"\n", r"\u001b[2J", r"\r", r"\u202e", r"\u0000"])
def test_user_input_cannot_move_the_cursor(escape: str) -> None:
    """Control characters in a quotation are escaped."""
    for text in (f'"tar{escape}get" = 9', f'target = "9{escape}9"'):
        with pytest.raises(LeftbowerError) as caught:
            from_toml(text)
        assert str(caught.value).isprintable()


@settings(max_examples=25)
@given(st.text(TOML_NOISE, max_size=60))
def test_noise_in_a_rules_file_gets_a_named_error(noise: str) -> None:
    """Text is either rules or refused with a code."""
    error = refusal(from_toml, noise)
    assert error is None or error.code in {"bad-toml", "unknown-option", "bad-option"}


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(options())),
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(TOML_NOISE), st.lists),
)
def test_a_strange_value_in_json_gets_a_named_error(option: str, value: object) -> None:
    """A JSON value is valid for its option, or is refused with option, value and reason."""
    error = refusal(from_json, {option: value})
    if error is None:
        assert to_json(from_json({option: value}))[option] == value
    else:
        assert isinstance(error, BadOption)
        assert error.option == option or isinstance(error, ImpossibleRules)


SLOW_FILES = {
    "10 MB of letters": "x" * TEN_MB,
    "10 MB of brackets": "[" * TEN_MB,
    "10 MB of quotes": '"' * TEN_MB,
    "10 MB of NULs": "\0" * TEN_MB,
    "10 MB of rules": "target = 10\n" * (TEN_MB // 12),
    "the most newlines": 'bury = "before-taking"\n'.ljust(MAX_TOML_CHARACTERS, "\n"),
    "the most blanks": 'bury = "before-taking"\n'.ljust(MAX_TOML_CHARACTERS - 1) + "\n",
    "the most dots": ".".join("a" * (MAX_TOML_CHARACTERS // 2 - 2)) + " = 1",
    "the deepest lists": "a = " + "[" * (MAX_TOML_CHARACTERS - 4),
    "the most quotes": '"' * MAX_TOML_CHARACTERS,
    "the most tables": "[a]\n" * (MAX_TOML_CHARACTERS // 4),
    "the most lists of tables": "[[a]]\n" * (MAX_TOML_CHARACTERS // 6),
    "the longest option": f"{'x' * (MAX_TOML_CHARACTERS - 4)} = 1",
}


@pytest.mark.parametrize("name", SLOW_FILES)
def test_noise_of_any_size_is_refused_at_once(name: str) -> None:
    """No input keeps the program busy."""
    before = time.process_time()
    with pytest.raises(LeftbowerError):
        from_toml(SLOW_FILES[name])
    assert time.process_time() - before < 1


@pytest.mark.parametrize("noise", ["x" * TEN_MB, LINK_PREFIX + "A" * TEN_MB, "\0" * TEN_MB, "ä" * TEN_MB])
def test_a_link_of_any_size_is_refused_at_once(noise: str) -> None:
    """A link is checked by its prefix and length first."""
    before = time.process_time()
    with pytest.raises(BadLink) as caught:
        from_link(noise)
    assert time.process_time() - before < 1
    assert len(str(caught.value)) < 120


# Rule sets created in code

WRONG_VALUES: list[tuple[str, Any, str]] = [
    ("target", 4, "it must be a whole number from 5 to 21"),
    ("target", 22, "it must be a whole number from 5 to 21"),
    ("target", True, "it must be a whole number from 5 to 21"),
    ("target", None, "it must be a whole number from 5 to 21"),
    ("target", 10.0, "it must be a whole number from 5 to 21"),
    ("players", 5, "it must be 2, 3 or 4"),
    ("win_by", 3, "it must be 1 or 2"),
    ("euchre_points_alone", 1, "it must be 2, 3 or 4"),
    ("euchre_points_alone", 5, "it must be 2, 3 or 4"),
    ("made_points", 0, "it must be a whole number from 1 to 10"),
    ("renege_warnings", -1, "it must be a whole number from 0 to 3"),
    ("wrong_call_points", 5, "it must be a whole number from 0 to 4"),
    ("event_points", 101, "it must be a whole number from 0 to 100"),
    ("waiver", 0, "it must be true or false"),
    ("co_ed", None, "it must be true or false"),
    ("sheet", "Club", 'it must be "own", "round-robin", "campus", "school-cup", "prize-night", "club" or "standard"'),
    ("claims", None, 'it must be "on-lead" or "off"'),
    ("claims", False, 'it must be "on-lead" or "off"'),
    ("deal_cut", EventKind.NONE, 'it must be "none", "left" or "right"'),
    ("deal_passes", Cut.RIGHT, 'it must be "left"'),
    ("gift_cards", {75, 50}, "it must be a list of at most 5 whole numbers"),
    ("gift_cards", "75", "it must be a list of at most 5 whole numbers"),
    ("gift_cards", (1,) * 6, "it must be a list of at most 5 whole numbers"),
    ("gift_cards", (50, 75), "a later place can't win more than an earlier one"),
]


@pytest.mark.parametrize(("option", "value", "reason"), WRONG_VALUES)
def test_a_value_an_option_cannot_have_is_refused_by_name(option: str, value: Any, reason: str) -> None:
    """The error has option, value and reason, as fields and in its message."""
    with pytest.raises(BadOption) as caught:
        HouseRules(**{option: value})
    assert (caught.value.option, caught.value.value, caught.value.reason) == (option, value, reason)
    assert caught.value.code == "bad-option"
    assert str(caught.value).startswith(f"{option} = ")
    assert str(caught.value).endswith(reason)


def test_an_amount_no_prize_can_have_is_named_itself() -> None:
    """For a list, the error quotes only the wrong amount."""
    with pytest.raises(BadOption, match=r"^gift_cards = 1001: it must be a whole number from 1 to 1000$"):
        HouseRules(gift_cards=(1001, 5))


def test_a_huge_number_is_refused_like_any_other() -> None:
    """Even a number too long to print gets a named error."""
    with pytest.raises(BadOption) as caught:
        HouseRules(target=10**5000)
    assert caught.value.option == "target"


def test_an_option_may_be_given_by_its_word() -> None:
    """Words and lists, as in files, become the option's own values."""
    rules = HouseRules(deal_pattern="ones", gift_cards=[75, 50])  # type: ignore[arg-type]
    assert rules == HouseRules(deal_pattern=DealPattern.ONES, gift_cards=(75, 50))
    assert rules.deal_pattern is DealPattern.ONES
    assert rules.gift_cards == (75, 50)


def test_a_rule_set_never_changes() -> None:
    """It is frozen, takes keywords only, and has slots."""
    rules = HouseRules()
    with pytest.raises(FrozenInstanceError):
        rules.target = 11  # type: ignore[misc]
    with pytest.raises(TypeError):
        HouseRules(Sheet.CLUB)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        HouseRules(targt=9)  # type: ignore[call-arg]
    assert {rules: 1}[HouseRules()] == 1


# Helpers of the tests above


def refusal(read: Callable[[Any], HouseRules], source: object) -> LeftbowerError | None:
    """The named error, if the input is refused; any other error fails the test."""
    try:
        read(source)
    except LeftbowerError as error:
        return error
    return None


def refuse_link(link: str, unless: str = "") -> None:
    """Any error except BadLink fails the test, and so does success."""
    if link != unless:
        with pytest.raises(BadLink) as caught:
            from_link(link)
        assert caught.value.code == "bad-link"


def values_of(option: Option) -> Iterator[Any]:
    """Every value of an option; for amounts, a few of each length."""
    match option.domain:
        case OneOf(choices=choices):
            yield from choices
        case Number(allowed=allowed):
            yield from allowed
        case Amounts(most=most, highest=highest):
            yield from (tuple([amount] * places) for places in range(most + 1) for amount in (1, 512, highest))
            yield tuple(range(most, 0, -1))
        case _:
            yield from (False, True)


def one_change_away(start: HouseRules) -> Iterator[HouseRules]:
    """Every valid rule set that differs from `start` in one option."""
    for name, option in options().items():
        for value in dict.fromkeys(values_of(option)):
            if value != getattr(start, name):
                try:
                    yield replace(start, **{name: value})
                except ImpossibleRules:
                    continue


def to_json_text(rules: HouseRules) -> str:
    """The rules as one line, to compare them without a fingerprint."""
    return json.dumps(to_json(rules))


def bits_of(option: Option, value: Any) -> int:
    """The bits of a value in a link if the previous slot is also set, by the formula for gamma codes."""
    if value == option.link_default:
        return 0
    return 1 + 2 * (option.domain.to_number(value) + 1).bit_length() - 1


FIRST_BITS = {
    name: int(bits)
    for name, bits in re.findall(
        r"(\w+):(\d+)",
        "sheet:3 players:3 supervision:3 deviations:3 target:5 win_by:2 game_ends:3 tie_at_target:3 "
        "best_of:3 score_keeping:3 first_dealer:3 dealer_draw:3 draw_cut:3 deal_passes:3 deal_cut:3 "
        "deal_pattern:3 misdeal:3 missing_cut:3 farmers_hand:3 natural_trump:1 partner_orders_alone:1 bury:3 "
        "may_bury_up_card:1 nobody_calls:3 going_alone:3 defend_alone:3 first_lead:3 made_points:4 "
        "march_points:4 made_points_alone:4 march_points_alone:4 euchre_points:4 euchre_points_alone:3 "
        "looking_back:3 disputes_open_tricks:1 claims:3 claim_consent:3 judge_claims:1 throw_ins:3 "
        "renege_points:3 renege_points_alone:3 renege_alone:3 renege_warnings:2 warnings_for:3 "
        "warnings_last:3 correction:3 out_of_turn:3 failure_to_discard:3 waiver:1 penalty_ends_hand:1 "
        "wrong_call_points:3 event:3 event_points:7 participation:3 co_ed:1 gift_cards:50",
    )
}
"""The options in a link of the first version, from its lowest bit on."""
FIRST_SHIFTS = dict(zip(FIRST_BITS, accumulate(FIRST_BITS.values(), initial=0), strict=False))


def packed(rules: HouseRules) -> int:
    """The bits of a rule set in the first version."""
    return sum(options()[name].domain.to_number(getattr(rules, name)) << shift for name, shift in FIRST_SHIFTS.items())


def first_link_of(bits: int, zeros: int = 0) -> str:
    """A link of the first version with a correct checksum around any bits, which only a program could make."""
    body = bits.to_bytes((bits.bit_length() + 7) // 8, "little") + bytes(zeros)
    check = crc_hqx(body, 0x4C42 ^ len(body)).to_bytes(2, "big")
    return "lb1-" + base64.urlsafe_b64encode(body + check).decode().rstrip("=")
