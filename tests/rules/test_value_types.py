"""How cards, seats, errors and rulings print, sort and copy: small things that no larger law covers."""

import copy
import pickle
from dataclasses import replace

import pytest

from leftbower.errors import BadCard, BadSeat, LeftbowerError, UnknownRules, show
from leftbower.rules import (
    DECK,
    UNKNOWN,
    Card,
    HouseRules,
    Mark,
    Rank,
    Seat,
    Suit,
    find_preset,
    fingerprint,
    mark,
    parse_cards,
    parse_faces,
    playable,
    preset,
    presets,
)
from leftbower.rules.choices import Choice, Sheet


def test_suits_ranks_and_seats_print_as_they_are_written() -> None:
    """A suit prints as its letter, a rank as its symbol, a seat as its letter; the repr has the type."""
    assert [str(suit) for suit in Suit] == ["c", "d", "h", "s"]
    assert [suit.symbol for suit in Suit] == ["♣", "♦", "♥", "♠"]
    assert [str(rank) for rank in Rank] == ["9", "T", "J", "Q", "K", "A"]
    assert [str(seat) for seat in Seat] == ["N", "E", "S", "W"]
    assert [repr(value) for value in (Suit.HEARTS, Rank.TEN, Seat.W)] == ["Suit.HEARTS", "Rank.TEN", "Seat.W"]
    assert [seat.index for seat in Seat] == [0, 1, 2, 3]


def test_cards_print_for_files_and_for_people() -> None:
    """`Th` in files, `10♥` for people, and a repr with the type."""
    ten = Card(Rank.TEN, Suit.HEARTS)
    assert (str(ten), ten.pretty, repr(ten)) == ("Th", "10♥", "Card(Th)")
    assert Card.parse("Jd").pretty == "J♦"
    assert Card.parse("10♥") is Card.parse("T♥") is ten


def test_there_is_one_object_of_each_card() -> None:
    """Cards compare by identity, however they were created, copied or pickled."""
    for card in DECK:
        same = (Card(card.rank, card.suit), Card.parse(str(card)), pickle.loads(pickle.dumps(card)))
        assert all(copied is card for copied in (*same, copy.copy(card), copy.deepcopy(card)))
    assert len(set(DECK)) == len({hash(card) for card in DECK}) == 24


def test_a_card_never_changes() -> None:
    """No attribute can be set."""
    for name in ("rank", "suit", "color"):
        with pytest.raises(AttributeError, match="a card never changes"):
            setattr(Card.parse("Jd"), name, None)


def test_cards_sort_by_suit_and_rank() -> None:
    """Clubs, diamonds, hearts, spades, each from nine to ace."""
    assert sorted(parse_cards("AsTc9dJh9c9sKd")) == list(parse_cards("9cTc9dKdJh9sAs"))
    assert " ".join(map(str, DECK[:7])) == "9c Tc Jc Qc Kc Ac 9d"


def test_an_unknown_card_is_written_with_question_marks() -> None:
    """It has no face, and is never offered for play."""
    assert parse_faces("Jd??9s") == (Card.parse("Jd"), UNKNOWN, Card.parse("9s"))
    assert (str(UNKNOWN), repr(UNKNOWN)) == ("??", "UNKNOWN")
    assert playable(parse_faces("??Jd"), None, Suit.CLUBS) == (Card.parse("Jd"),)
    with pytest.raises(BadCard):
        parse_faces("Jd?")


def test_choices_print_as_their_words() -> None:
    """The word of an option is its spelling in files."""
    assert str(Sheet.ROUND_ROBIN) == "round-robin"
    for kind in Choice.__subclasses__():
        assert all(str(choice) == choice.value for choice in kind)


def test_presets_are_found_by_name_only() -> None:
    """An almost right name gets a suggestion, another one the list; both have one code."""
    assert [sheet_preset.name for sheet_preset in presets()] == [
        "standard",
        "round-robin",
        "campus",
        "school-cup",
        "prize-night",
        "club",
        "club3",
        "club2",
    ]
    assert all(find_preset(sheet_preset.name) is sheet_preset for sheet_preset in presets())
    for name, says in [("Clubb", "did you mean club?"), ("zzz", "the presets are standard, "), ("../club", "club")]:
        with pytest.raises(UnknownRules) as caught:
            preset(name)
        assert caught.value.code == "unknown-rules"
        assert f"there are no rules called '{name}'" in str(caught.value)
        assert says in str(caught.value)
    with pytest.raises(UnknownRules) as caught:
        preset("x" * 10_000)
    assert len(str(caught.value)) < 200


def test_a_presets_marks_and_readings_cannot_be_changed() -> None:
    """They are shared by every card, so they are read-only."""
    club = find_preset("club")
    with pytest.raises(TypeError):
        club.marks["target"] = Mark.READ  # type: ignore[index]
    assert club.mark("target") is Mark.STATED
    assert club.mark("best_of") is Mark.SILENT


def test_a_mark_follows_the_table_not_only_its_sheet() -> None:
    """Stated, read or silent as on the sheet; changed if the table plays differently; own without a sheet."""
    club = preset("club")
    marks = [mark(club, name) for name in ("target", "may_bury_up_card", "best_of")]
    assert marks == [Mark.STATED, Mark.READ, Mark.SILENT]
    assert mark(replace(club, target=5), "target") is Mark.CHANGED
    assert mark(preset("club", players=3), "players") is Mark.STATED
    assert mark(preset("campus", players=3), "players") is Mark.CHANGED
    assert mark(HouseRules(), "target") is Mark.OWN


def test_empty_seats_are_refused_by_every_question() -> None:
    """Left, side and opponents exist only for players at the table."""
    for method in (preset("club3").left_of, preset("club3").side_of, preset("club3").opponents_of):
        with pytest.raises(BadSeat):
            method(Seat.W)
    assert preset("club3").left_of(Seat.S) is Seat.N
    assert preset("club2").left_of(Seat.N) is Seat.S


def test_an_error_says_where_it_happened() -> None:
    """Paths are joined, outermost first."""
    error = LeftbowerError("it is wrong", path="target").at("line 3").at("house.toml")
    assert str(error) == "house.toml, line 3, target: it is wrong"
    assert error.as_json() == {"code": "error", "message": "it is wrong", "path": "house.toml, line 3, target"}
    assert str(LeftbowerError("it is wrong")) == "it is wrong"


def test_a_value_is_shown_as_a_file_holds_it() -> None:
    """Lowercase true and false, words in quotes, and nothing too long for a sentence."""
    assert [show(value) for value in (True, False, "club", 10, [75])] == ["true", "false", '"club"', "10", "[75]"]
    assert len(show("x" * 1000)) == 40


def test_the_fingerprints_of_the_sheets_differ() -> None:
    """Eight presets, eight fingerprints."""
    assert len({fingerprint(sheet_preset.rules) for sheet_preset in presets()}) == 8


def test_the_kitty_has_four_six_or_seven_cards() -> None:
    """With four players, three, and two, as the club's sheet has it."""
    assert [HouseRules(players=players).kitty_size for players in (4, 3, 2)] == [4, 6, 7]
