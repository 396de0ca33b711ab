"""Misreadings of the rules, planted one at a time in a copy of the program, are each caught by a hand-written test.

Laws that the program checks against itself can't detect a rule that is wrong everywhere; these tests can.
"""

from pathlib import Path

import pytest

from mutation import MutationRunner, Plant, copy_package

TRICKS = "tests/rules/test_tricks_by_hand.py"
POINTS = "tests/rules/test_points_by_hand.py"
RULINGS = "tests/rules/test_rulings_by_hand.py"
CELLS = "tests/rules/test_every_cell.py"
WARNINGS = "tests/tournament/test_warnings_by_hand.py"
QUOTES = "tests/rules/test_card_sources.py::test_a_note_on_a_changed_rule_says_what_the_sheet_says"
COMMON = "tests/rules/test_card_sources.py::test_a_common_rule_is_the_sheets_only_where_it_states_it"


PLANTS = {
    "the left bower is no trump": Plant(
        "rules/cards.py",
        "return trump if self.is_left_bower(trump) else self.suit",
        "return self.suit",
        TRICKS,
    ),
    "the left bower beats the right one": Plant(
        "rules/tricks.py",
        "_LEFT_BOWER: Final = 6 + len(Rank)\n_RIGHT_BOWER: Final = _LEFT_BOWER + 1",
        "_RIGHT_BOWER: Final = 6 + len(Rank)\n_LEFT_BOWER: Final = _RIGHT_BOWER + 1",
        TRICKS,
    ),
    "the left bower is a natural trump": Plant(
        "rules/calling.py",
        "card.suit is suit for card in cards",
        "card.suit_under(suit) is suit for card in cards",
        TRICKS,
    ),
    "the up-card is a natural trump": Plant(
        "rules/calling.py",
        "not has_natural_trump(cards, up_card.suit)",
        "not has_natural_trump((*cards, up_card), up_card.suit)",
        TRICKS,
    ),
    "the suit turned down may be named": Plant(
        "rules/calling.py",
        "for suit in Suit if suit is not up_card.suit for call",
        "for suit in Suit for call",
        TRICKS,
    ),
    "a stuck dealer may pass": Plant("rules/calling.py", "return not stuck", "return True", TRICKS),
    "the dealer's partner need not go alone": Plant(
        "rules/calling.py",
        "return (Call(up_card.suit, alone=True),)",
        "return tuple(_either_way(rules, up_card.suit))",
        TRICKS,
    ),
    "round-robin does not force the dealer's partner alone": Plant(
        "rules/presets/round-robin.toml", "partner_orders_alone = true", "partner_orders_alone = false", CELLS
    ),
    "a lone euchre scores 2 for 4 in the club": Plant(
        "rules/presets/club.toml", "euchre_points_alone = 4", "euchre_points_alone = 2", POINTS
    ),
    "of two defenders only one scores a euchre": Plant(
        "rules/scoring.py",
        "dict.fromkeys(rules.opponents_of(outcome.maker), ",
        "dict.fromkeys(rules.opponents_of(outcome.maker)[: 1 if rules.players == 3 else 2], ",
        POINTS,
    ),
    "a lone defender scores 2": Plant(
        "rules/scoring.py", "LONE_DEFENSE_POINTS: Final = 4", "LONE_DEFENSE_POINTS: Final = 2", POINTS
    ),
    "a lone maker's four tricks are a march": Plant(
        "rules/scoring.py",
        "if outcome.makers_tricks < TRICKS_PER_HAND:",
        "if outcome.makers_tricks < TRICKS_PER_HAND - outcome.alone:",
        POINTS,
    ),
    "a defender's offense pays the other defender too": Plant(
        "rules/referee.py",
        "return rules.opponents_of(offender) if offender is facts.maker else (facts.maker,)",
        "return rules.opponents_of(offender)",
        RULINGS,
    ),
    "the school cup gives no warning": Plant(
        "rules/presets/school-cup.toml", "renege_warnings = 1", "renege_warnings = 0", RULINGS
    ),
    "a school cup renege costs 4 when alone": Plant(
        "rules/presets/school-cup.toml",
        "[read.renege_points_alone]\nplays = 2",
        "[read.renege_points_alone]\nplays = 4",
        RULINGS,
    ),
    "round-robin takes no correction after a call": Plant(
        "rules/presets/round-robin.toml", '"even-when-called"', '"unless-called"', RULINGS
    ),
    "a misdeal passes the deal before the up-card shows": Plant(
        "rules/referee.py",
        "rules.misdeal is Misdeal.DEAL_PASSES and facts.up_card_shown",
        "rules.misdeal is Misdeal.DEAL_PASSES",
        RULINGS,
    ),
    "a missing cut is a misdeal where no cut is due": Plant(
        "rules/referee.py",
        "case Irregularity.NO_CUT_OFFERED if rules.deal_cut is Cut.NONE:\n            return Ruling(",
        "case Irregularity.NO_CUT_OFFERED if rules.deal_cut is None:\n            return Ruling(",
        RULINGS,
    ),
    "a wrong number of cards is no irregularity where no cut is due": Plant(
        "rules/referee.py",
        "case Irregularity.NO_CUT_OFFERED if rules.deal_cut is Cut.NONE:\n            return Ruling(",
        "case Irregularity.NO_CUT_OFFERED | Irregularity.WRONG_CARD_COUNT if rules.deal_cut is Cut.NONE:\n"
        "            return Ruling(",
        RULINGS,
    ),
    "campus lets hands be thrown in": Plant(
        "rules/presets/campus.toml",
        '[read.throw_ins]\nplays = "off"',
        '[read.throw_ins]\nplays = "by-agreement"',
        CELLS,
    ),
    "prize night lets certain winners be laid down": Plant(
        "rules/presets/prize-night.toml", '[read.claims]\nplays = "off"', '[read.claims]\nplays = "on-lead"', CELLS
    ),
    "school cup asks for consent to certain winners": Plant(
        "rules/presets/school-cup.toml", 'claim_consent = "not-needed"', 'claim_consent = "all-agree"', CELLS
    ),
    "a renege against the lone side costs the same under either reading": Plant(
        "rules/referee.py",
        "return by_the_lone_side is (rules.renege_alone is RenegeAlone.BY_THE_LONE_SIDE)",
        "return by_the_lone_side or rules.renege_alone is RenegeAlone.AGAINST_THE_LONE_SIDE",
        RULINGS,
    ),
    "the two one-sided readings of a lone renege are exchanged": Plant(
        "rules/referee.py",
        "return by_the_lone_side is (rules.renege_alone is RenegeAlone.BY_THE_LONE_SIDE)",
        "return by_the_lone_side is (rules.renege_alone is RenegeAlone.AGAINST_THE_LONE_SIDE)",
        RULINGS,
    ),
    "a card out of turn cannot be corrected like a renege": Plant(
        "rules/referee.py",
        "if _corrected_in_time(rules, facts):",
        "if _corrected_in_time(rules, facts) and not cited:",
        RULINGS,
    ),
    "of two at ten the first in the order of seats wins": Plant(
        "rules/scoring.py", "ranked[0] - ranked[1] < rules.win_by", "ranked[0] - ranked[1] < rules.win_by - 1", POINTS
    ),
    "both win a tie at ten unless the table says otherwise": Plant(
        "rules/scoring.py",
        "rules.tie_at_target is TieAtTarget.ALL_WIN",
        "rules.tie_at_target is not TieAtTarget.MAKER_FIRST",
        POINTS,
    ),
    "a card quotes our default as the sheet's": Plant(
        "rules/card.py", "if base.mark(difference.option) is Mark.STATED:", "if base.rules:", QUOTES
    ),
    "a card ascribes a rule of ours to the sheet": Plant("rules/card.py", "if clause.ours or ", "if ", COMMON),
    "a card out of turn is taken back in the club": Plant(
        "rules/presets/club.toml", 'out_of_turn = "as-renege"', 'out_of_turn = "taken-back"', RULINGS
    ),
    "every renege of the evening is a first warning": Plant(
        "tournament/scoring/scores.py",
        "earlier_warnings=earlier_warnings(rules, results, incident.offender)",
        "earlier_warnings=0",
        WARNINGS,
    ),
    "a warning of the partner is a warning of the player": Plant(
        "tournament/scoring/scores.py",
        "rules.side_of(offender) if rules.warnings_for is WarningsFor.SIDE else (offender,)",
        "rules.side_of(offender)",
        WARNINGS,
    ),
    "warnings last beyond their game": Plant(
        "tournament/scoring/scores.py",
        "results[-1:] if rules.warnings_last is WarningsLast.GAME else results",
        "results",
        WARNINGS,
    ),
    "two players keep the nines": Plant("rules/house.py", "if players > 2 or card.rank is not Rank.NINE", "", CELLS),
    "three players have no dummy": Plant(
        "rules/house.py", "0 if self.players == 4 else 3", "3 if self.players == 2 else 0", CELLS
    ),
}


@pytest.mark.parametrize("misreading", PLANTS)
def test_a_planted_misreading_is_caught(misreading: str, mutation_runner: MutationRunner, tmp_path: Path) -> None:
    """The tests fail rather than break: status 1 is a failed test, anything higher another error."""
    outcome = mutation_runner.run_mutated(PLANTS[misreading], tmp_path)
    assert outcome.status == 1, outcome.printed
    assert "1 failed" in outcome.printed


def test_without_a_plant_the_same_tests_pass(mutation_runner: MutationRunner, tmp_path: Path) -> None:
    """The same tests pass on the unchanged program, run in the same way."""
    outcome = mutation_runner.run(copy_package(tmp_path), TRICKS, POINTS, RULINGS, CELLS, WARNINGS, QUOTES, COMMON)
    assert outcome.status == 0, outcome.printed
