"""The JSON of a ledger: one object a line, read back by the types of what it tells, none of it trusted."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from leftbower.errors import BadLedger, LeftbowerError, show
from leftbower.rules import forms
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.tournament.facts import KINDS, VERSION, Entry

_NAMES: Final = {kind: name for name, kind in KINDS.items()}
_FRACTION: Final = re.compile(r"-?[0-9]{1,18}(/[0-9]{1,18})?")
"""As `str` writes a fraction; `Fraction` itself also reads exponents, which may take hours."""
_MAX_SECONDS: Final = 1e15
"""A time of some million years; infinity, and what is no number, are not below it."""


def to_plain(entry: Entry) -> dict[str, Any]:
    """A line of the ledger as a JSON object."""
    more = {name: said for name, said in (("asks", entry.asks), ("act", entry.act)) if said}
    head = {"fact": _NAMES[type(entry.fact)], "v": VERSION, "by": entry.by, "at": entry.at, **more}
    return head | {"is": _plain(entry.fact)}


def from_plain(plain: Mapping[str, Any]) -> Entry:
    """The line of `to_plain`, or the error that names what is wrong."""
    name = plain.get("fact")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadLedger(f"{show(name)} is no fact of an event", place="fact")
    if plain.get("v") != VERSION:
        raise BadLedger(f"version {show(plain.get('v'))} of {show(name)} cannot be read", place="v")
    if unknown := plain.keys() - {"fact", "v", "by", "at", "asks", "act", "is"}:
        raise BadLedger(f"{show(min(unknown))} has no place in a line", place=str(name))
    try:
        at = _read(float, plain.get("at"), "at")
        by = _read(str, plain.get("by"), "by")
        asks, act = (_read(str, plain.get(name, ""), name) for name in ("asks", "act"))
        return Entry(fact=_read(kind, plain.get("is"), "is"), by=by, at=at, asks=asks, act=act)
    except BadLedger as error:
        raise error.at(str(name)) from None
    except LeftbowerError as why:
        raise BadLedger(str(why), place=str(name)) from None


def _plain(value: object) -> Any:
    match value:
        case HouseRules():
            return forms.to_json(value)
        case Enum():
            return str(value.value)
        case Fraction():
            return str(value)
        case str() | int() | float() | None:
            return value
        case tuple():
            return [_plain(one) for one in value]
        case Mapping():
            return {str(name): _plain(one) for name, one in value.items()}
        case _:
            return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}  # type: ignore[arg-type]


def _read(kind: Any, value: object, place: str) -> Any:
    """A value of that type, or the error that says where it is not one."""
    if kind is HouseRules:
        return forms.from_json(_object(value, place))
    if get_origin(kind) in (Union, UnionType):
        return _read_one_of(get_args(kind), value, place)
    if get_origin(kind) is tuple:
        return _read_list(get_args(kind), value, place)
    if get_origin(kind) is Mapping or get_origin(kind) is dict:
        names, values = get_args(kind)
        return {_read(names, name, place): _read(values, one, place) for name, one in _object(value, place).items()}
    if is_dataclass(kind):
        return _read_fields(kind, _object(value, place), place)
    return _read_plain(kind, value, place)


def _read_plain(kind: Any, value: object, place: str) -> Any:
    if kind is Fraction and isinstance(value, str) and _FRACTION.fullmatch(value):
        return _tried(Fraction, value, place)
    if kind is Seat and isinstance(value, str):
        return Seat.parse(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _tried(kind, value, place)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MAX_SECONDS:
        return float(value)
    if kind in (str, int, bool, type(None)) and type(value) is kind:
        return _whole(value, place) if isinstance(value, str) else value
    raise BadLedger(f"{show(value)} cannot stand here", place=place)


def _whole(text: str, place: str) -> str:
    """The text, or BadLedger where a lone surrogate stands in it, which no store and no page can encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadLedger("a lone surrogate stands in this text", place=place) from None
    return text


def _tried(kind: Any, value: object, place: str) -> Any:
    try:
        return kind(value)
    except (ValueError, ZeroDivisionError):
        raise BadLedger(f"{show(value)} cannot stand here", place=place) from None


def _read_list(kinds: tuple[Any, ...], value: object, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise BadLedger(f"{show(value)} must be a list", place=place)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], one, place) for one in value)
    if len(kinds) != len(value):
        raise BadLedger(f"a list of {len(kinds)} is wanted", place=place)
    return tuple(_read(kind, one, place) for kind, one in zip(kinds, value, strict=True))


def _read_one_of(kinds: tuple[Any, ...], value: object, place: str) -> Any:
    """The one of several kinds whose fields these are."""
    if value is None and type(None) in kinds:
        return None
    classes: list[Any] = [kind for kind in kinds if is_dataclass(kind)]
    if not classes:
        return _read(next(kind for kind in kinds if kind is not type(None)), value, place)
    given = _object(value, place).keys()
    for kind in classes:
        if _needed(kind) <= given <= _hints(kind).keys() and (_needed(kind) or given):
            return _read(kind, value, place)
    raise BadLedger(f"nothing is told by {', '.join(sorted(map(str, given))) or 'nothing'}", place=place)


def _read_fields(kind: Any, plain: Mapping[str, object], place: str) -> Any:
    hints = _hints(kind)
    for name in sorted(_needed(kind) - plain.keys()):
        raise BadLedger(f"{name} is missing", place=place)
    for name in sorted(plain.keys() - hints.keys()):
        raise BadLedger(f"{show(name)} has no place here", place=place)
    return kind(**{name: _read(hints[name], value, name) for name, value in plain.items()})


def _object(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise BadLedger(f"{show(value)} must be an object", place=place)
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _needed(kind: Any) -> frozenset[str]:
    return frozenset(one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING)
