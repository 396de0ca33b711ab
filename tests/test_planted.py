"""Misreadings of the rules, planted one at a time in a copy of the program, are each caught by a hand-written test.

Laws that the program checks against itself cannot see a rule that is wrong everywhere alike; these tests can.
"""

from pathlib import Path

import pytest

from planting import Nursery, Plant, copy_of_the_program

TRICKS = "tests/rules/test_tricks_by_hand.py"
POINTS = "tests/rules/test_points_by_hand.py"
RULINGS = "tests/rules/test_rulings_by_hand.py"
CELLS = "tests/rules/test_every_cell.py"
WARNINGS = "tests/tournament/test_warnings_by_hand.py"


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
        "rules/presets/club.toml", "euchre_alone = 4", "euchre_alone = 2", POINTS
    ),
    "of two defenders only one scores a euchre": Plant(
        "rules/scoring.py",
        "dict.fromkeys(rules.opponents_of(outcome.maker), ",
        "dict.fromkeys(rules.opponents_of(outcome.maker)[: 1 if rules.seats == 3 else 2], ",
        POINTS,
    ),
    "a lone defender scores 2": Plant("rules/scoring.py", "LONE_DEFENCE: Final = 4", "LONE_DEFENCE: Final = 2", POINTS),
    "a lone maker's four tricks are a march": Plant(
        "rules/scoring.py",
        "if outcome.makers_tricks < TRICKS:",
        "if outcome.makers_tricks < TRICKS - outcome.alone:",
        POINTS,
    ),
    "a defender's offence pays the other defender too": Plant(
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
        "rules/presets/round-robin.toml", '"even-when-called"', '"own-accord"', RULINGS
    ),
    "a misdeal passes the deal before the up-card shows": Plant(
        "rules/referee.py",
        "rules.misdeal is Misdeal.DEAL_PASSES and facts.up_card_shown",
        "rules.misdeal is Misdeal.DEAL_PASSES",
        RULINGS,
    ),
    "a card out of turn is taken back in the club": Plant(
        "rules/presets/club.toml", 'out_of_turn = "as-renege"', 'out_of_turn = "taken-back"', RULINGS
    ),
    "every renege of the evening is a first warning": Plant(
        "tournament/scores.py",
        "earlier_warnings=earlier_warnings(rules, results, incident.offender)",
        "earlier_warnings=0",
        WARNINGS,
    ),
    "a warning of the partner is a warning of the player": Plant(
        "tournament/scores.py",
        "rules.side_of(offender) if rules.warnings_for is WarningsFor.SIDE else (offender,)",
        "rules.side_of(offender)",
        WARNINGS,
    ),
    "warnings last beyond their game": Plant(
        "tournament/scores.py",
        "results[-1:] if rules.warnings_last is WarningsLast.GAME else results",
        "results",
        WARNINGS,
    ),
    "two players keep the nines": Plant("rules/house.py", "if seats > 2 or card.rank is not Rank.NINE", "", CELLS),
    "three players have no dummy": Plant(
        "rules/house.py", "0 if self.seats == 4 else 3", "3 if self.seats == 2 else 0", CELLS
    ),
}


@pytest.mark.parametrize("misreading", PLANTS)
def test_a_planted_misreading_is_caught(misreading: str, nursery: Nursery, tmp_path: Path) -> None:
    """The tests fail, rather than break: status 1 is a failed test, anything higher an error of another kind."""
    outcome = nursery.run_planted(PLANTS[misreading], tmp_path)
    assert outcome.status == 1, outcome.printed
    assert "1 failed" in outcome.printed


def test_without_a_plant_the_same_tests_pass(nursery: Nursery, tmp_path: Path) -> None:
    """What the plants are caught by passes on the program as it is, run in the same way."""
    outcome = nursery.run(copy_of_the_program(tmp_path), TRICKS, POINTS, RULINGS, CELLS, WARNINGS)
    assert outcome.status == 0, outcome.printed
