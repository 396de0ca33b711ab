"""What operators ask: is the server well, and what has it counted?"""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from leftbower.errors import NotFound
from leftbower.server.answers import refusals
from leftbower.server.desk import AtDesk
from leftbower.server.limits import address
from leftbower.server.metrics import MEDIA_TYPE, page
from leftbower.server.shapes import Health

LOOPBACK: Final = "loopback"
OFF: Final = "off"
_PASSED_ON: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""What a proxy adds; from one that is not named, nobody knows who really asks."""
operators = APIRouter(tags=["operators"], responses=refusals(429, 503))
Network = IPv4Network | IPv6Network


class Readers:
    """Who may read the metrics: programs on this machine, nobody, or those in some networks."""

    def __init__(self, who: str) -> None:
        self._loopback, off = who == LOOPBACK, who == OFF
        self._networks = () if self._loopback or off else networks(who)

    def may(self, request: Request) -> bool:
        """May this one? On this machine by the name of this machine only, as a page of the web may go by any other."""
        here = address(request.client.host) if request.client else None
        if here is None:
            return False
        if not self._loopback:
            return any(here in network for network in self._networks)
        named = request.url.hostname or ""
        asked = address(named)
        local = named == "localhost" or (asked is not None and asked.is_loopback)
        return here.is_loopback and local and not any(name in request.headers for name in _PASSED_ON)


def networks(words: str) -> Sequence[Network]:
    """Addresses or networks with commas between, or the ValueError that names the first that is none."""
    return [ip_network(word.strip()) for word in words.split(",")]


@operators.get("/healthz")
async def healthy(desk: AtDesk) -> Health:
    """Does the store take what people do, and who listens? 503 says why it does not."""
    desk.outage.check()
    await desk.store.listings(limit=1)
    return Health(store="ok", feeds=len(desk.feeds) + len(desk.event_feeds), busy=desk.house.busy)


@operators.get("/metrics", include_in_schema=False)
async def counted(request: Request, desk: AtDesk) -> PlainTextResponse:
    """Everything that is counted, for Prometheus; to everybody else there is nothing here."""
    readers: Readers = request.app.state.readers
    if not readers.may(request):
        raise NotFound("there is nothing here")
    gauges = {
        "leftbower_feeds": ("Feeds that are open.", len(desk.feeds) + len(desk.event_feeds)),
        "leftbower_tables_folded": ("Tables that are kept at hand.", desk.house.folded),
        "leftbower_tables_busy": ("Tables at which the house has something to do.", desk.house.busy),
        "leftbower_store_up": ("Does the store take facts?", int(desk.outage.trouble is None)),
    }
    return PlainTextResponse(page(gauges), media_type=MEDIA_TYPE)
