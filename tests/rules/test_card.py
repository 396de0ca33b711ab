"""The rule card of any rule set is complete, honest about the source of each rule, and in plain English."""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.errors import ImpossibleRules
from leftbower.rules import (
    Difference,
    HouseRules,
    Mark,
    Preset,
    RuleCard,
    as_html,
    as_markdown,
    as_text,
    base_preset,
    clause_text,
    diff,
    fingerprint,
    from_json,
    highlights,
    mark,
    options,
    preset,
    presets,
    rule_card,
    to_link,
)
from leftbower.rules.choices import Sheet
from leftbower.rules.clauses import Clause, sections
from leftbower.testing import house_rules
from near_rules import near

ORDER = ["The table", "Deal", "Bidding", "Alone", "Play", "Scoring", "Irregularities", "Game and match", "Event"]
ALWAYS = ["Deal", "Bidding", "Alone", "Play", "Scoring", "Irregularities", "Game and match"]
SILENT = "Not on the sheet; played as:"
CHANGED = "Changed from the sheet"

STARTS: list[dict[str, Any]] = [
    {},
    {"players": 3},
    {"players": 2},
    {"renege_warnings": 1, "best_of": 3, "bury": "before-taking", "may_bury_up_card": False},
    {"event": "school-groups", "event_points": 20, "game_ends": "after-8-hands", "best_of": 3},
    {"players": 3, "game_ends": "after-12-hands", "renege_warnings": 3},
    {"claims": "off", "defend_alone": "always", "penalty_ends_hand": False},
    {"deal_cut": "right", "renege_points_alone": 4, "out_of_turn": "as-renege", "claim_consent": "not-needed"},
    {"players": 3, "deal_cut": "left", "draw_cut": "left", "renege_points_alone": 4, "throw_ins": "encouraged"},
    {"players": 2, "deal_cut": "left", "draw_cut": "left", "renege_points_alone": 4, "waiver": True},
]
"""Rule sets from which one change reaches every value of every option."""


def clauses_of(rules: HouseRules) -> list[Clause]:
    """Every clause of a rule set, in the order of the card."""
    return [clause for _, clauses in sections(rules) for clause in clauses]


def unspaced(text: str) -> str:
    """Text without whitespace, so that line breaks don't matter."""
    return "".join(text.split())


def differing(rules: HouseRules) -> list[str]:
    """The options that differ from the default, except the sheet, which is the card's title."""
    return [name for name, option in options().items() if getattr(rules, name) != option.default and name != "sheet"]


def every_sentence(card: RuleCard) -> Iterator[str]:
    """Every text on the card."""
    yield from (card.title, card.about)
    for section in card.sections:
        yield section.heading
        for line in section.lines + section.silent:
            yield from (line.text, *line.notes)


# Complete


@settings(max_examples=25)
@given(house_rules())
def test_the_card_mentions_every_option_that_differs_from_the_default(rules: HouseRules) -> None:
    """Each such option has a text, which is on the card in every format."""
    card = rule_card(rules)
    text, markdown, page = unspaced(as_text(card)), as_markdown(card), as_html(card)
    for name in differing(rules):
        stating = [clause.text for clause in clauses_of(rules) if name in clause.options]
        assert stating, name
        assert clause_text(rules, name) == " ".join(stating)
        for said in stating:
            assert unspaced(said) in text
            assert said in markdown
            assert html.escape(said) in page


@settings(max_examples=25)
@given(house_rules())
def test_an_option_set_back_to_its_default_is_missed_on_the_card(rules: HouseRules) -> None:
    """Every change from the default changes the text of the card, not only its link."""
    said = [clause.text for clause in clauses_of(rules)]
    for name in differing(rules):
        try:
            plain = replace(rules, **{name: options()[name].default})
        except ImpossibleRules:
            continue
        assert [clause.text for clause in clauses_of(plain)] != said, name


def test_any_two_values_of_an_option_read_differently() -> None:
    """Two rule sets that differ in one option never have the same text, unless both mean the same player."""
    for start in STARTS:
        by_text: dict[tuple[str, ...], HouseRules] = {}
        for rules in dict.fromkeys(near(from_json(start))):
            if rules.sheet is Sheet.OWN:
                said = tuple(clause.text for clause in clauses_of(rules))
                assert said not in by_text or differ_only_in_the_cutting_seat(rules, by_text[said]), diff(
                    rules, by_text[said]
                )
                by_text[said] = rules


def differ_only_in_the_cutting_seat(ours: HouseRules, theirs: HouseRules) -> bool:
    """With two players, the one on the left and the one on the right of the dealer are the same person."""
    cuts = {"draw_cut", "deal_cut"}
    sides = {difference.option: {difference.ours, difference.theirs} for difference in diff(ours, theirs)}
    return ours.players == 2 and set(sides) <= cuts and all(values == {"left", "right"} for values in sides.values())


@pytest.mark.parametrize("sheet", Sheet)
def test_the_sheet_is_the_title_of_the_card(sheet: Sheet) -> None:
    """The only option without a clause is the title."""
    card = rule_card(HouseRules() if sheet is Sheet.OWN else preset(str(sheet)))
    titles = {"own": "our own", "round-robin": "Round robin", "campus": "Campus", "school-cup": "School cup"}
    titles |= {"prize-night": "Prize night", "club": "Club", "standard": "Standard"}
    assert card.title == f"Euchre rules: {titles[str(sheet)]}"
    assert clause_text(HouseRules(), "sheet") == ""


@settings(max_examples=25)
@given(house_rules())
def test_the_highlights_are_the_clauses_that_leave_the_default(rules: HouseRules) -> None:
    """They state every option that differs and nothing else, in the order of the card."""
    left = set(differing(rules))
    assert list(highlights(rules)) == [clause.text for clause in clauses_of(rules) if left & set(clause.options)]


def test_the_default_has_no_highlights() -> None:
    """The default doesn't differ from itself."""
    assert highlights(HouseRules()) == ()


def test_every_option_has_a_clause_somewhere() -> None:
    """Every option except the sheet has a clause under some rule set, and clauses name no others."""
    stated = {
        name
        for start in STARTS
        for rules in near(from_json(start))
        for clause in clauses_of(rules)
        for name in clause.options
    }
    assert stated == set(options()) - {"sheet"}


# Plain English


def assert_plain(said: str) -> None:
    """Single spaces, and no spelling from the program."""
    assert said == " ".join(said.split())
    assert not re.search(r"\bNone\b|Choice|HouseRules|[a-z]_[a-z]|[A-Za-z]\.[A-Z]{2}|<\w|[{}]|\.\.|\?\.| [,.;:]", said)
    assert not re.search(r"\b1 points\b|\b1 point are\b|\bone games\b|\bone wins\b", said)


@settings(max_examples=25)
@given(house_rules())
def test_any_card_is_in_plain_english(rules: HouseRules) -> None:
    """Nothing technical on a card for strangers."""
    for said in every_sentence(rule_card(rules)):
        assert_plain(said)


def test_every_word_of_every_option_has_its_sentence() -> None:
    """Every value of every option, with four, three and two players, gives complete sentences."""
    for said in {clause.text for start in STARTS for rules in near(from_json(start)) for clause in clauses_of(rules)}:
        assert re.fullmatch(r"[A-Z].*\.", said), said
        assert_plain(said)


@pytest.mark.parametrize("name", [sheet_preset.name for sheet_preset in presets()])
def test_what_a_table_changed_is_said_in_words(name: str) -> None:
    """Even if the new or the old rule needs no clause, the card shows no value in the spelling of files."""
    for rules in near(preset(name)):
        changes = [section.lines for section in rule_card(rules).sections if section.heading == CHANGED]
        for line in sum(changes, ()):
            for said in (line.text, *line.notes):
                assert said.endswith(".")
                assert not re.search(r'\[|\]|"|\b[Tt]rue\b|\b[Ff]alse\b', said), said


# Text, Markdown and HTML


@settings(max_examples=25)
@given(house_rules())
def test_the_sections_come_in_the_order_people_read(rules: HouseRules) -> None:
    """Deal, bidding, alone, play, scoring, irregularities, match; each once, none missing."""
    headings = [section.heading for section in rule_card(rules).sections if section.heading != CHANGED]
    assert headings == [heading for heading in ORDER if heading in headings]
    assert [heading for heading in headings if heading in ALWAYS] == ALWAYS
    assert all(section.lines or section.silent for section in rule_card(rules).sections)


@settings(max_examples=25)
@given(house_rules())
def test_the_text_fits_a_terminal_and_a_page(rules: HouseRules) -> None:
    """No line has over 78 columns or trailing spaces, and the last one has the fingerprint and the link."""
    card = rule_card(rules)
    lines = as_text(card).splitlines()
    assert max(map(len, lines)) <= 78
    assert all(line == line.rstrip() for line in lines)
    assert lines[0] == card.title.upper()
    assert lines[-1].split() == ["Rules", fingerprint(rules), to_link(rules)]
    assert [line for line in lines if line.isupper()][1:] == [section.heading.upper() for section in card.sections]
    assert as_text(card).endswith("\n")


@settings(max_examples=25)
@given(house_rules())
def test_the_markdown_has_a_heading_for_every_section(rules: HouseRules) -> None:
    """One title, one heading for each section with a blank line on both sides, and a list under each."""
    card = rule_card(rules)
    blocks = as_markdown(card).rstrip("\n").split("\n\n")
    assert [block for block in blocks if block.startswith("#")] == [
        f"# {card.title}",
        *(f"## {section.heading}" for section in card.sections),
    ]
    items = [line for block in blocks for line in block.split("\n") if line.startswith("- ")]
    assert len(items) == sum(len(section.lines) + len(section.silent) for section in card.sections)
    assert blocks[-1] == f"Rules `{fingerprint(rules)}` · `{to_link(rules)}`"


@settings(max_examples=25)
@given(house_rules())
def test_the_html_is_one_well_formed_article_without_style_or_script(rules: HouseRules) -> None:
    """It can be embedded in any page, under any content policy."""
    card = rule_card(rules)
    page = as_html(card)
    assert not re.search(r"style\s*=|<style|<script|\son\w+\s*=", page, re.IGNORECASE)
    article = ElementTree.fromstring(page)
    assert (article.tag, article.get("class")) == ("article", "rule-card")
    assert [heading.text for heading in article.iter("h1")] == [card.title]
    assert [heading.text for heading in article.iter("h2")] == [section.heading for section in card.sections]
    lines = [line for section in card.sections for line in section.lines + section.silent]
    assert [(item.text or "").rstrip() for item in article.iter("li")] == [line.text for line in lines]
    assert [small.text for small in article.iter("small")] == [note for line in lines for note in line.notes]
    assert [code.text for code in article.iter("code")] == [fingerprint(rules), to_link(rules)]
    assert all(list(element) for element in article.iter("ul"))


# Honest about the source of each rule


def assert_honest(rules: HouseRules) -> None:
    """Each clause is where the marks of its options put it, with the right note."""
    base = base_preset(rules)
    assert base is not None
    card = rule_card(rules)
    for heading, clauses in sections(rules):
        section = next(difference for difference in card.sections if difference.heading == heading)
        lines = {line.text: line for line in section.lines}
        silent = {line.text for line in section.silent}
        for clause in clauses:
            marks = {mark(rules, name) for name in clause.options}
            is_silent = marks == {Mark.SILENT} or clause.ours or clause.common in base.unstated
            assert (clause.text in silent) is is_silent
            assert (clause.text in lines) is not is_silent
            if Mark.READ in marks:
                assert lines[clause.text].notes
            for name in clause.options:
                if name in base.readings and mark(rules, name) is not Mark.CHANGED:
                    reading = base.readings[name]
                    note = f"The sheet says: {reading.says}; we play it as: {reading.means}."
                    assert note in lines[clause.text].notes
    changes = [line for section in card.sections if section.heading == CHANGED for line in section.lines]
    changed = [name for name in options() if mark(rules, name) is Mark.CHANGED]
    assert bool(changes) is bool(changed)
    for difference in diff(rules, base.rules):
        assert difference.option in changed
        assert (difference.our_words, (on_the_sheet(base, difference),)) in [
            (line.text, line.notes) for line in changes
        ]


def on_the_sheet(base: Preset, difference: Difference) -> str:
    """The note about the sheet for an option that the table changed."""
    match base.mark(difference.option), difference.option in base.readings:
        case _, True:
            reading = base.readings[difference.option]
            return f"The sheet says: {reading.says}; we play it as: {reading.means}."
        case Mark.STATED, False:
            return f"On the sheet: {difference.their_words}"
        case _:
            return "The sheet is silent."


@pytest.mark.parametrize("name", [sheet_preset.name for sheet_preset in presets()])
def test_a_sheets_card_says_what_is_the_sheets_and_what_is_ours(name: str) -> None:
    """Silent clauses have their own heading, and interpreted ones quote the sheet."""
    assert_honest(preset(name))
    card = rule_card(preset(name))
    assert CHANGED not in [section.heading for section in card.sections]
    sections_with_silence = sum(bool(section.silent) for section in card.sections)
    assert as_text(card).count(SILENT) == as_markdown(card).count(f"*{SILENT}*") == sections_with_silence
    assert as_html(card).count(f"<p>{SILENT}</p>") == as_html(card).count('class="silent"') == sections_with_silence
    for form in (as_text(card), as_markdown(card), as_html(card)):
        notes = sum(len(line.notes) for sheet_preset in card.sections for line in sheet_preset.lines)
        assert form.count("The sheet says: ") == notes
        assert ("The sheet says: " in form) is (name != "standard")


@settings(max_examples=25)
@given(house_rules(), st.sampled_from([sheet for sheet in Sheet if sheet is not Sheet.OWN]))
def test_a_card_with_a_sheet_separates_its_rules_from_ours(rules: HouseRules, sheet: Sheet) -> None:
    """However far a table departs from its sheet, each clause has the right mark."""
    assert_honest(replace(rules, sheet=sheet))


@settings(max_examples=25)
@given(house_rules(sheet=Sheet.OWN))
def test_rules_of_ones_own_speak_of_no_sheet(rules: HouseRules) -> None:
    """Without a sheet, nothing is silent, interpreted or changed."""
    card = rule_card(rules)
    for form in (as_text(card), as_markdown(card), as_html(card)):
        assert "heet" not in form
    assert not any(section.silent or any(line.notes for line in section.lines) for section in card.sections)
    assert {mark(rules, name) for name in options()} == {Mark.OWN}


def test_a_changed_rule_stands_first_with_what_the_sheet_says() -> None:
    """Three changes to the club's sheet, where a player at the table would look for them."""
    card = rule_card(replace(preset("club"), target=7, euchre_points_alone=2, waiver=False))
    first = card.sections[0]
    assert first.heading == CHANGED
    assert [(line.text, line.notes) for line in first.lines] == [
        (
            "The first side to reach 7 points wins the game.",
            ("On the sheet: The first side to reach 10 points wins the game.",),
        ),
        (
            "When a lone maker is euchred, the other side scores 2.",
            ("On the sheet: When a lone maker is euchred, the other side scores 4.",),
        ),
        (
            "Penalties are not waived or reduced.",
            (
                "On the sheet: Only the opponents may waive the penalty for a renege or a play out of turn, "
                "or ask for less.",
            ),
        ),
    ]


def test_a_changed_interpreted_rule_no_longer_quotes_the_reading() -> None:
    """Our reading of the sheet doesn't matter once the table plays something else."""
    card = rule_card(replace(preset("school-cup"), best_of=5))
    match = next(section for section in card.sections if section.heading == "Game and match")
    assert [line.notes for line in match.lines if line.text.startswith("A match is the best of five")] == [()]
