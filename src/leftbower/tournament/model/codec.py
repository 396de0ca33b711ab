"""JSON codec of ledger lines, driven by dataclass types; input is untrusted."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from leftbower.errors import BadLedger, LeftbowerError, show
from leftbower.rules import formats
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.tournament.model.facts import FACT_KINDS, FACT_VERSION, LedgerEntry

_KIND_NAMES: Final = {kind: name for name, kind in FACT_KINDS.items()}
_FRACTION: Final = re.compile(r"-?[0-9]{1,18}(/[0-9]{1,18})?")
"""As `str` writes a fraction; `Fraction` itself also reads exponents, which may take hours."""
_MAX_SECONDS: Final = 1e15
"""Upper limit of times, which also refuses infinity and NaN."""


def entry_to_json(entry: LedgerEntry) -> dict[str, Any]:
    """A line of the ledger as a JSON object."""
    optional = {
        name: value for name, value in (("requested_by", entry.requested_by), ("request_id", entry.request_id)) if value
    }
    head = {"fact": _KIND_NAMES[type(entry.fact)], "v": FACT_VERSION, "by": entry.by, "at": entry.at, **optional}
    return head | {"data": _to_json(entry.fact)}


def entry_from_json(plain: Mapping[str, Any]) -> LedgerEntry:
    """Parse a line of `entry_to_json`, or raise BadLedger with the path."""
    name = plain.get("fact")
    kind = FACT_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadLedger(f"{show(name)} is no fact of an event", path="fact")
    if plain.get("v") != FACT_VERSION:
        raise BadLedger(f"version {show(plain.get('v'))} of {show(name)} cannot be read", path="v")
    if unknown := plain.keys() - {"fact", "v", "by", "at", "requested_by", "request_id", "data"}:
        raise BadLedger(f"{show(min(unknown))} has no place in a line", path=str(name))
    try:
        at = _read(float, plain.get("at"), "at")
        by = _read(str, plain.get("by"), "by")
        requested_by, request_id = (_read(str, plain.get(name, ""), name) for name in ("requested_by", "request_id"))
        return LedgerEntry(
            fact=_read(kind, plain.get("data"), "data"), by=by, at=at, requested_by=requested_by, request_id=request_id
        )
    except BadLedger as error:
        raise error.at(str(name)) from None
    except LeftbowerError as why:
        raise BadLedger(str(why), path=str(name)) from None


def _to_json(value: object) -> Any:
    match value:
        case HouseRules():
            return formats.to_json(value)
        case Enum():
            return str(value.value)
        case Fraction():
            return str(value)
        case str() | int() | float() | None:
            return value
        case tuple():
            return [_to_json(element) for element in value]
        case Mapping():
            return {str(name): _to_json(element) for name, element in value.items()}
        case _:
            return {field.name: _to_json(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]


def _read(kind: Any, value: object, path: str) -> Any:
    """Read a value of this type, or raise BadLedger with its path."""
    if kind is HouseRules:
        return formats.from_json(_check_object(value, path))
    if get_origin(kind) in (Union, UnionType):
        return _read_union(get_args(kind), value, path)
    if get_origin(kind) is tuple:
        return _read_list(get_args(kind), value, path)
    if get_origin(kind) is Mapping or get_origin(kind) is dict:
        names, values = get_args(kind)
        return {
            _read(names, name, path): _read(values, element, path)
            for name, element in _check_object(value, path).items()
        }
    if is_dataclass(kind):
        return _read_fields(kind, _check_object(value, path), path)
    return _read_plain(kind, value, path)


def _read_plain(kind: Any, value: object, path: str) -> Any:
    if kind is Fraction and isinstance(value, str) and _FRACTION.fullmatch(value):
        return _convert(Fraction, value, path)
    if kind is Seat and isinstance(value, str):
        return Seat.parse(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _convert(kind, value, path)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MAX_SECONDS:
        return float(value)
    if kind in (str, int, bool, type(None)) and type(value) is kind:
        return _check_encodable(value, path) if isinstance(value, str) else value
    raise BadLedger(f"{show(value)} cannot stand here", path=path)


def _check_encodable(text: str, path: str) -> str:
    """The text, or BadLedger where a lone surrogate stands in it, which no store and no page can encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadLedger("a lone surrogate stands in this text", path=path) from None
    return text


def _convert(kind: Any, value: object, path: str) -> Any:
    try:
        return kind(value)
    except (ValueError, ZeroDivisionError):
        raise BadLedger(f"{show(value)} cannot stand here", path=path) from None


def _read_list(kinds: tuple[Any, ...], value: object, path: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise BadLedger(f"{show(value)} must be a list", path=path)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], element, path) for element in value)
    if len(kinds) != len(value):
        raise BadLedger(f"a list of {len(kinds)} is wanted", path=path)
    return tuple(_read(kind, element, path) for kind, element in zip(kinds, value, strict=True))


def _read_union(kinds: tuple[Any, ...], value: object, path: str) -> Any:
    """Pick the member of a union whose fields match."""
    if value is None and type(None) in kinds:
        return None
    classes: list[Any] = [kind for kind in kinds if is_dataclass(kind)]
    if not classes:
        return _read(next(kind for kind in kinds if kind is not type(None)), value, path)
    names = _check_object(value, path).keys()
    for kind in classes:
        if _required_fields(kind) <= names <= _hints(kind).keys() and (_required_fields(kind) or names):
            return _read(kind, value, path)
    raise BadLedger(f"nothing is told by {', '.join(sorted(map(str, names))) or 'nothing'}", path=path)


def _read_fields(kind: Any, plain: Mapping[str, object], path: str) -> Any:
    hints = _hints(kind)
    for name in sorted(_required_fields(kind) - plain.keys()):
        raise BadLedger(f"{name} is missing", path=path)
    for name in sorted(plain.keys() - hints.keys()):
        raise BadLedger(f"{show(name)} has no place here", path=path)
    return kind(**{name: _read(hints[name], value, name) for name, value in plain.items()})


def _check_object(value: object, path: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise BadLedger(f"{show(value)} must be an object", path=path)
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _required_fields(kind: Any) -> frozenset[str]:
    return frozenset(
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    )
