"""The dataclass codec: output by field types, and input refused by name and with a path."""

import doctest
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest

from leftbower import codec
from leftbower.codec import Codec, Scalar, kinds_by_name
from leftbower.errors import BadLedger, BadRecord, BadSeat
from leftbower.rules import Seat


class Color(Enum):
    RED = "red"
    BLACK = "black"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    points: tuple[Point, ...]
    corner: tuple[Color, float]
    by_seat: Mapping[Seat, Point | Label] = field(default_factory=dict)
    note: Label | None = None
    open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    pass


FACTS = Codec[Drawn | Erased](
    BadRecord, {"drawn": Drawn, "erased": Erased}, version=1, unknown="%(name)s is not a fact of a sheet"
)
DRAWN = Drawn(
    points=(Point(x=1), Point(x=2, y=3)),
    corner=(Color.RED, 1.5),
    by_seat={Seat.N: Point(x=4), Seat.E: Label(text="é")},
    note=Label(),
)
SHAPE: dict[str, Any] = {
    "fact": "drawn",
    "v": 1,
    "points": [{"x": 1, "y": 0}, {"x": 2, "y": 3}],
    "corner": ["red", 1.5],
    "by_seat": {"N": {"x": 4, "y": 0}, "E": {"text": "é"}},
    "note": {"text": ""},
    "open": False,
}


def test_the_example_of_the_module_is_true() -> None:
    results = doctest.testmod(codec)
    assert results.attempted >= 5
    assert results.failed == 0


def test_an_object_has_the_tag_the_version_and_the_fields_in_order() -> None:
    assert FACTS.to_json(DRAWN) == SHAPE
    assert list(FACTS.to_json(DRAWN)) == list(SHAPE)
    assert FACTS.from_json(SHAPE) == DRAWN
    assert FACTS.to_json(Erased()) == {"fact": "erased", "v": 1}
    assert FACTS.from_json({"fact": "erased", "v": 1}) == Erased()


def test_fields_with_a_default_may_be_left_out() -> None:
    plain = {"fact": "drawn", "v": 1, "points": [], "corner": ["black", 2]}
    assert FACTS.from_json(plain) == Drawn(points=(), corner=(Color.BLACK, 2.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fact": "flown"}, 'fact: "flown" is not a fact of a sheet'),
        ({"fact": ["drawn"]}, "fact: ['drawn'] is not a fact of a sheet"),
        ({"v": 2}, 'v: version 2 of "drawn" is not supported'),
        ({"v": True}, 'v: version true of "drawn" is not supported'),
        ({"v": 1.0}, 'v: version 1.0 of "drawn" is not supported'),
        ({"color": 1}, 'unknown field "color"; "drawn" has points, corner, by_seat, note, open'),
        ({"points": {}}, "points: {} is not a list"),
        ({"points": [1]}, "points: 1 is not an object"),
        ({"points": [{"y": 1}]}, "x: x is missing; this has x, y"),
        ({"points": [{"x": True}]}, "x: true is not a whole number"),
        ({"points": [{"x": 1, "z": 1}]}, 'points: unknown field "z"; this has x, y'),
        ({"corner": ["red"]}, "corner: this must be a list of 2"),
        ({"corner": ["green", 1]}, 'corner: "green" is not valid here'),
        ({"corner": [["red"], 1]}, "corner: ['red'] is not a string"),
        ({"corner": ["red", False]}, "corner: false is not a number"),
        ({"corner": ["red", float("nan")]}, "corner: nan is not a number"),
        ({"corner": ["red", 10**16]}, "corner: 10000000000000000 is not a number"),
        ({"by_seat": []}, "by_seat: [] is not an object"),
        ({"by_seat": {"N": {}}}, "by_seat: {} is not valid here"),
        ({"by_seat": {"N": {"text": "", "x": 1}}}, "by_seat: {'text': '', 'x': 1} is not valid here"),
        ({"note": {"text": None}}, "text: null is not a string"),
        ({"note": "\ud800"}, "note: "),
        ({"note": {"text": "\ud800"}}, "text: "),
        ({"open": None}, "open: null is not true or false"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(change: dict[str, object], message: str) -> None:
    with pytest.raises(BadRecord) as refusal:
        FACTS.from_json(SHAPE | change)
    assert str(refusal.value).startswith(message)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(BadRecord, match=r'^corner: corner is missing; "drawn" has points, corner'):
        FACTS.from_json({name: value for name, value in SHAPE.items() if name != "corner"})
    with pytest.raises(BadRecord, match='unknown field "v"; "erased" has no fields'):
        Codec[Erased](BadRecord, {"erased": Erased}).from_json({"fact": "erased", "v": 1})


def test_a_parser_raises_its_own_error() -> None:
    with pytest.raises(BadSeat):
        FACTS.from_json(SHAPE | {"by_seat": {"X": {"x": 1}}})


def test_fields_may_stand_in_an_object_of_their_own() -> None:
    points = Codec[Point](BadLedger, {"point": Point}, tag="kind", body="data")
    assert points.to_json(Point(x=1)) == {"kind": "point", "data": {"x": 1, "y": 0}}
    assert points.from_json({"kind": "point", "data": {"x": 1}}) == Point(x=1)
    for wrong in ({"kind": "point"}, {"kind": "point", "x": 1}, {"kind": "point", "data": {"x": 1, "kind": "point"}}):
        with pytest.raises(BadLedger):
            points.from_json(wrong)
    with pytest.raises(BadLedger, match=r'^unknown field "v" beside data'):
        points.from_json({"kind": "point", "data": {"x": 1}, "v": 1})


def test_kinds_of_another_codec_keep_their_tag() -> None:
    @dataclass(frozen=True)
    class Page:
        facts: tuple[Drawn | Erased, ...]
        last: Erased | None

    pages = Codec[Page](BadLedger, uses=(FACTS,))
    page = Page(facts=(DRAWN, Erased()), last=None)
    plain = {"facts": [SHAPE, {"fact": "erased", "v": 1}], "last": None}
    assert pages.writer(Page)(page) == plain
    assert pages.reader(Page)(plain) == page
    with pytest.raises(BadLedger, match=r"^last: {'fact': 'drawn'"):
        pages.reader(Page)(plain | {"last": SHAPE})
    with pytest.raises(BadLedger, match=r"^last: 1 is not an object"):
        pages.reader(Page)(plain | {"last": 1})


def test_names_defaults_and_omitted_fields_are_registered_by_field() -> None:
    points = Codec[Point](
        BadRecord, {"point": Point}, wire_names={"x": "across"}, defaults={"x": 7}, omit=("y",), strict=False
    )
    assert points.to_json(Point(x=1)) == {"fact": "point", "across": 1}
    assert points.to_json(Point(x=1, y=2)) == {"fact": "point", "across": 1, "y": 2}
    assert points.from_json({"fact": "point", "more": True}) == Point(x=7)
    assert points.writer(Point, ("y",))(Point(x=1, y=2)) == {"y": 2}
    complete = Codec[Point](BadRecord, complete=True).reader(Point)
    with pytest.raises(BadRecord, match=r"^y: y is missing"):
        complete({"x": 1})


def test_a_type_of_your_own_needs_a_scalar() -> None:
    @dataclass(frozen=True)
    class Coded:
        key: bytes

    coded = Codec[Coded](BadRecord, {"coded": Coded}, scalars={bytes: Scalar(bytes.hex, bytes.fromhex)})
    assert coded.from_json(coded.to_json(Coded(b"\x01\xff"))) == Coded(b"\x01\xff")
    with pytest.raises(BadRecord, match=r'^key: "xyz" is not valid here'):
        coded.from_json({"fact": "coded", "key": "xyz"})


def test_parts_of_an_object_are_read_with_a_path_of_their_own() -> None:
    read = Codec[Point](BadRecord).reader(dict[str, Any], "players")
    assert read({"N": 1, "E": [None]}) == {"N": 1, "E": [None]}
    with pytest.raises(BadRecord, match=r"^players: \[\] is not an object"):
        read([])


def test_kinds_are_named_after_their_classes() -> None:
    assert kinds_by_name(Point | BadSeat) == {"point": Point, "bad-seat": BadSeat}
