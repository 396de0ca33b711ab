"""Validation of the Host header: length, characters and port, before anything is made of it, such as a link."""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from leftbower.errors import BadHost

MAX_HOST_LENGTH: Final = 261
"""A name of 255 characters, a colon and a port."""
_HOST: Final = re.compile(
    r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,254}|\[(?P<ipv6>[0-9A-Fa-f:.]{2,45})\])(?::(?P<port>[0-9]{1,5}))?"
)


def check_host(values: list[str]) -> None:
    """Raise BadHost unless a request has at most one Host, a well-formed one; HTTP/1.0 may leave it out."""
    if not values:
        return
    found = _HOST.fullmatch(values[0]) if len(values) == 1 and len(values[0]) <= MAX_HOST_LENGTH else None
    if found is None or int(found["port"] or 0) > 65535 or not _is_ipv6(found["ipv6"] or "::"):
        raise BadHost("the Host header is not a host name or address with an optional port", path="host")


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True
