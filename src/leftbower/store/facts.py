"""The encoding of facts: JSON objects with a kind and a version, in canonical form, upcast when read."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from leftbower.errors import StoreBroken, Unstorable, show

Fact: TypeAlias = Mapping[str, Any]
"""A JSON object with at least `"fact"`, its kind, and `"v"`, the version of that kind, counted from 1."""
Plain: TypeAlias = dict[str, Any]
"""A fact as read: a new dict that the caller may change."""
Upcasters: TypeAlias = Mapping[tuple[str, int], Callable[[Plain], Plain]]
"""For each kind and version that is no longer written, the function that converts it to the next version."""

MAX_FACT_BYTES: Final = 1 << 20
"""Real facts have a few hundred bytes."""


def canonical(value: Mapping[str, Any]) -> str:
    """The canonical text of a JSON object: sorted keys, no spaces, no escapes; equal objects have equal texts."""
    try:
        text = _ENCODER.encode(value)
        length = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise Unstorable("%(value)s is not JSON", value=show(value)) from error
    if length > MAX_FACT_BYTES:
        raise Unstorable("the fact has %(length)s bytes; the limit is %(limit)s", length=length, limit=MAX_FACT_BYTES)
    return text


def encode_fact(fact: Fact) -> str:
    """The canonical text of a fact, or the error that says why it is not valid; can run in any thread."""
    kind, version = fact.get("fact"), fact.get("v")
    if not isinstance(kind, str) or not kind:
        raise Unstorable('a fact\'s "fact" must be its kind, not %(kind)s', kind=show(kind))
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Unstorable('a fact\'s "v" must be its version, not %(version)s', version=show(version))
    body = canonical(fact)
    json.loads(body)
    return body


def parse_stored(text: str, where: str) -> Plain:
    """The object of a stored text; StoreBroken with the location of the damage, but not the text."""
    try:
        plain = json.loads(text) if is_text(text) else None
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        raise StoreBroken("%(where)s is damaged; verify the store", where=where)
    return plain


def is_text(text: str) -> bool:
    """Can this be encoded? Damaged bytes are read as surrogate escapes, which can't."""
    return text.isascii() or text.encode(errors="replace").decode() == text


def upcast(fact: Plain, upcasters: Upcasters) -> Plain:
    """The fact in its current version; each upcaster is applied at most once."""
    for _ in upcasters:
        step = upcasters.get((fact["fact"], fact["v"]))
        if step is None:
            break
        fact = step(fact)
    return fact


def check_names(names: Iterable[str]) -> None:
    """Refuse anything but opaque ids of logs, people, links and kinds: up to 100 letters, digits and . _ : / -"""
    for name in names:
        if not _NAME.fullmatch(name):
            raise Unstorable("%(name)s is not a name; use up to 100 letters, digits and . _ : / -", name=show(name))


def check_text(text: str) -> str:
    """Check a text written by people: up to 200 characters that every database can store."""
    if len(text) > 200 or "\0" in text or not is_text(text):
        raise Unstorable("%(name)s is not a valid name", name=show(text))
    return text


_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_NAME: Final = re.compile(r"[A-Za-z0-9._:/-]{1,100}")
