"""Brackets as pictures: every match has its place, its round has a name, and nothing is cut."""

from itertools import combinations
from random import Random
from xml.etree import ElementTree

import pytest

from event_ledger import EventLedger, new_ledger
from leftbower.printing import PaperSize, to_html, to_pdf
from leftbower.printing.bracket_svg import bracket_svg, thumbnail_svg
from leftbower.printing.printouts import bracket_sheet
from leftbower.tournament.formats.pairing import is_stage_finished
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.commands import start_final
from leftbower.tournament.model.facts import TieDrawn
from leftbower.tournament.text.bracket_picture import (
    BOX_HEIGHT,
    BOX_WIDTH,
    BracketPicture,
    bracket_picture,
    last_bracket,
    round_title,
)
from leftbower.web.event.stages import bracket_view_model, earlier_standings


def play(ledger: EventLedger, *, until: int = 100, seed: int = 1) -> EventLedger:
    """Draw and score rounds, with chance winners, until the stage is over."""
    rng = Random(seed)
    for _ in range(until):
        if is_stage_finished(ledger.event):
            break
        if not ledger.event.open_tables():
            ledger.pair()
        for round_, table in ledger.event.open_tables():
            loser = rng.randrange(10)
            ledger.score(round_, table, (10, loser) if rng.random() < 0.5 else (loser, 10))
    return ledger


def picture_of(ledger: EventLedger) -> BracketPicture:
    picture = last_bracket(ledger.event)
    assert picture is not None
    return picture


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 13, 16, 23, 32])
@pytest.mark.parametrize("format_", [Format.KNOCKOUT, Format.DOUBLE], ids=str)
def test_every_match_has_a_box_of_its_own_inside_the_picture(format_: Format, size: int) -> None:
    ledger = new_ledger(format_, size)
    ledger.pair()
    for picture in (picture_of(ledger), picture_of(play(ledger))):
        boxes = [(match.x, match.y) for match in picture.matches]
        for (x, y), (other_x, other_y) in combinations(boxes, 2):
            assert abs(x - other_x) >= BOX_WIDTH or abs(y - other_y) >= BOX_HEIGHT
        for match in picture.matches:
            assert 0 <= match.x <= picture.width - BOX_WIDTH
            assert BOX_HEIGHT / 2 < match.y <= picture.height - BOX_HEIGHT / 2
    assert {match.state for match in picture.matches} == {"done"}
    played = {seating.slot for round_ in ledger.event.rounds for seating in round_.tables}
    assert {match.slot for match in picture.matches} == played


def test_rounds_have_the_names_that_people_use() -> None:
    ledger = play(new_ledger(Format.KNOCKOUT, 13))
    titles = [round_title(ledger.event, number) for number in range(1, 5)]
    assert titles == ["Round of 16", "Quarterfinals", "Semifinals", "Final"]
    assert [*picture_of(ledger).rounds()] == ["Round of 16", "Quarterfinals", "Semifinals", "Third place", "Final"]
    double = [*picture_of(play(new_ledger(Format.DOUBLE, 4))).rounds()]
    assert double[:5] == ["Winners' round 1", "Losers' round 1", "Winners' final", "Losers' final", "Final"]
    swiss = new_ledger(Format.SWISS, 4)
    swiss.pair()
    assert round_title(swiss.event, 1) == "Round 1"
    assert bracket_picture(swiss.event) is None


def test_a_deciding_final_is_drawn_only_if_it_is_played() -> None:
    ledger = new_ledger(Format.DOUBLE, 2)
    ledger.pair()
    ledger.score(1, 1, (10, 4))
    ledger.pair()
    ledger.score(2, 1, (4, 10))
    assert [match.title for match in picture_of(ledger).matches] == ["Winners' final", "Final", "Deciding final"]


def test_an_open_side_says_whom_it_waits_for_and_a_live_match_its_table() -> None:
    ledger = new_ledger(Format.KNOCKOUT, ["Ann & Bob", "Cid & Dot", "Eve & Fay", "Gus & Hal"])
    ledger.pair()
    ledger.score(1, 1, (10, 7))
    final = next(match for match in picture_of(ledger).matches if match.slot == "W2-1")
    assert [side.name for side in final.sides] == ["Ann & Bob", "winner of table 2"]
    third = next(match for match in picture_of(ledger).matches if match.slot == "third")
    assert [side.name for side in third.sides] == ["Gus & Hal", "loser of table 2"]
    svg = bracket_svg(picture_of(ledger), "A & B")
    assert "Table 2, playing now" in svg
    assert "style=" not in svg
    assert 'class="score won" ' in svg
    root = ElementTree.fromstring(svg)
    assert root.attrib["aria-label"] == "A & B"


def test_the_longest_names_fit_their_boxes() -> None:
    names = [f"{'W' * 59}{number} & {'M' * 59}{number}" for number in range(4)] + ["<b>Al</b>"]
    ledger = new_ledger(Format.KNOCKOUT, names)
    ledger.pair()
    svg = bracket_svg(picture_of(ledger), "Cup")
    assert svg.count("textLength") >= 4
    assert "<b>" not in svg
    for text in ElementTree.fromstring(svg).iter("text"):
        if text.attrib["class"] == "name" and "textLength" not in text.attrib:
            assert len(text.text or "") * 0.66 * int(text.attrib["font-size"]) <= 252


def test_a_long_team_takes_two_lines_before_it_is_squeezed() -> None:
    ledger = new_ledger(Format.KNOCKOUT, ["Alexandrina van der Westhuizen & Anne-Marie O'Shaughnessy", "Al & Bo"])
    ledger.pair()
    root = ElementTree.fromstring(bracket_svg(picture_of(ledger), "Cup"))
    names = [text for text in root.iter("text") if text.attrib["class"] == "name"]
    texts = ["Alexandrina van der Westhuizen &", "Anne-Marie O'Shaughnessy", "Al & Bo"]
    assert sorted(text.text or "" for text in names) == sorted(texts)
    assert all(int(text.attrib["font-size"]) > 10 and "textLength" not in text.attrib for text in names)


def test_a_thumbnail_marks_the_way_of_one_team() -> None:
    ledger = play(new_ledger(Format.KNOCKOUT, 8), until=2)
    ledger.pair()
    own = next(seating for seating in ledger.event.round(3).tables if seating.slot == "W3-1").entrants[0]
    svg = thumbnail_svg(picture_of(ledger), own, "Cup")
    assert svg.count('rect class="own"') == 3
    assert svg.count('path class="own"') == 2
    assert 'class="own"' not in thumbnail_svg(picture_of(ledger), "", "Cup")
    view = bracket_view_model(ledger.event, own)
    assert view is not None
    semifinals = dict(view.rounds)["Semifinals"]
    assert own in [side.entrant for side in semifinals[0].sides]


def test_a_two_stage_event_has_the_figures_of_both_stages() -> None:
    ledger = play(new_ledger(Format.SWISS, 8, rounds=3))
    assert earlier_standings(ledger.event) == ()
    ledger.record(TieDrawn(order=tuple(ledger.event.entrants)))
    ledger.record(start_final(ledger.event, 4, best_of=1))
    play(ledger)
    [(title, figures)] = earlier_standings(ledger.event)
    assert (title, len(figures.rows)) == ("Swiss", 8)
    assert sum(line.tally.played for line in figures.rows) == 24
    assert last_bracket(ledger.event) is not None


@pytest.mark.parametrize("paper", PaperSize)
def test_a_bracket_is_printed_sideways_on_both_papers(paper: PaperSize) -> None:
    event = play(new_ledger(Format.DOUBLE, 13)).event
    page = to_html(bracket_sheet(event), paper)
    assert "<svg" in page
    assert "landscape" in page
    assert to_pdf(bracket_sheet(event), paper).startswith(b"%PDF-")
    assert "no bracket" in to_html(bracket_sheet(new_ledger(Format.SWISS, 4).event), paper)
