"""The sprite has every card, is allowed by the content security policy and is small."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from leftbower.rules.cards import DECK
from leftbower.web.table.cards import sprite

SVG = "{http://www.w3.org/2000/svg}"
SCORE_CARDS = ["4h", "6h", "4s", "6s"]
CARDS = [*map(str, DECK), *SCORE_CARDS]
PIPS = ["pc", "pd", "ph", "ps"]
SHAPES = {"svg", "defs", "symbol", "g", "use", "path", "rect", "circle", "clipPath", "pattern"}
ROOT = ElementTree.fromstring(sprite())
BY_ID = {element.attrib["id"]: element for element in ROOT.iter() if "id" in element.attrib}


def rendered(element: Element) -> Iterator[Element]:
    """An element and its descendants, following `<use>` as browsers do."""
    yield element
    for child in element:
        yield from rendered(child)
    if element.tag == SVG + "use":
        yield from rendered(BY_ID[element.attrib["href"].removeprefix("#")])


def pips(card: str) -> int:
    """The number of pips on a card, without the two in its corners."""
    return sum(element.get("id") == f"lb-p{card[1]}" for element in rendered(BY_ID[card])) - 2


def test_symbols_are_the_deck_the_score_cards_the_back_and_the_pips() -> None:
    symbols = [element.attrib["id"] for element in ROOT.iter(SVG + "symbol")]
    assert sorted(symbols) == sorted([*CARDS, "back", *PIPS])


@pytest.mark.parametrize("name", [*CARDS, "back"])
def test_a_card_is_five_by_seven(name: str) -> None:
    assert BY_ID[name].attrib["viewBox"] == "0 0 100 140"


@pytest.mark.parametrize("name", PIPS)
def test_a_pip_lies_about_its_middle(name: str) -> None:
    assert BY_ID[name].attrib["viewBox"] == "-50 -50 100 100"


def test_the_sprite_is_small() -> None:
    assert len(sprite().encode()) < 21_000


def test_the_sprite_takes_no_room_and_no_reader_reads_it() -> None:
    assert ROOT.tag == SVG + "svg"
    assert ROOT.attrib == {"class": "sprite", "width": "0", "height": "0", "aria-hidden": "true"}


def test_a_strict_page_accepts_it() -> None:
    """Shapes and presentation attributes only: nothing a content security policy or a missing font could change."""
    inside = [element for element in ROOT.iter() if element is not ROOT]
    assert {element.tag.removeprefix(SVG) for element in inside} <= SHAPES
    assert not [element.attrib for element in inside if {"style", "class"} & element.attrib.keys()]
    assert not [name for element in inside for name in element.attrib if name.startswith("on")]


def test_ids_are_unique_and_ours_are_marked() -> None:
    ids = Counter(element.attrib["id"] for element in ROOT.iter() if "id" in element.attrib)
    assert set(ids.values()) == {1}
    assert all(name.startswith("lb-") for name in ids.keys() - {*CARDS, "back", *PIPS})


def test_every_reference_is_internal_and_every_part_is_used() -> None:
    styles = (files("leftbower.web") / "static" / "base.css").read_text()
    named = re.findall(r'href="([^"]*)"|url\(([^)]*)\)', sprite() + styles)
    referred = {href or url for href, url in named}
    assert referred == {f"#{name}" for name in BY_ID if name.startswith("lb-")}


@pytest.mark.parametrize("name", [*CARDS, *PIPS])
def test_the_page_colors_a_suit(name: str) -> None:
    """Pips and ranks are `currentColor`, so the page chooses two or four colors."""
    shapes = [
        element
        for element in rendered(BY_ID[name])
        if re.match(r"lb-[pr].$", element.get("id", "")) and "d" in element.attrib
    ]
    assert shapes
    assert {element.get("fill") for element in shapes} == {"currentColor"}


@pytest.mark.parametrize("card", [card for card in CARDS if card[0] in "469T"])
def test_a_pip_card_shows_as_many_pips_as_it_says(card: str) -> None:
    assert pips(card) == {"4": 4, "6": 6, "9": 9, "T": 10}[card[0]]


@pytest.mark.parametrize("card", CARDS)
def test_a_card_reads_the_same_upside_down(card: str) -> None:
    """Its corner is drawn twice, the second time rotated by half a turn."""
    turned = [element for element in BY_ID[card] if element.get("transform") == "rotate(180 50 70)"]
    assert [element.attrib["href"] for element in turned] == [f"#lb-{card}"]
    assert sum(element.get("href") == f"#lb-r{card[0]}" for element in rendered(BY_ID[card])) == 2


def test_no_two_symbols_look_the_same() -> None:
    drawings = {repr(list(_drawing(BY_ID[name]))) for name in [*CARDS, "back", *PIPS]}
    assert len(drawings) == len(CARDS) + 1 + len(PIPS)


def _drawing(element: Element) -> Iterator[tuple[str, dict[str, str]]]:
    for part in rendered(element):
        yield part.tag, {name: value for name, value in part.attrib.items() if name not in ("id", "href")}
