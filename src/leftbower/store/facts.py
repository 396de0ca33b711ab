"""Facts as they are stored: JSON objects with a kind and a version, one spelling each, upcast when read."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from leftbower.errors import StoreBroken, Unstorable, show

Fact: TypeAlias = Mapping[str, Any]
"""A JSON object with at least `"fact"`, its kind, and `"v"`, the version of that kind, from 1 up."""
Plain: TypeAlias = dict[str, Any]
"""A fact as it is read: a plain object of one's own."""
Upcasters: TypeAlias = Mapping[tuple[str, int], Callable[[Plain], Plain]]
"""For each kind and version that is no longer written: the function that makes the next version of it."""

MAX_FACT_BYTES: Final = 1 << 20
"""Real facts have some hundred."""


def canonical(value: Mapping[str, Any]) -> str:
    """The one spelling of a JSON object: keys sorted, no spaces, letters as they are; equal objects, equal text."""
    try:
        text = _ENCODER.encode(value)
        length = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise Unstorable(f"{show(value)} is not JSON") from error
    if length > MAX_FACT_BYTES:
        raise Unstorable(f"{length} bytes are more than one fact may have ({MAX_FACT_BYTES})")
    return text


def encode_fact(fact: Fact) -> str:
    """The canonical text of a fact that can be read again, or the error that says why it is none; in any thread."""
    kind, version = fact.get("fact"), fact.get("v")
    if not isinstance(kind, str) or not kind:
        raise Unstorable(f'a fact needs its kind in "fact", and {show(kind)} is none')
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Unstorable(f'a fact needs its version in "v", and {show(version)} is none')
    body = canonical(fact)
    json.loads(body)
    return body


def parse_stored(text: str, where: str) -> Plain:
    """The object of a stored text, or StoreBroken that says where it is damaged and nothing of what stands there."""
    try:
        plain = json.loads(text) if is_text(text) else None
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        raise StoreBroken(f"{where} is damaged and cannot be read; verify the store")
    return plain


def is_text(text: str) -> bool:
    """Can this be encoded? What was not UTF-8 in a damaged row is read with surrogate escapes, which cannot."""
    return text.isascii() or text.encode(errors="replace").decode() == text


def upcast(fact: Plain, upcasters: Upcasters) -> Plain:
    """The fact in its present version; each upcaster is applied once at most."""
    for _ in upcasters:
        step = upcasters.get((fact["fact"], fact["v"]))
        if step is None:
            break
        fact = step(fact)
    return fact


def check_names(names: Iterable[str]) -> None:
    """Logs, people, links and their kinds go by opaque ids: up to 100 letters, digits and . _ : / -"""
    for name in names:
        if not _NAME.fullmatch(name):
            raise Unstorable(f"{show(name)} is no name: up to 100 letters, digits and . _ : / - are")


def check_text(text: str) -> str:
    """What people call themselves: any text of up to 200 characters that every database can keep."""
    if len(text) > 200 or "\0" in text or not is_text(text):
        raise Unstorable(f"{show(text)} is no name to be kept")
    return text


_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_NAME: Final = re.compile(r"[A-Za-z0-9._:/-]{1,100}")
