"""Form bodies, parsed within hard limits: multipart by python-multipart, urlencoded by the standard library.

Parsing takes linear time, nearly all of it in C: a body with more delimiters than any of our forms has fields is
refused before it is parsed. Every malformed body raises the same error, `BadForm`.
"""

import logging
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from leftbower.errors import BadForm, BadRequest, TooLarge

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

MAX_FIELDS: Final = 100
"""Fields per form, in either encoding."""
MAX_URLENCODED_BYTES: Final = 256 << 10
"""Bytes of an urlencoded form, which takes longer to decode than a file; our longest form has a list of names."""
MAX_NAME_BYTES: Final = 100
"""Bytes of a field's name."""
MAX_CONTENT_TYPE_CHARS: Final = 300
MAX_PART_HEADERS: Final = 8
"""Headers per part; browsers send two."""
MAX_PART_HEADER_BYTES: Final = 1024
"""Bytes per part header; a file name of 255 characters fits."""
_CHUNK_BYTES: Final = 64 << 10
"""Bytes passed to C code at once; other threads can run between two chunks."""
_MULTIPART: Final = b"multipart/form-data"
_BOUNDARY: Final = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")
"""The boundary of RFC 2046: 1 to 70 characters, the last of them not a space."""
_CHARSETS: Final = frozenset({b"", b"utf-8", b"utf8", b"us-ascii"})
_TRANSFER_ENCODINGS: Final = frozenset({b"", b"7bit", b"8bit", b"binary"})
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # it would log every refused body


def wants_json(request: Request) -> bool:
    """Is this a request by our script rather than a browser's form or link?"""
    return "application/json" in request.headers.get("accept", "")


def idempotency_key(form: dict[str, str]) -> str:
    """Hash of a form's fields; the same form sent twice is executed once."""
    canonical = "\n".join(f"{name}={value}" for name, value in sorted(form.items()))
    return sha256(canonical.encode()).hexdigest()[:16]


def parse_number(form: dict[str, str], name: str) -> int:
    """A number field of a form."""
    value = form.get(name, "")
    if not value.isdecimal() or len(value) > 9:
        raise BadRequest("enter a number", path=name)
    return int(value)


def is_multipart(content_type: str) -> bool:
    """Does a Content-Type header announce `multipart/form-data`?"""
    return content_type.partition(";")[0].strip().lower() == _MULTIPART.decode()


def parse_multipart(content_type: str, body: bytes) -> dict[str, str]:
    """Fields and files of a `multipart/form-data` body by name, as UTF-8 text; otherwise BadForm.

    Refuses nested parts, duplicate names, other charsets, transfer encodings, and a truncated body.
    """
    boundary = _boundary(content_type)
    if _count(body, b"--" + boundary) > MAX_FIELDS + 1:
        raise BadForm("a form has at most %(limit)s fields", limit=MAX_FIELDS)
    parts = _Parts()
    parser = MultipartParser(
        boundary, parts.callbacks(), max_header_count=MAX_PART_HEADERS, max_header_size=MAX_PART_HEADER_BYTES
    )
    try:
        for start in range(0, len(body), _CHUNK_BYTES):
            parser.write(body[start : start + _CHUNK_BYTES])
    except FormParserError:
        raise BadForm("this form can't be read") from None
    if not parts.complete:
        raise BadForm("the form is incomplete; send it again")
    return {_text(name): _text(b"".join(value)) for name, value in parts.values.items()}


def parse_urlencoded(body: bytes) -> dict[str, str]:
    """Fields of an `application/x-www-form-urlencoded` body by name; values of one name are joined by spaces."""
    if len(body) > MAX_URLENCODED_BYTES:
        raise TooLarge("the form is larger than %(limit)s KiB", limit=MAX_URLENCODED_BYTES >> 10)
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict", separator="&"
        )
    except UnicodeDecodeError:
        raise BadForm("the form is not UTF-8 text") from None
    except ValueError:
        raise BadForm("a form has at most %(limit)s fields", limit=MAX_FIELDS) from None
    form: dict[str, list[str]] = {}
    for name, value in pairs:
        form.setdefault(name, []).append(value)
    return {name: " ".join(values) for name, values in form.items()}


class _Parts:
    """Parser callbacks that collect the value of each part."""

    def __init__(self) -> None:
        self.values: dict[bytes, list[bytes]] = {}
        self.complete = False
        self._headers: dict[bytes, bytes] = {}
        self._header_name = self._header_value = b""
        self._value: list[bytes] = []

    def callbacks(self) -> "MultipartCallbacks":
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._add_header_name,
            "on_header_value": self._add_header_value,
            "on_header_end": self._end_header,
            "on_headers_finished": self._check_headers,
            "on_part_data": self._add_data,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        if len(self.values) >= MAX_FIELDS:
            raise BadForm("a form has at most %(limit)s fields", limit=MAX_FIELDS)
        self._headers = {}

    def _add_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _add_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        name = self._header_name.lower()
        if name in self._headers:
            raise BadForm("a form field has the same header twice")
        self._headers[name] = self._header_value
        self._header_name = self._header_value = b""

    def _check_headers(self) -> None:
        disposition, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"name", b"")
        if disposition != b"form-data" or not 0 < len(name) <= MAX_NAME_BYTES:
            raise BadForm("a form field has no name, or its name is too long")
        if name in self.values:
            raise BadForm("a form field is there twice")
        kind, options = parse_options_header(self._headers.get(b"content-type", b""))
        if kind.startswith((b"multipart/", b"message/")):
            raise BadForm("forms inside forms aren't allowed")
        if options.get(b"charset", b"").lower() not in _CHARSETS:
            raise BadForm("the form is not UTF-8 text")
        if self._headers.get(b"content-transfer-encoding", b"").strip().lower() not in _TRANSFER_ENCODINGS:
            raise BadForm("form fields can't have a transfer encoding")
        self._value = self.values[name] = []

    def _add_data(self, data: bytes, start: int, end: int) -> None:
        self._value.append(data[start:end])

    def _end(self) -> None:
        self.complete = True


def _boundary(content_type: str) -> bytes:
    if len(content_type) > MAX_CONTENT_TYPE_CHARS or not content_type.isascii():
        raise BadForm("the form's Content-Type is too long or not ASCII")
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind.strip() != _MULTIPART or not _BOUNDARY.fullmatch(boundary):
        raise BadForm("the form has no valid boundary")
    return boundary


def _count(body: bytes, delimiter: bytes) -> int:
    """Delimiters in a body; one that spans two chunks is counted with the first."""
    reach = len(delimiter) - 1
    return sum(body.count(delimiter, at, at + _CHUNK_BYTES + reach) for at in range(0, len(body), _CHUNK_BYTES))


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadForm("the form is not UTF-8 text; save the file as UTF-8") from None
