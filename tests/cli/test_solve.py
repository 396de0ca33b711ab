"""Solving from the command line: endings worked by hand, the drawing, many lines, and input that can't be solved."""

import io
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import leftbower as package
from honor_table import FOUR, honor
from leftbower import kernel
from leftbower.engine import Play, State, acts
from leftbower.kernel import search
from leftbower.notation import name_rules, parse_hand_line
from leftbower.rules import preset
from leftbower.rules.choices import Claims

Command = Callable[..., Any]
Refusal = Callable[..., str]

DEAL = "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc"
ENDING = f"{DEAL} | o -Qc | 9dAdQd9h KcJcAcKd ThKsTsJh"
"""Hearts are trump, North leads to the fourth trick and the makers have one.

    N A♥ 9♠   E K♥ 10♣   S Q♠ 10♦   W J♠ 9♣

A♥ draws the king, and South's queen then takes the nine: three tricks. After 9♠ East ruffs: two.
"""
LONER = "{club 9-6} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h ! | KcTcJc 9c9h9s"
THREE = "{club3 4-0-9} S Th N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd D:QsKsAs | p o -9d & -QsKsAs | JhTcTh"
TWO = "{club2} N Ts N:QcJcThKdTc S:AsAhAdAcKc D:QhJsTd | o -Qc ! | AsJc TsAh"
OVER = (
    "{round-robin 3-4} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc "
    "| p p p p p p s | JhKhThQh TsJsQsAs JcKsAhKc 9s9cQcKd AcAdTcTd"
)
LINES = (
    ENDING,
    f"{ENDING} Ah",
    f"{DEAL} | o -Qc",
    LONER,
    THREE,
    TWO,
    "{campus} N Qc N:KsThTsJhQh E:KdJsKhQdAd S:KcQsAh9cTd W:AsAcTc9d9h | o! -Qh | KdTdTh",
    "{prize-night} S Jh N:TsKs9cKdJd E:Jc9sQcJsTd S:Ad9hAhThKh W:QhAsQsQd9d | p o -Ah | AsKsJs9h",
    "{round-robin} N 9d N:JcKdQhKsQs E:9hJdTsAsKh S:Ad9cQdQcAc W:KcTdThJsJh | o! -Ks | TsAdQs Qd9dJd AsQcJc Kh9cQh 9h",
    "{prize-night} N Qs N:9sThKsQcKd E:Ad9dJdJhAh S:QhTsAcJsTc W:9cKhQdTdAs | o -9s | AdTsQdKd Ac",
    "{round-robin} W Td N:AhKh9sAd9h E:Qh9dTcKcTh S:As9cTsJdQc W:JcKdJsQdKs | o -Qd | AhQhTsTd Ks9sKcAs QcJc9hTc JdKd",
)
"""Strict tables, hands still being played."""


def solved(leftbower: Command, line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(leftbower("solve", line, "--json").stdout)
    return found


def test_an_ending_worked_by_hand_comes_out(leftbower: Command) -> None:
    """Drawing the last trump makes it; leading the nine first is a euchre."""
    assert solved(leftbower, ENDING) == {
        "makers_tricks": 3,
        "makers_points": 1,
        "to_act": "N",
        "cards": {"Ah": 3, "9s": 2},
    }


def test_a_hand_is_solved_in_the_middle_of_a_trick(leftbower: Command) -> None:
    """On the nine East must ruff; throwing the ten of clubs lets the makers make it."""
    found = solved(leftbower, f"{ENDING} 9s")
    assert found == {"makers_tricks": 2, "makers_points": -2, "to_act": "E", "cards": {"Kh": 2, "Tc": 3}}
    assert solved(leftbower, f"{ENDING} AhKh")["cards"] == {"Qs": 2, "Td": 3}


def test_a_lone_maker_plays_without_the_partner(leftbower: Command) -> None:
    """South has one trick and the ace of trump; East is over both other cards."""
    found = solved(leftbower, LONER)
    assert (found["makers_tricks"], found["makers_points"], found["to_act"]) == (2, -4, "W")
    output = leftbower("solve", LONER).stdout
    assert "North  sits out" in output
    assert "Maker: S, alone." in output
    assert "the maker S, alone, takes 2 of 5 tricks, a euchre: 4 points to E and W." in output.replace("\n", " ")


def test_a_defender_who_stands_alone_is_named(leftbower: Command) -> None:
    """West defends alone against South alone: both partners sit out."""
    rules = name_rules(replace(preset("club"), defend_alone="against-a-loner"))  # type: ignore[arg-type]
    output = leftbower("solve", LONER.replace("club", rules).replace("!", "! W!").split(" | K")[0]).stdout
    assert "Maker: S, alone. Defender: W, alone. Dealer: E." in output
    assert "North  sits out" in output
    assert "East   sits out" in output


def test_three_play_at_three_sides_and_both_defenders_score(leftbower: Command) -> None:
    """North holds the four highest trumps left."""
    found = solved(leftbower, THREE)
    assert (found["makers_tricks"], found["makers_points"], found["to_act"]) == (0, -2, "N")
    output = leftbower("solve", THREE).stdout
    assert "West" not in output
    assert "Maker: E, with the dummy." in output
    assert "With best play the maker E takes none of 5 tricks, a euchre:\n2 points each to N and S.\n" in output


def test_two_sit_opposite(leftbower: Command) -> None:
    """North's ten of hearts takes a trick if it is led now; after any other card South never lets North in again."""
    output = leftbower("solve", TWO).stdout
    assert "West" not in output
    assert "East" not in output
    assert solved(leftbower, TWO)["cards"] == {"Th": 2, "Kd": 3, "Tc": 3}


def test_a_finished_hand_is_what_it_came_to(leftbower: Command) -> None:
    """No seat is to act, no card is left, and the tricks are counted."""
    assert solved(leftbower, OVER) == {"makers_tricks": 4, "makers_points": 1, "to_act": None, "cards": {}}
    output = leftbower("solve", OVER).stdout
    assert "The hand is over. Tricks played: 4 for the makers, 1 against.\n" in output
    assert "In the end the makers E and W have 4 of 5 tricks: 1 point to E and W.\n" in output
    assert "to play" not in output


def test_a_hand_waiting_for_an_answer_is_solved_from_there(leftbower: Command) -> None:
    """North claims the rest: until the others agree the cards have their values, and then they are tricks."""
    ending = ENDING.replace("campus", name_rules(replace(preset("campus"), claims=Claims.ON_LEAD)))
    assert solved(leftbower, f"{ending} N*") == solved(leftbower, ending)
    assert leftbower("solve", f"{ending} N*").stdout == leftbower("solve", ending).stdout
    agreed = solved(leftbower, f"{ending} N* E+ S+ W+")
    assert agreed == {"makers_tricks": 3, "makers_points": 1, "to_act": None, "cards": {}}


def test_at_an_honor_table_cards_that_follow_are_counted(leftbower: Command) -> None:
    """East may have reneged; best play from here on is honest, and West's left bower is guarded."""
    line = f"{{{name_rules(honor('round-robin'))}}} {FOUR} | o -Js | N:As E:Td"
    assert solved(leftbower, line) == {"makers_tricks": 4, "makers_points": 1, "to_act": "S", "cards": {"Qs": 4}}


@pytest.mark.parametrize("line", LINES)
def test_exactly_the_legal_cards_are_valued(line: str, leftbower: Command) -> None:
    """The engine says what is legal; makers want many tricks, the others few."""
    state: State = parse_hand_line(line)
    found = solved(leftbower, line)
    legal = [str(act.card) for act in acts(state) if isinstance(act, Play)]
    assert sorted(found["cards"]) == sorted(legal)
    assert state.contract is not None  # type: ignore[union-attr]
    makers = state.hand.rules.side_of(state.contract.maker)  # type: ignore[union-attr]
    best = max if found["to_act"] in map(str, makers) else min
    assert found["makers_tricks"] == best(found["cards"].values())


@pytest.mark.parametrize("line", [*LINES, OVER])
def test_the_drawing_fits_eighty_columns(line: str, leftbower: Command) -> None:
    output = leftbower("solve", line).stdout.splitlines()
    assert max(map(len, output)) <= 80
    assert [item for item in output if item != item.rstrip()] == []


def test_the_drawing_has_table_play_verdict_and_every_card(leftbower: Command) -> None:
    """The best card comes first, even if the hand has it last."""
    assert (
        leftbower("solve", f"{ENDING} AhKh").stdout
        == """\
Trump: hearts ♥. Maker: N, with S. Dealer: W.

                      North  9♠

West   J♠  9♣                               East   10♣

                      South  Q♠  10♦

Tricks so far: 1 for the makers, 2 against.
  1  9♦ A♦ Q♦ 9♥, led by N, taken by W
  2  K♣ J♣ A♣ K♦, led by W, taken by E
  3  10♥ K♠ 10♠ J♥, led by E, taken by N
On the table: A♥ from N, K♥ from E.

With best play the makers N and S take 3 of 5 tricks: 1 point to N and S.

S to play. The makers' tricks after each card, best first:
  10♦  3 tricks, made: 1 point to N and S
  Q♠   2 tricks, euchre: 2 points to E and W
"""
    )


def test_a_player_without_cards_and_a_march_are_said_in_words(leftbower: Command) -> None:
    line = "{club2} S Tc N:KhJsAcJdAd S:QhTdKcKdTh D:AhKsJc | o -Td & -AcKhAh | JcKc AdKd JsTc KsQh Jd"
    output = leftbower("solve", line).stdout
    assert "North  no cards left" in output
    assert "With best play the maker N takes all 5 tricks, a march: 2 points to N." in output


def test_every_line_of_standard_input_gets_a_line(leftbower: Command) -> None:
    """Numbered as in the input, where empty lines count; no input, no output."""
    output = leftbower("solve", "-", stdin=f"{ENDING}\n\n{OVER}\n{ENDING} 9s").stdout
    assert output.splitlines() == [
        "line 1: makers take 3 tricks, made: 1 point to N and S. Best for N: A♥.",
        "line 3: makers have 4 tricks, made: 1 point to E and W. Over.",
        "line 4: makers take 2 tricks, euchre: 2 points to E and W. Best for E: K♥.",
    ]
    out = leftbower("solve", "-", "--json", stdin="\n".join(LINES)).stdout.splitlines()
    assert list(map(json.loads, out)) == [solved(leftbower, line) for line in LINES]
    assert leftbower("solve", "-") == leftbower("solve", "-", "--json", stdin="\n \n")
    assert leftbower("solve", "-").stdout == ""


WRONG = (
    ("nonsense", "bad-hand-line"),
    ("E Tx N:AcAdQcQhQs", "bad-card"),
    (DEAL.replace("9s", "As").replace("Ad", "As"), "bad-deal"),
    ("{clubb} E Td", "unknown-rules"),
    ("E Td " + "x" * 2000, "too-large"),
    (DEAL, "nothing-to-solve"),
    (f"{DEAL} | o", "nothing-to-solve"),
    ("{round-robin} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc | p p p p p p p p", "nothing-to-solve"),
    ("E Td N:?????????? E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p o -9s", "nothing-to-solve"),
    (f"{{{name_rules(honor('club'))}}} {FOUR} | o & | N:As", "nothing-to-solve"),
    (f"{{{name_rules(honor('round-robin'))}}} {FOUR} | o -Js | N:As S:Qs", "nothing-to-solve"),
)


@pytest.mark.parametrize(("line", "code"), WRONG)
def test_a_line_that_cannot_be_solved_is_refused_in_one_sentence(line: str, code: str, refused: Refusal) -> None:
    refused("solve", line, code=code)
    refused("solve", line, "--json", code=code)


@pytest.mark.parametrize(("line", "code"), WRONG)
def test_among_many_lines_an_error_stands_in_its_place(line: str, code: str, leftbower: Command) -> None:
    """The other lines are still solved, in order; status 1, as for `replay`."""
    found = leftbower("solve", "-", "--json", stdin=f"{ENDING}\n{line}\n{OVER}\n", status=1)
    first, second, third = map(json.loads, found.stdout.splitlines())
    assert (first["makers_tricks"], third["makers_tricks"]) == (3, 4)
    assert list(second) == ["error"]
    assert second["error"]["code"] == code
    assert second["error"]["path"].startswith("line 2")
    [sentence] = found.stderr.splitlines()
    assert sentence.startswith("leftbower: line 2")
    assert sentence.endswith(f" [{code}]")
    output = leftbower("solve", "-", stdin=f"{ENDING}\n{line}\n{OVER}\n", status=1)
    assert [line[:7] for line in output.stdout.splitlines()] == ["line 1:", "line 3:"]
    assert output.stderr == found.stderr


def test_an_illegal_act_is_named_as_replay_names_it(leftbower: Command) -> None:
    """East holds a heart and plays a club: the same error, path and status."""
    renege = f"{ENDING} AhTc"
    for words in (("solve", renege, "--json"), ("solve", "-", "--json")):
        ours = leftbower(*words, stdin=renege, status=1)
        theirs = leftbower("replay", *words[1:], stdin=renege, status=1)
        assert json.loads(ours.stdout) == {"error": json.loads(theirs.stdout)["error"]}
        assert ours.stderr == theirs.stderr
    error = json.loads(leftbower("solve", renege, "--json", status=1).stdout)["error"]
    assert (error["code"], error["trick"], error["seat"], error["card"]) == ("must-follow-suit", 4, "E", "Tc")
    assert leftbower("solve", renege, status=1).stdout == ""


def test_noise_is_refused(refused: Refusal) -> None:
    refused("solve", "-", stdin=(bytes(range(128, 256)) + b"\n") * 1000, code="not-text")
    refused("solve", "-", stdin=b"7" * 1_000_000, code="too-large")
    refused("solve", "", code="bad-hand-line")


def test_an_interrupt_keeps_what_was_done(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    solved_states = []

    def interrupted(state: State) -> kernel.Solution:
        solved_states.append(state)
        if len(solved_states) > 2:
            raise KeyboardInterrupt
        return search_solution(state)

    search_solution = kernel.solve
    monkeypatch.setattr(kernel, "solve", interrupted)
    found = leftbower("solve", "-", "--json", stdin=f"{ENDING}\n" * 5, status=130)
    assert [json.loads(line)["makers_tricks"] for line in found.stdout.splitlines()] == [3, 3]


def test_the_progress_bar_is_on_standard_error_only(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """With FORCE_COLOR Rich takes standard error for a terminal; an error among the results is still printed."""
    lines = f"{ENDING}\n{DEAL}\n{OVER}\n"
    plain = leftbower("solve", "-", "--json", stdin=lines, status=1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    drawn = leftbower("solve", "-", "--json", stdin=lines, status=1)
    assert drawn.stdout == plain.stdout
    assert "3 hands" in drawn.stderr
    assert "[nothing-to-solve]" in drawn.stderr
    assert "hands" not in plain.stderr


def test_a_pipe_has_no_size_and_is_solved_all_the_same(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(io, "BytesIO", Pipe)
    assert leftbower("solve", "-", stdin=ENDING).stdout.startswith("line 1: ")


@pytest.mark.filterwarnings("default::leftbower.errors.Uncompiled")
def test_that_the_kernel_is_not_compiled_is_said_in_one_line(
    leftbower: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning comes when the kernel is imported; the result is the same."""
    compiled = leftbower("solve", ENDING)
    monkeypatch.setattr(search, "is_compiled", lambda: False)
    monkeypatch.setattr(package, "kernel", kernel)
    monkeypatch.delitem(sys.modules, "leftbower.kernel")
    slow = leftbower("solve", ENDING)
    assert slow.stdout == compiled.stdout
    [sentence] = slow.stderr.splitlines()
    assert sentence.startswith("leftbower: the kernel is not compiled, ")


@pytest.mark.filterwarnings("default::UserWarning")
def test_other_warnings_are_shown_as_ever(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def warned(state: State) -> kernel.Solution:
        warnings.warn("a warning of another kind", UserWarning, stacklevel=1)
        return search_solution(state)

    search_solution = kernel.solve
    monkeypatch.setattr(kernel, "solve", warned)
    with pytest.warns(UserWarning, match="another kind"):
        assert leftbower("solve", ENDING).stderr == ""
