"""Under which address others find this server; who sits at it may have come by the loopback, which leads nowhere."""

import socket
from contextlib import closing
from typing import Final

from fastapi import Request

from leftbower.server.http.rate_limit import address

_UNROUTABLE_ADDRESS: Final = ("192.0.2.1", 9)
"""An address that nobody has. Nothing is sent there: the system only says by which of its own it would be."""
WILDCARD_HOSTS: Final = ("0.0.0.0", "::")
"""What a server listens to that lets phones in the room in."""


def lan_address() -> str:
    """The address of this machine on its network, or the loopback where it is on none."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asking:
        try:
            asking.connect(_UNROUTABLE_ADDRESS)
            name: str = asking.getsockname()[0]
        except OSError:
            return "127.0.0.1"
    return name


def public_base_url(request: Request) -> str:
    """Where others reach the page that is asked for: at the origin that is set, or as it was asked for, but by an
    address of the room."""
    site = request.app.state.context.site
    if site is not None:
        return str(site.origin)
    asked = request.base_url
    found = address(asked.hostname or "")
    here = asked.hostname == "localhost" or (found is not None and found.is_loopback)
    if here and getattr(request.app.state, "host", "") in WILDCARD_HOSTS:
        asked = asked.replace(hostname=lan_address())
    return str(asked).rstrip("/")
