"""Misreadings of the rules, planted one at a time in a copy of the program, are each caught by a hand-written test.

Laws that the program checks against itself cannot see a rule that is wrong everywhere alike; these tests can.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

REPOSITORY = Path(__file__).parents[1]
TRICKS = "test_tricks_by_hand.py"
POINTS = "test_points_by_hand.py"
RULINGS = "test_rulings_by_hand.py"
CELLS = "test_every_cell.py"


@dataclass(frozen=True)
class Plant:
    """One misreading: the text in one file of `rules` that it replaces, and the tests that must notice."""

    file: str
    right: str
    wrong: str
    caught_by: str


PLANTS = {
    "the left bower is no trump": Plant(
        "cards.py",
        "return trump if self.is_left_bower(trump) else self.suit",
        "return self.suit",
        TRICKS,
    ),
    "the left bower beats the right one": Plant(
        "tricks.py",
        "_LEFT_BOWER: Final = 6 + len(Rank)\n_RIGHT_BOWER: Final = _LEFT_BOWER + 1",
        "_RIGHT_BOWER: Final = 6 + len(Rank)\n_LEFT_BOWER: Final = _RIGHT_BOWER + 1",
        TRICKS,
    ),
    "the left bower is a natural trump": Plant(
        "calling.py",
        "card.suit is suit for card in cards",
        "card.suit_under(suit) is suit for card in cards",
        TRICKS,
    ),
    "the up-card is a natural trump": Plant(
        "calling.py",
        "not has_natural_trump(cards, up_card.suit)",
        "not has_natural_trump((*cards, up_card), up_card.suit)",
        TRICKS,
    ),
    "the suit turned down may be named": Plant(
        "calling.py",
        "for suit in Suit if suit is not up_card.suit for call",
        "for suit in Suit for call",
        TRICKS,
    ),
    "a stuck dealer may pass": Plant("calling.py", "return not stuck", "return True", TRICKS),
    "the dealer's partner need not go alone": Plant(
        "calling.py",
        "return (Call(up_card.suit, alone=True),)",
        "return tuple(_either_way(rules, up_card.suit))",
        TRICKS,
    ),
    "round-robin does not force the dealer's partner alone": Plant(
        "presets/round-robin.toml", "partner_orders_alone = true", "partner_orders_alone = false", CELLS
    ),
    "a lone euchre scores 2 for 4 in the club": Plant(
        "presets/club.toml", "euchre_alone = 4", "euchre_alone = 2", POINTS
    ),
    "of two defenders only one scores a euchre": Plant(
        "scoring.py",
        "dict.fromkeys(rules.opponents_of(outcome.maker), ",
        "dict.fromkeys(rules.opponents_of(outcome.maker)[: 1 if rules.seats == 3 else 2], ",
        POINTS,
    ),
    "a lone defender scores 2": Plant("scoring.py", "LONE_DEFENCE: Final = 4", "LONE_DEFENCE: Final = 2", POINTS),
    "a lone maker's four tricks are a march": Plant(
        "scoring.py",
        "if outcome.makers_tricks < TRICKS:",
        "if outcome.makers_tricks < TRICKS - outcome.alone:",
        POINTS,
    ),
    "a defender's offence pays the other defender too": Plant(
        "referee.py",
        "return rules.opponents_of(offender) if offender is facts.maker else (facts.maker,)",
        "return rules.opponents_of(offender)",
        RULINGS,
    ),
    "the school cup gives no warning": Plant(
        "presets/school-cup.toml", "renege_warnings = 1", "renege_warnings = 0", RULINGS
    ),
    "a school cup renege costs 4 when alone": Plant(
        "presets/school-cup.toml",
        "[read.renege_points_alone]\nplays = 2",
        "[read.renege_points_alone]\nplays = 4",
        RULINGS,
    ),
    "round-robin takes no correction after a call": Plant(
        "presets/round-robin.toml", '"even-when-called"', '"own-accord"', RULINGS
    ),
    "a misdeal passes the deal before the up-card shows": Plant(
        "referee.py",
        "rules.misdeal is Misdeal.DEAL_PASSES and facts.up_card_shown",
        "rules.misdeal is Misdeal.DEAL_PASSES",
        RULINGS,
    ),
    "a card out of turn is taken back in the club": Plant(
        "presets/club.toml", 'out_of_turn = "as-renege"', 'out_of_turn = "taken-back"', RULINGS
    ),
    "two players keep the nines": Plant("house.py", "if seats > 2 or card.rank is not Rank.NINE", "", CELLS),
    "three players have no dummy": Plant(
        "house.py", "0 if self.seats == 4 else 3", "3 if self.seats == 2 else 0", CELLS
    ),
}


def run_tests(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    """Run test files against the copy of the program in `folder`, up to the first failure."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV", "PYTHON"))}
    env |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--noconftest", "-p", "no:cacheprovider", "--tb=line"]
    paths = [str(REPOSITORY / "tests" / "rules" / file) for file in files]
    return subprocess.run(
        [*command, *paths], cwd=REPOSITORY, env=env, capture_output=True, encoding="utf-8", check=False
    )


def copy_of_the_program(folder: Path) -> Path:
    """The package in a place of its own; its root is what goes on Python's path."""
    shutil.copytree(REPOSITORY / "src" / "leftbower", folder / "leftbower")
    return folder


@pytest.mark.parametrize("misreading", PLANTS)
def test_a_planted_misreading_is_caught(misreading: str, tmp_path: Path) -> None:
    """The tests fail, rather than break: status 1 is a failed test, anything higher an error of another kind."""
    plant = PLANTS[misreading]
    path = copy_of_the_program(tmp_path) / "leftbower" / "rules" / plant.file
    text = path.read_text(encoding="utf-8")
    assert text.count(plant.right) == 1, f"the text to replace stands {text.count(plant.right)} times in {plant.file}"
    path.write_text(text.replace(plant.right, plant.wrong), encoding="utf-8")
    done = run_tests(tmp_path, plant.caught_by)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout


def test_without_a_plant_the_same_tests_pass(tmp_path: Path) -> None:
    """What the plants are caught by passes on the program as it is, run in the same way."""
    done = run_tests(copy_of_the_program(tmp_path), TRICKS, POINTS, RULINGS, CELLS)
    assert done.returncode == 0, done.stdout + done.stderr
