"""JSON codec for dataclasses: readers and writers are compiled from the field types at registration.

    >>> from leftbower.errors import BadRecord
    >>> @dataclass(frozen=True, slots=True, kw_only=True)
    ... class Counted:
    ...     number: int
    ...     why: str = ""
    >>> FACTS = Codec[Counted](BadRecord, {"counted": Counted}, version=1)
    >>> FACTS.to_json(Counted(number=2))
    {'fact': 'counted', 'v': 1, 'number': 2, 'why': ''}
    >>> FACTS.from_json({"fact": "counted", "v": 1, "number": 2})
    Counted(number=2, why='')
    >>> FACTS.from_json({"fact": "counted", "v": 1, "number": "two"})
    Traceback (most recent call last):
    leftbower.errors.BadRecord: number: "two" is not a whole number

Fields may be strings, numbers, booleans, enums (by value), classes with `parse` (as strings), tuples, mappings,
dataclasses, unions of dataclasses that differ by their fields, and any of these or None. Other types need a `Scalar`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from enum import Enum
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Final, Generic, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from leftbower.errors import LeftbowerError, show
from leftbower.i18n import gettext, gettext_noop

S = TypeVar("S")
T = TypeVar("T")
JsonObject = dict[str, Any]
"""A JSON object."""

_WRONG_TYPE: Final = {
    str: gettext_noop("%(value)s is not a string"),
    int: gettext_noop("%(value)s is not a whole number"),
    bool: gettext_noop("%(value)s is not true or false"),
    list: gettext_noop("%(value)s is not a list"),
    dict: gettext_noop("%(value)s is not an object"),
}
"""By the expected JSON type."""
_INVALID: Final = gettext_noop("%(value)s is not valid here")
_MAX_FLOAT: Final = 1e15
"""Largest number accepted; it also rules out infinity and NaN."""


def kinds_by_name(union: Any) -> dict[str, Any]:
    """The classes of a union by their names in kebab case: `table-closed` is `TableClosed`."""
    return {re.sub(r"\B(?=[A-Z])", "-", kind.__name__).lower(): kind for kind in get_args(union)}


class Scalar(NamedTuple):
    """How to write a custom type and parse it from a JSON value of `json_type`; `parse` may raise ValueError."""

    write: Callable[[Any], Any]
    parse: Callable[[Any], Any]
    json_type: type = str


class _Converter(NamedTuple):
    write: Callable[[str], str]
    """Takes the source of an expression and returns the source that converts its value to JSON."""
    read: Callable[[Any, str], Any]
    """Converts the JSON value at this path."""


class _Field(NamedTuple):
    """A field of a dataclass on the wire."""

    name: str
    wire: str
    converter: _Converter
    required: bool
    default: Any


@dataclass(eq=False)
class Codec(Generic[T]):
    """Converts registered dataclasses to JSON objects and back; raises `error` with the path."""

    error: type[LeftbowerError]
    kinds: Mapping[str, type[T]] = field(default_factory=dict)
    """Dataclasses by their names in JSON."""
    _: KW_ONLY
    tag: str = "fact"
    """The key of this name."""
    version: int | None = None
    """The value of `v`; other versions are refused."""
    body: str = ""
    """The key of an object with the fields; empty if they are next to the tag."""
    unknown: str = gettext_noop("unknown kind %(name)s")
    """The error message for an unregistered `%(name)s`; it can list the registered `%(names)s`."""
    uses: Sequence["Codec[Any]"] = ()
    """Codecs whose kinds may appear in fields."""
    scalars: Mapping[Any, Scalar] = field(default_factory=dict)
    wire_names: Mapping[str, str] = field(default_factory=dict)
    """JSON names of fields, if they differ."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values of missing fields whose class has no default."""
    omit: Collection[str] = ()
    """Fields that are left out if they have their default value."""
    complete: bool = False
    """Are all fields required, even those with a default?"""
    strict: bool = True
    """Are unknown fields refused?"""

    def __post_init__(self) -> None:
        self._globals: dict[str, Any] = {}
        self._converters: dict[Any, _Converter] = {
            str: _Converter(_unchanged, self._scalar_reader(str, _check_encodable)),
            int: _Converter(_unchanged, self._scalar_reader(int, None)),
            bool: _Converter(_unchanged, self._scalar_reader(bool, None)),
            float: _Converter(_unchanged, self._read_float),
            Any: _Converter(_unchanged, lambda value, path: value),
        }
        for kind, scalar in self.scalars.items():
            read = self._scalar_reader(scalar.json_type, scalar.parse)
            self._converters[kind] = _Converter(self._call(scalar.write), read)
        self._writers: dict[type, Callable[[Any], JsonObject]] = {}
        self._readers: dict[str, Callable[[Any, str], Any]] = {}
        versioned = {} if self.version is None else {"v": self.version}
        self._outer_keys = {self.tag, self.body, *versioned}
        for name, registered in self.kinds.items():
            head = {self.tag: name, **versioned}
            self._writers[registered] = self._writer(self._fields(registered), head)
            self._readers[name] = self._reader(registered, () if self.body else head, show(name))

    def to_json(self, value: T) -> JsonObject:
        return self._writers[type(value)](value)

    def from_json(self, plain: Mapping[str, Any]) -> T:
        """Parse the output of `to_json`; the error has the reason and the path."""
        name = plain.get(self.tag)
        read = self._readers.get(name) if isinstance(name, str) else None
        if read is None:
            raise self.error(self.unknown, path=self.tag, name=show(name), names=", ".join(self._readers))
        version = plain.get("v")
        if self.version is not None and (version != self.version or type(version) is not int):
            message = gettext_noop("version %(version)s of %(name)s is not supported")
            raise self.error(message, path="v", version=show(version), name=show(name))
        if self.body and (extra := plain.keys() - self._outer_keys):
            message = gettext_noop("unknown field %(field)s beside %(body)s")
            raise self.error(message, field=show(min(extra)), body=self.body)
        value: T = read(plain.get(self.body), self.body) if self.body else read(plain, "")
        return value

    def writer(self, kind: type, names: Iterable[str] = ()) -> Callable[[Any], JsonObject]:
        """Compile the function that writes a dataclass without a tag: all of its fields, or those in `names`."""
        by_name = {member.name: member for member in self._fields(kind)}
        return self._writer([by_name[name] for name in names or by_name], {})

    def reader(self, kind: type[S], path: str = "") -> Callable[[object], S]:
        """Compile the function that reads a dataclass without a tag, or any other supported type."""
        read: Callable[[Any, str], S] = self._converter(kind).read
        return lambda plain: read(plain, path)

    def _converter(self, kind: Any) -> _Converter:
        """The converter for a type, compiled once."""
        if kind not in self._converters:
            self._converters[kind] = self._compile(kind)
        return self._converters[kind]

    def _compile(self, kind: Any) -> _Converter:
        origin, arguments = get_origin(kind), get_args(kind)
        is_union = origin in (Union, UnionType)
        if is_union and NoneType in arguments:
            return self._optional(reduce(or_, (member for member in arguments if member is not NoneType)))
        members = arguments if is_union else (kind,)
        for codec in self.uses:
            if all(member in codec._writers for member in members):
                return self._tagged(codec, members)
        if is_union:
            return self._union(members)
        if origin is tuple and arguments[1:] == (...,):
            return self._sequence(self._converter(arguments[0]))
        if origin is tuple:
            return self._row([self._converter(argument) for argument in arguments])
        if origin in (Mapping, dict):
            return self._mapping(*map(self._converter, arguments))
        if hasattr(kind, "parse"):
            return _Converter("str({})".format, self._scalar_reader(str, kind.parse))
        if issubclass(kind, Enum):
            return _Converter("{}._value_".format, self._scalar_reader(str, kind))
        return _Converter(self._call(self.writer(kind)), self._reader(kind))

    def _bind(self, value: Any) -> str:
        """Bind a value to a name that generated expressions can use."""
        name = f"bound_{len(self._globals)}"
        self._globals[name] = value
        return name

    def _call(self, function: Callable[[Any], Any]) -> Callable[[str], str]:
        name = self._bind(function)
        return lambda value: f"{name}({value})"

    def _dispatch(self, writers: Mapping[type, Callable[[Any], JsonObject]]) -> Callable[[str], str]:
        """Choose the writer by the class of the value."""
        name = self._bind(writers)
        return lambda value: f"{name}[type({value})]({value})"

    def _scalar_reader(self, json_type: type, parse: Callable[[Any], Any] | None) -> Callable[[Any, str], Any]:
        error, wrong_type = self.error, _WRONG_TYPE[json_type]

        def read(value: Any, path: str) -> Any:
            if type(value) is not json_type:
                raise error(wrong_type, path=path, value=show(value))
            if parse is None:
                return value
            try:
                return parse(value)
            except (ValueError, ZeroDivisionError):
                raise error(_INVALID, path=path, value=show(value)) from None

        return read

    def _read_float(self, value: Any, path: str) -> float:
        if type(value) not in (int, float) or not abs(value) <= _MAX_FLOAT:
            raise self.error(gettext_noop("%(value)s is not a number"), path=path, value=show(value))
        return float(value)

    def _optional(self, kind: Any) -> _Converter:
        write, read = self._converter(kind)
        return _Converter(
            lambda value: f"(None if {value} is None else {write(value)})",
            lambda value, path: None if value is None else read(value, path),
        )

    def _tagged(self, codec: "Codec[Any]", kinds: tuple[Any, ...]) -> _Converter:
        """Kinds of another codec, with its tag."""

        def read(plain: Any, path: str) -> Any:
            value = codec.from_json(self._check_type(dict, plain, path))
            if type(value) not in kinds:
                raise self.error(_INVALID, path=path, value=show(plain))
            return value

        return _Converter(self._dispatch(codec._writers), read)

    def _union(self, kinds: tuple[Any, ...]) -> _Converter:
        """An untagged object is the first kind whose fields match."""
        writers = {kind: self.writer(kind) for kind in kinds}
        choices = []
        for kind in kinds:
            required = frozenset(member.wire for member in self._fields(kind) if member.required)
            known = frozenset(member.wire for member in self._fields(kind))
            choices.append((required, known, self._reader(kind)))

        def read(plain: Any, path: str) -> Any:
            names = self._check_type(dict, plain, path).keys()
            for required, known, read_kind in choices:
                if required <= names <= known and (required or names):
                    return read_kind(plain, path)
            raise self.error(_INVALID, path=path, value=show(plain))

        return _Converter(self._dispatch(writers), read)

    def _sequence(self, element: _Converter) -> _Converter:
        def read(plain: Any, path: str) -> Any:
            return tuple([element.read(value, path) for value in self._check_type(list, plain, path)])

        return _Converter(lambda value: f"[{element.write('item')} for item in {value}]", read)

    def _row(self, elements: list[_Converter]) -> _Converter:
        """A tuple of a fixed length."""

        def write(value: str) -> str:
            return f"[{', '.join([element.write(f'{value}[{index}]') for index, element in enumerate(elements)])}]"

        def read(plain: Any, path: str) -> Any:
            if len(self._check_type(list, plain, path)) != len(elements):
                raise self.error(gettext_noop("this must be a list of %(count)s"), path=path, count=len(elements))
            return tuple([element.read(value, path) for element, value in zip(elements, plain, strict=True)])

        return _Converter(write, read)

    def _mapping(self, key: _Converter, element: _Converter) -> _Converter:
        def write(value: str) -> str:
            return f"{{{key.write('key')}: {element.write('item')} for key, item in {value}.items()}}"

        def read(plain: Any, path: str) -> Any:
            items = self._check_type(dict, plain, path).items()
            return {key.read(name, path): element.read(value, path) for name, value in items}

        return _Converter(write, read)

    def _fields(self, kind: Any) -> list[_Field]:
        hints = get_type_hints(kind)
        return [
            _Field(
                name=field.name,
                wire=self.wire_names.get(field.name, field.name),
                converter=self._converter(hints[field.name]),
                required=self.complete
                or (field.default is MISSING and field.default_factory is MISSING and field.name not in self.defaults),
                default=field.default,
            )
            for field in fields(kind)
        ]

    def _writer(self, members: Iterable[_Field], head: Mapping[str, object]) -> Callable[[Any], JsonObject]:
        """Generate a function that writes an object as one dict literal, as `dataclass` generates `__init__`.

        A loop over the fields takes 1.4 times as long for the largest object, the view of a hand.
        """
        items = []
        for member in members:
            item = f"{member.wire!r}: {member.converter.write(f'value.{member.name}')}"
            if member.name in self.omit:
                default = self._bind(member.default)
                item = f"**({{}} if value.{member.name} == {default} else {{{item}}})"
            items.append(item)
        if self.body and head:
            items = [f"{self.body!r}: {{{', '.join(items)}}}"]
        items = [f"{name!r}: {value!r}" for name, value in head.items()] + items
        write: Callable[[Any], JsonObject] = eval(f"lambda value: {{{', '.join(items)}}}", self._globals)
        return write

    def _reader(self, kind: Any, head: Iterable[str] = (), label: str = "this") -> Callable[[Any, str], Any]:
        error, strict = self.error, self.strict
        members = self._fields(kind)
        known = frozenset(member.wire for member in members) | frozenset(head)
        readers = [(member.name, member.wire, member.converter.read, member.required) for member in members]
        defaults = {member.name: self.defaults[member.name] for member in members if member.name in self.defaults}
        listed = ", ".join(member.wire for member in members)

        def read(plain: Any, path: str) -> Any:
            names = self._check_type(dict, plain, path).keys()
            if strict and not names <= known:
                message = gettext_noop("unknown field %(field)s; %(kind)s has %(fields)s")
                fields_ = listed or gettext("no fields")
                raise error(message, path=path, field=show(min(names - known)), kind=label, fields=fields_)
            values = defaults.copy()
            for name, wire, read_value, required in readers:
                if wire in plain:
                    values[name] = read_value(plain[wire], wire)
                elif required:
                    message = gettext_noop("%(field)s is missing; %(kind)s has %(fields)s")
                    raise error(message, path=wire, field=wire, kind=label, fields=listed)
            return kind(**values)

        return read

    def _check_type(self, json_type: type, value: Any, path: str) -> Any:
        if type(value) is not json_type:
            raise self.error(_WRONG_TYPE[json_type], path=path, value=show(value))
        return value


def _unchanged(value: str) -> str:
    return value


def _check_encodable(text: str) -> str:
    """Raise UnicodeEncodeError, a ValueError, for a lone surrogate: neither stores nor pages can encode it."""
    if not text.isascii():
        text.encode()
    return text
