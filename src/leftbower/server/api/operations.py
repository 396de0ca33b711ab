"""What operators ask: is the server well, and what has it counted?"""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from leftbower.errors import NotFound
from leftbower.server.api.responses import Health
from leftbower.server.context import Context
from leftbower.server.http.errors import error_responses
from leftbower.server.http.rate_limit import address
from leftbower.server.observability.metrics import MEDIA_TYPE, render_metrics

LOOPBACK: Final = "loopback"
OFF: Final = "off"
_PROXY_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""What a proxy adds; from one that is not named, nobody knows who really asks."""
router = APIRouter(tags=["operators"], responses=error_responses(429, 503))
Network = IPv4Network | IPv6Network


class MetricsAccess:
    """Who may read the metrics: programs on this machine, nobody, or those in some networks."""

    def __init__(self, who: str) -> None:
        self._loopback, off = who == LOOPBACK, who == OFF
        self._networks = () if self._loopback or off else parse_networks(who)

    def allows(self, request: Request) -> bool:
        """May this one? On this machine by the name of this machine only, as a page of the web may go by any other."""
        here = address(request.client.host) if request.client else None
        if here is None:
            return False
        if not self._loopback:
            return any(here in network for network in self._networks)
        named = request.url.hostname or ""
        asked = address(named)
        local = named == "localhost" or (asked is not None and asked.is_loopback)
        return here.is_loopback and local and not any(name in request.headers for name in _PROXY_HEADERS)


def parse_networks(words: str) -> Sequence[Network]:
    """Addresses or networks with commas between, or the ValueError that names the first that is none."""
    return [ip_network(word.strip()) for word in words.split(",")]


@router.get("/healthz")
async def get_health(context: Context) -> Health:
    """Does the store take what people do, and who listens? 503 says why it does not."""
    context.outage.check()
    await context.store.listings(limit=1)
    return Health(store="ok", feeds=len(context.feeds) + len(context.event_feeds), busy=context.tables.busy)


@router.get("/metrics", include_in_schema=False)
async def get_metrics(request: Request, context: Context) -> PlainTextResponse:
    """Everything that is counted, for Prometheus; to everybody else there is nothing here."""
    readers: MetricsAccess = request.app.state.metrics_access
    if not readers.allows(request):
        raise NotFound("there is nothing here")
    gauges = {
        "leftbower_feeds": ("Open feeds.", len(context.feeds) + len(context.event_feeds)),
        "leftbower_tables_cached": ("Tables in the cache.", context.tables.cached_count),
        "leftbower_tables_busy": ("Tables at which the server has something to do.", context.tables.busy),
        "leftbower_store_up": ("Does the store take facts?", int(context.outage.error is None)),
    }
    return PlainTextResponse(render_metrics(gauges), media_type=MEDIA_TYPE)
