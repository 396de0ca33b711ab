"""The LAN URL for links and QR codes; a page opened on localhost must not hand out localhost links."""

import socket
from contextlib import closing
from typing import Final

from fastapi import Request

from leftbower.server.http.rate_limit import parse_address

_UNROUTABLE_ADDRESS: Final = ("192.0.2.1", 9)
"""A documentation address. Nothing is sent to it: the kernel only chooses the local address that would be used."""
WILDCARD_HOSTS: Final = ("0.0.0.0", "::")
"""Listening hosts that are reachable from the LAN."""


def lan_address() -> str:
    """The address of this machine on its network; the loopback address if it is on none."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(_UNROUTABLE_ADDRESS)
            name: str = probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"
    return name


def public_base_url(request: Request) -> str:
    """The base URL for other devices: the configured origin, or the requested one with the LAN address for loopback."""
    site = request.app.state.context.site
    if site is not None:
        return str(site.origin)
    url = request.base_url
    address = parse_address(url.hostname or "")
    is_loopback = url.hostname == "localhost" or (address is not None and address.is_loopback)
    if is_loopback and getattr(request.app.state, "host", "") in WILDCARD_HOSTS:
        url = url.replace(hostname=lan_address())
    return str(url).rstrip("/")
