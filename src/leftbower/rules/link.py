"""The link of a rule set: the options that differ from their link defaults, by slot, followed by a checksum.

For each such option, in slot order, there are two numbers in Elias gamma code: how many slots were skipped, and the
index of the value in its domain. So the meaning of a link doesn't depend on the order of declaration, on a default, or
on a preset. Links of the first version, with a fixed number of bits for every option, can still be read.
"""

import base64
import re
from binascii import Error as NotBase64, crc_hqx
from collections.abc import Iterator, Mapping
from typing import Any, Final

from leftbower.errors import BadLink, BadOption
from leftbower.rules.options import Option

LINK_PREFIX: Final = "lb2-"
"""The start of every link; the digit is the version of the encoding."""
FIRST_PREFIX: Final = "lb1-"
CHECK_SEEDS: Final = {FIRST_PREFIX: 0x4C42, LINK_PREFIX: 0x4C32}
"""Seeds of the checksum by prefix, so that a link of one version is never taken for the other."""
MAX_LINK_CHARACTERS: Final = 80

_FIRST_WIDTHS: Final = (
    *(3, 3, 3, 3, 5, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 3, 1, 3, 3, 3, 3, 4, 4, 4, 4, 4, 3, 3, 1, 3),
    *(3, 1, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 1, 1, 3, 3, 7, 3, 1, 50),
)
"""Bits per slot, from slot 1, in links of the first version."""


def is_link(text: str) -> bool:
    """Does it start like a link of any version?"""
    return re.match(r"lb[0-9]+-", text) is not None


def encode_link(values: Mapping[str, Any], declared: Mapping[str, Option]) -> str:
    """Encode the values of all declared options."""
    bits, last = "", 0
    for option in sorted(declared.values(), key=lambda option: option.slot):
        if values[option.name] != option.link_default:
            bits += _gamma(option.slot - last - 1) + _gamma(option.domain.to_number(values[option.name]))
            last = option.slot
    size = -(-len(bits) // 8)
    body = int(bits.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big")
    return LINK_PREFIX + _to_text(body + check_of(body, LINK_PREFIX))


def decode_link(link: str, declared: Mapping[str, Option]) -> dict[str, Any]:
    """Decode the values of all declared options. Any single wrong character, or two swapped neighbors, is detected."""
    prefix = link[: len(LINK_PREFIX)]
    if prefix not in CHECK_SEEDS:
        raise BadLink("a rules link starts with %(prefix)s or %(first)s", prefix=LINK_PREFIX, first=FIRST_PREFIX)
    if len(link) > MAX_LINK_CHARACTERS:
        raise BadLink(
            "the link has %(length)s characters; a rules link has at most %(limit)s characters",
            length=f"{len(link):,}",
            limit=MAX_LINK_CHARACTERS,
        )
    body = _unpack(link.removeprefix(prefix), prefix)
    values = {name: option.link_default for name, option in declared.items()}
    by_slot = {option.slot: option for option in declared.values()}
    for slot, number in _first_pairs(body) if prefix == FIRST_PREFIX else _pairs(body):
        if slot not in by_slot:
            raise BadLink("the link has the unknown option %(slot)s; it was made by a newer leftbower", slot=slot)
        values[by_slot[slot].name] = _value(by_slot[slot], number)
    if prefix == LINK_PREFIX and encode_link(values, declared) != link:
        raise BadLink("the link is not written as leftbower writes it")
    return values


def check_of(body: bytes, prefix: str) -> bytes:
    """A CRC seeded by version and length: without the length, an extra zero byte at the end would pass."""
    return crc_hqx(body, CHECK_SEEDS[prefix] ^ len(body)).to_bytes(2, "big")


def _value(option: Option, number: int) -> object:
    try:
        return option.domain.from_number(option.name, number)
    except BadOption as error:
        raise BadLink("the link has an unknown value (%(reason)s)", reason=error) from None


def _gamma(number: int) -> str:
    """Elias gamma code: one zero for each binary digit after the first, then the digits."""
    digits = f"{number + 1:b}"
    return "0" * (len(digits) - 1) + digits


def _pairs(body: bytes) -> Iterator[tuple[int, int]]:
    numbers = _gamma_numbers("".join(f"{byte:08b}" for byte in body))
    slot = 0
    for skipped in numbers:
        slot += skipped + 1
        yield slot, next(numbers, 0)


def _gamma_numbers(bits: str) -> Iterator[int]:
    """Decode a sequence of gamma codes; zeros at the end are padding."""
    start = 0
    while (first := bits.find("1", start)) >= 0:
        end = 2 * first - start + 1
        yield int(bits[first:end], 2) - 1
        start = end


def _first_pairs(body: bytes) -> Iterator[tuple[int, int]]:
    """Slot and value index of every option, from a link of the first version."""
    if body.endswith(b"\0"):
        raise BadLink("the link is not written as leftbower writes it")
    packed = int.from_bytes(body, "little")
    for slot, width in enumerate(_FIRST_WIDTHS, 1):
        yield slot, packed & (1 << width) - 1
        packed >>= width
    if packed:
        raise BadLink("the link has options that are too new for its version")


def _to_text(packed: bytes) -> str:
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _unpack(encoded: str, prefix: str) -> bytes:
    try:
        packed = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    except (NotBase64, ValueError):
        raise BadLink("the link has wrong characters, or lost some at the end") from None
    body, check = packed[:-2], packed[-2:]
    if check != check_of(body, prefix) or _to_text(packed) != encoded:
        raise BadLink("the link was mistyped or cut short")
    return body
