"""A match in the terminal: every sheet can be played to its end, wrong answers are explained, the record is saved."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leftbower.engine import Action, Claim, MatchOver, View
from leftbower.notation import loads, read_record
from leftbower.players import RandomPlayer
from leftbower.players.roster import PLAYERS
from leftbower.rules import preset

Command = Callable[..., Any]


@pytest.mark.parametrize("name", ["round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2"])
def test_every_sheet_is_played_to_its_end(name: str, leftbower: Command, tmp_path: Path) -> None:
    """The record of the match folds to its end, and the last line names the winner."""
    record_file = tmp_path / "match.jsonl"
    command = ("play", "--plain", "--bots", "random", "--rules", name, "--seed", "7", "--record", str(record_file))
    output = leftbower(*command, stdin="any\n" * 5000)
    match = loads(record_file.read_text()).fold()
    assert isinstance(match, MatchOver)
    assert match.winner is not None
    names = sorted(
        ("You" if str(seat) == "S" else seat.full_name for seat in match.winner), key=lambda name: name != "You"
    )
    is_plural = len(names) > 1 or names == ["You"]
    assert output.stdout.rstrip().endswith(f"{' and '.join(names)} win{'' if is_plural else 's'} the match.")


def test_the_same_seed_deals_the_same_match(leftbower: Command) -> None:
    command = ("play", "--bots", "novice", "--rules", "club", "--seed", "3")
    assert leftbower(*command, stdin="any\n" * 500).stdout == leftbower(*command, stdin="any\n" * 500).stdout


def test_a_match_of_house_rules_is_played(leftbower: Command, tmp_path: Path) -> None:
    """Farmer's hands, lone defenders, fixed hands and a cut for the dealer all come up."""
    (tmp_path / "ours.toml").write_text(
        'farmers_hand = "swap"\ndefend_alone = "always"\ngame_ends = "after-12-hands"\ndraw_cut = "left"\n'
        'deal_cut = "right"\nlooking_back = "everyone"\ngoing_alone = "before-the-lead"\n'
    )
    command = ("play", "--bots", "random", "--rules", "ours.toml", "--seed", "1", "--seat", "n")
    output = leftbower(*command, stdin="any\n" * 2000, cwd=tmp_path)
    for said in ("keeps the hand", "defends alone", "offers you the cut", "plays with a partner", "the match."):
        assert said in output.stdout


def test_stopping_keeps_what_was_played(leftbower: Command, tmp_path: Path) -> None:
    """Quitting and the end of input keep the record so far; only an interruption is status 1."""
    record_file = tmp_path / "match.jsonl"
    for stdin, status in (("any\nany\nany\nquit\n", 0), ("any\nany\nany\n", 1)):
        output = leftbower("play", "--seed", "2", "--record", str(record_file), stdin=stdin, status=status)
        assert output.stdout.endswith("Stopped before the end of the match.\n")
        record, replayed = read_record(record_file.read_text())
        assert record.rules == preset("standard")
        assert record.facts
        assert replayed.fault
        assert "stops before" in replayed.fault.error.message


def test_answers_are_read_as_people_write_them(leftbower: Command) -> None:
    """Numbers, words, cards in any spelling; refusals are explained; questions are answered."""
    answers = [
        "?",
        "nonsense",
        "score",
        "last",
        "tricks",
        "rules",
        "99",
        "h",
        "p",
        *["any"] * 3,
        "zz",
        "9c",
        "10 h",
        "quit",
    ]
    command = ("play", "--rules", "campus", "--seed", "4", "--seat", "E")
    output = leftbower(*command, stdin="\n".join(answers) + "\n")
    assert "You can type" in output.stdout
    assert "is not a call" in output.stdout
    assert "North and South 0, You and West 0." in output.stdout
    assert "No trick is complete yet." in output.stdout
    assert "The tricks stay face down, even in a dispute." in output.stdout
    assert "EUCHRE RULES: CAMPUS" in output.stdout
    assert "No: in the first round you can make only the up-card's suit trump" in output.stdout
    assert "You pass." in output.stdout
    assert "'zz' is not a card" in output.stdout


def test_cuts_numbers_and_tricks_are_answered(leftbower: Command, tmp_path: Path) -> None:
    """A number lifts that many cards or chooses from the list, Enter lifts none, and the last trick can be shown."""
    (tmp_path / "ours.toml").write_text('deal_cut = "right"\ndraw_cut = "left"\nlooking_back = "everyone"\n')
    command = ("play", "--bots", "random", "--rules", "ours.toml", "--seed", "2")
    output = leftbower(*command, stdin="3\n\n1\nlast\nany\n" * 12, cwd=tmp_path, status=1).stdout
    assert "offers you the cut" in output
    assert re.search(r"Your choice: \S+ \S+ \S+ \S+, led by .*, taken by .*\.", output)


def test_wrong_answers_at_the_cut_are_asked_again(leftbower: Command) -> None:
    output = leftbower("play", "--rules", "prize-night", "--seed", "5", "--players", "4", stdin="", status=1)
    assert "deals" in output.stdout
    output = leftbower("play", "--rules", "club", "--seed", "4", stdin="any\n" * 3 + "99\n" * 500, status=1)
    assert "Stopped" in output.stdout


def test_wrong_choices_are_refused_before_anything_is_dealt(
    leftbower: Command, refused: Command, tmp_path: Path
) -> None:
    refused("play", "--seat", "W", "--rules", "club3", code="bad-seat")
    refused("play", "--seat", "X", code="bad-seat")
    refused("play", "--rules", "clubb", code="unknown-rules")
    refused("play", "--players", "9", code="bad-option")
    refused("play", "--record", str(tmp_path / "no" / "where"), code="unreadable-file")


HONOR = 'sheet = "{sheet}"\nsupervision = "honor"\n'


@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "prize-night", "club"])
def test_an_honor_table_is_played_to_its_end(sheet: str, leftbower: Command, tmp_path: Path) -> None:
    """A person who plays any card at all still gets to the end, and the record has it."""
    (tmp_path / "ours.toml").write_text(HONOR.format(sheet=sheet))
    command = ("play", "--bots", "novice", "--rules", "ours.toml", "--seed", "6", "--record", "match.jsonl")
    output = leftbower(*command, stdin="any\n" * 20_000, cwd=tmp_path)
    assert "the match." in output.stdout
    assert "is ready for the next hand" in output.stdout
    assert isinstance(loads((tmp_path / "match.jsonl").read_text()).fold(), MatchOver)


def test_a_renege_at_an_honor_table_is_called_and_ruled(leftbower: Command, tmp_path: Path) -> None:
    """The ruling is announced with the cards that prove it and the rule; the person can talk back."""
    (tmp_path / "ours.toml").write_text(HONOR.format(sheet="club"))
    stdin = ("talk\nt1\n" + "any\n" * 7) * 400
    command = ("play", "--rules", "ours.toml", "--bots", "random", "--seed", "1")
    output = leftbower(*command, stdin=stdin, cwd=tmp_path).stdout
    for said in ("You call a renege on", "are guilty (", "Rule: ", "offer to throw in", "the full penalty"):
        assert said in output
    assert "Offer the cut?" in output


@pytest.mark.parametrize(
    ("sheet", "refusal", "winner_looks"),
    [
        ("school-cup", "Only the winner of the last trick may look at it, before leading.", True),
        ("round-robin", "No one may look at the last trick.", False),
    ],
)
def test_last_shows_the_last_trick_only_if_the_sheet_allows(
    sheet: str, refusal: str, winner_looks: bool, leftbower: Command
) -> None:
    """School cup: the person sees it exactly when asked to lead, after taking it."""
    command = ("play", "--bots", "random", "--rules", sheet, "--seed", "3")
    output = leftbower(*command, stdin="last\nany\n" * 3000).stdout
    displayed = re.findall(r"Your choice: (?:\S+ ){3,4}led by .*, taken by (.*)\.", output)
    assert refusal in output
    assert bool(displayed) is winner_looks
    assert set(displayed) <= {"you"}


def test_school_cup_a_dispute_is_reenacted_trick_by_trick(leftbower: Command, tmp_path: Path) -> None:
    """During the hand, after the last card and before the next deal; forward and back, until the person stops.

    The answers are random, so that every question gets every kind of answer.
    """
    (tmp_path / "ours.toml").write_text(HONOR.format(sheet="school-cup"))
    answers = Random(5).choices(["tricks", "any", "", "b", "x"], weights=[3, 6, 3, 1, 1], k=6000)
    command = ("play", "--bots", "random", "--rules", "ours.toml", "--seed", "3", "--record", "match.jsonl")
    output = leftbower(*command, stdin="\n".join(answers) + "\n", cwd=tmp_path).stdout
    hands = re.split(" deals? and turns? up ", output)
    disputed = [hand for hand in hands if re.search(" calls? a renege on ", hand)]
    quiet = [hand for hand in hands if hand not in disputed]
    assert any("The tricks stay face down until a renege is called" in hand for hand in quiet)
    assert not any(re.search(r"^Trick \d of \d", hand, re.MULTILINE) for hand in quiet)
    assert not any("A renege was called in this hand." in hand for hand in quiet)
    assert any("A renege was called in this hand." in hand for hand in disputed)
    steps = [re.findall(r"^Trick (\d) of (\d), trump is \w+:", hand, re.MULTILINE) for hand in disputed]
    assert ("5", "5") in [step for hand in steps for step in hand]
    assert any(first > second for hand in steps for (first, _), (second, _) in pairwise(hand))
    trick = r"^Trick 1 of \d.*:\n  .* leads? \S+\.\n(?:  .* plays? \S+\.\n){2,3}  .* takes? the trick\.$"
    assert re.search(trick, output, re.MULTILINE)


def test_a_forgotten_cut_can_be_called(leftbower: Command, tmp_path: Path) -> None:
    """Club: a dealer who doesn't offer the cut may lose the deal."""
    (tmp_path / "ours.toml").write_text(HONOR.format(sheet="club"))
    command = ("play", "--rules", "ours.toml", "--bots", "random", "--seed")
    output = [leftbower(*command, str(seed), stdin="n\nany\n" * 3000, cwd=tmp_path).stdout for seed in range(12)]
    called = [item for item in output if "says you didn’t offer the cut." in item]
    assert called
    assert all("A misdeal: the next player deals." in item for item in called)


def test_a_certain_claim_is_announced_if_the_rules_say_so(leftbower: Command, tmp_path: Path) -> None:
    """Otherwise the players judge for themselves."""
    for judged in (True, False):
        (tmp_path / "ours.toml").write_text(f"sheet = 'round-robin'\njudge_claims = {str(judged).lower()}\n")
        command = ("play", "--bots", "random", "--rules", "ours.toml", "--seed", "3")
        output = leftbower(*command, stdin="S*\nany\n" * 3000, cwd=tmp_path).stdout
        assert "You claim the rest." in output
        assert ("The claim is not certain." in output) is judged


def test_a_hint_tells_and_changes_nothing(leftbower: Command) -> None:
    """The coach answers at the prompt, the same each time, and doesn't change the match."""
    command = ("play", "--bots", "novice", "--rules", "campus", "--seed", "3")
    plain = leftbower(*command, stdin="any\n" * 12, status=1).stdout
    helped = leftbower(*command, stdin="hint\nhint\nany\n" * 12, status=1).stdout
    hints = re.findall(r"Your choice: \n(  .*\n(?:.*\n)*?)\n(?=Your choice)", helped)
    assert len(hints) == 24
    assert hints[0] == hints[1]
    assert all("to win" in hint for hint in hints)
    output = re.sub(r"Your choice: \n  .*\n(?:.*\n)*?\n(?=Your choice)", "", helped)
    assert output == plain


@pytest.mark.parametrize("bots", ["novice", "regular", "expert", "random", "bid=random,play=novice"])
def test_the_others_are_the_bots_one_asks_for(bots: str, leftbower: Command, tmp_path: Path) -> None:
    """They sit in every other seat, and the record says so."""
    record_file = tmp_path / "match.jsonl"
    leftbower("play", "--bots", bots, "--seed", "1", "--record", str(record_file), stdin="any\n" * 8, status=1)
    players = read_record(record_file.read_text())[0].players
    assert {str(seat): item.version for seat, item in players.items() if item.kind == "bot"} == dict.fromkeys(
        "NEW", bots
    )


def test_unknown_players_and_those_who_see_all_cards_are_refused(refused: Command) -> None:
    refused("play", "--bots", "genius", code="unknown-player")
    refused("play", "--bots", "omniscient", code="unknown-player")


class Chatty(RandomPlayer):
    """Claims the rest as soon as possible."""

    name = "chatty"
    talks = True

    def remark(self, view: View, rng: Random) -> Action | None:
        said = [item for item in view.legal if isinstance(item, Claim)]
        return said[0] if said else None


def test_a_bot_that_has_something_to_say_is_heard(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYERS, "chatty", Chatty)
    output = leftbower(
        "play", "--bots", "chatty", "--rules", "round-robin", "--seed", "1", stdin="any\n" * 12, status=1
    )
    assert re.search(r"(North|East|West) claims the rest\.", output.stdout)
