"""What a card attributes to its sheet is on the sheet: quotations, common rules, readings and silence, by hand."""

import re
from typing import Final

import pytest
from hypothesis import given, settings

from leftbower.rules import (
    Difference,
    HouseRules,
    Mark,
    Preset,
    RuleCard,
    as_text,
    clause_text,
    diff,
    find_preset,
    from_json,
    options,
    preset,
    presets,
    rule_card,
    to_json,
)
from leftbower.rules.choices import Cut, Sheet
from leftbower.rules.clauses import sections, sentence
from leftbower.testing import house_rules
from near_rules import near
from raw_values import has_raw_value

NAMES: Final = tuple(sheet.name for sheet in presets())
SHEETS: Final = ("round-robin", "campus", "school-cup", "prize-night", "club")
CHANGED: Final = "Changed from the sheet"

every_preset = pytest.mark.parametrize("name", NAMES)


def stated(card: RuleCard) -> set[str]:
    """The clauses that the card attributes to the sheet, with or without a reading."""
    return {line.text for section in card.sections for line in section.lines}


def silent(card: RuleCard) -> set[str]:
    """The clauses under "Not on the sheet"."""
    return {line.text for section in card.sections for line in section.silent}


def notes_on(card: RuleCard, text: str) -> tuple[str, ...]:
    """The card's notes on a line."""
    (notes,) = {line.notes for section in card.sections for line in section.lines if line.text == text}
    return notes


# Quotations


@every_preset
def test_a_changed_card_quotes_the_sheet_only_where_it_states_the_rule(name: str) -> None:
    """After one change to a preset, the note is a quotation, our reading with its gist, or a note of silence."""
    for rules in near(preset(name)):
        base = find_preset(name)
        if (rules.sheet, rules.players) != (base.rules.sheet, base.rules.players):
            continue
        changes = [section.lines for section in rule_card(rules).sections if section.heading == CHANGED]
        differences = diff(rules, base.rules)
        assert len(sum(changes, ())) == len(differences) <= 1
        for difference in differences:
            assert [line.notes for line in changes[0]] == [(_note(base, difference),)]


def _note(base: Preset, difference: Difference) -> str:
    """The note for an option that the table changed; a quotation may only use stated options."""
    if difference.option in base.readings:
        reading = base.readings[difference.option]
        return f"The sheet says: {reading.says}; we play it as: {reading.means}."
    if base.mark(difference.option) is not Mark.STATED:
        return "The sheet is silent."
    quoted = [c for _, clauses in sections(base.rules) for c in clauses if difference.option in c.options]
    if not quoted:
        assert base.name == "standard"  # it states every option, also those without a clause
        return f"On the sheet: {difference.their_words}"
    assert {base.mark(name) for clause in quoted for name in clause.options} == {Mark.STATED}
    return f"On the sheet: {' '.join(clause.text for clause in quoted)}"


@pytest.mark.parametrize(
    ("name", "option", "value", "note"),
    [
        ("campus", "misdeal", "deal-passes", "The sheet is silent."),
        ("campus", "deal_pattern", "ones", "The sheet is silent."),
        ("campus", "renege_points", 1, "The sheet is silent."),
        ("prize-night", "target", 11, "The sheet is silent."),
        ("round-robin", "claims", "off", "The sheet is silent."),
        ("round-robin", "throw_ins", "off", "The sheet is silent."),
        ("club", "missing_cut", "before-the-first-call", "The sheet is silent."),
        ("club3", "tie_at_target", "all-win", "The sheet is silent."),
        (
            *("campus", "throw_ins", "by-agreement"),
            "The sheet says: with trump made, a hand is played to its end; we play it as: no hand is thrown in.",
        ),
        (
            *("round-robin", "renege_alone", "against-the-lone-side"),
            "The sheet says: a renege costs four if the other team was alone; we play it as: four on a lone hand, "
            "no matter which side reneged.",
        ),
        ("club", "target", 7, "On the sheet: The first side to reach 10 points wins the game."),
        ("school-cup", "claim_consent", "all-agree", "On the sheet: Laying down certain winners needs no consent."),
    ],
)
def test_a_note_on_a_changed_rule_says_what_the_sheet_says(name: str, option: str, value: object, note: str) -> None:
    """Handwritten cases: silence, a reading and a quotation."""
    first = rule_card(from_json(to_json(preset(name)) | {option: value})).sections[0]
    assert first.heading == CHANGED
    assert [line.notes for line in first.lines] == [(note,)]


# Common rules that a sheet leaves out

LEFT_OUT: Final[dict[str, set[str]]] = {
    "Partners sit across from each other.": {"round-robin", "prize-night"},
    "There are 24 cards, nine to ace in each suit.": {"prize-night"},
    "The other suits rank ace, king, queen, jack, ten, nine.": {"round-robin"},
    "Everyone gets five cards.": set(),
    "The cards are dealt from the dealer's left around the table.": {"campus", "school-cup"},
    "The four cards left are the kitty; its top card, the up-card, is turned up.": set(),
    "The discard lies face down.": {"round-robin", "campus", "school-cup", "club"},
    "Only the maker may go alone; the partner then takes no part in the hand.": set(),
    "The partner's cards are laid face down.": {"round-robin", "campus", "school-cup"},
    "A player who takes a trick leads to the next.": {"round-robin"},
    "If the player who should lead first sits out, the next one leads.": set(SHEETS),
    "A renege in an earlier trick is proven when the player later plays or shows a card of the suit that was led "
    "to it.": set(SHEETS),
}
"""Written by hand from the sheets: a rule that all of them play, and the sheets that don't state it."""


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("rule", LEFT_OUT)
def test_a_common_rule_is_the_sheets_only_where_it_states_it(rule: str, sheet: str) -> None:
    """Every card has the rule, either as the sheet's or as not on the sheet."""
    card = rule_card(preset(sheet))
    assert (rule in silent(card)) is (sheet in LEFT_OUT[rule])
    assert (rule in stated(card)) is (sheet not in LEFT_OUT[rule])


def test_what_a_sheet_leaves_out_has_a_clause_on_its_card() -> None:
    """No name in a preset's list is misspelled, and some sheet leaves out every named common clause."""
    known = {clause.common for _, clauses in sections(preset("club")) for clause in clauses} - {""}
    assert {name for sheet_preset in presets() for name in sheet_preset.unstated} == known


def test_campus_states_five_cards_each_and_not_how_they_are_dealt() -> None:
    """Five cards are on the sheet; packets and order are ours."""
    card = rule_card(preset("campus"))
    assert "Everyone gets five cards." in stated(card)
    assert "The cards are dealt two to each player, then three." in silent(card)
    assert "The cards are dealt from the dealer's left around the table." in silent(card)


def test_campus_and_prize_night_play_every_hand_out_as_we_read_them() -> None:
    """Both sheets mention the end of a hand, but neither mentions claims or throw-ins."""
    for name, says in (
        ("campus", "with trump made, a hand is played to its end"),
        ("prize-night", "play goes on until all tricks are taken"),
    ):
        card = rule_card(preset(name))
        assert notes_on(card, "Every hand is played out.") == (
            f"The sheet says: {says}; we play it as: no hand is thrown in.",
        )
        assert notes_on(card, "Cards are played one at a time, certain winners too.") == (
            f"The sheet says: {says}; we play it as: certain winners are played one at a time too.",
        )
        assert not re.search(r"laid? (them )?(all )?down|thrown in\b.*agree", " ".join(stated(card) | silent(card)))


def test_school_cup_states_that_certain_winners_are_laid_down_unasked() -> None:
    """The sheet's own example asks for no consent; the way to settle a dispute is ours."""
    card = rule_card(preset("school-cup"))
    laid_down = "A player, on lead or not, who holds only certain winners may lay them all down at once."
    for said in (laid_down, "Laying down certain winners needs no consent."):
        assert said in stated(card)
        assert notes_on(card, said) == ()
    assert "If cards laid down at once are disputed, they are played one at a time." in silent(card)
    assert "All who take part must agree to a throw-in." in silent(card)


def test_round_robin_is_silent_on_claims_and_throw_ins() -> None:
    """The sheet mentions neither, so both have the default and no reading."""
    card = rule_card(preset("round-robin"))
    assert "A player on lead who holds only certain winners may lay them all down at once." in silent(card)
    assert any(said.startswith("A hand may be thrown in") for said in silent(card))


def test_club_three_handed_renege_says_who_did_what() -> None:
    """Who reneges, and who scores."""
    assert clause_text(preset("club3"), "renege_points") == (
        "Not following suit when able is a renege: if the maker reneges, each defender scores 2 points; "
        "if a defender reneges, only the maker scores 2 points."
    )
    assert clause_text(preset("club3"), "renege_points_alone") == (
        "A renege costs 4 points on a lone hand, no matter who reneges."
    )


def test_club2_mentions_no_opponents_and_no_nines_in_play() -> None:
    """Two-handed, with any one option changed: there is one other player, and there are no nines."""
    for rules in near(preset("club2")):
        if (rules.players, rules.sheet) == (2, Sheet.CLUB):
            text = " ".join(as_text(rule_card(rules)).split())
            assert not re.search("opponent|partner", text), diff(rules, preset("club2"))
            text = text.replace("the nines are left out.", "").replace("The club's game for two: no nines,", "")
            assert "nine" not in text, diff(rules, preset("club2"))


@every_preset
def test_a_card_speaks_of_a_missing_cut_only_where_one_is_due(name: str) -> None:
    """Without a cut, none can be missing."""
    for rules in near(preset(name)):
        said = " ".join(clause.text for _, clauses in sections(rules) for clause in clauses)
        assert "where one is due" not in said
        due = rules.deal_cut is not Cut.NONE
        assert ("No cut offered, or a wrong number of cards dealt, is a misdeal" in said) is due
        assert ("A missing cut can be called" in said) is due
        assert ("A wrong number of cards dealt is a misdeal" in said) is not due


# Differences in words


@settings(max_examples=25)
@given(house_rules())
def test_every_option_has_a_sentence_under_every_rule_set(rules: HouseRules) -> None:
    """Even if the card needs no clause, one sentence states the option."""
    for name in options():
        assert_a_sentence(rules, name)


def test_every_option_has_a_sentence_near_every_sheet() -> None:
    """The same for all rule sets one change away from a sheet, or from the default."""
    for start in (HouseRules(), *(sheet_preset.rules for sheet_preset in presets())):
        for rules in near(start):
            for name in options():
                assert_a_sentence(rules, name)


def assert_a_sentence(rules: HouseRules, option: str) -> None:
    """A complete sentence, without a value in the spelling of files."""
    said = sentence(rules, option)
    assert re.fullmatch(r"[A-Z].*\.", said), (option, said)
    assert not has_raw_value(said, option), (option, said)


def test_no_difference_is_told_in_a_raw_value() -> None:
    """Every value of every option, from every sheet: both sides are sentences, and they differ or explain why not."""
    for sheet_preset in presets():
        for rules in near(sheet_preset.rules):
            for difference in diff(sheet_preset.rules, rules):
                for said in (difference.our_words, difference.their_words):
                    assert re.fullmatch(r"[A-Z].*\.", said), difference
                    assert not has_raw_value(said, difference.option), difference


def test_no_sheet_differs_from_another_in_a_raw_value() -> None:
    """Each of the eight presets against each other one."""
    for ours in presets():
        for theirs in presets():
            for difference in diff(ours.rules, theirs.rules):
                assert not has_raw_value(difference.our_words, difference.option), difference
                assert difference.our_words != difference.their_words, difference
