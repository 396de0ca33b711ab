"""Mutations of bytes, text, JSON, forms and multipart bodies, drawn from a `Random`; the same seed gives the same."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final
from urllib.parse import quote_from_bytes

MAX_DEPTH: Final = 20_000
"""Brackets of the deepest nesting; the interpreter gives up at a few thousand."""
MAX_CHAIN: Final = 4
"""Consecutive mutations of one input."""
_MAX_GROWTH: Final = 64 << 10
"""Bytes above which no slice is repeated."""
NUMBERS: Final[tuple[Any, ...]] = (
    *(0, -1, 1, 2, 9, 10, 255, 256, 2**31 - 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**40, 10**400, -(10**400)),
    *(0.5, -0.0, 1e-300, 1e300, float("nan"), float("inf"), float("-inf"), True, False, None),
)
TEXTS: Final[tuple[str, ...]] = (
    *("", " ", "0", "-1", "1e999", "1e-999", "1/0", "1e99999999", "NaN", "null", "true", "٣", "²", "½", "০", "𝟙"),
    *("\ud800", "\udfff", "\x00", "\x1b[2J", "\r\n", "\t", "\u2028", "\u202e", "\ufeff", "\u200d", "é" * 3, "e\u0301"),
    *("N", "E", "D", "??", "Jd", "lb2-", "..", "../..", "%00", "%", "%ff", "{}", "[]", "<b>", "'", '"', "\\", "=1+1"),
    *("0" * 40, "9" * 500, "a" * 70, "🃏" * 50, "\u0301" * 60, "(" * 3000, "[" * 300),
)
CHUNKS: Final[tuple[bytes, ...]] = (
    *(text.encode("utf-8", "surrogatepass") for text in TEXTS),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xfe\xff", b"\r\n\r\n", b"--", b"&", b"=", b";", b","),
    *(b'"\\ud800"', b"\\u0000", b"NaN", b"-Infinity", b"1e400", b'{"a":', b"]" * 9, b"}" * 9),
)


def mutated_bytes(data: bytes, rng: Random) -> bytes:
    """A few changes: bits, bytes, slices dropped, moved and repeated, chunks inserted, the end cut off."""
    for _ in range(rng.randint(1, MAX_CHAIN)):
        data = rng.choice(_BYTE_MUTATIONS)(data, rng)
    return data


def mutated_text(text: str, rng: Random) -> str:
    """The text with a character or a chunk changed, or another text."""
    kind = rng.randrange(5)
    if kind == 0 or not text:
        return rng.choice(TEXTS)
    at = rng.randrange(len(text) + 1)
    if kind == 1:
        return text[:at]
    if kind == 2:
        return text[:at] + rng.choice(TEXTS) + text[at:]
    if kind == 3:
        return text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0x110000)))) + text[at + 1 :]
    return text * rng.choice((2, 3, 50)) if len(text) < 1000 else text


def mutated_json(value: Any, rng: Random) -> Any:
    """The value with one part changed: another type, a name dropped, repeated or changed, a longer list."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        return _mutated_object(value, rng)
    if isinstance(value, list) and value and rng.random() < 0.8:
        return _mutated_list(value, rng)
    if isinstance(value, str) and rng.random() < 0.6:
        return mutated_text(value, rng)
    if isinstance(value, int) and rng.random() < 0.4:
        return value + rng.choice((-1, 1, 256, -(10**9)))
    return rng.choice(_VALUES)(rng)


def written_json(value: Any, rng: Random) -> bytes:
    """The value as JSON, sometimes written oddly: a duplicate name, another encoding, a byte order mark, cut short."""
    try:
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    except RecursionError:
        text = "[" * MAX_DEPTH
    kind = rng.randrange(24)
    if kind == 0 and text.startswith("{") and len(text) > 2:
        text = text[:-1] + "," + text[1:]
    if kind == 1:
        return text.encode("utf-16", "surrogatepass")
    data = text.encode("utf-8", "surrogatepass")
    if kind == 2:
        return b"\xef\xbb\xbf" + data
    if kind == 3:
        return data[: rng.randrange(len(data) + 1)]
    if kind == 4:
        depth = rng.choice((100, 3000, MAX_DEPTH))
        return b"[" * depth + data + b"]" * depth
    return data


def mutated_json_lines(data: bytes, rng: Random) -> bytes:
    """JSON lines, or one JSON document, with values, lines or bytes changed."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    kind = rng.randrange(8)
    if kind == 0:
        return mutated_bytes(data, rng)
    if kind == 1:
        del lines[at]
    elif kind == 2:
        lines.insert(rng.randrange(len(lines) + 1), lines[at])
    elif kind == 3:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        try:
            value = json.loads(lines[at])
        except (ValueError, RecursionError):
            return mutated_bytes(data, rng)
        lines[at] = written_json(mutated_json(value, rng), rng)
    return b"\n".join(lines)


def mutated_form(fields: Sequence[tuple[str, str]], rng: Random) -> list[tuple[str, str]]:
    """Fields of a form with some dropped, repeated, renamed or changed."""
    fields = list(fields)
    for _ in range(rng.randint(1, MAX_CHAIN)):
        kind = rng.randrange(6)
        if not fields or kind == 0:
            fields.append((rng.choice(TEXTS), rng.choice(TEXTS)))
            continue
        at = rng.randrange(len(fields))
        name, value = fields[at]
        if kind == 1:
            del fields[at]
        elif kind == 2:
            fields += [(name, value)] * rng.choice((1, 2, 200))
        elif kind == 3:
            fields[at] = mutated_text(name, rng), value
        else:
            fields[at] = name, mutated_text(value, rng)
    return fields


def urlencoded(fields: Sequence[tuple[str, str]]) -> bytes:
    """The body of a form as browsers send it; lone surrogates stay as they are."""
    return b"&".join(f"{_percent(name)}={_percent(value)}".encode() for name, value in fields)


def multipart(fields: Sequence[tuple[str, str]], boundary: str, *, files: Sequence[str] = ()) -> bytes:
    """The same as multipart/form-data; fields named in `files` are sent as files."""
    parts = []
    for name, value in fields:
        file = '; filename="a.txt"\r\nContent-Type: text/plain' if name in files else ""
        head = f'Content-Disposition: form-data; name="{name}"{file}'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n{value}\r\n".encode("utf-8", "surrogatepass"))
    return b"".join(parts) + f"--{boundary}--\r\n".encode("utf-8", "surrogatepass")


def mutated_multipart(data: bytes, boundary: str, rng: Random) -> bytes:
    """A multipart body cut short, nested, crowded with parts or headers, or with changed bytes."""
    mark = b"--" + boundary.encode("utf-8", "surrogatepass")
    kind = rng.randrange(8)
    if kind == 0:
        return data[: rng.randrange(len(data) + 1)]
    if kind == 1:
        inner = b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n"
        return mark + b"\r\n" + inner + data
    if kind == 2:
        return (mark + b'\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n') * rng.choice((20, 300)) + data
    if kind == 3:
        return mark + b"\r\n" + b"X-%d: y\r\n" % rng.randrange(99) * rng.choice((20, 300)) + b"\r\n\r\n" + data
    if kind == 4:
        return data.replace(b"form-data", b"form-data; " + b"(" * rng.choice((10, 3000)), 1)
    if kind == 5:
        return data.replace(b"\r\n", rng.choice((b"\n", b"\r", b"")), rng.randint(1, 5))
    if kind == 6:
        return data.replace(mark, mark[: rng.randrange(len(mark) + 1)], 1)
    return mutated_bytes(data, rng)


def _flip(data: bytes, rng: Random) -> bytes:
    if not data:
        return rng.randbytes(1)
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _replace(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(1) + data[at + 1 :]


def _insert(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(CHUNKS) + data[at:]


def _drop(data: bytes, rng: Random) -> bytes:
    start, end = _slice(data, rng)
    return data[:start] + data[end:]


def _repeat(data: bytes, rng: Random) -> bytes:
    start, end = _slice(data, rng)
    times = rng.choice((1, 2, 30))
    return data[:end] + data[start:end] * times + data[end:] if (end - start) * times < _MAX_GROWTH else data


def _move(data: bytes, rng: Random) -> bytes:
    start, end = _slice(data, rng)
    rest = data[:start] + data[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + data[start:end] + rest[at:]


def _truncate(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


_BYTE_MUTATIONS: Final = (_flip, _replace, _insert, _insert, _drop, _repeat, _move, _truncate)


def _slice(data: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 2, 8, 64, 512)))


def _mutated_object(value: dict[str, Any], rng: Random) -> dict[str, Any]:
    name = rng.choice(list(value))
    kind = rng.randrange(10)
    if kind == 0:
        return {key: item for key, item in value.items() if key != name}
    if kind == 1:
        return {mutated_text(key, rng) if key == name else key: item for key, item in value.items()}
    if kind == 2:
        return value | {rng.choice(TEXTS): rng.choice(_VALUES)(rng)}
    if kind == 3:
        return value | {name: value[rng.choice(list(value))]}
    return value | {name: mutated_json(value[name], rng)}


def _mutated_list(value: list[Any], rng: Random) -> list[Any]:
    at = rng.randrange(len(value))
    kind = rng.randrange(10)
    if kind == 0:
        return value[:at] + value[at + 1 :]
    if kind == 1:
        return value[:at] + [value[at]] * rng.choice((2, 3, 200)) + value[at + 1 :]
    if kind == 2:
        return [*value, rng.choice(_VALUES)(rng)]
    if kind == 3:
        return rng.sample(value, len(value))
    return [*value[:at], mutated_json(value[at], rng), *value[at + 1 :]]


def _nested(rng: Random) -> Any:
    value: Any = rng.choice(NUMBERS)
    for _ in range(rng.choice((2, 50, 400))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


_VALUES: Final[tuple[Callable[[Random], Any], ...]] = (
    lambda rng: rng.choice(NUMBERS),
    lambda rng: rng.choice(NUMBERS),
    lambda rng: rng.choice(TEXTS),
    lambda rng: rng.choice(TEXTS),
    lambda rng: [],
    lambda rng: {},
    lambda rng: [rng.choice(NUMBERS)] * rng.choice((1, 5, 100)),
    lambda rng: {rng.choice(TEXTS): rng.choice(NUMBERS)},
    _nested,
)
"""Each makes a value of some type."""


def _percent(text: str) -> str:
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"), safe="")
